package placing_test

import (
	"context"
	"errors"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/pipeline/placing"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// Where each attempt was throttled nothing is written, the answer says so at once, and the same
// is taken a moment later. Where one may be under way, a refusal is written as ever.
func TestThrottled(t *testing.T) {
	const before, open = settlement.Instant(-1000), settlement.Instant(5000)
	good, above := bet("b1", "seat:1", "10.00"), bet("b1", "seat:1", "1000.01")
	for _, row := range []struct {
		name     string
		prepare  placing.Request // sent before the round opens, and refused
		request  placing.Request
		puts     []fakedynamo.Verdict
		busy     bool
		attempts int    // writes that are asked for
		then     string // what the good bet is a tenth of a second later
	}{
		{"a bet", placing.Request{}, good, []fakedynamo.Verdict{fakedynamo.Throttle}, true, 1, "stored"},
		{"in the place of a refusal", good, good, []fakedynamo.Verdict{fakedynamo.Proceed, fakedynamo.Throttle}, true, 2, "stored"},
		{"a refusal", placing.Request{}, above, []fakedynamo.Verdict{fakedynamo.Throttle}, true, 1, "stored"},
		{"a refusal over another", good, above, []fakedynamo.Verdict{fakedynamo.Proceed, fakedynamo.Throttle}, true, 2, "stored"},
		{"the refusal of a bet that was lost", placing.Request{}, good, []fakedynamo.Verdict{fakedynamo.FailBefore, fakedynamo.Throttle}, false, 2, "stored"},
		{"the refusal of a bet that lands", placing.Request{}, good, []fakedynamo.Verdict{fakedynamo.FailAfter, fakedynamo.Throttle}, false, 2, "stored"},
	} {
		t.Run(row.name, func(t *testing.T) {
			db := fakedynamo.New(t, "table")
			h := registered(t, db)
			if row.prepare.Draw != "" {
				h.outcome(t, before, row.prepare)
			}
			h.now = noon + open
			attempts := 0
			puts(db, row.puts...)
			decide := db.Intercept
			db.Intercept = func(ctx context.Context, call fakedynamo.Call) fakedynamo.Verdict {
				if call.Write {
					attempts++
				}
				return decide(ctx, call)
			}
			_, err := h.Place(t.Context(), row.request)
			if refusal := (*placing.RefusedError)(nil); err == nil || errors.As(err, &refusal) || errors.Is(err, placing.ErrBusy) != row.busy {
				t.Errorf("it is answered by %v, want that nothing of it is stored: %v", err, row.busy)
			}
			if attempts != row.attempts {
				t.Errorf("%d writes are asked for, want %d", attempts, row.attempts)
			}
			if got := h.outcome(t, open+100, good); got != row.then {
				t.Errorf("a tenth of a second later it is %s, want %s", got, row.then)
			}
		})
	}
}

// registered is a house whose bookmaker is in the draw's registry.
func registered(t *testing.T, db *fakedynamo.DB) *house {
	h := open(t, store.New(db, "table"))
	h.outcome(t, 500, bet("b0", "seat:1", "10.00"))
	return h
}

// A bookmaker's first bet that can't enter it in the registry, and a cancellation.
func TestThrottledElsewhere(t *testing.T) {
	db := fakedynamo.New(t, "table")
	h := open(t, store.New(db, "table"))
	h.now = noon + 1000
	puts(db, fakedynamo.Throttle)
	if _, err := h.Place(t.Context(), bet("b1", "seat:1", "10.00")); !errors.Is(err, placing.ErrBusy) {
		t.Errorf("the registry takes no more: %v, want %v", err, placing.ErrBusy)
	}
	if got := h.outcome(t, 1001, bet("b1", "seat:1", "10.00")); got != "stored" {
		t.Fatalf("the same again: %s, want stored", got)
	}
	puts(db, fakedynamo.Throttle)
	if _, err := h.Cancel(t.Context(), "acme", theDraw, "b1"); !errors.Is(err, placing.ErrBusy) {
		t.Errorf("a cancellation: %v, want %v", err, placing.ErrBusy)
	}
	if account, err := h.Cancel(t.Context(), "acme", theDraw, "b1"); err != nil || account.Replay {
		t.Errorf("the same again: %+v, %v, want it stored just now", account, err)
	}
}
