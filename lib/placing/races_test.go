package placing_test

import (
	"context"
	"errors"
	"testing"

	"tally/lib/fakedynamo"
	"tally/lib/money"
	"tally/lib/placing"
	"tally/lib/store"
)

// outcome places a bet and returns "stored", the code of its refusal, or "unknown".
func (h *house) outcome(t *testing.T, at instant, request placing.Request) string {
	t.Helper()
	h.now = noon + at
	_, err := h.Place(t.Context(), request)
	var refusal *placing.Refusal
	switch {
	case err == nil:
		return "stored"
	case errors.As(err, &refusal):
		return refusal.Code
	}
	return "unknown"
}

// puts lets the first puts of a bet end as it says, the others proceed.
func puts(db *fakedynamo.DB, verdicts ...fakedynamo.Verdict) {
	db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if call.Operation != "PutItem" || len(verdicts) == 0 {
			return fakedynamo.Proceed
		}
		first := verdicts[0]
		verdicts = verdicts[1:]
		return first
	}
}

// A try that takes the place of a refusal, and is still on its way when the next
// refusal is answered, does not land.
func TestRefusalRenewed(t *testing.T) {
	db := fakedynamo.New(t, "table")
	h := open(t, store.New(db, "table"))
	request := bet("b1", "seat:1", "10.00")
	if got := h.outcome(t, -1000, request); got != placing.CodeBettingClosed {
		t.Fatalf("before the round opens: %s", got)
	}
	if got := h.outcome(t, 2999, request); got != placing.CodeBettingClosed {
		t.Errorf("while the refusal stands: %s", got)
	}
	h.outcome(t, 1000, bet("b0", "seat:1", "10.00")) // so that the bookmaker is in the registry
	puts(db, fakedynamo.Proceed, fakedynamo.FailLate, fakedynamo.FailBefore)
	if got := h.outcome(t, 58_000, request); got != "unknown" || db.Late() != 1 {
		t.Fatalf("its answer was lost: %s, %d on the way", got, db.Late())
	}
	if got := h.outcome(t, 60_000, request); got != placing.CodeBettingClosed {
		t.Fatalf("after the round closed: %s", got)
	}
	db.Land()
	stored, err := h.Table.GetBet(t.Context(), store.BetsKey(theDraw, "acme", 0), store.BetKey("b1"))
	if err != nil || stored == nil || stored.Refused == "" {
		t.Errorf("the bet landed after it was refused: %+v, %v", stored, err)
	}
}

// A limit that is lowered between two tries does not make the second one deny what
// the first one stored.
func TestLimitLowered(t *testing.T) {
	db := fakedynamo.New(t, "table")
	h := open(t, store.New(db, "table"))
	request := bet("b1", "seat:1", "500.00")
	if got := h.outcome(t, 1000, request); got != "stored" {
		t.Fatal(got)
	}
	h.Settings = func(string) placing.Settings {
		return placing.Settings{MaxStake: map[string]money.Amount{"EUR": 100_00}}
	}
	if got := h.outcome(t, 2000, request); got != "stored" {
		t.Errorf("the same bet again: %s", got)
	}
	if got := h.outcome(t, 3000, bet("b2", "seat:1", "500.00")); got != placing.CodeLimit {
		t.Errorf("another bet: %s", got)
	}
}

// What a bookmaker is told of a bet whose answer was lost, by what became of it.
func TestAnswerLost(t *testing.T) {
	for _, row := range []struct {
		puts        []fakedynamo.Verdict // of the bet, then of the refusal that follows
		first, then string
	}{
		{[]fakedynamo.Verdict{fakedynamo.FailBefore}, placing.CodeOutcomeUnknown, "stored"},
		{[]fakedynamo.Verdict{fakedynamo.FailAfter}, "stored", "stored"},
		{[]fakedynamo.Verdict{fakedynamo.FailLate}, placing.CodeOutcomeUnknown, "stored"},
		{[]fakedynamo.Verdict{fakedynamo.SendTwice}, "stored", "stored"},
		{[]fakedynamo.Verdict{fakedynamo.FailBefore, fakedynamo.FailBefore}, "unknown", "stored"},
		{[]fakedynamo.Verdict{fakedynamo.FailAfter, fakedynamo.FailBefore}, "unknown", "stored"},
		{[]fakedynamo.Verdict{fakedynamo.FailBefore, fakedynamo.FailAfter}, "unknown", "stored"},
	} {
		db := fakedynamo.New(t, "table")
		h := open(t, store.New(db, "table"))
		h.outcome(t, 1000, bet("b0", "seat:1", "10.00"))
		puts(db, row.puts...)
		if got := h.outcome(t, 2000, bet("b1", "seat:1", "10.00")); got != row.first {
			t.Errorf("%v: %s instead of %s", row.puts, got, row.first)
		}
		db.Land()
		if got := h.outcome(t, 7000, bet("b1", "seat:1", "10.00")); got != row.then {
			t.Errorf("%v, then: %s instead of %s", row.puts, got, row.then)
		}
	}
}
