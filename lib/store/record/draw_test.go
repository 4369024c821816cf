package record_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw"
	"tally/lib/store"
	"tally/lib/store/record"
)

// put stores an item with a body of JSON.
func put(t *testing.T, table *store.Table, sk string, body any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Put(t.Context(), store.Item{PK: store.DrawKey("d"), SK: sk, Body: string(text), Version: 1}); err != nil {
		t.Fatal(err)
	}
}

// settled is a draw of whose states every other one was settled, the last of them still
// under way; the bookmaker acme is in the plan from the first-th on.
func settled(t *testing.T, states, first int) (table *store.Table, reported []int, requests *int) {
	t.Helper()
	db := fakedynamo.New(t, "table")
	table, requests = store.New(db, "table"), new(int)
	run := record.RunState{}
	for n := range states {
		state := 2*n + 1
		if n < states-1 {
			run.Base, run.Settled = state, append(run.Settled, state)
		} else {
			run.State = state
		}
		put(t, table, store.FedKey(state, "borealis"), nil)
		if n >= first {
			reported = append(reported, state)
			put(t, table, store.FedKey(state, "acme"), nil)
		}
	}
	run.Settled = run.Settled[max(0, len(run.Settled)-record.MaxSettled):]
	put(t, table, store.HeadKey, draw.Head{Draw: "d", Game: "war", Table: "war-1", Opened: true, Shards: 1, State: 2 * states})
	put(t, table, store.SweepKey, run)
	db.Intercept = func(context.Context, fakedynamo.Call) fakedynamo.Verdict { *requests++; return fakedynamo.Proceed }
	return table, reported, requests
}

// What a bookmaker was notified of is found alike in all that is stored and with a few looks.
func TestReported(t *testing.T) {
	for _, states := range []int{0, 1, 2, 3, 8, 33, 100, 101, 102, 120} {
		for _, first := range slices.Compact([]int{0, states / 3, max(0, states-1), states}) {
			t.Run(fmt.Sprintf("%d from %d", states, first), func(t *testing.T) {
				table, want, requests := settled(t, states, first)
				all, err := record.Load(t.Context(), table, "d")
				if err != nil {
					t.Fatal(err)
				}
				if got, err := all.Reported(t.Context(), "acme"); err != nil || !slices.Equal(got, want) {
					t.Errorf("of all that is stored: %v, %v; want %v", got, err, want)
				}
				d, err := record.Open(t.Context(), table, "d")
				if err == nil {
					err = d.LoadHistory(t.Context())
				}
				if err != nil {
					t.Fatal(err)
				}
				*requests = 0
				if got, err := d.Reported(t.Context(), "acme"); err != nil || !slices.Equal(got, want) {
					t.Errorf("with a few looks: %v, %v; want %v", got, err, want)
				}
				if *requests > 8 { // seven halve a hundred, and one is under way
					t.Errorf("it took %d requests", *requests)
				}
			})
		}
	}
}
