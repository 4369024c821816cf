package fakedynamo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/testkit/capacity"
	"tally/lib/store"
)

// The names of the key attributes.
const (
	partitionKey = "pk"
	sortKey      = "sk"
)

type item = map[string]types.AttributeValue

// DB is a DynamoDB with one table. It may be used by several goroutines.
type DB struct {
	// PageBytes is the most that a page of a query holds, if it holds more than one
	// item; 1 MB by default.
	PageBytes int
	// Intercept decides what becomes of each request; by default all proceed.
	Intercept Interceptor
	// Applied is called with each request that was carried out without an error.
	Applied func(call Call)
	// Overwritten, if it is set, is called with each item that is put over another one.
	Overwritten func(key string, before, after map[string]types.AttributeValue)
	// Removed, if it is set, is called with each item that is deleted.
	Removed func(key string)
	// Torn, if it is set, is asked before each item of a transaction becomes visible
	// which of those that are left is next, by its place among them. It may block, and
	// make requests: reads see what is visible by then, and whatever else asks for an
	// item that is left meets a transaction under way.
	Torn func(ctx context.Context, call Call, left []string) (next int)
	// Stale, if it is set before anything is written, is asked at each eventually
	// consistent read whether a replica that is behind answers it: it has the item as it
	// was before its newest write, or none.
	Stale func(call Call) bool

	t     testing.TB
	table string

	mutex      sync.Mutex
	partitions map[string]*partition
	late       []func()
	left       map[string]bool // items of transactions under way that are not visible yet
	before     map[string]item // with Stale: items before their newest write
}

var _ store.DynamoDB = (*DB)(nil)

// partition holds the items of one partition key, by sort key.
type partition struct {
	keys  []string
	items map[string]item
}

// New returns an empty table of that name. What the store never asks for fails t.
func New(t testing.TB, table string) *DB {
	return &DB{PageBytes: 1 << 20, t: t, table: table, partitions: map[string]*partition{}, left: map[string]bool{}, before: map[string]item{}}
}

// Partitions returns the partition keys that have items, in order.
func (db *DB) Partitions() []string {
	db.mutex.Lock()
	defer db.mutex.Unlock()
	return slices.Sorted(maps.Keys(db.partitions))
}

// Bytes returns the size of all items.
func (db *DB) Bytes() (size int) {
	db.mutex.Lock()
	defer db.mutex.Unlock()
	for _, p := range db.partitions {
		for _, it := range p.items {
			size += capacity.ItemSize(it)
		}
	}
	return size
}

// Late returns how many writes are still on their way.
func (db *DB) Late() int {
	db.mutex.Lock()
	defer db.mutex.Unlock()
	return len(db.late)
}

// Land lets the write arrive that is longest on its way.
func (db *DB) Land() {
	db.mutex.Lock()
	defer db.mutex.Unlock()
	if len(db.late) == 0 {
		return
	}
	first := db.late[0]
	db.late = db.late[1:]
	first()
}

// unsupported fails the test: the store has learned to ask for something new.
func (db *DB) unsupported(format string, args ...any) error {
	err := fmt.Errorf("the fake does not know "+format, args...)
	db.t.Error(err)
	return err
}

// run carries out a request as the interceptor decides.
func (db *DB) run(ctx context.Context, call Call, apply func() error) error {
	verdict := Proceed
	if db.Intercept != nil {
		verdict = db.Intercept(ctx, call)
	}
	if err := ctx.Err(); err != nil {
		return err // it was not sent
	}
	db.mutex.Lock()
	defer db.mutex.Unlock()
	once := func() error {
		err := db.besides(call)
		if err == nil {
			err = apply()
		}
		if err == nil && db.Applied != nil {
			db.Applied(call)
		}
		return err
	}
	switch verdict {
	case Proceed:
		return once()
	case FailAfter:
		_ = once() // its answer, good or bad, is lost
		return ErrLost
	case FailLate:
		db.late = append(db.late, func() { _ = once() }) // nobody waits for its answer
		return ErrLost
	case SendTwice:
		_ = once() // lost; what the second comes to is the answer
		return once()
	case Conflict:
		return refused(call, "TransactionConflict", call.Keys[0])
	case Throttle:
		return refused(call, "ThrottlingError", call.Keys[0])
	}
	return ErrLost
}

// besides refuses what can't be done while a transaction is under way: a write of one
// of its items, or a transactional read.
func (db *DB) besides(call Call) error {
	var under []string
	for _, key := range call.Keys {
		if db.left[key] {
			under = append(under, key)
		}
	}
	if len(under) == 0 || !call.Write && call.Operation != "TransactGetItems" {
		return nil
	}
	return refused(call, "TransactionConflict", under...)
}

// refused is how DynamoDB refuses a request while a transaction is under way, or for
// too many requests; of a transaction for some of its items.
func refused(call Call, code string, items ...string) error {
	message := "Transaction is ongoing for the item"
	switch {
	case !strings.HasPrefix(call.Operation, "Transact") && code == "TransactionConflict":
		return &types.TransactionConflictException{Message: &message}
	case !strings.HasPrefix(call.Operation, "Transact"):
		return &types.ThrottlingException{Message: &message}
	}
	reasons := make([]types.CancellationReason, len(call.Keys))
	for i, key := range call.Keys {
		if reasons[i] = reason("None"); slices.Contains(items, key) {
			reasons[i] = reason(code)
		}
	}
	return &types.TransactionCanceledException{Message: &message, CancellationReasons: reasons}
}

func reason(code string) types.CancellationReason { return types.CancellationReason{Code: &code} }

func (db *DB) find(key item) item {
	pk, sk := text(key[partitionKey]), text(key[sortKey])
	if p := db.partitions[pk]; p != nil {
		return p.items[sk]
	}
	return nil
}

func (db *DB) save(it item) {
	pk, sk := text(it[partitionKey]), text(it[sortKey])
	p := db.partitions[pk]
	if p == nil {
		p = &partition{items: map[string]item{}}
		db.partitions[pk] = p
	}
	if at, found := slices.BinarySearch(p.keys, sk); !found {
		p.keys = slices.Insert(p.keys, at, sk)
	}
	if db.Stale != nil {
		db.before[nameOf(it)] = p.items[sk]
	}
	if before := p.items[sk]; before != nil && db.Overwritten != nil {
		db.Overwritten(nameOf(it), before, it)
	}
	p.items[sk] = maps.Clone(it)
}

func (db *DB) remove(key item) {
	pk, sk := text(key[partitionKey]), text(key[sortKey])
	p := db.partitions[pk]
	if p == nil {
		return
	}
	if at, found := slices.BinarySearch(p.keys, sk); found {
		if db.Stale != nil {
			db.before[nameOf(key)] = p.items[sk]
		}
		p.keys = slices.Delete(p.keys, at, at+1)
		delete(p.items, sk)
		if db.Removed != nil {
			db.Removed(nameOf(key))
		}
	}
	if len(p.keys) == 0 {
		delete(db.partitions, pk)
	}
}

// GetItem reads an item, consistently or as Stale has it.
func (db *DB) GetItem(ctx context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if in.ProjectionExpression != nil || *in.TableName != db.table {
		return nil, db.unsupported("this GetItem: %+v", *in)
	}
	if err := checkKey(in.Key, 2); err != nil {
		return nil, err
	}
	out := &dynamodb.GetItemOutput{}
	call := Call{Operation: "GetItem", Keys: []string{nameOf(in.Key)}}
	err := db.run(ctx, call, func() error {
		found := db.find(in.Key)
		if before, written := db.before[call.Keys[0]]; written && !aws.ToBool(in.ConsistentRead) && db.Stale(call) {
			found = before
		}
		out.Item = maps.Clone(found)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// PutItem writes an item under a condition that the store knows.
func (db *DB) PutItem(ctx context.Context, in *dynamodb.PutItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	holds, err := db.condition(in.ConditionExpression, in.ExpressionAttributeValues)
	if err != nil {
		return nil, err
	}
	if in.ReturnValues != "" || in.ExpressionAttributeNames != nil || *in.TableName != db.table {
		return nil, db.unsupported("this PutItem: %+v", *in)
	}
	if err := checkItem(in.Item); err != nil {
		return nil, err
	}
	err = db.run(ctx, Call{Operation: "PutItem", Keys: []string{nameOf(in.Item)}, Write: true}, func() error {
		there := db.find(in.Item)
		if !holds(there) {
			return conditionFailed(there, in.ReturnValuesOnConditionCheckFailure)
		}
		db.save(in.Item)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &dynamodb.PutItemOutput{}, nil
}

func conditionFailed(there item, wanted types.ReturnValuesOnConditionCheckFailure) error {
	message := "The conditional request failed"
	failed := &types.ConditionalCheckFailedException{Message: &message}
	if wanted == types.ReturnValuesOnConditionCheckFailureAllOld {
		failed.Item = maps.Clone(there)
	}
	return failed
}

// DeleteItem deletes an item, if it is there.
func (db *DB) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	if in.ConditionExpression != nil || in.ReturnValues != "" || *in.TableName != db.table {
		return nil, db.unsupported("this DeleteItem: %+v", *in)
	}
	if err := checkKey(in.Key, 2); err != nil {
		return nil, err
	}
	err := db.run(ctx, Call{Operation: "DeleteItem", Keys: []string{nameOf(in.Key)}, Write: true}, func() error {
		db.remove(in.Key)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &dynamodb.DeleteItemOutput{}, nil
}
