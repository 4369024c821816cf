package store

import (
	"context"
	"fmt"
	"iter"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Query yields the items of a partition whose sort keys begin with prefix (empty
// for all), in their order, by consistent reads. It reads a page of at most 1 MB
// at a time.
func (t *Table) Query(ctx context.Context, pk, prefix string) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		condition := ""
		if prefix != "" {
			condition = "begins_with(" + attrSK + ", :sk)"
		}
		for a, err := range t.query(ctx, pk, condition, prefix) {
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

// After yields the items of a partition whose sort keys come after one.
func (t *Table) After(ctx context.Context, pk, after string) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for a, err := range t.query(ctx, pk, attrSK+" > :sk", after) {
			if !yield(decode(a), err) || err != nil {
				return
			}
		}
	}
}

// Backward yields the items of a partition from its end, for people to look at:
// it reads no more pages than are taken.
func (t *Table) Backward(ctx context.Context, pk string) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		input := &dynamodb.QueryInput{TableName: &t.name, ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(false), Limit: aws.Int32(backwardPage),
			KeyConditionExpression: aws.String(attrPK + " = :pk"), ExpressionAttributeValues: attributes{":pk": text(pk)}}
		for {
			out, err := t.client.Query(ctx, input)
			if err != nil {
				yield(Item{}, fmt.Errorf("reading %s from its end: %w", pk, err))
				return
			}
			for _, item := range out.Items {
				if !yield(decode(item), nil) {
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

// backwardPage is how many items Backward reads at a time.
const backwardPage = 50

// query yields the items of a partition that meet a condition on the sort key,
// which names :sk; an empty condition asks for all.
func (t *Table) query(ctx context.Context, pk, condition, sk string) iter.Seq2[attributes, error] {
	return func(yield func(attributes, error) bool) {
		input := &dynamodb.QueryInput{TableName: &t.name, ConsistentRead: aws.Bool(true),
			KeyConditionExpression:    aws.String(attrPK + " = :pk"),
			ExpressionAttributeValues: attributes{":pk": text(pk)}}
		if condition != "" {
			input.KeyConditionExpression = aws.String(attrPK + " = :pk AND " + condition)
			input.ExpressionAttributeValues[":sk"] = text(sk)
		}
		for {
			out, err := t.client.Query(ctx, input)
			if err != nil {
				yield(nil, fmt.Errorf("reading %s: %w", pk, err))
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
	for item, err := range t.Query(ctx, pk, "") {
		if err != nil {
			return nil, err
		}
		items[item.SK] = item
	}
	return items, nil
}
