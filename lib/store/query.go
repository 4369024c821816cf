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
	return decoded(t.pages(ctx, t.reading(pk, "begins_with("+attrSK+", :sk)", prefix)), decode)
}

// After yields the items of a partition whose sort keys come after one.
func (t *Table) After(ctx context.Context, pk, after string) iter.Seq2[Item, error] {
	return decoded(t.pages(ctx, t.reading(pk, later, after)), decode)
}

// Bets yields a partition's records after a sort key (empty for all), in their
// order: each bet is followed by its cancellation and its side wagers.
func (t *Table) Bets(ctx context.Context, pk, after string) iter.Seq2[StoredBet, error] {
	return decoded(t.pages(ctx, t.reading(pk, later, after)), decodeBet)
}

// later is the condition of what comes after a sort key.
const later = attrSK + " > :sk"

// Backward yields the items of a partition from its end, for people to look at:
// it reads no more pages than are taken.
func (t *Table) Backward(ctx context.Context, pk string) iter.Seq2[Item, error] {
	return t.backward(ctx, pk, 50)
}

func (t *Table) backward(ctx context.Context, pk string, page int32) iter.Seq2[Item, error] {
	input := t.reading(pk, "", "")
	input.ScanIndexForward, input.Limit = aws.Bool(false), aws.Int32(page)
	return decoded(t.pages(ctx, input), decode)
}

// Last returns the item of a partition with the highest sort key.
func (t *Table) Last(ctx context.Context, pk string) (last Item, found bool, err error) {
	for item, err := range t.backward(ctx, pk, 1) {
		return item, err == nil, err
	}
	return Item{}, false, nil
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

// reading asks for the items of a partition, those of them that meet a condition on the
// sort key where it is not empty.
func (t *Table) reading(pk, condition, sk string) *dynamodb.QueryInput {
	input := &dynamodb.QueryInput{TableName: &t.name, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String(attrPK + " = :pk"),
		ExpressionAttributeValues: attributes{":pk": text(pk)}}
	if sk != "" {
		input.KeyConditionExpression = aws.String(attrPK + " = :pk AND " + condition)
		input.ExpressionAttributeValues[":sk"] = text(sk)
	}
	return input
}

// pages yields what a query finds.
func (t *Table) pages(ctx context.Context, input *dynamodb.QueryInput) iter.Seq2[attributes, error] {
	return func(yield func(attributes, error) bool) {
		for in := *input; ; {
			out, err := t.client.Query(ctx, &in)
			if err != nil {
				yield(nil, fmt.Errorf("reading %s: %w", textOf(in.ExpressionAttributeValues, ":pk"), err))
				return
			}
			for _, item := range out.Items {
				if !yield(item, nil) {
					return
				}
			}
			if in.ExclusiveStartKey = out.LastEvaluatedKey; len(in.ExclusiveStartKey) == 0 {
				return
			}
		}
	}
}

// decoded yields what was found as values.
func decoded[T any](found iter.Seq2[attributes, error], decode func(attributes) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for a, err := range found {
			if !yield(decode(a), err) || err != nil {
				return
			}
		}
	}
}
