package store

import (
	"context"
	"fmt"
	"iter"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Query yields the items of a partition whose sort keys begin with prefix and
// come after the sort key after (empty for all), in their order, by consistent
// reads. It reads a page of at most 1 MB at a time.
func (t *Table) Query(ctx context.Context, pk, prefix, after string) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for a, err := range t.query(ctx, pk, prefix, after) {
			if err != nil {
				yield(Item{}, err)
				return
			}
			if !yield(decode(a), nil) {
				return
			}
		}
	}
}

func (t *Table) query(ctx context.Context, pk, prefix, after string) iter.Seq2[attributes, error] {
	return func(yield func(attributes, error) bool) {
		input := &dynamodb.QueryInput{TableName: &t.name, ConsistentRead: aws.Bool(true),
			KeyConditionExpression:    aws.String(attrPK + " = :pk"),
			ExpressionAttributeValues: attributes{":pk": text(pk)}}
		if prefix != "" {
			input.KeyConditionExpression = aws.String(attrPK + " = :pk AND begins_with(" + attrSK + ", :prefix)")
			input.ExpressionAttributeValues[":prefix"] = text(prefix)
		}
		if after != "" {
			input.ExclusiveStartKey = key(pk, after)
		}
		for {
			out, err := t.client.Query(ctx, input)
			if err != nil {
				yield(nil, fmt.Errorf("reading %s / %s…: %w", pk, prefix, err))
				return
			}
			for _, item := range out.Items {
				if !yield(item, nil) {
					return
				}
			}
			if len(out.LastEvaluatedKey) == 0 {
				return
			}
			input.ExclusiveStartKey = out.LastEvaluatedKey
		}
	}
}

// Last returns the item of a partition with the highest sort key.
func (t *Table) Last(ctx context.Context, pk string) (item Item, found bool, err error) {
	out, err := t.client.Query(ctx, &dynamodb.QueryInput{TableName: &t.name, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String(attrPK + " = :pk"), ExpressionAttributeValues: attributes{":pk": text(pk)},
		ScanIndexForward: aws.Bool(false), Limit: aws.Int32(1)})
	if err != nil {
		return Item{}, false, fmt.Errorf("reading the end of %s: %w", pk, err)
	}
	if len(out.Items) == 0 {
		return Item{}, false, nil
	}
	return decode(out.Items[0]), true, nil
}

// All collects a partition's items by sort key.
func (t *Table) All(ctx context.Context, pk string) (map[string]Item, error) {
	items := map[string]Item{}
	for item, err := range t.Query(ctx, pk, "", "") {
		if err != nil {
			return nil, err
		}
		items[item.SK] = item
	}
	return items, nil
}
