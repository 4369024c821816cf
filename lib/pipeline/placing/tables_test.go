package placing_test

import (
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/placing"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// sayOfTable has intake take a message about the house's table.
func (h *house) sayOfTable(t *testing.T, rest string) {
	t.Helper()
	in := intake.Intake{Table: h.Table, Replies: discard{}, Sweeps: discard{}, Record: discard{}, Now: h.clock, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Settings: h.settings()}
	body := `{"schema":1,"id":"m","table":"bj-1","at":"` + instant.Format(h.now) + `",` + rest + `}`
	if err := in.Handle(t.Context(), intake.Delivery{Body: []byte(body), SentAt: h.now}); err != nil {
		t.Fatal(err)
	}
}

// Bets on a suspended table are refused with its reason. What was accepted before, and in
// the second in which a process has not heard of it, stands and can be taken back.
func TestSuspended(t *testing.T) {
	h := open(t, store.New(fakedynamo.New(t, "table"), "table"))
	h.Tables = &placing.Tables{}
	place := func(reference, code string) {
		t.Helper()
		_, err := h.Place(t.Context(), bet(reference, "seat:1", "10.00"))
		var refusal *placing.RefusedError
		switch {
		case code == "" && err != nil:
			t.Errorf("%s: %v, want it accepted", reference, err)
		case code != "" && (!errors.As(err, &refusal) || refusal.Code != code):
			t.Errorf("%s: %v, want %s", reference, err, code)
		case code == placing.CodeTableSuspended && !strings.Contains(refusal.Message, "equipment_error"):
			t.Errorf("%s is refused without its reason: %v", reference, refusal)
		}
	}
	later := func(millis settlement.Instant) { h.now += millis }

	place("b1", "")
	h.sayOfTable(t, `"type":"table.suspended","reason":"equipment_error"`)
	later(999)
	place("b2", "") // in the cached second
	later(1)
	place("b3", placing.CodeTableSuspended)
	place("b1", "") // it stands: the same again is answered as it is stored
	if _, err := h.Cancel(t.Context(), "acme", theDraw, "b1"); err != nil {
		t.Errorf("a bet can't be taken back while the table is suspended: %v", err)
	}
	later(1)
	h.sayOfTable(t, `"type":"table.resumed"`)
	place("b4", placing.CodeTableSuspended) // for a second more
	later(1000)
	place("b5", "")
	later(4000) // a refusal stands for so long, this one as any other
	place("b3", "")
	later(60_000)
	place("b6", placing.CodeBettingClosed)
}

// Where a bet and a suspension meet, what is stored first decides: a refusal that is under
// its key can't be overtaken by an earlier try of the same bet.
func TestSuspensionRace(t *testing.T) {
	db := fakedynamo.New(t, "table")
	one := open(t, store.New(db, "table"))
	one.Tables = &placing.Tables{}
	if _, err := one.Place(t.Context(), bet("warm", "seat:1", "10.00")); err != nil { // it remembers the table as open
		t.Fatal(err)
	}
	other := &house{now: one.now}
	other.Acceptor = &placing.Acceptor{Table: one.Table, Now: other.clock, Record: discard{}, Terms: one.Terms, Tables: &placing.Tables{}}
	one.now++
	one.sayOfTable(t, `"type":"table.suspended","reason":"equipment_error"`)
	other.now = one.now
	var refusal *placing.RefusedError
	if _, err := other.Place(t.Context(), bet("b1", "seat:1", "10.00")); !errors.As(err, &refusal) || refusal.Code != placing.CodeTableSuspended {
		t.Fatalf("who has heard of it answers %v, want a refusal", err)
	}
	if _, err := one.Place(t.Context(), bet("b1", "seat:1", "10.00")); !errors.As(err, &refusal) || refusal.Code != placing.CodeTableSuspended {
		t.Errorf("who has not answers %v, want the refusal that is stored", err)
	}
	if _, err := one.Place(t.Context(), bet("b2", "seat:1", "10.00")); err != nil {
		t.Errorf("who has not refuses another: %v", err)
	}
	if _, err := other.Place(t.Context(), bet("b2", "seat:1", "10.00")); err != nil {
		t.Errorf("the bet that is stored is answered %v by who has heard of it, want as stored", err)
	}
}
