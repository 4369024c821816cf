package fakedynamo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/store"
)

// decide lets every request proceed but the first write, of which it says what
// becomes.
func decide(db *fakedynamo.DB, verdict fakedynamo.Verdict) {
	db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if !call.Write {
			return fakedynamo.Proceed
		}
		db.Intercept = nil
		return verdict
	}
}

// What each verdict makes of a write, and what the store makes of that.
func TestVerdicts(t *testing.T) {
	type write func(*store.Table) error
	item := store.Item{PK: "p", SK: "1", Version: 1}
	create := func(at *store.Table) error { return at.Create(context.Background(), item) }
	replace := func(at *store.Table) error { return at.Replace(context.Background(), item) }
	transact := func(at *store.Table) error { return at.Transact(context.Background(), store.Creating(item)) }
	for _, row := range []struct {
		name    string
		write   write
		verdict fakedynamo.Verdict
		want    string // the error
		stored  bool   // at once
		late    bool   // after all
	}{
		{"create", create, fakedynamo.Proceed, "none", true, true},
		{"create", create, fakedynamo.FailBefore, "lost", false, false},
		{"create", create, fakedynamo.FailAfter, "lost", true, true},
		{"create", create, fakedynamo.FailLate, "lost", false, true},
		{"create", create, fakedynamo.SendTwice, "exists", true, true},
		{"create", create, fakedynamo.Conflict, "none", true, true}, // a race, which it has won
		{"create", create, fakedynamo.Throttle, "throttled", false, false},
		{"replace", replace, fakedynamo.Conflict, "none", true, true},
		{"replace", replace, fakedynamo.SendTwice, "changed", true, true},
		{"transact", transact, fakedynamo.FailAfter, "lost", true, true},
		{"transact", transact, fakedynamo.FailLate, "lost", false, true},
		{"transact", transact, fakedynamo.SendTwice, "changed", true, true},
		{"transact", transact, fakedynamo.Conflict, "changed", false, false},
		{"transact", transact, fakedynamo.Throttle, "none", true, true}, // made again
	} {
		t.Run(fmt.Sprint(row.name, " ", row.verdict), func(t *testing.T) {
			db := fakedynamo.New(t, "table")
			decide(db, row.verdict)
			at := store.New(db, "table")
			if got := kind(row.write(at)); got != row.want {
				t.Errorf("the error is %s instead of %s", got, row.want)
			}
			if stored := len(db.Partitions()) > 0; stored != row.stored {
				t.Errorf("stored at once: %v", stored)
			}
			if db.Late() > 0 != (row.late && !row.stored) {
				t.Errorf("%d writes are on their way", db.Late())
			}
			db.Land()
			db.Land()
			if stored := len(db.Partitions()) > 0; stored != row.late {
				t.Errorf("stored after all: %v", stored)
			}
		})
	}
}

func kind(err error) string {
	var exists *store.ExistsError
	var throttled *types.ThrottlingException
	switch {
	case err == nil:
		return "none"
	case errors.Is(err, fakedynamo.ErrLost):
		return "lost"
	case errors.Is(err, store.ErrChanged):
		return "changed"
	case errors.As(err, &exists):
		return "exists"
	case errors.As(err, &throttled):
		return "throttled"
	}
	return err.Error()
}

// A request whose context has ended is not sent, whatever the verdict.
func TestEnded(t *testing.T) {
	for verdict := fakedynamo.Proceed; verdict <= fakedynamo.Throttle; verdict++ {
		db := fakedynamo.New(t, "table")
		decide(db, verdict)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := store.New(db, "table").Create(ctx, store.Item{PK: "p", SK: "1"}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v, want context.Canceled", verdict, err)
		}
		if len(db.Partitions())+db.Late() > 0 {
			t.Errorf("%v: it was sent", verdict)
		}
	}
}

// recorder is a test that only notes that it has failed.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Error(...any) { r.failed = true }

// What the store never asks for fails the test.
func TestUnsupported(t *testing.T) {
	table := aws.String("table")
	key := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "p"}, "sk": &types.AttributeValueMemberS{Value: "1"}}
	value := map[string]types.AttributeValue{":v": &types.AttributeValueMemberS{Value: "v"}}
	for name, ask := range map[string]func(*fakedynamo.DB) error{
		"a query that is not consistent": func(db *fakedynamo.DB) error {
			_, err := db.Query(t.Context(), &dynamodb.QueryInput{TableName: table, KeyConditionExpression: aws.String("pk = :v"), ExpressionAttributeValues: value})
			return err
		},
		"another table": func(db *fakedynamo.DB) error {
			_, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("other"), Key: key, ConsistentRead: aws.Bool(true)})
			return err
		},
		"a function in a condition": func(db *fakedynamo.DB) error {
			_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: table, Item: key, ConditionExpression: aws.String("size(sk) = :v"), ExpressionAttributeValues: value})
			return err
		},
		"a value that no condition names": func(db *fakedynamo.DB) error {
			_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: table, Item: key, ConditionExpression: aws.String("attribute_not_exists(pk)"), ExpressionAttributeValues: value})
			return err
		},
		"a deletion under a condition": func(db *fakedynamo.DB) error {
			_, err := db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: table, Key: key, ConditionExpression: aws.String("attribute_exists(pk)")})
			return err
		},
		"another key condition": func(db *fakedynamo.DB) error {
			_, err := db.Query(t.Context(), &dynamodb.QueryInput{TableName: table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("pk = :v AND sk < :v"), ExpressionAttributeValues: value})
			return err
		},
		"an update in a transaction": func(db *fakedynamo.DB) error {
			_, err := db.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Update: &types.Update{}}}})
			return err
		},
		"a request token": func(db *fakedynamo.DB) error {
			_, err := db.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String("t")})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{TB: t}
			if err := ask(fakedynamo.New(r, "table")); err == nil || !r.failed {
				t.Errorf("%s: %v, the test failed: %v", name, err, r.failed)
			}
		})
	}
}

// While a transaction is being committed plain reads see a part of it, transactional
// reads wait, and writes of what is left wait too: after it, a creation finds the item.
func TestTorn(t *testing.T) {
	db := fakedynamo.New(t, "table")
	at := store.New(db, "table")
	created := make(chan error, 1)
	var seen []string
	db.Torn = func(_ context.Context, call fakedynamo.Call, left []string) (next int) {
		var some string
		for _, sk := range []string{"1", "2", "3"} {
			if _, found, err := at.Get(t.Context(), "p", sk); err != nil {
				t.Error(err)
			} else if found {
				some += sk
			}
		}
		if seen = append(seen, some); len(left) == len(call.Keys) {
			go func() { created <- at.Create(t.Context(), store.Item{PK: "p", SK: "2"}) }()
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if items, err := at.Together(ctx, "p", "1", "3"); err == nil {
				t.Errorf("a transactional read saw %v", items)
			}
		}
		return len(left) - 1
	}
	if err := at.Transact(t.Context(), store.Creating(store.Item{PK: "p", SK: "1", Body: "first"}), store.Creating(store.Item{PK: "p", SK: "2", Body: "second"}),
		store.Creating(store.Item{PK: "p", SK: "3", Body: "third"})); err != nil {
		t.Fatal(err)
	}
	if want := []string{"", "3", "23"}; !slices.Equal(seen, want) {
		t.Errorf("reads saw %q instead of %q", seen, want)
	}
	exists := (*store.ExistsError)(nil)
	if err := <-created; !errors.As(err, &exists) || exists.Item.Body != "second" {
		t.Errorf("a creation meanwhile: %v", err)
	}
	items, err := at.Together(t.Context(), "p", "1", "3", "4")
	if err != nil || items[0].Body != "first" || items[1].Body != "third" || items[2].PK != "" {
		t.Errorf("together they are %+v, %v", items, err)
	}
}

// What others do to an item for long is a change of it: the caller decides again.
func TestLongConflict(t *testing.T) {
	db := fakedynamo.New(t, "table")
	at := store.New(db, "table")
	db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict { return fakedynamo.Conflict }
	item := store.Item{PK: "p", SK: "1", Version: 1}
	for name, write := range map[string]func() error{
		"create":   func() error { return at.Create(t.Context(), item) },
		"replace":  func() error { return at.Replace(t.Context(), item) },
		"put":      func() error { return at.Put(t.Context(), item) },
		"delete":   func() error { return at.Delete(t.Context(), "p", "1") },
		"bet":      func() error { _, err := at.CreateBet(t.Context(), "p", store.StoredBet{SK: "1"}); return err },
		"together": func() error { _, err := at.Together(t.Context(), "p", "1"); return err },
	} {
		t.Run(name, func(t *testing.T) {
			if err := write(); !errors.Is(err, store.ErrChanged) {
				t.Errorf("%s: %v, want store.ErrChanged", name, err)
			}
		})
	}
}

// An eventually consistent read may find an item as it was before its newest write, and
// never as it was before that; a consistent one finds what was written.
func TestStale(t *testing.T) {
	db := fakedynamo.New(t, "table")
	at := store.New(db, "table")
	behind := true
	db.Stale = func(fakedynamo.Call) bool { return behind }
	body := func(read func(ctx context.Context, pk, sk string) (store.Item, bool, error)) string {
		item, found, err := read(t.Context(), "p", "1")
		if err != nil {
			t.Fatal(err)
		}
		if !found {
			return "none"
		}
		return item.Body
	}
	for version, want := range []string{"none", "first", "second"} {
		t.Run(want, func(t *testing.T) {
			text := []string{"first", "second", "third"}[version]
			if err := at.Replace(t.Context(), store.Item{PK: "p", SK: "1", Body: text, Version: int64(version + 1)}); err != nil {
				t.Fatal(err)
			}
			if got := body(at.GetEventually); got != want {
				t.Errorf("after %s a replica that is behind has %s instead of %s", text, got, want)
			}
			if got := body(at.Get); got != text {
				t.Errorf("after %s a consistent read finds %s", text, got)
			}
		})
	}
	if err := at.Delete(t.Context(), "p", "1"); err != nil {
		t.Fatal(err)
	}
	if got := body(at.GetEventually); got != "third" {
		t.Errorf("after it was deleted a replica that is behind has %s instead of third", got)
	}
	behind = false
	if got := body(at.GetEventually); got != "none" {
		t.Errorf("after it was deleted a replica that is not behind has %s", got)
	}
}
