package dynamotest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	accepted = "accepted"
	refused  = "ValidationException"
)

// What DynamoDB refuses and kumo takes: a store that does any of it works on a
// laptop and fails in AWS.
func TestRefusals(t *testing.T) {
	run(t, []probe{
		{"an item twice in a transaction", transactTwice, accepted, refused},
		{"101 writes in a transaction", transactMany, refused, refused},
		{"5 MB in a transaction", transactLarge, accepted, refused},
		{"a consistent query of an index", consistentIndex, accepted, refused},
		{"an item twice in a batch of writes", func(at table) (string, error) { return at.batchWrite(0, 0) }, accepted, refused},
		{"26 writes in a batch", func(at table) (string, error) { return at.batchWrite(upTo(26)...) }, refused, refused},
		{"an item twice in a batch of reads", func(at table) (string, error) { return at.batchGet(0, 0) }, accepted, refused},
		{"101 reads in a batch", func(at table) (string, error) { return at.batchGet(upTo(101)...) }, refused, refused},
		{"an empty key", func(at table) (string, error) { return accepted, at.put(keyed("")) }, accepted, refused},
		{"a sort key of 1,025 bytes", func(at table) (string, error) { return accepted, at.put(keyed(strings.Repeat("k", 1025))) }, accepted, refused},
		{"a key of another type", func(at table) (string, error) {
			return accepted, at.put(item{"pk": text("p"), "sk": number("1")})
		}, refused, refused},
		{"an empty set", func(at table) (string, error) {
			return accepted, at.put(keyed("0", "set", &types.AttributeValueMemberSS{Value: []string{}}))
		}, accepted, refused},
		{"an empty string", func(at table) (string, error) { return accepted, at.put(keyed("0", "a", text(""))) }, accepted, accepted},
		{"a number that is none", func(at table) (string, error) { return accepted, at.put(keyed("0", "n", number("one"))) }, accepted, refused},
		{"a number of 39 digits", func(at table) (string, error) {
			return accepted, at.put(keyed("0", "n", number(strings.Repeat("1", 39))))
		}, accepted, refused},
		{"a query without a partition key", queryWithoutPartition, accepted, refused},
		{"a filter on a key", filterOnKey, accepted, refused},
		{"a reserved word in an expression", func(at table) (string, error) { return at.updated("SET status = :v", nil, item{":v": text("x")}) }, accepted, refused},
		{"an undefined value in an expression", func(at table) (string, error) { return at.updated("SET a = :v", nil, nil) }, accepted, refused},
		{"an undefined name in an expression", func(at table) (string, error) {
			return at.updated("SET #a = :v", nil, item{":v": text("x")})
		}, accepted, refused},
		{"an unused value", func(at table) (string, error) {
			return at.updated("SET a = :v", nil, item{":v": text("x"), ":w": text("x")})
		}, accepted, refused},
		{"an unused name", func(at table) (string, error) {
			return at.updated("SET a = :v", map[string]string{"#b": "b"}, item{":v": text("x")})
		}, accepted, refused},
		{"an update of a key", func(at table) (string, error) { return at.updated("SET sk = :v", nil, item{":v": text("x")}) }, refused, refused},
		{"adding to a string", func(at table) (string, error) {
			if err := at.put(keyed("0000", "a", text("x"))); err != nil {
				return "", err
			}
			return at.updated("ADD a :v", nil, item{":v": number("1")})
		}, accepted, refused},
		{"a table name of 256 letters", longTableName, accepted, refused},
		{"deleting a protected table", deleteProtected, accepted, refused},
		{"PartiQL", partiQL, "UnknownOperationException", accepted},
	})
}

func transactTwice(at table) (string, error) {
	_, err := at.transact("", at.putWrite(keyed("0"), ""), at.putWrite(keyed("0"), ""))
	return accepted, err
}

func transactMany(at table) (string, error) {
	var writes []types.TransactWriteItem
	for _, n := range upTo(101) {
		writes = append(writes, at.putWrite(keyed(fmt.Sprint(n)), ""))
	}
	_, err := at.transact("", writes...)
	return accepted, err
}

// Thirteen items of 390 KB are within every limit but the sum's.
func transactLarge(at table) (string, error) {
	var writes []types.TransactWriteItem
	for _, n := range upTo(13) {
		writes = append(writes, at.putWrite(keyed(fmt.Sprint(n), "filler", filler(390<<10)), ""))
	}
	_, err := at.transact("", writes...)
	return accepted, err
}

func consistentIndex(at table) (string, error) {
	indexed := tableOf(at.name + "-indexed")
	indexed.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{
		IndexName: aws.String("index"), KeySchema: indexed.KeySchema,
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
	}}
	if _, err := at.client.CreateTable(at.ctx, indexed); err != nil {
		return "", fmt.Errorf("making it: %s", code(err))
	}
	query := at.partition()
	query.TableName, query.IndexName = indexed.TableName, aws.String("index")
	_, err := at.client.Query(at.ctx, query)
	return accepted, err
}

func upTo(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

func (at table) batchWrite(keys ...int) (string, error) {
	var writes []types.WriteRequest
	for _, key := range keys {
		writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: keyed(fmt.Sprint(key))}})
	}
	_, err := at.client.BatchWriteItem(at.ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{at.name: writes},
	})
	return accepted, err
}

func (at table) batchGet(keys ...int) (string, error) {
	var wanted []map[string]types.AttributeValue
	for _, key := range keys {
		wanted = append(wanted, keyed(fmt.Sprint(key)))
	}
	_, err := at.client.BatchGetItem(at.ctx, &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{at.name: {Keys: wanted}},
	})
	return accepted, err
}

func (at table) updated(expression string, names map[string]string, values item) (string, error) {
	_, err := at.update(expression, names, values)
	return accepted, err
}

func queryWithoutPartition(at table) (string, error) {
	query := at.partition()
	query.KeyConditionExpression = aws.String("sk = :p")
	_, err := at.client.Query(at.ctx, query)
	return accepted, err
}

func filterOnKey(at table) (string, error) {
	query := at.partition()
	query.FilterExpression = aws.String("sk <> :p")
	_, err := at.client.Query(at.ctx, query)
	return accepted, err
}

// tableOf is the description of a table with one key attribute.
func tableOf(name string) *dynamodb.CreateTableInput {
	return &dynamodb.CreateTableInput{
		TableName:            &name,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
		BillingMode:          types.BillingModePayPerRequest,
	}
}

func longTableName(at table) (string, error) {
	_, err := at.client.CreateTable(at.ctx, tableOf(at.name+strings.Repeat("t", 256-len(at.name))))
	return accepted, err
}

func deleteProtected(at table) (string, error) {
	protected := tableOf(at.name + "-protected")
	protected.DeletionProtectionEnabled = aws.Bool(true)
	if _, err := at.client.CreateTable(at.ctx, protected); err != nil {
		return "", fmt.Errorf("making it: %s", code(err))
	}
	_, err := at.client.DeleteTable(at.ctx, &dynamodb.DeleteTableInput{TableName: protected.TableName})
	return accepted, err
}

func partiQL(at table) (string, error) {
	_, err := at.client.ExecuteStatement(at.ctx, &dynamodb.ExecuteStatementInput{
		Statement: aws.String(fmt.Sprintf(`SELECT * FROM "%s" WHERE pk = 'p'`, at.name)),
	})
	return accepted, err
}
