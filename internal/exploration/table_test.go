package exploration

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/store"
)

const tableName = "table"

type item = map[string]types.AttributeValue

// interned gives values numbers, from 1, by a text that is another for each.
type interned[T any] struct {
	numbers map[string]uint32
	values  []T
}

func newInterned[T any]() *interned[T] {
	return &interned[T]{map[string]uint32{}, make([]T, 1)}
}

func (i *interned[T]) number(text string, value func() T) uint32 {
	n, known := i.numbers[text]
	if !known {
		n = uint32(len(i.values))
		i.numbers[strings.Clone(text)] = n
		i.values = append(i.values, value())
	}
	return n
}

// encode writes an item, or a key, so that no two are written alike.
func encode(it item) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(it)) {
		switch value := it[name].(type) {
		case *types.AttributeValueMemberS:
			fmt.Fprintf(&text, "%s S%q ", name, value.Value)
		case *types.AttributeValueMemberN:
			fmt.Fprintf(&text, "%s N%s ", name, value.Value)
		case *types.AttributeValueMemberB:
			fmt.Fprintf(&text, "%s B%q ", name, value.Value)
		default:
			fmt.Fprintf(&text, "%s %T ", name, value)
		}
	}
	return text.String()
}

func textOf(it item, name string) string {
	if s, is := it[name].(*types.AttributeValueMemberS); is {
		return s.Value
	}
	return ""
}

func keyOf(it item) string { return textOf(it, "pk") + " / " + textOf(it, "sk") }

// key is a place in the table.
type key struct{ text, pk, sk string }

// tables are the contents that the table has had. Each is a list of items by the numbers
// of their keys, 0 where there is none.
type tables struct {
	t        *testing.T
	keys     *interned[key]
	sorted   map[string][]uint32 // the keys of each partition
	items    *interned[item]
	contents *interned[[]uint32]
	effects  map[string]effect
	results  *interned[result]
	steps    map[[2]uint32]step
}

// step is what a request comes to on the table.
type step struct {
	table, result uint32
	wrong         string
}

func newTables(t *testing.T) *tables {
	return &tables{t, newInterned[key](), map[string][]uint32{}, newInterned[item](), newInterned[[]uint32](), map[string]effect{}, newInterned[result](), map[[2]uint32]step{}}
}

func (s *tables) key(text string) uint32 {
	before := len(s.keys.values)
	number := s.keys.number(text, func() key {
		pk, sk, _ := strings.Cut(text, " / ")
		return key{text, pk, sk}
	})
	if int(number) == before { // it is new
		pk := s.keys.values[number].pk
		s.sorted[pk] = append(s.sorted[pk], number)
		slices.SortFunc(s.sorted[pk], func(a, b uint32) int { return strings.Compare(s.keys.values[a].sk, s.keys.values[b].sk) })
	}
	return number
}

func (s *tables) item(it item) uint32 {
	if len(it) == 0 {
		return 0
	}
	return s.items.number(encode(it), func() item { return maps.Clone(it) })
}

func (s *tables) content(list []uint32) uint32 {
	for len(list) > 0 && list[len(list)-1] == 0 {
		list = list[:len(list)-1]
	}
	text := make([]byte, 0, 4*len(list))
	for _, n := range list {
		text = binary.LittleEndian.AppendUint32(text, n)
	}
	return s.contents.number(string(text), func() []uint32 { return slices.Clone(list) })
}

// at is the item at a key.
func (s *tables) at(table, key uint32) uint32 {
	if list := s.contents.values[table]; int(key) < len(list) {
		return list[key]
	}
	return 0
}

// with is the table with items at some keys.
func (s *tables) with(table uint32, keys, items []uint32) uint32 {
	list := slices.Clone(s.contents.values[table])
	for i, key := range keys {
		for int(key) >= len(list) {
			list = append(list, 0)
		}
		list[key] = items[i]
	}
	return s.content(list)
}

// open is the table as a DynamoDB of its own.
func (s *tables) open(table uint32) *fakedynamo.DB {
	db := fakedynamo.New(s.t, tableName)
	for _, n := range s.contents.values[table] {
		s.put(db, n)
	}
	return db
}

func (s *tables) put(db *fakedynamo.DB, number uint32) {
	if number == 0 {
		return
	}
	if _, err := db.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: s.items.values[number]}); err != nil {
		s.t.Fatal(err)
	}
}

// read takes the content of a DynamoDB.
func (s *tables) read(db *fakedynamo.DB) uint32 {
	var list []uint32
	for _, pk := range db.Partitions() {
		out, err := db.Query(context.Background(), &dynamodb.QueryInput{TableName: aws.String(tableName), ConsistentRead: aws.Bool(true),
			KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: item{":pk": &types.AttributeValueMemberS{Value: pk}}})
		if err != nil {
			s.t.Fatal(err)
		}
		for _, it := range out.Items {
			key := s.key(keyOf(it))
			for int(key) >= len(list) {
				list = append(list, 0)
			}
			list[key] = s.item(it)
		}
	}
	return s.content(list)
}

// result is what a request was answered.
type result struct {
	out      any
	err      error
	isResult bool // a HEAD with the draw's result
}

func (s *tables) result(out any, err error) uint32 {
	text := describe(out, err)
	return s.results.number(text, func() result {
		return result{out, err, strings.Contains(text, `result_at`) && strings.Contains(text, ` sk S"HEAD"`)}
	})
}

// describe writes an answer so that no two that differ are written alike.
func describe(out any, err error) string {
	var failed *types.ConditionalCheckFailedException
	var cancelled *types.TransactionCanceledException
	switch {
	case errors.As(err, &failed):
		return "there is " + encode(failed.Item)
	case errors.As(err, &cancelled):
		text := "cancelled:"
		for _, reason := range cancelled.CancellationReasons {
			text += " " + aws.ToString(reason.Code)
		}
		return text
	case err != nil:
		return "error: " + err.Error()
	}
	switch out := out.(type) {
	case *dynamodb.GetItemOutput:
		return "item " + encode(out.Item)
	case *dynamodb.QueryOutput:
		text := "page"
		for _, it := range out.Items {
			text += "; " + encode(it)
		}
		return text
	case *dynamodb.TransactGetItemsOutput:
		text := "items"
		for _, got := range out.Responses {
			text += "; " + encode(got.Item)
		}
		return text
	}
	return "ok"
}

// effect is what a request does to the items that it touches.
type effect struct {
	result uint32
	items  []uint32 // of the request's keys, afterwards
}

// carry carries out a request on the items that it touches, by fakedynamo: once for each
// content of these items.
func (s *tables) carry(number uint32, r *request, table uint32) effect {
	text := binary.LittleEndian.AppendUint32(make([]byte, 0, 32), number)
	for _, key := range r.keys {
		text = binary.LittleEndian.AppendUint32(text, s.at(table, key))
	}
	if e, known := s.effects[string(text)]; known {
		return e
	}
	db := fakedynamo.New(s.t, tableName)
	for _, key := range r.keys {
		s.put(db, s.at(table, key))
	}
	e := effect{result: s.result(r.run(context.Background(), db))}
	after := s.read(db)
	for _, key := range r.keys {
		e.items = append(e.items, s.at(after, key))
	}
	s.effects[string(text)] = e
	return e
}

// once begins the keys that are written once: what is there is never replaced by anything
// else.
var once = regexp.MustCompile(`^(REPORT#\S+ / |FEED#\S+ / [0-9]|DRAW#\S+ / (DONE|FED|STATE|REV|OPENED|ROUND|CLOSED|ORDER|PART)#?)`)

// unchanging tells whether an item stays what it is for good.
func (s *tables) unchanging(key, number uint32) bool {
	if number == 0 {
		return false
	}
	if strings.HasPrefix(s.keys.values[key].pk, "BETS#") {
		return textOf(s.items.values[number], "x") == "" // a refusal may be replaced
	}
	return once.MatchString(s.keys.values[key].text)
}

// in lists the keys of a partition that have items, by their sort keys.
func (s *tables) in(table uint32, pk string) (keys []uint32) {
	list := s.contents.values[table]
	for _, number := range s.sorted[pk] {
		if int(number) < len(list) && list[number] != 0 {
			keys = append(keys, number)
		}
	}
	return keys
}

// part is one partition as a DynamoDB of its own.
func (s *tables) part(table uint32, pk string) *fakedynamo.DB {
	db := fakedynamo.New(s.t, tableName)
	for _, key := range s.in(table, pk) {
		s.put(db, s.at(table, key))
	}
	return db
}

func (s *tables) store(table uint32) *store.Table { return store.New(s.open(table), tableName) }
