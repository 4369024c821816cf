package dynamotest_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/testkit/dynamotest"
)

// A request is answered however long ago its deadline was: what a test finds does
// not depend on the speed of the machine.
func TestPatient(t *testing.T) {
	dynamotest.Each(t, func(t *testing.T, db dynamotest.DB) {
		table := db.Table(t)
		late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Minute))
		defer cancel()
		for name, client := range map[string]*dynamodb.Client{"the test's client": db.Client, "a client of its own": db.NewClient()} {
			t.Run(name, func(t *testing.T) {
				_, err := client.PutItem(late, &dynamodb.PutItemInput{TableName: aws.String(table), Item: map[string]types.AttributeValue{
					dynamotest.PartitionKey: &types.AttributeValueMemberS{Value: "p"}, dynamotest.SortKey: &types.AttributeValueMemberS{Value: "s"}}})
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
	})
}
