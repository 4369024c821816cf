package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Write is one write of a transaction.
type Write func(*Table) types.TransactWriteItem

// Creating writes an item that must not be there yet.
func Creating(item Item) Write {
	return func(t *Table) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{TableName: &t.name, Item: item.encode(),
			ConditionExpression: aws.String("attribute_not_exists(" + attrPK + ")")}}
	}
}

// Replacing writes an item over the version before it.
func Replacing(item Item) Write {
	return func(t *Table) types.TransactWriteItem {
		return types.TransactWriteItem{Put: t.replacing(item)}
	}
}

// Putting writes an item whatever is there.
func Putting(item Item) Write {
	return func(t *Table) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{TableName: &t.name, Item: item.encode()}}
	}
}

// Deleting deletes an item, if it is there.
func Deleting(pk, sk string) Write {
	return func(t *Table) types.TransactWriteItem {
		return types.TransactWriteItem{Delete: &types.Delete{TableName: &t.name, Key: key(pk, sk)}}
	}
}

// DeletingAsRead deletes an item that was last stored when it says: one that was
// stored again since it was read, or deleted, is a condition that does not hold.
func DeletingAsRead(item Item) Write {
	return func(t *Table) types.TransactWriteItem {
		return types.TransactWriteItem{Delete: &types.Delete{TableName: &t.name, Key: key(item.PK, item.SK),
			ConditionExpression:       aws.String(attrStoredAt + " = :stored"),
			ExpressionAttributeValues: attributes{":stored": number(int64(item.StoredAt))}}}
	}
}

// Transact makes all writes or none. ErrChanged says that a condition did not
// hold or that another transaction was under way: the caller reads again and
// decides again, since the cause may be this very transaction after a lost
// answer.
func (t *Table) Transact(ctx context.Context, writes ...Write) error {
	items := make([]types.TransactWriteItem, len(writes))
	for i, write := range writes {
		items[i] = write(t)
	}
	_, err := t.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items})
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) && retriable(cancelled) {
		return ErrChanged
	}
	if err != nil {
		return fmt.Errorf("writing a transaction of %d items: %w", len(writes), err)
	}
	return nil
}

// Pause waits before the next try, with full jitter: many may be writing the same
// item.
func Pause(ctx context.Context, try int) error {
	limit := time.Millisecond << min(try, 7)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rand.N(limit) + 1):
		return nil
	}
}

// retriable reports whether a transaction failed because of other writers.
func retriable(cancelled *types.TransactionCanceledException) bool {
	for _, reason := range cancelled.CancellationReasons {
		switch aws.ToString(reason.Code) {
		case "", "None", "ConditionalCheckFailed", "TransactionConflict":
		default:
			return false
		}
	}
	return true
}
