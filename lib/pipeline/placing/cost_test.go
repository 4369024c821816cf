package placing_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"tally/internal/testkit/capacity"
	"tally/internal/testkit/dynamotest"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/placing"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// noon is 2026-11-30T12:00:00.000Z.
const noon settlement.Instant = 1_795_953_600_000

const theDraw = "bj-1.7"

type discard struct{}

func (discard) Quarantined(string)                                {}
func (discard) Stored(string, time.Duration, string)              {}
func (discard) Accepted(string)                                   {}
func (discard) Unlooked(string)                                   {}
func (discard) Refused(string, string)                            {}
func (discard) Send(context.Context, string, time.Duration) error { return nil }

// house is a table with a draw of blackjack on it, and a process that takes bets.
type house struct {
	*placing.Acceptor
	now    settlement.Instant
	looks  bool  // of draws that open
	within int64 // how long before a round's end its bets are looked after; zero for always
}

func (h *house) clock() settlement.Instant { return h.now }

// open opens a draw whose first round takes bets from noon on for a minute, its
// second from the second minute on.
func open(t *testing.T, table *store.Table) *house {
	t.Helper()
	return openAs(t, &house{}, table)
}

func openAs(t *testing.T, h *house, table *store.Table) *house {
	t.Helper()
	h.now = noon - 60_000
	h.Acceptor = &placing.Acceptor{Table: table, Now: h.clock, Record: discard{}, Terms: func(string) money.Terms {
		return money.Terms{MaxStake: map[string]money.Amount{"EUR": 1_000_00}}
	}}
	h.say(t, fmt.Sprintf(`"type":"draw.opened","sequence":7,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, instant.Format(noon), instant.Format(noon+60_000)))
	h.now = noon
	return h
}

func (h *house) say(t *testing.T, fields string) {
	t.Helper()
	h.sayOf(t, theDraw, fields)
}

func (h *house) sayOf(t *testing.T, draw, fields string) {
	t.Helper()
	in := intake.Intake{Table: h.Table, Replies: discard{}, Sweeps: discard{}, Archive: discard{}, Record: discard{}, Now: h.clock,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Settings: h.settings()}
	body := `{"schema":1,"id":"m","game":"blackjack","table":"bj-1","draw":"` + draw + `","at":"2026-11-30T12:00:00.000Z",` + fields + `}`
	if err := in.Handle(t.Context(), intake.Delivery{Body: []byte(body), SentAt: h.now}); err != nil {
		t.Fatal(err)
	}
}

func (h *house) settings() draw.Settings {
	s := draw.Settings{Shards: 1, RetainMillis: 400 * 24 * 3600 * 1000, Looks: h.looks}
	if h.within != 0 {
		s.LookMillisByGame = map[string]int64{"blackjack": h.within}
	}
	return s
}

// play opens the second round.
func (h *house) play(t *testing.T) {
	t.Helper()
	h.now = noon + 60_000
	h.say(t, fmt.Sprintf(`"type":"betting.opened","round":2,"opens_at":%q,"closes_at":%q,
		"visible":{"dealer":["AS"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D"]}]}]}`, instant.Format(noon+60_000), instant.Format(noon+120_000)))
}

func bet(reference, selection, stake string) placing.Request {
	return placing.Request{Bookmaker: "acme", Draw: theDraw, Reference: reference, Selection: selection, Stake: stake, Currency: "EUR", Shop: "riga-7"}
}

func wager(base, selection, stake string) placing.Request {
	r := bet("", selection, stake)
	r.Base = base
	return r
}

// What is asked of DynamoDB for each request, and what that costs.
func TestCost(t *testing.T) {
	db := dynamotest.DynamoDBLocal(t)
	counts := capacity.New(dynamotest.PartitionKey, dynamotest.SortKey)
	h := open(t, store.New(db.NewClient(counts.Attach), db.Table(t)))
	place := func(r placing.Request) func() error {
		return func() error { _, err := h.Place(t.Context(), r); return err }
	}
	steps := []struct {
		name  string
		try   func() error
		code  string
		calls string // GetItem, PutItem
		units string // read, write
	}{
		{"the first bet of a bookmaker, nothing known", place(bet("b1", "seat:1", "10.00")), "", "2 2", "1.5 2"},
		{"a bet, warm", place(bet("b2", "seat:4", "10.00")), "", "0 1", "0 1"},
		{"a long reference, the largest stake", place(bet("0123456789012345678901234567890123456789012345678901234567890123", "seat:7", "1000.00")), "", "0 1", "0 1"},
		{"the same again", place(bet("b2", "seat:4", "10.00")), "", "0 1", "0 1"},
		{"another bet under its reference", place(bet("b2", "seat:4", "11.00")), placing.CodeReferenceUsed, "0 1", "0 1"},
		{"a request that is wrong whatever the draw", place(bet("b3", "seat:8", "10.00")), "illegal_shape", "0 0", "0 0"},
		{"a stake above the limit", place(bet("b4", "seat:1", "1000.01")), placing.CodeLimit, "0 1", "0 1"},
		{"the same refusal again", place(bet("b4", "seat:1", "1000.01")), placing.CodeLimit, "0 2", "0 2"},
		{"a cancellation", func() error { _, err := h.Cancel(t.Context(), "acme", theDraw, "b2"); return err }, "", "1 1", "1 1"},
		{"", func() error { h.play(t); return nil }, "", "", ""},
		{"a side wager, head and cards not known", place(wager("b1", "double:1:1", "10.00")), "", "3 1", "3 1"},
		{"a side wager, warm", place(wager("b1", "insurance:1", "5.00")), "", "1 1", "1 1"},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			counts.Reset()
			err := step.try()
			var refusal *placing.RefusedError
			if errors.As(err, &refusal) != (step.code != "") || refusal != nil && refusal.Code != step.code || err != nil && refusal == nil {
				t.Errorf("%s: %v", step.name, err)
			}
			if step.name == "" {
				return
			}
			made := counts.Snapshot()
			if got := fmt.Sprint(made["GetItem"].Attempts, made["PutItem"].Attempts); got != step.calls || len(made.Minus(capacity.Snapshot{"GetItem": made["GetItem"], "PutItem": made["PutItem"]})) > 0 {
				t.Errorf("%s: requests\n%vinstead of %s", step.name, made, step.calls)
			}
			if got := fmt.Sprint(made.Total().Reads, " ", made.Total().Writes); got != step.units {
				t.Errorf("%s: %s units instead of %s", step.name, got, step.units)
			}
		})
	}
}

// What is looked after costs one consistent reading of the head, and half a unit where the
// head was not in memory; a batch on one draw costs the same once.
func TestCostOfLooks(t *testing.T) {
	db := dynamotest.DynamoDBLocal(t)
	counts := capacity.New(dynamotest.PartitionKey, dynamotest.SortKey)
	h := openAs(t, &house{looks: true}, store.New(db.NewClient(counts.Attach), db.Table(t)))
	place := func(first, bets int) {
		var group errgroup.Group
		stored := make([]*placing.Stored, bets)
		for b := range bets {
			group.Go(func() (err error) {
				stored[b], err = h.Store(t.Context(), bet(fmt.Sprintf("b%d", first+b), "seat:1", "10.00"))
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Answer(t.Context(), stored); err != nil {
			t.Fatal(err)
		}
	}
	place(0, 1) // enters the bookmaker
	const unit, half = capacity.Unit, capacity.Unit / 2
	for _, test := range []struct {
		name   string
		later  settlement.Instant
		try    func()
		reads  capacity.HalfUnits
		writes capacity.HalfUnits
	}{
		{"a sparse bet", 1000, func() { place(100, 1) }, unit + half, unit},
		{"a warm bet", 1, func() { place(200, 1) }, unit, unit},
		{"a batch", 1, func() { place(300, 20) }, unit, 20 * unit},
		{"a sparse batch", 1000, func() { place(400, 20) }, unit + half, 20 * unit},
		{"a sparse cancellation, which reads its bet", 1000, func() {
			if _, err := h.Cancel(t.Context(), "acme", theDraw, "b100"); err != nil {
				t.Fatal(err)
			}
		}, 2*unit + half, unit},
		{"a sparse bet that is refused", 1000, func() {
			if _, err := h.Place(t.Context(), bet("b500", "seat:1", "9999.00")); err == nil {
				t.Fatal("it is stored")
			}
		}, unit + half, unit},
	} {
		t.Run(test.name, func(t *testing.T) {
			h.now += test.later
			counts.Reset()
			test.try()
			if got := counts.Snapshot().Total(); got.Reads != test.reads || got.Writes != test.writes {
				t.Errorf("%s: %v read and %v write units, want %v and %v", test.name, got.Reads, got.Writes, test.reads, test.writes)
			}
		})
	}
}

// The keys that are written for a bookmaker's bets.
func TestKeysWritten(t *testing.T) {
	db := fakedynamo.New(t, "table")
	h := open(t, store.New(db, "table"))
	var keys []string
	db.Applied = func(call fakedynamo.Call) {
		if call.Write {
			keys = append(keys, call.Keys...)
		}
	}
	for _, request := range []placing.Request{bet("b1", "seat:1", "10.00"), bet("b1", "seat:1", "10.00"), bet("b2", "seat:1", "9999.00")} {
		_, err := h.Place(t.Context(), request)
		if refusal := (*placing.RefusedError)(nil); err != nil && !errors.As(err, &refusal) {
			t.Fatal(err)
		}
	}
	if _, err := h.Cancel(t.Context(), "acme", theDraw, "b1"); err != nil {
		t.Fatal(err)
	}
	want := []string{"DRAW#bj-1.7 / PART#acme", "BETS#bj-1.7#acme#0 / BET#b1", "BETS#bj-1.7#acme#0 / BET#b2", "BETS#bj-1.7#acme#0 / BET#b1#cancel"}
	if fmt.Sprint(keys) != fmt.Sprint(want) {
		t.Errorf("written %v\ninstead of %v", keys, want)
	}
}
