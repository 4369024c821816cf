package simulation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

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
	"tally/lib/store/clock"
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
	attempts  []*attempt
	handled   []handled
	heads     map[string][]headAt
	changed   []string    // draws whose head was written since it was last looked at
	landBy    []time.Time // when each late write has to arrive
	landing   bool
	mutex     sync.Mutex // of problems: handlers find some
	problems  []string
	trace     []string
	abandoned int            // states, as the checker has counted them
	released  int            // settlements that were held
	replaced  int            // settlements that were held until a newer state came
	late      map[string]int // late records that reconcile had settled, by kind
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

// process is one that takes messages or requests: its clock, with the watch over it,
// and the table as it asks it.
type process struct {
	now   func() settlement.Instant
	watch *clock.Watch
	table *store.Table
}

// dated is a database whose answers have a date, as DynamoDB's have over HTTP.
type dated struct {
	store.DynamoDB
	watch *clock.Watch
}

func (d dated) heard(sent settlement.Instant) { d.watch.Heard(time.Now().Unix(), sent, d.watch.Now()) }

func (d dated) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	defer d.heard(d.watch.Now())
	return d.DynamoDB.GetItem(ctx, in, o...)
}

func (d dated) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	defer d.heard(d.watch.Now())
	return d.DynamoDB.PutItem(ctx, in, o...)
}

func (d dated) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	defer d.heard(d.watch.Now())
	return d.DynamoDB.Query(ctx, in, o...)
}

func (d dated) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	defer d.heard(d.watch.Now())
	return d.DynamoDB.TransactWriteItems(ctx, in, o...)
}

// processOf starts a process whose clock is off by a while.
func (w *world) processOf(skew time.Duration) *process {
	p := &process{now: clock.Local(skew)}
	p.watch = &clock.Watch{Now: p.now, Record: func() { w.problem("a clock that is off by %v is taken for wrong", skew) }}
	p.table = store.New(dated{DynamoDB: w.db, watch: p.watch}, tableName)
	return p
}

// wrongProcess starts a process whose clock is wrong, which three answers have shown.
func (w *world) wrongProcess() *process {
	p := w.processOf(w.plan.WrongClock)
	p.watch.Record = func() {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.refused++
	}
	p.watch.Ask = func(ctx context.Context) error {
		_, _, err := p.table.Get(ctx, store.ReconcileKey, store.ReconcileKey)
		return err
	}
	for ago := range int64(3) {
		p.watch.Heard(time.Now().Unix()-ago, p.now()-settlement.Instant(1000*ago), p.now()-settlement.Instant(1000*ago))
	}
	return p
}

// process is what takes the next message. Where one's clock is wrong it gets half of
// them, until all has to come to its end.
func (w *world) process() *process {
	if _, ending := w.policy.(*calm); !ending && w.wrong != nil && w.random.IntN(2) == 0 {
		return w.wrong
	}
	return w.processOf(w.skew())
}

// api is a process that answers bookmakers, one request at a time. It keeps what
// it remembers until it crashes.
type api struct {
	acceptor *placing.Acceptor
	skew     time.Duration
	wrong    bool // its clock is off by more than skew
	busy     bool
}

func newWorld(t testing.TB, plan *plans.Plan, policy policy) *world {
	copied := *plan
	w := &world{plan: &copied, policy: policy, random: rand.New(rand.NewPCG(plan.Seed, 2)), started: time.Now(), heads: map[string][]headAt{}, late: map[string]int{}}
	w.log.world = w
	w.db = fakedynamo.New(t, tableName)
	w.db.PageBytes = plan.PageBytes
	w.db.Intercept = w.intercept
	w.db.Applied = w.applied
	w.db.Overwritten = w.overwritten
	if plan.Torn {
		w.db.Torn = w.torn
	}
	w.table = store.New(w.db, tableName)
	for name, q := range map[string]**queue{"studio": &w.studio, "orders": &w.orders, "sweeps": &w.sweeps, "replies": &w.replies, "archive": &w.archive, "entries": &w.entries, "webhooks": &w.webhooks} {
		*q = &queue{name: name}
	}
	if plan.WrongClock != 0 {
		w.wrong = w.wrongProcess()
		w.apis = append(w.apis, &api{skew: plan.WrongClock, wrong: true})
	}
	for range plan.APIs {
		w.apis = append(w.apis, &api{skew: w.skew()})
	}
	for _, a := range w.apis {
		w.boot(a)
	}
	if plan.Reads {
		w.reader = newReader(t, w)
	}
	return w
}

// skew is how far a process's clock is from the true time.
func (w *world) skew() time.Duration {
	if w.plan.Skew == 0 {
		return 0
	}
	return time.Duration(w.random.Int64N(2*int64(w.plan.Skew))) - w.plan.Skew
}

// boot gives an API process an empty memory.
func (w *world) boot(a *api) {
	p := w.wrong
	if !a.wrong {
		p = w.processOf(a.skew)
	}
	a.acceptor = &placing.Acceptor{Table: p.table, Terms: termsOf, Now: p.now, Clock: p.watch.Check, Record: discard{}, Looks: sender{
		world: w, queue: w.sweeps,
	}}
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
	return &intake.Intake{Table: p.table, Clock: p.watch.Check, Replies: sender{world: w, queue: w.replies},
		Sweeps: sender{world: w, queue: w.sweeps}, Archive: sender{world: w, queue: w.archive},
		Record: discard{}, Settings: draw.Settings{Shards: w.plan.Shards, LagMillis: lagBound, RetainMillis: 400 * 24 * 3600 * 1000, Looks: w.plan.Looks}, Now: p.now, Log: quiet}
}

func (w *world) settler() *settle.Settler {
	p := w.process()
	limits, err := settlement.ParseLimits(w.plan.HoldAbove)
	if err != nil {
		w.problem("%v", err)
	}
	return &settle.Settler{Table: p.table, Clock: p.watch.Check, Archive: sender{world: w, queue: w.archive},
		Looks: sender{world: w, queue: w.sweeps}, Webhooks: sender{world: w, queue: w.webhooks}, Record: discard{}, Now: p.now, Log: quiet,
		Parallel: 1, PageLines: w.plan.PageLines, HoldAbove: limits}
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

func (w *world) looker() *reconcile.Looker {
	p := w.process()
	return &reconcile.Looker{Table: p.table, Intake: w.intake(), Settler: w.settler(), LateRecords: func(string, int) {}, Now: p.now, Log: quiet}
}

func (w *world) reconciler() *reconcile.Reconciler {
	in, settler, p := w.intake(), w.settler(), w.process()
	return &reconcile.Reconciler{Table: p.table, Clock: p.watch.Check, Intake: in, Settler: settler, Sweeps: sender{
		world: w, queue: w.sweeps,
	}, Depths: discard{}, Studio: waiting{world: w},
		Record: late{world: w}, Now: p.now, Log: quiet, ResultWithin: 20 * time.Second, CancelAfter: w.plan.CancelAfter}
}

// waiting counts the studio's messages that intake has not taken up.
type waiting struct{ world *world }

func (w waiting) Depths(context.Context) (map[string]int, error) {
	return map[string]int{"studio": len(w.world.studio.messages), "dead": len(w.world.studio.dead)}, nil
}

// queues are those that handlers work on.
func (w *world) queues() []*queue {
	return []*queue{w.studio, w.orders, w.sweeps, w.entries, w.webhooks}
}

// late is what reconcile finds: nothing that needs a repair may be among it.
type late struct {
	discard
	world *world
}

func (late) Stuck(string, string) {}
func (late) Depth(string, int)    {}
func (late) InQuarantine(int)     {}
func (late) Waiting(string)       {}

func (f late) Mismatch(game string) {
	f.world.problem("reconcile finds a mismatch in a draw of %s", game)
}
func (f late) LateRecords(game string, bets int) {
	if !f.world.plan.LateRecords {
		f.world.problem("reconcile finds %d bets of %s that no sweep has seen", bets, game)
	}
}

// discard records nothing.
type discard struct{}

func (discard) Quarantined(string)                            {}
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

// once begins the keys that are written once: what is there is never replaced by
// anything else.
var once = regexp.MustCompile(`^(REPORT#\S+ / |TOTALS#\S+ / |FEED#\S+ / [0-9]|DRAW#\S+ / (DONE|FED|STATE|REV|OPENED|ROUND|CLOSED|ORDER|COMMITMENT)#?)`)

// overwritten is called with each item put over another one; it runs inside the database.
func (w *world) overwritten(key string, alike bool) {
	if !alike && once.MatchString(key) {
		w.problem("%s was written twice, with other bytes", key)
	}
}

func (w *world) problem(format string, args ...any) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

// stamp is the length of what a step begins with: its number and time.
const stamp = len("   1    0.000s  ")

func (w *world) note(format string, args ...any) {
	line := fmt.Sprintf("%4d %8.3fs  ", w.step, time.Since(w.started).Seconds()) + fmt.Sprintf(format, args...)
	w.trace = append(w.trace, line)
}

// applied is called with each request carried out; it runs inside the database.
func (w *world) applied(call fakedynamo.Call) {
	if !call.Write {
		return
	}
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
