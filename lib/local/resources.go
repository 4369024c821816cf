package local

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamodbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"tally/lib/local/samtemplate"
)

// makeTable makes the table. One that is there already, of another stack of this
// process, is an error.
func (s *Stack) makeTable(ctx context.Context, t samtemplate.Table) error {
	input := &dynamodb.CreateTableInput{TableName: &t.Name, BillingMode: dynamodbtypes.BillingMode(t.BillingMode)}
	for _, a := range t.Attributes {
		input.AttributeDefinitions = append(input.AttributeDefinitions,
			dynamodbtypes.AttributeDefinition{AttributeName: &a.Name, AttributeType: dynamodbtypes.ScalarAttributeType(a.Type)})
	}
	for _, k := range t.Keys {
		input.KeySchema = append(input.KeySchema, dynamodbtypes.KeySchemaElement{AttributeName: &k.Name, KeyType: dynamodbtypes.KeyType(k.Type)})
	}
	if _, err := dynamodb.NewFromConfig(Config(s.Endpoint)).CreateTable(ctx, input); err != nil {
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
	attributes := map[string]string{}
	for name, value := range map[types.QueueAttributeName]int{
		types.QueueAttributeNameVisibilityTimeout:             queue.Visibility,
		types.QueueAttributeNameMessageRetentionPeriod:        queue.Retention,
		types.QueueAttributeNameReceiveMessageWaitTimeSeconds: queue.ReceiveWait,
		types.QueueAttributeNameMaximumMessageSize:            queue.MaximumMessageBytes,
	} {
		if value != 0 {
			attributes[string(name)] = strconv.Itoa(value)
		}
	}
	if queue.Redrive != nil {
		policy, err := json.Marshal(queue.Redrive)
		if err != nil {
			return fmt.Errorf("encoding its redrive policy: %w", err)
		}
		attributes[string(types.QueueAttributeNameRedrivePolicy)] = string(policy)
	}
	_, err := client.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &queue.Name, Attributes: attributes})
	return err
}
