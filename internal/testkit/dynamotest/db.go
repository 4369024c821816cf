package dynamotest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// The names of the key attributes of every table that [DB.Table] makes; both
// hold strings.
const (
	PartitionKey = "pk"
	SortKey      = "sk"
)

// Flavour names an implementation of the DynamoDB API.
type Flavour string

// The two flavours.
const (
	FlavourKumo          Flavour = "kumo"
	FlavourDynamoDBLocal Flavour = "dynamodb-local"
)

// Features says which parts of DynamoDB's behaviour a flavour has. In a test of
// a store they decide what can be expected, never whether the test runs.
type Features struct {
	PageLimit                bool // a page of Query or Scan ends at 1 MB
	ItemLimit                bool // an item of more than 400 KB is refused
	OldItemOnFailedCondition bool // ReturnValuesOnConditionCheckFailure is heeded
	RequestTokens            bool // a ClientRequestToken makes a repeated transaction a replay
	ConsumedCapacity         bool // ReturnConsumedCapacity is heeded
}

// DB is a DynamoDB endpoint as one test sees it.
type DB struct {
	Flavour  Flavour
	Features Features
	Client   *dynamodb.Client
	Prefix   string // for names of tables, queues and buckets: no other test of this process has it

	endpoint string
}

// Each runs test against both flavours, as the subtests kumo and dynamodb-local.
func Each(t *testing.T, test func(t *testing.T, db DB)) {
	t.Helper()
	t.Run(string(FlavourKumo), func(t *testing.T) { test(t, Kumo(t)) })
	t.Run(string(FlavourDynamoDBLocal), func(t *testing.T) { test(t, DynamoDBLocal(t)) })
}

// tests counts the DBs given out, for their prefixes.
var tests atomic.Int64

func newDB(flavour Flavour, features Features, endpoint string) DB {
	db := DB{
		Flavour:  flavour,
		Features: features,
		Prefix:   fmt.Sprintf("test%d-", tests.Add(1)),
		endpoint: endpoint,
	}
	db.Client = db.NewClient()
	return db
}

// Endpoint returns the base URL, without a final slash. Kumo serves SQS, S3 and
// the other services there too, and the Lambda Runtime API of a function under
// /_runtime/<function>.
func (db DB) Endpoint() string { return db.endpoint }

// Config returns an AWS configuration for the clients of any service at the
// endpoint. The credentials in it are made up and open nothing.
func (db DB) Config() aws.Config {
	return aws.Config{
		Region:       "eu-central-1",
		Credentials:  credentials.NewStaticCredentialsProvider("test", "test", ""),
		BaseEndpoint: aws.String(db.endpoint),
		HTTPClient:   newWhole(),
	}
}

// NewClient returns a client of its own, [Patient], for a test that adds middleware
// or changes retries.
func (db DB) NewClient(options ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.NewFromConfig(db.Config(), append([]func(*dynamodb.Options){Patient}, options...)...)
}

// Patient lets a client's requests take as long as they take, whatever deadline they
// come with. How long a message or a bet may take to be stored is bound by the
// machine's own clock: on one that is busy, tests would find what took too long
// instead of what they look for.
func Patient(o *dynamodb.Options) {
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Patient",
			func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
				return next.HandleInitialize(context.WithoutCancel(ctx), in)
			}), middleware.Before)
	})
}

// tableSeconds bounds the making or deleting of a table.
const tableSeconds = 30

// Table makes an empty table on demand billing, with the string keys
// [PartitionKey] and [SortKey], and deletes it when the test ends.
func (db DB) Table(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("%stable%d", db.Prefix, tests.Add(1))
	ctx, cancel := context.WithTimeout(t.Context(), tableSeconds*time.Second)
	defer cancel()
	_, err := db.Client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: aws.String(name),
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String(PartitionKey), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String(SortKey), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String(PartitionKey), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String(SortKey), KeyType: types.KeyTypeRange},
		},
		BillingMode: types.BillingModePayPerRequest,
	})
	if err != nil {
		t.Fatalf("making table %s on %s: %v", name, db.Flavour, err)
	}
	t.Cleanup(func() { db.deleteTable(t, name) })
	return name
}

func (db DB) deleteTable(t testing.TB, name string) {
	// The test's own context has ended by the time of its cleanups.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), tableSeconds*time.Second)
	defer cancel()
	_, err := db.Client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(name)})
	if err != nil {
		t.Errorf("deleting table %s on %s: %v", name, db.Flavour, err)
	}
}
