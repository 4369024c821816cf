package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tally/internal/testkit/duequeue"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/reconcile"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// night is a table that is looked after, in a bubble of synctest.
type night struct {
	*testing.T
	db          *fakedynamo.DB
	table       *store.Table
	stuck       map[string]int
	runs        int
	late        int
	retain      time.Duration // of new draws; zero for the default
	quarantined int
	mismatch    int
	held        int               // in quarantine, as was counted last
	waits       int               // looks at corrections that wait
	waiting     map[string]int    // messages of the studio
	uncounted   error             // why they can't be counted
	limits      settlement.Limits // of corrections
	mutex       sync.Mutex
	depths      []error // of the context of each look at the queues
	sent        func(body string, delay time.Duration)
	looks       duequeue.Queue
	behind      int           // minutes, as was recorded last
	cancelAfter time.Duration // after their closing
}

func newNight(t *testing.T) *night {
	db := fakedynamo.New(t, "table")
	return &night{T: t, db: db, table: store.New(db, "table"), stuck: map[string]int{}, cancelAfter: 30 * time.Minute}
}

func now() settlement.Instant { return settlement.Instant(time.Now().UnixMilli()) }

// one makes what is counted one thing after the other, where looks are made side by side.
func (n *night) one(count func()) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	count()
}

func (n *night) Stuck(_, why string)                           { n.one(func() { n.stuck[why]++ }) }
func (n *night) Mismatch(string)                               { n.one(func() { n.mismatch++ }) }
func (n *night) LateRecords(_ string, bets int)                { n.one(func() { n.late += bets }) }
func (n *night) Depth(string, int)                             {}
func (n *night) Behind(minutes int)                            { n.one(func() { n.behind = minutes }) }
func (n *night) Waiting(string)                                { n.one(func() { n.waits++ }) }
func (n *night) InQuarantine(messages int)                     { n.one(func() { n.held = messages }) }
func (n *night) Quarantined(string)                            { n.one(func() { n.quarantined++ }) }
func (*night) Stored(string, time.Duration, string)            {}
func (n *night) Settled(string, int, int, bool, time.Duration) {}
func (n *night) Depths(ctx context.Context) (map[string]int, error) {
	n.one(func() { n.depths = append(n.depths, ctx.Err()) })
	return nil, nil
}
func (n *night) Send(_ context.Context, body string, delay time.Duration) error {
	if n.one(func() { n.runs++ }); n.sent != nil {
		n.sent(body, delay)
	}
	return nil
}

// studio counts the studio's messages.
type studio struct{ *night }

func (s studio) Depths(context.Context) (map[string]int, error) { return s.waiting, s.uncounted }

// discard takes what nobody waits for.
type discard struct{}

func (discard) Send(context.Context, string, time.Duration) error { return nil }

func (n *night) intake() *intake.Intake {
	return &intake.Intake{Table: n.table, Replies: discard{}, Sweeps: n, Archive: discard{}, Record: n, Settings: draw.Settings{RetainMillis: n.retain.Milliseconds()}, Now: now, Log: slog.New(slog.DiscardHandler)}
}

// say handles a message of the studio about a draw of roulette.
func (n *night) say(fields string, arguments ...any) {
	n.Helper()
	n.sayOf("rou-1.7", fields, arguments...)
}

func (n *night) sayOf(id, fields string, arguments ...any) {
	n.Helper()
	n.handle(intake.Studio, id, fmt.Sprintf(fields, arguments...))
}

// order handles an operator's order.
func (n *night) order(fields string) {
	n.Helper()
	n.handle(intake.Operator, "rou-1.7", fields)
}

// handle handles a message that is sent right after what was done before.
func (n *night) handle(from intake.Source, id, fields string) {
	n.Helper()
	body := `{"schema":1,"id":"m","game":"roulette","table":"rou-1","draw":"` + id + `","at":"2026-11-30T12:00:00.000Z",` + fields + `}`
	if err := n.intake().Handle(n.Context(), intake.Delivery{Body: []byte(body), SentAt: now() + 1, From: from}); err != nil {
		n.Fatal(err)
	}
}

// open opens the draw for a minute from now.
func (n *night) open() {
	n.Helper()
	n.say(`"type":"draw.opened","sequence":7,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, instant.Format(now()), instant.Format(now()+60_000))
}

// other opens another draw, for a second.
func (n *night) other() {
	n.Helper()
	n.sayOf("rou-1.8", `"type":"draw.opened","sequence":8,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, instant.Format(now()), instant.Format(now()+1000))
}

// bet stores a bet of a bookmaker on the draw.
func (n *night) bet(bookmaker, reference string) {
	n.Helper()
	if err := n.table.Put(n.Context(), store.Item{PK: store.DrawKey("rou-1.7"), SK: store.PartKey(bookmaker)}); err != nil {
		n.Fatal(err)
	}
	n.putBet(bookmaker, store.StoredBet{SK: store.BetKey(reference), Selection: "red", Stake: 500, Currency: "EUR", AcceptedAt: now(), Round: 1})
}

// putBet writes a bet in the place of what is there.
func (n *night) putBet(bookmaker string, bet store.StoredBet) {
	n.Helper()
	pk := store.BetsKey("rou-1.7", bookmaker, 0)
	if err := n.table.Delete(n.Context(), pk, bet.SK); err != nil {
		n.Fatal(err)
	}
	if _, err := n.table.CreateBet(n.Context(), pk, bet); err != nil {
		n.Fatal(err)
	}
}

// dueItems counts the items that ask for looks.
func (n *night) dueItems() (count int) {
	n.Helper()
	for _, pk := range n.db.Partitions() {
		if !strings.HasPrefix(pk, "DUE#") {
			continue
		}
		for _, err := range n.table.Query(n.Context(), pk, "") {
			if count++; err != nil {
				n.Fatal(err)
			}
		}
	}
	return count
}

// settle settles the draw when it may be.
func (n *night) settle() {
	n.Helper()
	time.Sleep(70 * time.Second)
	if err := n.settler().Handle(n.Context(), "rou-1.7"); err != nil {
		n.Fatal(err)
	}
}

func (n *night) settler() *settle.Settler {
	return &settle.Settler{Table: n.table, Archive: discard{}, Record: n, Now: now, HoldAbove: n.limits, Log: slog.New(slog.DiscardHandler)}
}

// run runs the cursor, and has all looks made that it has sent.
func (n *night) run() error { return n.runIn(n.Context()) }

func (n *night) runIn(ctx context.Context) error {
	return errors.Join(n.cursor().Run(ctx), n.looks.Work(ctx, n.looker()))
}

func (n *night) cursor() *reconcile.Cursor {
	return &reconcile.Cursor{Table: n.table, Looks: &n.looks, Depths: n, Record: n, Now: now, Log: slog.New(slog.DiscardHandler)}
}

// looker looks at draws that are due.
func (n *night) looker() *reconcile.Reconciler {
	return &reconcile.Reconciler{Table: n.table, Intake: n.intake(), Settler: n.settler(), Sweeps: n, Studio: studio{n}, Record: n,
		Now: now, Log: slog.New(slog.DiscardHandler), ResultWithin: 2 * time.Minute, CancelAfter: n.cancelAfter}
}

// pass runs reconcile every minute.
func (n *night) pass(minutes int) {
	n.Helper()
	for range minutes {
		time.Sleep(time.Minute)
		if err := n.run(); err != nil {
			n.Error(err)
		}
	}
}

// What does not advance is counted once in every run, however many messages the
// draw has got: alarms ask for several minutes in a row.
func TestStuckOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.pass(1)
		n.open()
		n.pass(2)
		if len(n.stuck) > 0 {
			t.Errorf("%v before anything is due", n.stuck)
		}
		n.pass(8) // due from minute 3 on
		if got := n.stuck[reconcile.StuckResult]; got < 6 || got > 8 {
			t.Errorf("a missing result was counted %d times in 8 minutes", got)
		}
		clear(n.stuck)
		n.say(`"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":17}]}`)
		n.say(`"type":"draw.cancelled","revision":2,"reason":"technical_failure"`)
		n.pass(10)
		if got := n.stuck[reconcile.StuckRun]; got < 7 || got > 10 || len(n.stuck) > 1 {
			t.Errorf("%v in 10 minutes of a sweep that does not come", n.stuck)
		}
		if due := n.dueItems(); due != 1 || n.mismatch > 0 {
			t.Errorf("the draw is due %d times, %d are mismatches", due, n.mismatch)
		}
	})
}

// The first run on a table finds what was due before it: reconcile had never run
// while intake did.
func TestFirstRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.open()
		n.say(`"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":17}]}`)
		time.Sleep(50 * time.Hour)
		n.runs = 0
		n.db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
			if call.Keys[0] == "RECONCILE / CURSOR" && call.Write {
				return fakedynamo.FailBefore
			}
			return fakedynamo.Proceed
		}
		if err := n.run(); err == nil {
			t.Error("the cursor was written")
		}
		n.db.Intercept = nil
		n.pass(3)
		if n.runs == 0 || n.stuck[reconcile.StuckRun] == 0 {
			t.Errorf("%d sweeps were asked for, stuck: %v", n.runs, n.stuck)
		}
	})
}

// tally's own cancellation keeps the time limit that messages have: closings are
// made of its time.
func TestCancelInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.pass(1)
		n.open()
		revision := store.RevisionKey(draw.AutomaticRevision)
		slow := true
		n.db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
			if slow && call.Operation == "TransactWriteItems" && strings.Contains(call.String(), revision) {
				time.Sleep(intake.StoreWithin + 100*time.Millisecond)
			}
			return fakedynamo.Proceed
		}
		failed := false
		for range 40 {
			time.Sleep(time.Minute)
			failed = n.run() != nil || failed
		}
		if _, cancelled, err := n.table.Get(t.Context(), store.DrawKey("rou-1.7"), revision); cancelled || err != nil || !failed {
			t.Errorf("cancelled %v, %v; a run failed: %v", cancelled, err, failed)
		}
		slow = false
		n.pass(3)
		if _, cancelled, err := n.table.Get(t.Context(), store.DrawKey("rou-1.7"), revision); !cancelled || err != nil || n.runs == 0 {
			t.Errorf("cancelled %v, %v; %d sweeps were asked for", cancelled, err, n.runs)
		}
		if item, _, err := n.table.Get(t.Context(), store.TableKey("rou-1"), store.CancelledKey); err != nil || !strings.Contains(item.Body, `"draw":"rou-1.7"`) || !strings.Contains(item.Body, `"cancelled":true`) {
			t.Errorf("of its table is held %q, %v: its row of cancelled draws does not count it", item.Body, err)
		}
	})
}
