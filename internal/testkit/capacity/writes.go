package capacity

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// write is the count of one item written. Seen says that size is, for certain,
// the larger of the item before and after.
func write(size int, seen bool) Count {
	count := Count{Items: 1, Writes: writeUnits(size)}
	if !seen {
		count.Unseen = 1
	}
	return count
}

func (m *Meter) put(in *dynamodb.PutItemInput, out *dynamodb.PutItemOutput) Count {
	// An answer to ALL_OLD without attributes says that there was no item.
	seen := in.ReturnValues == types.ReturnValueAllOld ||
		m.provesAbsence(in.ConditionExpression, in.ExpressionAttributeNames)
	return write(max(ItemSize(in.Item), ItemSize(out.Attributes)), seen)
}

func (m *Meter) delete(in *dynamodb.DeleteItemInput, out *dynamodb.DeleteItemOutput) Count {
	return write(ItemSize(out.Attributes), in.ReturnValues == types.ReturnValueAllOld)
}

func (m *Meter) update(in *dynamodb.UpdateItemInput, out *dynamodb.UpdateItemOutput) Count {
	absent := m.provesAbsence(in.ConditionExpression, in.ExpressionAttributeNames)
	switch in.ReturnValues {
	case types.ReturnValueAllNew:
		return write(ItemSize(out.Attributes), absent)
	case types.ReturnValueAllOld:
		return write(max(updatedSize(in.Key, in.ExpressionAttributeValues), ItemSize(out.Attributes)), false)
	default:
		return write(updatedSize(in.Key, in.ExpressionAttributeValues), false)
	}
}

// updatedSize estimates the item after an update as its key and the values of the
// expressions, as if all of them were stored.
func updatedSize(key, values item) int {
	size := ItemSize(key)
	for _, value := range values {
		size += valueSize(value)
	}
	return size
}

// provesAbsence reports whether a write under the condition can only succeed where
// no item is stored: attribute_not_exists of a key attribute, alone or followed by
// AND and no OR.
func (m *Meter) provesAbsence(condition *string, names map[string]string) bool {
	argument, found := strings.CutPrefix(strings.TrimSpace(aws.ToString(condition)), "attribute_not_exists")
	if !found {
		return false
	}
	argument, rest, closed := strings.Cut(strings.TrimSpace(argument), ")")
	name, opened := strings.CutPrefix(argument, "(")
	if !opened || !closed {
		return false
	}
	name = strings.TrimSpace(name)
	if alias, ok := names[name]; ok {
		name = alias
	}
	words := strings.Fields(strings.ToUpper(rest))
	return slices.Contains(m.keys, name) &&
		(len(words) == 0 || words[0] == "AND" && !slices.Contains(words, "OR"))
}

// batchWrite counts what was asked for without what was left undone. It is never
// conditional and never returns what it replaced.
func batchWrite(in *dynamodb.BatchWriteItemInput, out *dynamodb.BatchWriteItemOutput) Count {
	return writeRequests(in.RequestItems).plus(writeRequests(out.UnprocessedItems).times(-1))
}

func writeRequests(tables map[string][]types.WriteRequest) Count {
	var count Count
	for _, requests := range tables {
		for _, request := range requests {
			size := 0
			if request.PutRequest != nil {
				size = ItemSize(request.PutRequest.Item)
			}
			count = count.plus(write(size, false))
		}
	}
	return count
}

// transactWrite counts each action twice: to prepare it and to commit it.
func (m *Meter) transactWrite(in *dynamodb.TransactWriteItemsInput) Count {
	var count Count
	for _, action := range in.TransactItems {
		one := m.action(action)
		one.Writes *= 2
		count = count.plus(one)
	}
	return count
}

func (m *Meter) action(action types.TransactWriteItem) Count {
	switch {
	case action.Put != nil:
		return write(ItemSize(action.Put.Item), m.provesAbsence(action.Put.ConditionExpression, action.Put.ExpressionAttributeNames))
	case action.Update != nil:
		return write(updatedSize(action.Update.Key, action.Update.ExpressionAttributeValues), false)
	case action.ConditionCheck != nil:
		check := action.ConditionCheck
		return write(0, m.provesAbsence(check.ConditionExpression, check.ExpressionAttributeNames))
	default:
		return write(0, false)
	}
}
