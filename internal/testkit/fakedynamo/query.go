package fakedynamo

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tally/internal/testkit/capacity"
)

// The key conditions that the store asks with.
const (
	inPartition = partitionKey + " = :pk"
	withPrefix  = inPartition + " AND begins_with(" + sortKey + ", :sk)"
	afterKey    = inPartition + " AND " + sortKey + " > :sk"
	between     = inPartition + " AND " + sortKey + " BETWEEN :from AND :to"
)

// Query reads a page of a partition consistently.
func (db *DB) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if in.ConsistentRead == nil || !*in.ConsistentRead || in.IndexName != nil || in.FilterExpression != nil || in.ProjectionExpression != nil ||
		in.Select != "" || *in.TableName != db.table {
		return nil, db.unsupported("this Query: %+v", *in)
	}
	values := 2
	var wanted func(sk string) bool
	switch bound := text(in.ExpressionAttributeValues[":sk"]); *in.KeyConditionExpression {
	case inPartition:
		values, wanted = 1, func(string) bool { return true }
	case withPrefix:
		wanted = func(sk string) bool { return strings.HasPrefix(sk, bound) }
	case afterKey:
		wanted = func(sk string) bool { return sk > bound }
	case between:
		from, to := text(in.ExpressionAttributeValues[":from"]), text(in.ExpressionAttributeValues[":to"])
		if from > to {
			return nil, invalid("The BETWEEN operator requires upper bound to be greater than or equal to lower bound")
		}
		values, wanted = 3, func(sk string) bool { return from <= sk && sk <= to }
	default:
		return nil, db.unsupported("the key condition %q", *in.KeyConditionExpression)
	}
	if len(in.ExpressionAttributeValues) != values {
		return nil, db.unsupported("unused values in the key condition %q", *in.KeyConditionExpression)
	}
	for name, value := range in.ExpressionAttributeValues {
		if text(value) == "" {
			return nil, invalid("One or more parameter values were invalid: %s is empty or no string", name)
		}
	}
	out := &dynamodb.QueryOutput{}
	pk := text(in.ExpressionAttributeValues[":pk"])
	err := db.run(ctx, Call{Operation: "Query", Keys: []string{pk}}, func() error {
		db.page(in, pk, wanted, out)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// page fills in one page, which ends before the item that would make it too
// large, or at the limit.
func (db *DB) page(in *dynamodb.QueryInput, pk string, wanted func(string) bool, out *dynamodb.QueryOutput) {
	p := db.partitions[pk]
	if p == nil {
		return
	}
	keys := slices.Clone(p.keys)
	backwards := in.ScanIndexForward != nil && !*in.ScanIndexForward
	if backwards {
		slices.Reverse(keys)
	}
	start := text(in.ExclusiveStartKey[sortKey])
	size := 0
	for _, sk := range keys {
		if start != "" && (!backwards && sk <= start || backwards && sk >= start) || !wanted(sk) {
			continue
		}
		it := p.items[sk]
		size += capacity.ItemSize(it)
		if n := len(out.Items); n > 0 && size > db.PageBytes {
			last := out.Items[n-1]
			out.LastEvaluatedKey = item{partitionKey: last[partitionKey], sortKey: last[sortKey]}
			return
		}
		out.Items = append(out.Items, maps.Clone(it))
		out.Count++
		if in.Limit != nil && out.Count == *in.Limit {
			out.LastEvaluatedKey = item{partitionKey: it[partitionKey], sortKey: it[sortKey]}
			return
		}
	}
}
