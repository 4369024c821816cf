package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/lib/rulebook/settlement"
)

// DynamoDB is what the store needs of the client. Tests put faults between.
type DynamoDB interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	TransactGetItems(context.Context, *dynamodb.TransactGetItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
}

var _ DynamoDB = (*dynamodb.Client)(nil)

// Table is tally's table.
type Table struct {
	client DynamoDB
	name   string
}

// New returns the table of that name.
func New(client DynamoDB, name string) *Table { return &Table{client: client, name: name} }

// ErrChanged says that a compare-and-swap found another version than it was
// computed from, or that another transaction was under way: read again, decide
// again.
var ErrChanged = errors.New("the item was changed by someone else")

// ExistsError says that an item that may be written only once is there already. Item is
// what is there, so that the writer can tell its own earlier try from somebody else's.
type ExistsError struct{ Item Item }

func (e *ExistsError) Error() string {
	return "there is an item " + e.Item.PK + " / " + e.Item.SK + " already"
}

// Item is a record: keys, a body that its owner encodes, and bookkeeping.
type Item struct {
	PK, SK   string
	Body     string
	Binary   []byte // of pages, instead of Body
	Version  int64  // 1 when created; 0 on items that are never replaced
	StoredAt settlement.Instant
	// SentAt is when the queue got a message that closes betting, where that is not
	// when it was stored.
	SentAt settlement.Instant
	// ExpiresAt is when DynamoDB may delete the item; zero for never.
	ExpiresAt settlement.Instant
	// Hash identifies the content of a message; empty on other items.
	Hash string
	// Decided is what the cards of a message decide, where it is dear to find that again.
	Decided string
}

// The attributes of an item. Short names: they count in every unit.
const (
	attrPK, attrSK = "pk", "sk"
	attrBody       = "b"
	attrBinary     = "d"
	attrVersion    = "v"
	attrStoredAt   = "t"
	attrSentAt     = "s"
	attrHash       = "h"
	attrDecided    = "m"
	attrExpires    = "expires_at"
)

type attributes = map[string]types.AttributeValue

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func key(pk, sk string) attributes { return attributes{attrPK: text(pk), attrSK: text(sk)} }

func (i Item) encode() attributes {
	a := key(i.PK, i.SK)
	if i.Body != "" {
		a[attrBody] = text(i.Body)
	}
	if i.Binary != nil {
		a[attrBinary] = &types.AttributeValueMemberB{Value: i.Binary}
	}
	if i.Version != 0 {
		a[attrVersion] = number(i.Version)
	}
	if i.StoredAt != 0 {
		a[attrStoredAt] = number(int64(i.StoredAt))
	}
	if i.SentAt != 0 {
		a[attrSentAt] = number(int64(i.SentAt))
	}
	if i.Hash != "" {
		a[attrHash] = text(i.Hash)
	}
	if i.Decided != "" {
		a[attrDecided] = text(i.Decided)
	}
	if i.ExpiresAt != 0 {
		a[attrExpires] = number(int64(i.ExpiresAt)/1000 + 1)
	}
	return a
}

func decode(a attributes) Item {
	return Item{PK: textOf(a, attrPK), SK: textOf(a, attrSK), Body: textOf(a, attrBody), Binary: binaryOf(a, attrBinary),
		Version: numberOf(a, attrVersion), StoredAt: settlement.Instant(numberOf(a, attrStoredAt)), SentAt: settlement.Instant(numberOf(a, attrSentAt)), Hash: textOf(a, attrHash),
		Decided: textOf(a, attrDecided), ExpiresAt: settlement.Instant(numberOf(a, attrExpires) * 1000)}
}

func textOf(a attributes, name string) string {
	if s, ok := a[name].(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

func binaryOf(a attributes, name string) []byte {
	if b, ok := a[name].(*types.AttributeValueMemberB); ok {
		return b.Value
	}
	return nil
}

func numberOf(a attributes, name string) int64 {
	if n, ok := a[name].(*types.AttributeValueMemberN); ok {
		value, err := strconv.ParseInt(n.Value, 10, 64)
		if err == nil {
			return value
		}
	}
	return 0
}

// Encode writes what Decode reads. It panics on what can't be JSON: nothing that is stored
// is of such a type.
func Encode(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Decode reads what an item's owner has put into its body.
func Decode[T any](item Item) (*T, error) {
	value := new(T)
	if err := json.Unmarshal([]byte(item.Body), value); err != nil {
		return nil, fmt.Errorf("reading %s / %s: %w", item.PK, item.SK, err)
	}
	return value, nil
}

// Read reads what an item's owner has put into its body, consistently: the zero value, and
// an item without keys, where there is none.
func Read[T any](ctx context.Context, t *Table, pk, sk string) (value T, item Item, err error) {
	item, found, err := t.Get(ctx, pk, sk)
	if err != nil || !found {
		return value, Item{}, err
	}
	read, err := Decode[T](item)
	if err != nil {
		return value, Item{}, err
	}
	return *read, item, nil
}

// Get reads an item consistently.
func (t *Table) Get(ctx context.Context, pk, sk string) (item Item, found bool, err error) {
	a, err := t.get(ctx, pk, sk)
	if err != nil || a == nil {
		return Item{}, false, err
	}
	return decode(a), true, nil
}

// GetEventually reads an item for half the price, as it is or as it was before: a replica
// that is behind may answer. Whoever decides by it has to make sure of it afterwards.
func (t *Table) GetEventually(ctx context.Context, pk, sk string) (item Item, found bool, err error) {
	a, err := t.read(ctx, pk, sk, false)
	if err != nil || a == nil {
		return Item{}, false, err
	}
	return decode(a), true, nil
}

func (t *Table) get(ctx context.Context, pk, sk string) (attributes, error) {
	return t.read(ctx, pk, sk, true)
}

func (t *Table) read(ctx context.Context, pk, sk string, consistent bool) (attributes, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.name, Key: key(pk, sk), ConsistentRead: &consistent})
	if err != nil {
		return nil, fmt.Errorf("reading %s / %s: %w", pk, sk, err)
	}
	if len(out.Item) == 0 {
		return nil, nil
	}
	return out.Item, nil
}

// Create writes an item that must not be there yet. When it is, the error is an
// *ExistsError with what is there.
func (t *Table) Create(ctx context.Context, item Item) error {
	existing, err := t.create(ctx, item.encode())
	if err != nil {
		return fmt.Errorf("writing %s / %s: %w", item.PK, item.SK, err)
	}
	if existing != nil {
		return &ExistsError{Item: decode(existing)}
	}
	return nil
}

// create writes an item that must not be there yet and returns what is there
// instead.
func (t *Table) create(ctx context.Context, a attributes) (existing attributes, err error) {
	err = t.put(ctx, &dynamodb.PutItemInput{TableName: &t.name, Item: a,
		ConditionExpression:                 aws.String("attribute_not_exists(" + attrPK + ")"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld})
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		return nil, err
	}
	if len(failed.Item) > 0 {
		return failed.Item, nil
	}
	// Some emulators do not return the item.
	existing, err = t.get(ctx, textOf(a, attrPK), textOf(a, attrSK))
	if err == nil && existing == nil {
		return nil, ErrChanged // deleted in between: it has expired
	}
	return existing, err
}

// Replace writes an item over the version before it, or creates it as version
// one. ErrChanged says that another version is there.
func (t *Table) Replace(ctx context.Context, item Item) error {
	put := t.replacing(item)
	err := t.put(ctx, &dynamodb.PutItemInput{TableName: put.TableName, Item: put.Item,
		ConditionExpression: put.ConditionExpression, ExpressionAttributeValues: put.ExpressionAttributeValues})
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		return ErrChanged
	}
	if err != nil {
		return fmt.Errorf("replacing %s / %s: %w", item.PK, item.SK, err)
	}
	return nil
}

// replacing is the put of item over version item.Version-1.
func (t *Table) replacing(item Item) *types.Put {
	put := &types.Put{TableName: &t.name, Item: item.encode()}
	if item.Version == 1 {
		put.ConditionExpression = aws.String("attribute_not_exists(" + attrPK + ")")
		return put
	}
	put.ConditionExpression = aws.String(attrVersion + " = :before")
	put.ExpressionAttributeValues = attributes{":before": number(item.Version - 1)}
	return put
}

// Put writes an item whatever is there.
func (t *Table) Put(ctx context.Context, item Item) error {
	if err := t.put(ctx, &dynamodb.PutItemInput{TableName: &t.name, Item: item.encode()}); err != nil {
		return fmt.Errorf("writing %s / %s: %w", item.PK, item.SK, err)
	}
	return nil
}

// Delete deletes an item, if it is there.
func (t *Table) Delete(ctx context.Context, pk, sk string) error {
	err := besides(ctx, func() error {
		_, err := t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &t.name, Key: key(pk, sk)})
		return err
	})
	if err != nil {
		return fmt.Errorf("deleting %s / %s: %w", pk, sk, err)
	}
	return nil
}
