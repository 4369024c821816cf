package quarantine_test

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/dynamotest"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/quarantine"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/store/record"
)

// taken counts nothing.
type taken struct{}

func (taken) Accepted(string)                               {}
func (taken) Unlooked(string)                               {}
func (taken) Refused(string, string)                        {}
func (taken) Mismatch(string)                               {}
func (taken) Settled(string, int, int, bool, time.Duration) {}

// A settlement that is held sits in quarantine with its money. It can't be dropped, its
// release sends the message to settle and has it reported; once it is replaced it can only be
// dropped.
func TestHeldSettlement(t *testing.T) {
	dynamotest.Each(t, func(t *testing.T, db dynamotest.DB) {
		w := newWorld(t, db)
		sweeps := &sender{}
		w.Sweeps = sweeps
		limits, err := settlement.ParseLimits("EUR=10.00")
		if err != nil {
			t.Fatal(err)
		}
		now := func() settlement.Instant { w.now++; return w.now }
		settler := &settle.Settler{Table: w.Table, Archive: &sender{}, Record: taken{}, Now: now, HoldAbove: limits, Log: slog.New(slog.DiscardHandler)}
		say := func(fields string) {
			t.Helper()
			body := `{"schema":1,"id":"m1","game":"roulette","table":"rou-1","draw":"rou-1.7","at":"2026-11-30T12:00:00.000Z",` + fields + `}`
			if err := w.intake.Handle(t.Context(), intake.Delivery{Body: []byte(body), SentAt: w.now, From: intake.Studio}); err != nil {
				t.Fatal(err)
			}
		}
		settleNow := func() {
			t.Helper()
			w.now += settlement.Instant(time.Minute.Milliseconds())
			if err := settler.Handle(t.Context(), "rou-1.7"); err != nil {
				t.Fatal(err)
			}
		}
		held := func(want int) {
			t.Helper()
			if run, err := record.LoadRun(t.Context(), w.Table, "rou-1.7"); err != nil || run.HeldState() != want {
				t.Errorf("state %d is held instead of %d, %v", run.HeldState(), want, err)
			}
		}
		say(`"type":"draw.opened","sequence":7,"rounds":[{"round":1,"opens_at":"2026-11-30T12:00:00.000Z","closes_at":"2026-11-30T12:00:30.000Z"}]`)
		acceptor := placing.Acceptor{Table: w.Table, Terms: func(string) money.Terms { return money.Terms{} }, Now: now, Record: taken{}}
		if _, err := acceptor.Place(t.Context(), placing.Request{Bookmaker: "acme", Draw: "rou-1.7", Reference: "b1", Selection: "red", Stake: "20.00", Currency: "EUR"}); err != nil {
			t.Fatal(err)
		}
		w.now += settlement.Instant(time.Minute.Milliseconds())
		say(`"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":34}]}`)
		settleNow()
		say(`"type":"draw.resulted","revision":2,"facts":{"spins":[{"revolutions":5,"pocket":17}]},"correction":{"reason":"video_review"}`)
		settleNow()
		held(2)
		messages := w.all(t)
		if len(messages) != 1 || messages[0].Draw != "rou-1.7" || !strings.Contains(messages[0].Faults[0].Message, "moves EUR 40.00 of 1 bookmakers") {
			t.Fatalf("in quarantine are %+v", messages)
		}
		if err := w.Drop(t.Context(), messages[0], "r"); !errors.Is(err, quarantine.ErrStillHeld) {
			t.Errorf("dropped: %v", err)
		}
		if err := w.Release(t.Context(), messages[0]); err != nil || !slices.Equal(sweeps.sent, []string{`{"draw":"rou-1.7"}`}) || len(w.all(t)) > 0 {
			t.Errorf("sent %q, %v", sweeps.sent, err)
		}
		settleNow()
		held(0)
		say(`"type":"draw.resulted","revision":3,"facts":{"spins":[{"revolutions":5,"pocket":34}]},"correction":{"reason":"video_review"}`)
		settleNow()
		held(3)
		say(`"type":"draw.resulted","revision":4,"facts":{"spins":[{"revolutions":5,"pocket":17}]},"correction":{"reason":"video_review"}`)
		settleNow() // which is what was reported last
		held(0)
		if err := w.Release(t.Context(), w.all(t)[0]); !errors.Is(err, quarantine.ErrNotHeld) || len(sweeps.sent) > 1 {
			t.Errorf("released: %v", err)
		}
		if err := w.Drop(t.Context(), w.all(t)[0], "replaced"); err != nil || len(w.all(t)) > 0 {
			t.Error(err)
		}
	})
}
