package placing_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/pipeline/placing"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// outcome places a bet and returns "stored", the code of its refusal, or "unknown".
func (h *house) outcome(t *testing.T, at settlement.Instant, request placing.Request) string {
	t.Helper()
	h.now = noon + at
	_, err := h.Place(t.Context(), request)
	var refusal *placing.RefusedError
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
		t.Fatalf("%s, want stored", got)
	}
	h.Terms = func(string) money.Terms {
		return money.Terms{MaxStake: map[string]money.Amount{"EUR": 100_00}}
	}
	if got := h.outcome(t, 2000, request); got != "stored" {
		t.Errorf("the same bet again: %s", got)
	}
	if got := h.outcome(t, 3000, bet("b2", "seat:1", "500.00")); got != placing.CodeLimit {
		t.Errorf("another bet: %s", got)
	}
}

// A bookmaker's limits are by currency, and by game and currency, which goes before. At
// the limit a stake is taken. The least stake is one of bets, not of side bets.
func TestLimits(t *testing.T) {
	general := money.Terms{MinStake: map[string]money.Amount{"EUR": 1_00}, MaxStake: map[string]money.Amount{"EUR": 500_00}}
	own := general
	own.Games = map[string]money.Limits{"blackjack": {MinStake: map[string]money.Amount{"EUR": 5_00}, MaxStake: map[string]money.Amount{"EUR": 50_00}},
		"roulette": {MinStake: map[string]money.Amount{"EUR": 400_00}}}
	for _, row := range []struct {
		name  string
		terms money.Terms
		stake string
		want  string
	}{
		{"none", money.Terms{}, "0.01", "stored"},
		{"at the least", general, "1.00", "stored"},
		{"below the least", general, "0.99", placing.CodeBelowLimit},
		{"at the greatest", general, "500.00", "stored"},
		{"above the greatest", general, "500.01", placing.CodeLimit},
		{"at the game's least", own, "5.00", "stored"},
		{"below the game's least", own, "4.99", placing.CodeBelowLimit},
		{"at the game's greatest", own, "50.00", "stored"},
		{"above the game's greatest", own, "50.01", placing.CodeLimit},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := open(t, store.New(fakedynamo.New(t, "table"), "table"))
			h.Terms = func(string) money.Terms { return row.terms }
			if got := h.outcome(t, 1000, bet("b1", "seat:1", row.stake)); got != row.want {
				t.Errorf("a stake of %s EUR: got %s, want %s", row.stake, got, row.want)
			}
		})
	}
}

// What a bookmaker gets of a bet whose response was lost, by what became of it.
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
		t.Run(row.first, func(t *testing.T) {
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
		})
	}
}

// A side wager with a wrong stake does not keep the right one waiting, which has no
// other reference; and what is answered for it stays what is stored.
func TestWrongWagerThenRight(t *testing.T) {
	db := fakedynamo.New(t, "table")
	h := open(t, store.New(db, "table"))
	h.outcome(t, 1000, bet("b1", "seat:1", "10.00"))
	h.play(t)
	for _, step := range []struct {
		at               settlement.Instant
		selection, stake string
		want             string
	}{
		{71_000, "double:1:1", "10.01", placing.CodeBaseMismatch},
		{71_001, "double:1:1", "10.02", placing.CodeBaseMismatch},
		{71_002, "double:1:1", "10.00", "stored"},
		{71_003, "double:1:1", "10.01", placing.CodeReferenceUsed},
		{71_004, "double:1:1", "10.00", "stored"},
		{71_005, "insurance:1", "5.01", placing.CodeBaseMismatch},
		{71_006, "insurance:1", "5.00", "stored"},
	} {
		t.Run(step.selection, func(t *testing.T) {
			if got := h.outcome(t, step.at, wager("b1", step.selection, step.stake)); got != step.want {
				t.Errorf("%s of %s: %s instead of %s", step.selection, step.stake, got, step.want)
			}
		})
	}
}

// What would be taken now, but comes right after a refusal, is told what to do: a
// wager has no other reference.
func TestTooEarlyAfterRefusal(t *testing.T) {
	for _, row := range []struct {
		before, after int // seconds after noon
		request       placing.Request
		want          string
	}{
		{58, 61, wager("b1", "double:1:1", "10.00"), "wrong_round: the draw takes this now, but this wager was refused a moment ago (wrong_round): send it again after 4 seconds"},
		{-1, 1, bet("b2", "seat:2", "10.00"), "betting_closed: the draw takes this now, but its reference was refused a moment ago (betting_closed): send it again after 4 seconds, or under another reference"},
	} {
		t.Run(fmt.Sprint(row.before), func(t *testing.T) {
			h := open(t, store.New(fakedynamo.New(t, "table"), "table"))
			if row.request.Base != "" {
				h.outcome(t, 1000, bet("b1", "seat:1", "10.00"))
			}
			h.outcome(t, settlement.Instant(row.before)*1000, row.request)
			if row.request.Base != "" {
				h.play(t)
			}
			h.now = noon + settlement.Instant(row.after)*1000
			if _, err := h.Place(t.Context(), row.request); err == nil || err.Error() != row.want {
				t.Errorf("%v, want an error and err.Error() = %v", err, row.want)
			}
		})
	}
}

// A wager that the cards don't offer is refused as that, not as lost: its
// settlement would be a refund for no_such_wager.
func TestWagerNotOffered(t *testing.T) {
	h := open(t, store.New(fakedynamo.New(t, "table"), "table"))
	h.outcome(t, 1000, bet("b1", "seat:1", "10.00"))
	h.outcome(t, 1000, bet("b7", "seat:7", "10.00"))
	h.play(t)
	h.now = noon + 71_000
	for _, request := range []placing.Request{wager("b7", "double:7:1", "10.00"), wager("b7", "insurance:7", "5.00"), wager("b1", "split:1", "10.00")} {
		t.Run(request.Bookmaker, func(t *testing.T) {
			want := "not_offered: the cards of betting round 2 offer no " + request.Selection + ": there is no such wager"
			if _, err := h.Place(t.Context(), request); err == nil || err.Error() != want {
				t.Errorf("%v, want an error and err.Error() = %v", err, want)
			}
		})
	}
}

// A cancellation that is on its way when the next one is refused does not land: the refusal
// is under its key.
func TestRefusedCancellationNeverLands(t *testing.T) {
	db := fakedynamo.New(t, "table")
	h := open(t, store.New(db, "table"))
	if got := h.outcome(t, 1000, bet("b1", "seat:1", "10.00")); got != "stored" {
		t.Fatalf("%v, want \"stored\"", got)
	}
	puts(db, fakedynamo.FailLate)
	h.now = noon + 59_000
	if account, err := h.Cancel(t.Context(), "acme", theDraw, "b1"); err == nil || db.Late() != 1 {
		t.Fatalf("its answer was lost: %+v, %d on the way", account, db.Late())
	}
	h.now = noon + 60_000
	refusal := (*placing.RefusedError)(nil)
	if _, err := h.Cancel(t.Context(), "acme", theDraw, "b1"); !errors.As(err, &refusal) || refusal.Code != placing.CodeBettingClosed {
		t.Fatalf("after the round closed: %v", err)
	}
	db.Land()
	stored, err := h.Table.GetBet(t.Context(), store.BetsKey(theDraw, "acme", 0), store.CancelKey("b1"))
	if err != nil || stored == nil || stored.Refused == "" {
		t.Errorf("the cancellation landed after it was refused: %+v, %v", stored, err)
	}
}
