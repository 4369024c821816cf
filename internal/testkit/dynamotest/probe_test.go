package dynamotest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"tally/internal/testkit/dynamotest"
)

// probe is one question to a flavour, and what each answers. Where the answers
// differ, DynamoDB Local's is DynamoDB's.
type probe struct {
	name  string
	ask   func(at table) (string, error)
	kumo  string
	local string
}

// run asks both flavours. An answer is a short text, or the code of an error.
func run(t *testing.T, probes []probe) {
	t.Helper()
	dynamotest.Each(t, func(t *testing.T, db dynamotest.DB) {
		for _, probe := range probes {
			t.Run(probe.name, func(t *testing.T) {
				want := probe.local
				if db.Flavour == dynamotest.FlavourKumo {
					want = probe.kumo
				}
				got, err := probe.ask(table{ctx: t.Context(), client: db.Client, name: db.Table(t)})
				if err != nil {
					got = code(err)
				}
				if got != want {
					t.Errorf("got %q, want %q (error: %v)", got, want, err)
				}
			})
		}
	})
}

// code returns the code of DynamoDB's error, or the text of another.
func code(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return err.Error()
}

// table is a fresh table of one flavour.
type table struct {
	ctx    context.Context
	client *dynamodb.Client
	name   string
}

type item = map[string]types.AttributeValue

func text(s string) types.AttributeValue   { return &types.AttributeValueMemberS{Value: s} }
func number(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

// keyed returns an item of partition p; rest are attribute names and values in turn.
func keyed(sk string, rest ...any) item {
	it := item{dynamotest.PartitionKey: text("p"), dynamotest.SortKey: text(sk)}
	for i := 0; i < len(rest); i += 2 {
		it[rest[i].(string)] = rest[i+1].(types.AttributeValue)
	}
	return it
}

func filler(bytes int) types.AttributeValue { return text(strings.Repeat("x", bytes)) }

func (at table) put(it item) error {
	_, err := at.client.PutItem(at.ctx, &dynamodb.PutItemInput{TableName: &at.name, Item: it})
	return err
}

// numbered puts n items with sort keys 0000, 0001, … each with a filler.
func (at table) numbered(n, bytes int) error {
	for i := range n {
		if err := at.put(keyed(fmt.Sprintf("%04d", i), "filler", filler(bytes))); err != nil {
			return err
		}
	}
	return nil
}

// get returns an attribute as text: a string's or number's own, else its Go value.
func (at table) get(sk, name string) (string, error) {
	out, err := at.client.GetItem(at.ctx, &dynamodb.GetItemInput{TableName: &at.name, Key: keyed(sk), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return "", err
	}
	return show(out.Item[name]), nil
}

func show(value types.AttributeValue) string {
	switch v := value.(type) {
	case nil:
		return "absent"
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	case *types.AttributeValueMemberM:
		return fmt.Sprintf("map of %d", len(v.Value))
	case *types.AttributeValueMemberL:
		return fmt.Sprintf("list of %d", len(v.Value))
	default:
		return fmt.Sprintf("%T", v)
	}
}

// partition is the query for all of partition p.
func (at table) partition() *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		TableName:                 &at.name,
		KeyConditionExpression:    aws.String("pk = :p"),
		ExpressionAttributeValues: item{":p": text("p")},
		ConsistentRead:            aws.Bool(true),
	}
}

// update carries out an update expression on the item 0000.
func (at table) update(expression string, names map[string]string, values item) (*dynamodb.UpdateItemOutput, error) {
	return at.client.UpdateItem(at.ctx, &dynamodb.UpdateItemInput{
		TableName: &at.name, Key: keyed("0000"), UpdateExpression: &expression,
		ExpressionAttributeNames: names, ExpressionAttributeValues: values,
		ReturnValues: types.ReturnValueUpdatedNew,
	})
}

// transact carries out writes under a token; an empty one is left to the SDK.
func (at table) transact(token string, writes ...types.TransactWriteItem) (*dynamodb.TransactWriteItemsOutput, error) {
	in := &dynamodb.TransactWriteItemsInput{TransactItems: writes, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}
	if token != "" {
		in.ClientRequestToken = &token
	}
	return at.client.TransactWriteItems(at.ctx, in)
}

func (at table) putWrite(it item, condition string) types.TransactWriteItem {
	put := &types.Put{TableName: &at.name, Item: it, ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld}
	if condition != "" {
		put.ConditionExpression = &condition
	}
	return types.TransactWriteItem{Put: put}
}
