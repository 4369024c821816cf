package local

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamodbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"tally/lib/local/samtemplate"
)

// makeTable makes the table. One that is there already, of another stack of this
// process, is an error.
func (s *Stack) makeTable(ctx context.Context, t samtemplate.Table) error {
	attribute := func(name string) dynamodbtypes.AttributeDefinition {
		return dynamodbtypes.AttributeDefinition{AttributeName: &name, AttributeType: dynamodbtypes.ScalarAttributeTypeS}
	}
	key := func(name string, kind dynamodbtypes.KeyType) dynamodbtypes.KeySchemaElement {
		return dynamodbtypes.KeySchemaElement{AttributeName: &name, KeyType: kind}
	}
	_, err := dynamodb.NewFromConfig(Config(s.Endpoint)).CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            &t.Name,
		AttributeDefinitions: []dynamodbtypes.AttributeDefinition{attribute(t.PartitionKey), attribute(t.SortKey)},
		KeySchema:            []dynamodbtypes.KeySchemaElement{key(t.PartitionKey, dynamodbtypes.KeyTypeHash), key(t.SortKey, dynamodbtypes.KeyTypeRange)},
		BillingMode:          dynamodbtypes.BillingModePayPerRequest,
	})
	if err != nil {
		return fmt.Errorf("making the table %s: %w", t.Name, err)
	}
	return nil
}

// makeQueues makes the queues, those that hold dead letters first: the others
// name them.
func (s *Stack) makeQueues(ctx context.Context, queues []samtemplate.Queue) error {
	queues = slices.Clone(queues)
	slices.SortStableFunc(queues, func(a, b samtemplate.Queue) int { return order(a.Redrive != nil) - order(b.Redrive != nil) })
	client := s.sqs()
	for _, queue := range queues {
		if err := makeQueue(ctx, client, queue); err != nil {
			return fmt.Errorf("making the queue %s: %w", queue.Name, err)
		}
	}
	return nil
}

func makeQueue(ctx context.Context, client *sqs.Client, queue samtemplate.Queue) error {
	attributes := map[string]string{
		string(types.QueueAttributeNameVisibilityTimeout):             seconds(queue.Visibility),
		string(types.QueueAttributeNameMessageRetentionPeriod):        seconds(queue.Retention),
		string(types.QueueAttributeNameReceiveMessageWaitTimeSeconds): seconds(queue.ReceiveWait),
		string(types.QueueAttributeNameMaximumMessageSize):            strconv.Itoa(queue.MaximumMessageBytes),
	}
	if queue.Redrive != nil {
		policy, err := json.Marshal(map[string]any{"deadLetterTargetArn": queue.Redrive.DeadLetters, "maxReceiveCount": queue.Redrive.MaxReceives})
		if err != nil {
			return fmt.Errorf("encoding its redrive policy: %w", err)
		}
		attributes[string(types.QueueAttributeNameRedrivePolicy)] = string(policy)
	}
	_, err := client.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &queue.Name, Attributes: attributes})
	return err
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }
