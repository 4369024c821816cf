package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/dynamotest"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/store"
)

// target is an implementation of DynamoDB under the store.
type target struct {
	*store.Table
	strict bool // it refuses what DynamoDB refuses
}

// each runs a test against the fake, with pages of a few items and of 1 MB, kumo
// and DynamoDB Local: what the store relies on is the same on all.
func each(t *testing.T, test func(t *testing.T, at target)) {
	for _, pageBytes := range []int{100, 1 << 20} {
		t.Run(fmt.Sprintf("fake with pages of %d bytes", pageBytes), func(t *testing.T) {
			fake := fakedynamo.New(t, "table")
			fake.PageBytes = pageBytes
			test(t, target{store.New(fake, "table"), true})
		})
	}
	dynamotest.Each(t, func(t *testing.T, db dynamotest.DB) {
		test(t, target{store.New(db.Client, db.Table(t)), db.Features.ItemLimit})
	})
}

func (at target) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// item is an item with every field.
func item(sk string) store.Item {
	return store.Item{PK: "p", SK: sk, Body: `{"a":1}`, Binary: []byte{0, 255}, Version: 1, StoredAt: 1_700_000_000_123, Hash: "h", ExpiresAt: 1_800_000_000_000}
}

// read is the item as it is read back: DynamoDB deletes by whole seconds, never
// too early.
func read(i store.Item) store.Item {
	i.ExpiresAt = i.ExpiresAt/1000*1000 + 1000
	return i
}

func TestCreate(t *testing.T) {
	each(t, func(t *testing.T, at target) {
		_, found, err := at.Get(t.Context(), "p", "1")
		at.must(t, err)
		if found {
			t.Error("an item is there before it is created")
		}
		at.must(t, at.Create(t.Context(), item("1")))
		other := item("1")
		other.Body = "other"
		var exists *store.ExistsError
		if err := at.Create(t.Context(), other); !errors.As(err, &exists) {
			t.Fatalf("created again: %v", err)
		}
		if !reflect.DeepEqual(exists.Item, read(item("1"))) {
			t.Errorf("the error names %+v, want what is stored", exists.Item)
		}
		got, found, err := at.Get(t.Context(), "p", "1")
		at.must(t, err)
		if !found || !reflect.DeepEqual(got, read(item("1"))) {
			t.Errorf("read back %+v", got)
		}
	})
}

func TestReplace(t *testing.T) {
	version := func(n int64) store.Item {
		i := item("1")
		i.Version = n
		return i
	}
	steps := []struct {
		version int64
		changed bool
	}{{2, true}, {1, false}, {1, true}, {3, true}, {2, false}, {2, true}, {3, false}}
	each(t, func(t *testing.T, at target) {
		for n, step := range steps {
			t.Run(fmt.Sprint(step.version), func(t *testing.T) {
				err := at.Replace(t.Context(), version(step.version))
				if errors.Is(err, store.ErrChanged) != step.changed || err != nil && !step.changed {
					t.Errorf("step %d, version %d: %v", n, step.version, err)
				}
			})
		}
		at.must(t, at.Put(t.Context(), version(9)))
		at.must(t, at.Delete(t.Context(), "p", "1"))
		at.must(t, at.Delete(t.Context(), "p", "1"))
		if _, found, err := at.Get(t.Context(), "p", "1"); found || err != nil {
			t.Errorf("still there after it was deleted: %v, %v", found, err)
		}
	})
}

func TestQuery(t *testing.T) {
	each(t, func(t *testing.T, at target) {
		if _, found, err := at.Last(t.Context(), "p"); found || err != nil {
			t.Errorf("last of none: %v, %v", found, err)
		}
		for _, sk := range []string{"b", "A1", "a", "A", "A2", "B", "A10"} {
			at.must(t, at.Create(t.Context(), item(sk)))
		}
		at.must(t, at.Create(t.Context(), store.Item{PK: "other", SK: "A3"}))
		var all, some, after, backward []string
		for i, err := range at.Query(t.Context(), "p", "") {
			at.must(t, err)
			all = append(all, i.SK)
		}
		for i, err := range at.Query(t.Context(), "p", "A") {
			at.must(t, err)
			some = append(some, i.SK)
		}
		for i, err := range at.After(t.Context(), "p", "A2") {
			at.must(t, err)
			after = append(after, i.SK)
		}
		for i, err := range at.Backward(t.Context(), "p") {
			at.must(t, err)
			backward = append(backward, i.SK)
		}
		slices.Reverse(backward)
		if !slices.Equal(backward, all) {
			t.Errorf("from its end, turned round: %v", backward)
		}
		span, err := at.Span(t.Context(), "p", store.Span{From: store.Next("A"), To: "B", Limit: 3})
		at.must(t, err)
		last, _, err := at.Last(t.Context(), "p")
		at.must(t, err)
		items, err := at.All(t.Context(), "p")
		at.must(t, err)
		got := strings.TrimSpace(fmt.Sprintln(all, some, after, last.SK, len(items), len(span), span[0].SK, span[2].SK))
		if want := "[A A1 A10 A2 B a b] [A A1 A10 A2] [B a b] b 7 3 A1 A2"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// A partition of 3 MB is read whole, whatever the pages.
func TestQueryOfSeveralPages(t *testing.T) {
	const items = 10
	large := bytes.Repeat([]byte{7}, 300<<10)
	each(t, func(t *testing.T, at target) {
		for n := range items {
			at.must(t, at.Create(t.Context(), store.Item{PK: "p", SK: store.PageKey(n), Binary: large}))
		}
		all, err := at.All(t.Context(), "p")
		at.must(t, err)
		if len(all) != items || !bytes.Equal(all[store.PageKey(items-1)].Binary, large) {
			t.Errorf("read %d items of %d", len(all), items)
		}
		backward := 0
		for i, err := range at.Backward(t.Context(), "p") {
			at.must(t, err)
			if backward++; i.SK != store.PageKey(items-backward) {
				t.Errorf("item %d from the end is %s", backward, i.SK)
			}
		}
		if backward != items {
			t.Errorf("read %d items of %d from the end", backward, items)
		}
	})
}

func TestTransact(t *testing.T) {
	each(t, func(t *testing.T, at target) {
		create := []store.Write{store.Creating(item("1")), store.Replacing(item("2")), store.Putting(item("3"))}
		at.must(t, at.Transact(t.Context(), create...))
		if err := at.Transact(t.Context(), create...); !errors.Is(err, store.ErrChanged) {
			t.Errorf("the same transaction again: %v", err)
		}
		second := item("2")
		second.Version = 2
		if err := at.Transact(t.Context(), store.Replacing(second), store.Creating(item("1"))); !errors.Is(err, store.ErrChanged) {
			t.Errorf("a condition that does not hold: %v", err)
		}
		if got, _, err := at.Get(t.Context(), "p", "2"); err != nil || got.Version != 1 {
			t.Errorf("a part of it was written: version %d, %v", got.Version, err)
		}
		again := item("3")
		again.StoredAt++
		at.must(t, at.Put(t.Context(), again))
		if err := at.Transact(t.Context(), store.DeletingAsRead(item("3"))); !errors.Is(err, store.ErrChanged) {
			t.Errorf("deleted what was stored again: %v", err)
		}
		at.must(t, at.Transact(t.Context(), store.DeletingAsRead(again), store.Deleting("p", "1"), store.Deleting("p", "nothing")))
		left, err := at.All(t.Context(), "p")
		at.must(t, err)
		if len(left) != 1 {
			t.Errorf("%d items are left", len(left))
		}
	})
}

// What DynamoDB refuses is an error, and nothing is written.
func TestRefused(t *testing.T) {
	large := item("1")
	large.Binary = make([]byte, 400<<10)
	many := make([]store.Write, 101)
	for n := range many {
		many[n] = store.Creating(item(fmt.Sprint("many", n)))
	}
	cases := map[string]func(target) error{
		"an item of more than 400 KB":   func(at target) error { return at.Create(t.Context(), large) },
		"an empty sort key":             func(at target) error { return at.Create(t.Context(), item("")) },
		"a sort key of more than 1,024": func(at target) error { return at.Create(t.Context(), item(strings.Repeat("k", 1025))) },
		"reading an empty key":          func(at target) error { _, _, err := at.Get(t.Context(), "p", ""); return err },
		"a query of an empty partition": func(at target) error { _, err := at.All(t.Context(), ""); return err },
		"a transaction of 101 items":    func(at target) error { return at.Transact(t.Context(), many...) },
		"a transaction of an item twice": func(at target) error {
			return at.Transact(t.Context(), store.Creating(item("1")), store.Deleting("p", "1"))
		},
		"a transaction with a large item":  func(at target) error { return at.Transact(t.Context(), store.Creating(large)) },
		"a transaction with an empty key":  func(at target) error { return at.Transact(t.Context(), store.Creating(item(""))) },
		"deleting an item of an empty key": func(at target) error { return at.Delete(t.Context(), "", "1") },
	}
	each(t, func(t *testing.T, at target) {
		if !at.strict {
			return
		}
		for name, try := range cases {
			t.Run(name, func(t *testing.T) {
				if err := try(at); err == nil || errors.Is(err, store.ErrChanged) {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		if left, err := at.All(t.Context(), "p"); err != nil || len(left) > 0 {
			t.Errorf("%d items were written: %v", len(left), err)
		}
	})
}

func TestBets(t *testing.T) {
	bet := store.StoredBet{SK: store.BetKey("b1"), Selection: "red", Odds: 2_0000, Stake: 10_00, Currency: "EUR", Rounding: 2, AcceptedAt: 1_700_000_000_123, Round: 1,
		Shop: "riga-7", ExpiresAt: 1_800_000_000_000}
	stored := bet
	stored.ExpiresAt += 1000
	each(t, func(t *testing.T, at target) {
		existing, err := at.CreateBet(t.Context(), "p", bet)
		if existing != nil || err != nil {
			t.Fatalf("created: %+v, %v", existing, err)
		}
		other := bet
		other.Stake = 1
		if existing, err = at.CreateBet(t.Context(), "p", other); err != nil || existing == nil || *existing != stored {
			t.Errorf("created again: %+v, %v", existing, err)
		}
		if got, err := at.GetBet(t.Context(), "p", bet.SK); err != nil || got == nil || *got != stored {
			t.Errorf("read back: %+v, %v", got, err)
		}
		if got, err := at.GetBet(t.Context(), "p", store.BetKey("b2")); got != nil || err != nil {
			t.Errorf("read what is not there: %+v, %v", got, err)
		}
		for _, sk := range []string{store.BetKey("b10"), store.BetKey("b1-x"), store.WagerKey("b1", "double:1:1"), store.CancelKey("b1"), store.BetKey("b1.")} {
			_, err := at.CreateBet(t.Context(), "p", store.StoredBet{SK: sk})
			at.must(t, err)
		}
		var order []string
		for b, err := range at.Bets(t.Context(), "p", "") {
			at.must(t, err)
			order = append(order, strings.TrimPrefix(b.SK, "BET#"))
		}
		want := []string{"b1", "b1#cancel", "b1#double:1:1", "b1-x", "b1.", "b10"}
		if !slices.Equal(order, want) {
			t.Errorf("a bet is not followed by what belongs to it: %v", order)
		}
		for b, err := range at.Bets(t.Context(), "p", store.CancelKey("b1")) {
			at.must(t, err)
			if want := store.WagerKey("b1", "double:1:1"); b.SK != want {
				t.Errorf("after the cancellation comes %s", b.SK)
			}
			break
		}
	})
}

// Only what was computed from the newest refusal takes its place.
func TestReplaceRefusal(t *testing.T) {
	refusal := func(generation int64) store.StoredBet {
		return store.StoredBet{SK: store.BetKey("b1"), Refused: "betting_closed", Generation: generation, AcceptedAt: 1}
	}
	bet := store.StoredBet{SK: store.BetKey("b1"), Selection: "red", Stake: 1}
	each(t, func(t *testing.T, at target) {
		_, err := at.CreateBet(t.Context(), "p", refusal(1))
		at.must(t, err)
		steps := []struct {
			over, with store.StoredBet
			there      *store.StoredBet // nil when it takes the place
		}{
			{refusal(2), bet, new(refusal(1))},
			{refusal(1), refusal(2), nil},
			{refusal(1), bet, new(refusal(2))},
			{refusal(2), bet, nil},
			{refusal(2), refusal(3), &bet},
		}
		for n, step := range steps {
			there, err := at.ReplaceRefusal(t.Context(), "p", step.over, step.with)
			if err != nil || !reflect.DeepEqual(there, step.there) {
				t.Errorf("step %d: %+v is there, %v", n, there, err)
			}
		}
		if _, err := at.ReplaceRefusal(t.Context(), "gone", refusal(1), bet); !errors.Is(err, store.ErrChanged) {
			t.Errorf("over a refusal that has expired: %v", err)
		}
	})
}

// What is read together is there as it was written, and what is not there has no keys.
func TestTogether(t *testing.T) {
	each(t, func(t *testing.T, at target) {
		at.must(t, at.Transact(t.Context(), store.Creating(item("1")), store.Creating(item("2"))))
		items, err := at.Together(t.Context(), "p", "2", "3", "1")
		at.must(t, err)
		if want := []store.Item{read(item("2")), {}, read(item("1"))}; !reflect.DeepEqual(items, want) {
			t.Errorf("read together: %+v", items)
		}
		for sk, want := range map[string]bool{"1": true, "3": false} {
			t.Run(sk, func(t *testing.T) {
				got, found, err := at.Sure(t.Context(), "p", sk)
				if at.must(t, err); found != want || found && !reflect.DeepEqual(got, read(item(sk))) {
					t.Errorf("%s read for sure: %+v, found %v", sk, got, found)
				}
			})
		}
	})
}
