package store

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
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
	found, err := t.span(ctx, pk, s)
	if err != nil {
		return nil, err
	}
	items := make([]Item, len(found))
	for i, a := range found {
		items[i] = decode(a)
	}
	return items, nil
}

// BetsSpan reads a part of a bookmaker's partition of bets.
func (t *Table) BetsSpan(ctx context.Context, pk string, s Span) ([]StoredBet, error) {
	found, err := t.span(ctx, pk, s)
	if err != nil {
		return nil, err
	}
	bets := make([]StoredBet, len(found))
	for i, a := range found {
		bets[i] = decodeBet(a)
	}
	return bets, nil
}

func (t *Table) span(ctx context.Context, pk string, s Span) (found []attributes, err error) {
	for from := s.From; len(found) < s.Limit && from <= s.To; {
		out, err := t.client.Query(ctx, &dynamodb.QueryInput{TableName: &t.name, ConsistentRead: aws.Bool(true),
			KeyConditionExpression:    aws.String(attrPK + " = :pk AND " + attrSK + " BETWEEN :from AND :to"),
			ExpressionAttributeValues: attributes{":pk": text(pk), ":from": text(from), ":to": text(s.To)},
			Limit:                     aws.Int32(int32(s.Limit - len(found)))})
		if err != nil {
			return nil, fmt.Errorf("reading a part of %s: %w", pk, err)
		}
		found = append(found, out.Items...)
		if len(out.LastEvaluatedKey) == 0 {
			break
		}
		from = Next(textOf(out.LastEvaluatedKey, attrSK))
	}
	return found, nil
}
