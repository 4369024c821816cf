package capacity

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// read is the count of one item read by its key; found is empty where there is
// none. Whole says that nothing of it was left out of the answer.
func read(found item, consistent, whole bool) Count {
	count := Count{Reads: readUnits(ItemSize(found), consistent)}
	if len(found) > 0 {
		count.Items = 1
	}
	if !whole {
		count.Unseen = 1
	}
	return count
}

func get(in *dynamodb.GetItemInput, out *dynamodb.GetItemOutput) Count {
	whole := in.ProjectionExpression == nil && len(in.AttributesToGet) == 0
	return read(out.Item, aws.ToBool(in.ConsistentRead), whole)
}

func batchGet(in *dynamodb.BatchGetItemInput, out *dynamodb.BatchGetItemOutput) Count {
	var count Count
	for table, wanted := range in.RequestItems {
		consistent := aws.ToBool(wanted.ConsistentRead)
		whole := wanted.ProjectionExpression == nil && len(wanted.AttributesToGet) == 0
		for _, found := range out.Responses[table] {
			count = count.plus(read(found, consistent, whole))
		}
		absent := len(wanted.Keys) - len(out.Responses[table]) - len(out.UnprocessedKeys[table].Keys)
		// A projection without the attributes of an item leaves an empty one, not none.
		count = count.plus(read(nil, consistent, true).times(int64(absent)))
	}
	return count
}

// transactGet counts each item twice, consistently read.
func transactGet(in *dynamodb.TransactGetItemsInput, out *dynamodb.TransactGetItemsOutput) Count {
	var count Count
	for i, response := range out.Responses {
		one := read(response.Item, true, in.TransactItems[i].Get.ProjectionExpression == nil)
		one.Reads *= 2
		count = count.plus(one)
	}
	return count
}

func query(in *dynamodb.QueryInput, out *dynamodb.QueryOutput) Count {
	whole := in.ProjectionExpression == nil && len(in.AttributesToGet) == 0 && in.Select != types.SelectCount
	return page(out.Items, aws.ToBool(in.ConsistentRead), whole && out.Count == out.ScannedCount)
}

func scan(in *dynamodb.ScanInput, out *dynamodb.ScanOutput) Count {
	whole := in.ProjectionExpression == nil && len(in.AttributesToGet) == 0 && in.Select != types.SelectCount
	return page(out.Items, aws.ToBool(in.ConsistentRead), whole && out.Count == out.ScannedCount)
}

// page is the count of one page, whose sizes are summed before they are rounded.
func page(items []item, consistent, whole bool) Count {
	size := 0
	for _, it := range items {
		size += ItemSize(it)
	}
	count := Count{Items: int64(len(items)), Reads: readUnits(size, consistent)}
	if !whole {
		count.Unseen = 1
	}
	return count
}
