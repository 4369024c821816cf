package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
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
// answer. A transaction that was throttled is made again: the SDK does not, for it
// sees a transaction that was cancelled. [ErrThrottled] says that it always was.
//
// That it is all or nothing is true of what is written, not of what is read
// meanwhile: see [Table.Together].
func (t *Table) Transact(ctx context.Context, writes ...Write) error {
	items := make([]types.TransactWriteItem, len(writes))
	for i, write := range writes {
		items[i] = write(t)
	}
	var sent attempts
	err := again(ctx, throttled, func() error {
		return sent.answered(func(watched func(*dynamodb.Options)) error {
			_, err := t.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items}, watched)
			return err
		})
	})
	if err != nil && sent.throttled() {
		return fmt.Errorf("writing a transaction of %d items: %w: %w", len(writes), ErrThrottled, err)
	}
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) && only(cancelled, "ConditionalCheckFailed", conflicting) {
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
	// By the nanoseconds of the clock: what runs by a clock of its own can be repeated.
	chance := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), uint64(try)))
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(chance.Int64N(int64(limit))) + 1):
		return nil
	}
}

// maxAgain bounds how often a request is made again that was refused for what others
// do at the moment, and so has changed nothing.
const maxAgain = 10

// again makes a request until it fails for another reason, or is carried out.
func again(ctx context.Context, passing func(error) bool, request func() error) error {
	for try := 0; ; try++ {
		err := request()
		if err == nil || !passing(err) || try == maxAgain {
			return err
		}
		if waited := Pause(ctx, try); waited != nil {
			return errors.Join(waited, err)
		}
	}
}

// besides makes a write of one item until no transaction has the item under way:
// that is a race, which the write may still win or lose.
func besides(ctx context.Context, write func() error) error {
	var conflict *types.TransactionConflictException
	err := again(ctx, func(err error) bool { return errors.As(err, &conflict) }, write)
	if errors.As(err, &conflict) && ctx.Err() == nil {
		return fmt.Errorf("%w: transactions have it under way: %w", ErrChanged, err)
	}
	return err
}

// put writes one item. [ErrThrottled] says that it was not written.
func (t *Table) put(ctx context.Context, in *dynamodb.PutItemInput) error {
	var sent attempts
	err := besides(ctx, func() error {
		return sent.answered(func(watched func(*dynamodb.Options)) error {
			_, err := t.client.PutItem(ctx, in, watched)
			return err
		})
	})
	if err != nil && sent.throttled() {
		return fmt.Errorf("%w: %w", ErrThrottled, err)
	}
	return err
}

// The reasons of a transaction that was cancelled.
const (
	conflicting    = "TransactionConflict"
	throttling     = "ThrottlingError"
	overThroughput = "ProvisionedThroughputExceeded"
)

// throttled reports whether a transaction failed of nothing but too many requests.
func throttled(err error) bool {
	var cancelled *types.TransactionCanceledException
	return errors.As(err, &cancelled) && only(cancelled, throttling, overThroughput)
}

// only reports whether a transaction was cancelled for no other reasons.
func only(cancelled *types.TransactionCanceledException, codes ...string) bool {
	for _, reason := range cancelled.CancellationReasons {
		if code := aws.ToString(reason.Code); code != "" && code != "None" && !slices.Contains(codes, code) {
			return false
		}
	}
	return true
}
