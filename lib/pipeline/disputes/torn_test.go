package disputes_test

import (
	"context"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/pipeline/disputes"
	"tally/lib/store"
)

// While a dispute is being stored, its place in the operators' list may be seen before
// it is. Whoever reads the list then does not take it off.
func TestTornDispute(t *testing.T) {
	for order := range 2 {
		db := fakedynamo.New(t, "table")
		o := newOffice(t, store.New(db, "table"))
		db.Torn = func(_ context.Context, _ fakedynamo.Call, left []string) (next int) {
			ctx, cancel := context.WithTimeout(t.Context(), 0)
			if len(left) == 1 {
				ctx, cancel = context.WithCancel(t.Context())
			}
			defer cancel()
			for _, err := range o.Pending(ctx) {
				if err != nil {
					break // it can't be read for sure yet
				}
			}
			return order % len(left)
		}
		r := disputes.Request{Draw: "rou-1.1", Reason: "r", Evidence: "e"}
		if _, replay, err := disputes.Create(t.Context(), o.Table, "acme", "d-1", r, noon, noon+1); err != nil || replay {
			t.Fatalf("replay %v, %v, want a new dispute", replay, err)
		}
		db.Torn = nil
		found := 0
		for dispute, err := range o.Pending(t.Context()) {
			if err != nil || dispute.ID != "d-1" {
				t.Errorf("%+v, %v, want no error and dispute.ID = \"d-1\"", dispute, err)
			}
			found++
		}
		if found != 1 {
			t.Errorf("item %d first: the list has %d disputes", order, found)
		}
	}
}
