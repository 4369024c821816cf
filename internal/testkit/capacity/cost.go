package capacity

import (
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

type item = map[string]types.AttributeValue

// cost returns the items and units of one attempt, from the operation's input and
// the attempt's answer: an output, or an error and none.
func (m *Meter) cost(input, output any, err error) Count {
	if err != nil {
		return m.costOfError(input, err)
	}
	switch in := input.(type) {
	case *dynamodb.PutItemInput:
		return m.put(in, output.(*dynamodb.PutItemOutput))
	case *dynamodb.UpdateItemInput:
		return m.update(in, output.(*dynamodb.UpdateItemOutput))
	case *dynamodb.DeleteItemInput:
		return m.delete(in, output.(*dynamodb.DeleteItemOutput))
	case *dynamodb.BatchWriteItemInput:
		return batchWrite(in, output.(*dynamodb.BatchWriteItemOutput))
	case *dynamodb.TransactWriteItemsInput:
		return m.transactWrite(in)
	case *dynamodb.GetItemInput:
		return get(in, output.(*dynamodb.GetItemOutput))
	case *dynamodb.BatchGetItemInput:
		return batchGet(in, output.(*dynamodb.BatchGetItemOutput))
	case *dynamodb.TransactGetItemsInput:
		return transactGet(in, output.(*dynamodb.TransactGetItemsOutput))
	case *dynamodb.QueryInput:
		return query(in, output.(*dynamodb.QueryOutput))
	case *dynamodb.ScanInput:
		return scan(in, output.(*dynamodb.ScanOutput))
	case *dynamodb.ExecuteStatementInput, *dynamodb.BatchExecuteStatementInput, *dynamodb.ExecuteTransactionInput:
		return Count{Unseen: 1}
	default:
		return Count{} // tables, backups, limits, …: no capacity
	}
}

// costOfError returns what an attempt that failed consumed all the same.
func (m *Meter) costOfError(input any, err error) Count {
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		return m.failedCondition(input, failed.Item)
	}
	var cancelled *types.TransactionCanceledException
	if in, ok := input.(*dynamodb.TransactWriteItemsInput); ok && errors.As(err, &cancelled) {
		count := m.transactWrite(in)
		count.Unseen = count.Items
		return count
	}
	var answered smithy.APIError
	if errors.As(err, &answered) {
		return Count{}
	}
	return Count{Unseen: 1}
}

// failedCondition is the cost of a write whose condition the stored item failed.
// Stored is that item where the request asked for it and the endpoint heeds that,
// and empty where there is none. What would have been written counts too, where
// the request shows it.
func (m *Meter) failedCondition(input any, stored item) Count {
	const asked = types.ReturnValuesOnConditionCheckFailureAllOld
	switch in := input.(type) {
	case *dynamodb.PutItemInput:
		// attribute_not_exists failed: there is an item, returned or not.
		kept := len(stored) == 0 && m.provesAbsence(in.ConditionExpression, in.ExpressionAttributeNames)
		seen := in.ReturnValuesOnConditionCheckFailure == asked && !kept
		return write(max(ItemSize(in.Item), ItemSize(stored)), seen)
	case *dynamodb.UpdateItemInput:
		return write(max(updatedSize(in.Key, in.ExpressionAttributeValues), ItemSize(stored)), false)
	case *dynamodb.DeleteItemInput:
		return write(ItemSize(stored), in.ReturnValuesOnConditionCheckFailure == asked && len(stored) > 0)
	default:
		return Count{Unseen: 1}
	}
}
