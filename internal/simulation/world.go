package simulation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tally/internal/simulation/plans"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/quarantine"
	"tally/lib/pipeline/reconcile"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	storedrecord "tally/lib/store/record"
)

// tableName is the name of the one table.
const tableName = "tally"

// world is one run: the table, the queues, the handlers at work.
type world struct {
	plan   *plans.Plan
	policy policy
	random *rand.Rand
	db     *fakedynamo.DB
	table  *store.Table // for the checker: not intercepted

	studio, orders, sweeps, entries *queue
	due                             *queue // draws that are to be looked at
	webhooks                        *queue
	replies, archive                *queue // all that was ever sent
	log                             publicLog
	reader                          *reader // nil for none

	started   time.Time
	step      int
	active    []*task
	apis      []*api
	wrong     *process // whose clock is; nil for none
	refused   int      // requests and messages by it
	raised    bool     // a version of a game was released
	withdraw  func()   // what was released
	attempts  []*attempt
	handled   []handled
	heads     map[string][]headAt
	changed   []string  // draws whose head was written since it was last looked at
	landBy    []landing // late writes, by when each has to arrive
	lateItems int       // on their way to the table
	lateFiles int       // and to the log
	landing   bool
	traced    bool
	mutex     sync.Mutex // of problems, and of what was found: by handlers
	problems  []string
	trace     []string
	abandoned int            // states, as the checker has counted them
	released  int            // settlements that were held
	replaced  int            // settlements that were held until a newer state came
	found     int            // looks that have found late records
	late      map[string]int // late records that reconcile had settled, by kind
	promise   promise
}

// headAt is a draw's head as it stood from a time on.
type headAt struct {
	from time.Time
	head *draw.Head
}

// handled is a studio message or order that was acknowledged.
type handled struct {
	body string
	from intake.Source
}

// api is a process that answers bookmakers, one request at a time. It keeps what
// it remembers until it crashes.
type api struct {
	number   int
	acceptor *placing.Acceptor
	skew     time.Duration
	wrong    bool // its clock is off by more than skew
	now      func() settlement.Instant
	old      bool // it is of a version that knows of no looks
	busy     bool
}

func newWorld(t testing.TB, plan *plans.Plan, policy policy) *world {
	copied := *plan
	w := &world{plan: &copied, policy: policy, random: rand.New(rand.NewPCG(plan.Seed, 2)), started: time.Now(), heads: map[string][]headAt{}, late: map[string]int{}, withdraw: func() {}}
	w.promise = promise{wrote: map[string]time.Time{}, found: map[string]finding{}, unlooked: map[string]bool{}}
	w.traced = plan.Traced
	w.log.open(t, w)
	w.db = fakedynamo.New(t, tableName)
	w.db.PageBytes = plan.PageBytes
	w.db.Intercept = w.intercept
	w.db.Applied = w.applied
	w.db.Overwritten = w.overwritten
	w.db.Removed = w.removed
	if plan.Torn {
		w.db.Torn = w.torn
	}
	if plan.Stale {
		w.db.Stale = func(fakedynamo.Call) bool { return w.random.IntN(2) == 0 }
	}
	w.table = store.New(w.db, tableName)
	for name, q := range map[string]**queue{"studio": &w.studio, "orders": &w.orders, "sweeps": &w.sweeps, "replies": &w.replies, "archive": &w.archive, "entries": &w.entries, "webhooks": &w.webhooks,
		"due": &w.due} {
		*q = &queue{name: name}
	}
	if plan.WrongClock != 0 {
		w.wrong = w.wrongProcess()
		w.apis = append(w.apis, &api{skew: plan.WrongClock, wrong: true})
	}
	for n := range plan.APIs {
		w.apis = append(w.apis, &api{number: n, skew: w.skew()})
	}
	if plan.Reads {
		w.reader = newReader(t, w)
	}
	return w
}

// termsOf are the terms of the bookmakers of all plans. The operator keeps
// changing one's.
func termsOf(bookmaker string) money.Terms {
	s := money.Terms{MaxStake: map[string]money.Amount{"EUR": 100_000}}
	switch bookmaker {
	case "borealis":
		s.Rounding = money.HalfEven
	case "cresta":
		s.Rounding = money.Down
		if time.Now().Second()%4 == 0 {
			s.Rounding = money.HalfUp
			s.MaxStake["EUR"] = 3_000
		}
	}
	return s
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1}))

func (w *world) intake() *intake.Intake {
	p := w.process()
	return &intake.Intake{Table: p.table, Clock: p.watch.Check, Replies: sender{world: w, queue: w.replies}, Sweeps: sender{world: w, queue: w.sweeps}, Archive: sender{world: w, queue: w.archive},
		Record: discard{}, Settings: w.settings(), Now: p.now, Log: quiet}
}

// settler returns what settles draws, and the process that it runs in.
func (w *world) settler() (*settle.Settler, *process) {
	p := w.process()
	limits, err := settlement.ParseLimits(w.plan.HoldAbove)
	if err != nil {
		w.problem("%v", err)
	}
	settler := &settle.Settler{Table: p.table, Clock: p.watch.Check, Archive: sender{world: w, queue: w.archive}, Looks: sender{world: w, queue: w.sweeps}, Webhooks: sender{world: w, queue: w.webhooks}, Record: discard{}, Now: p.now, Log: quiet,
		Parallel: 1, PageLines: w.plan.PageLines, HoldAbove: limits}
	return settler, p
}

// again is a queue that what was held is sent to again.
type again struct{ sender }

// SendAgain implements quarantine.Sender.
func (a again) SendAgain(ctx context.Context, body string, _ settlement.Instant) error {
	return a.Send(ctx, body, 0)
}

// release is what an operator does who releases every settlement that is held.
func (w *world) release(ctx context.Context) error {
	q := &quarantine.Quarantine{Table: w.processOf(0).table, Sweeps: again{sender: sender{world: w, queue: w.sweeps}}, Log: quiet}
	for m, err := range q.Days(ctx, time.Now(), 2) {
		if err != nil {
			return err
		}
		if m.Type != storedrecord.HeldSettlement {
			continue
		}
		if err := q.Release(ctx, m); err != nil && !errors.Is(err, quarantine.ErrNotHeld) {
			return err
		}
	}
	return nil
}

func (w *world) looker(settler *settle.Settler, p *process) *reconcile.Looker {
	return &reconcile.Looker{Table: p.table, Intake: w.intake(), Settler: settler, LateRecords: w.missed, Now: p.now, Log: quiet}
}

// missed is called with bets that a look has found. Where nobody looks at a draw after a bet, it is
// settled so late that there are none.
func (w *world) missed(game string, bets int) {
	w.mutex.Lock()
	w.found++
	w.mutex.Unlock()
	if !w.plan.MayBeLate() {
		w.problem("a look finds %d bets of %s that no settlement run has seen", bets, game)
	}
}

func (w *world) reconciler() *reconcile.Reconciler {
	in, p := w.intake(), w.process()
	settler, _ := w.settler()
	return &reconcile.Reconciler{Table: p.table, Clock: p.watch.Check, Intake: in, Settler: settler, Sweeps: sender{world: w, queue: w.sweeps}, Studio: waiting{world: w},
		Record: late{world: w}, Now: p.now, Log: quiet, ResultWithin: 20 * time.Second, CancelAfter: w.plan.CancelAfter, Watch: w.log.watch()}
}

// cursor has the draws looked at that are due.
func (w *world) cursor() *reconcile.Cursor {
	p := w.process()
	return &reconcile.Cursor{Table: p.table, Clock: p.watch.Check, Looks: looks{sender: sender{world: w, queue: w.due}}, Depths: discard{}, Record: discard{}, Now: p.now, Log: quiet, Watch: w.log.watch()}
}

// waiting counts the studio's messages that intake has not taken up.
type waiting struct{ world *world }

func (w waiting) Depths(context.Context) (map[string]int, error) {
	return map[string]int{"studio": len(w.world.studio.messages), "dead": len(w.world.studio.dead)}, nil
}

// queues are those that handlers work on.
func (w *world) queues() []*queue {
	return []*queue{w.studio, w.orders, w.sweeps, w.entries, w.webhooks, w.due}
}

// late is what reconcile finds: nothing that needs a repair may be among it.
type late struct {
	discard
	world *world
}

func (late) Stuck(string, string) {}
func (late) Waiting(string)       {}

func (f late) Mismatch(game string) {
	f.world.problem("reconcile finds a mismatch in a draw of %s", game)
}
func (f late) LateRecords(game string, bets int) { f.world.missed(game, bets) }

// discard records nothing.
type discard struct{}

func (discard) Quarantined(string)                            {}
func (discard) Behind(int)                                    {}
func (discard) Depth(string, int)                             {}
func (discard) InQuarantine(int)                              {}
func (discard) Stored(string, time.Duration, string)          {}
func (discard) Accepted(string)                               {}
func (discard) Unlooked(string)                               {}
func (discard) Refused(string, string)                        {}
func (discard) Settled(string, int, int, bool, time.Duration) {}
func (discard) Appended(string, int)                          {}
func (discard) Mismatch(string)                               {}
func (discard) Denied(string)                                 {}
func (discard) Failed(string)                                 {}
func (discard) Delivered(int)                                 {}
func (discard) NotDelivered(string)                           {}
func (discard) WebhookDisabled(string)                        {}

func (discard) Depths(context.Context) (map[string]int, error) { return nil, nil }

func (w *world) problem(format string, args ...any) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

// stamp is the length of what a step begins with: its number and time.
const stamp = len("   1    0.000s  ")

// note notes a step of a run that is traced.
func (w *world) note(format string, args ...any) {
	if !w.traced {
		return
	}
	line := fmt.Sprintf("%4d %8.3fs  ", w.step, time.Since(w.started).Seconds()) + fmt.Sprintf(format, args...)
	w.trace = append(w.trace, line)
}

// applied is called with each request carried out; it runs inside the database.
func (w *world) applied(call fakedynamo.Call) {
	if !call.Write {
		return
	}
	w.promise.wroteBets(call)
	for _, key := range call.Keys {
		if id, isHead := strings.CutSuffix(key, " / "+store.HeadKey); isHead {
			w.changed = append(w.changed, strings.TrimPrefix(id, store.DrawKey("")))
		}
	}
}

// settle lets all handlers go on until each waits for the scheduler or for time,
// and sees to those that have ended.
func (w *world) settle() {
	synctest.Wait()
	for _, id := range w.changed {
		head, _, err := storedrecord.LoadHead(context.Background(), w.table, id)
		if err != nil {
			w.problem("reading the head of %s: %v", id, err)
			continue
		}
		if head.StoredAt > settlement.Instant(time.Now().Add(time.Second).UnixMilli()) {
			w.problem("the head of %s says that it was stored at %s, which is to come", id, instant.Format(head.StoredAt))
		}
		w.heads[id] = append(w.heads[id], headAt{from: time.Now(), head: head})
	}
	w.changed = nil
	for _, t := range slices.Clone(w.active) {
		if t.done.Load() {
			w.active = slices.DeleteFunc(w.active, func(other *task) bool { return other == t })
			t.finish()
		}
	}
}
