package store

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Span is a part of a partition: the first Limit items whose sort keys are from
// From to To, both included.
type Span struct {
	From, To string
	Limit    int
}

// Next returns the least sort key after one: where a list goes on.
func Next(sk string) string { return sk + "\x00" }

// Span reads a part of a partition consistently, in the order of its keys.
func (t *Table) Span(ctx context.Context, pk string, s Span) ([]Item, error) {
	return span(ctx, t, pk, s, decode)
}

// BetsSpan reads a part of a bookmaker's partition of bets.
func (t *Table) BetsSpan(ctx context.Context, pk string, s Span) ([]StoredBet, error) {
	return span(ctx, t, pk, s, decodeBet)
}

func span[T any](ctx context.Context, t *Table, pk string, s Span, decode func(attributes) T) (found []T, err error) {
	input := t.reading(pk, "", "")
	input.KeyConditionExpression = aws.String(attrPK + " = :pk AND " + attrSK + " BETWEEN :from AND :to")
	input.ExpressionAttributeValues[":from"], input.ExpressionAttributeValues[":to"] = text(s.From), text(s.To)
	for len(found) < s.Limit && s.From <= s.To {
		input.Limit = aws.Int32(int32(s.Limit - len(found)))
		out, err := t.client.Query(ctx, input)
		if err != nil {
			return nil, fmt.Errorf("reading a part of %s: %w", pk, err)
		}
		for _, a := range out.Items {
			found = append(found, decode(a))
		}
		if input.ExclusiveStartKey = out.LastEvaluatedKey; len(input.ExclusiveStartKey) == 0 {
			break
		}
	}
	return found, nil
}
