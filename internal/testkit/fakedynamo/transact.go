package fakedynamo

import (
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/testkit/capacity"
)

// action is one write of a transaction.
type action struct {
	key   item // of the item
	put   item // nil for a deletion
	holds func(there item) bool
}

// TransactWriteItems makes all writes or none.
func (db *DB) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if in.ClientRequestToken != nil {
		return nil, db.unsupported("a request token")
	}
	call := Call{Operation: "TransactWriteItems", Write: true}
	var actions []action
	named, size := map[string]bool{}, 0
	for _, write := range in.TransactItems {
		a, err := db.action(write)
		if err != nil {
			return nil, err
		}
		name := nameOf(a.key)
		if named[name] {
			return nil, invalid("Transaction request cannot include multiple operations on one item: %s", name)
		}
		named[name] = true
		size += capacity.ItemSize(a.put)
		actions, call.Keys = append(actions, a), append(call.Keys, name)
	}
	if len(actions) == 0 || len(actions) > maxWrites || size > maxTransaction {
		return nil, invalid("a transaction of %d items and %d bytes", len(actions), size)
	}
	if err := db.run(ctx, call, func() error { return db.transact(ctx, call, actions) }); err != nil {
		return nil, err
	}
	return &dynamodb.TransactWriteItemsOutput{}, nil
}

// action reads one write of a transaction.
func (db *DB) action(write types.TransactWriteItem) (action, error) {
	switch {
	case write.Put != nil && *write.Put.TableName == db.table && write.Put.ExpressionAttributeNames == nil:
		holds, err := db.condition(write.Put.ConditionExpression, write.Put.ExpressionAttributeValues)
		if err != nil {
			return action{}, err
		}
		return action{key: write.Put.Item, put: write.Put.Item, holds: holds}, checkItem(write.Put.Item)
	case write.Delete != nil && *write.Delete.TableName == db.table && write.Delete.ExpressionAttributeNames == nil:
		holds, err := db.condition(write.Delete.ConditionExpression, write.Delete.ExpressionAttributeValues)
		if err != nil {
			return action{}, err
		}
		return action{key: write.Delete.Key, holds: holds}, checkKey(write.Delete.Key, 2)
	}
	return action{}, db.unsupported("this write of a transaction: %+v", write)
}

func (db *DB) transact(ctx context.Context, call Call, actions []action) error {
	reasons := make([]types.CancellationReason, len(actions))
	failed := false
	for i, a := range actions {
		reasons[i] = reason("None")
		if !a.holds(db.find(a.key)) {
			reasons[i], failed = reason("ConditionalCheckFailed"), true
		}
	}
	if failed {
		message := "Transaction cancelled, please refer cancellation reasons for specific reasons"
		return &types.TransactionCanceledException{Message: &message, CancellationReasons: reasons}
	}
	if db.Torn != nil {
		db.commit(ctx, call, actions)
		return nil
	}
	for _, a := range actions {
		db.show(a)
	}
	return nil
}

// commit makes the writes of a transaction visible one after the other. What was
// decided by then is not undone, whatever becomes of who asked for it.
func (db *DB) commit(ctx context.Context, call Call, actions []action) {
	actions, left := slices.Clone(actions), slices.Clone(call.Keys)
	for _, key := range left {
		db.left[key] = true
	}
	for len(actions) > 0 {
		db.mutex.Unlock()
		next := db.Torn(ctx, call, left)
		db.mutex.Lock()
		db.show(actions[next])
		delete(db.left, left[next])
		actions, left = slices.Delete(actions, next, next+1), slices.Delete(left, next, next+1)
	}
}

func (db *DB) show(a action) {
	if a.put == nil {
		db.remove(a.key)
	} else {
		db.save(a.put)
	}
}

// TransactGetItems reads items as they are at one moment.
func (db *DB) TransactGetItems(ctx context.Context, in *dynamodb.TransactGetItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error) {
	call := Call{Operation: "TransactGetItems"}
	if len(in.TransactItems) == 0 || len(in.TransactItems) > maxWrites {
		return nil, invalid("a transaction of %d items", len(in.TransactItems))
	}
	for _, item := range in.TransactItems {
		get := item.Get
		if *get.TableName != db.table || get.ProjectionExpression != nil || get.ExpressionAttributeNames != nil {
			return nil, db.unsupported("this read of a transaction: %+v", *get)
		}
		if err := checkKey(get.Key, 2); err != nil {
			return nil, err
		}
		if slices.Contains(call.Keys, nameOf(get.Key)) {
			return nil, invalid("Transaction request cannot include multiple operations on one item: %s", nameOf(get.Key))
		}
		call.Keys = append(call.Keys, nameOf(get.Key))
	}
	out := &dynamodb.TransactGetItemsOutput{}
	err := db.run(ctx, call, func() error {
		for _, item := range in.TransactItems {
			out.Responses = append(out.Responses, types.ItemResponse{Item: maps.Clone(db.find(item.Get.Key))})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
