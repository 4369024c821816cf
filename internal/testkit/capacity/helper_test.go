package capacity_test

import (
	"context"
	"math"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/testkit/capacity"
)

type item = map[string]types.AttributeValue

func text(s string) types.AttributeValue   { return &types.AttributeValueMemberS{Value: s} }
func number(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

func key(sk string) item { return item{"pk": text("p"), "sk": text(sk)} }

// sized returns an item of partition p of exactly so many bytes.
func sized(sk string, bytes int) item {
	it := key(sk)
	it["filler"] = text("")
	it["filler"] = text(strings.Repeat("x", bytes-capacity.ItemSize(it)))
	return it
}

// table is a table with the calls that the tests make of it. Each returns what the
// endpoint says it consumed, nil where it says nothing.
type table struct {
	ctx    context.Context
	client *dynamodb.Client
	name   string
}

const total = types.ReturnConsumedCapacityTotal

// halves returns the units that an endpoint reports, which it does as a float.
func halves(reported ...types.ConsumedCapacity) *capacity.HalfUnits {
	if len(reported) == 0 {
		return nil
	}
	var units capacity.HalfUnits
	for _, consumed := range reported {
		units += capacity.HalfUnits(math.Round(2 * aws.ToFloat64(consumed.CapacityUnits)))
	}
	return &units
}

func one(reported *types.ConsumedCapacity) *capacity.HalfUnits {
	if reported == nil {
		return nil
	}
	return halves(*reported)
}

func (at table) put(it item, condition string, old types.ReturnValue) (*capacity.HalfUnits, error) {
	in := &dynamodb.PutItemInput{TableName: &at.name, Item: it, ReturnConsumedCapacity: total, ReturnValues: old}
	if condition != "" {
		in.ConditionExpression = &condition
		in.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	}
	out, err := at.client.PutItem(at.ctx, in)
	if err != nil {
		return nil, err
	}
	return one(out.ConsumedCapacity), nil
}

func (at table) update(sk, expression string, values item, returns types.ReturnValue) (*capacity.HalfUnits, error) {
	out, err := at.client.UpdateItem(at.ctx, &dynamodb.UpdateItemInput{
		TableName: &at.name, Key: key(sk), UpdateExpression: &expression, ExpressionAttributeValues: values,
		ReturnValues: returns, ReturnConsumedCapacity: total,
	})
	if err != nil {
		return nil, err
	}
	return one(out.ConsumedCapacity), nil
}

func (at table) delete(sk string, old types.ReturnValue) (*capacity.HalfUnits, error) {
	out, err := at.client.DeleteItem(at.ctx, &dynamodb.DeleteItemInput{
		TableName: &at.name, Key: key(sk), ReturnValues: old, ReturnConsumedCapacity: total,
	})
	if err != nil {
		return nil, err
	}
	return one(out.ConsumedCapacity), nil
}

func (at table) get(sk string, consistent bool) (*capacity.HalfUnits, error) {
	out, err := at.client.GetItem(at.ctx, &dynamodb.GetItemInput{
		TableName: &at.name, Key: key(sk), ConsistentRead: &consistent, ReturnConsumedCapacity: total,
	})
	if err != nil {
		return nil, err
	}
	return one(out.ConsumedCapacity), nil
}

func (at table) batchGet(consistent bool, sks ...string) (*capacity.HalfUnits, error) {
	wanted := types.KeysAndAttributes{ConsistentRead: &consistent}
	for _, sk := range sks {
		wanted.Keys = append(wanted.Keys, key(sk))
	}
	out, err := at.client.BatchGetItem(at.ctx, &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{at.name: wanted}, ReturnConsumedCapacity: total,
	})
	if err != nil {
		return nil, err
	}
	return halves(out.ConsumedCapacity...), nil
}

func (at table) transactGet(sks ...string) (*capacity.HalfUnits, error) {
	var gets []types.TransactGetItem
	for _, sk := range sks {
		gets = append(gets, types.TransactGetItem{Get: &types.Get{TableName: &at.name, Key: key(sk)}})
	}
	out, err := at.client.TransactGetItems(at.ctx, &dynamodb.TransactGetItemsInput{TransactItems: gets, ReturnConsumedCapacity: total})
	if err != nil {
		return nil, err
	}
	return halves(out.ConsumedCapacity...), nil
}

// all queries a whole partition, page by page.
func (at table) all(consistent bool, change func(*dynamodb.QueryInput)) (*capacity.HalfUnits, error) {
	in := &dynamodb.QueryInput{
		TableName: &at.name, KeyConditionExpression: aws.String("pk = :p"),
		ExpressionAttributeValues: item{":p": text("p")}, ConsistentRead: &consistent, ReturnConsumedCapacity: total,
	}
	if change != nil {
		change(in)
	}
	var reported []types.ConsumedCapacity
	for pages := dynamodb.NewQueryPaginator(at.client, in); pages.HasMorePages(); {
		out, err := pages.NextPage(at.ctx)
		if err != nil {
			return nil, err
		}
		if out.ConsumedCapacity != nil {
			reported = append(reported, *out.ConsumedCapacity)
		}
	}
	return halves(reported...), nil
}

func (at table) scan() (*capacity.HalfUnits, error) {
	out, err := at.client.Scan(at.ctx, &dynamodb.ScanInput{TableName: &at.name, ReturnConsumedCapacity: total})
	if err != nil {
		return nil, err
	}
	return one(out.ConsumedCapacity), nil
}

func (at table) batchWrite(writes ...types.WriteRequest) (*capacity.HalfUnits, error) {
	out, err := at.client.BatchWriteItem(at.ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{at.name: writes}, ReturnConsumedCapacity: total,
	})
	if err != nil {
		return nil, err
	}
	return halves(out.ConsumedCapacity...), nil
}

func (at table) transact(writes ...types.TransactWriteItem) (*capacity.HalfUnits, error) {
	out, err := at.client.TransactWriteItems(at.ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes, ReturnConsumedCapacity: total})
	if err != nil {
		return nil, err
	}
	return halves(out.ConsumedCapacity...), nil
}
