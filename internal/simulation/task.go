package simulation

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tally/internal/simulation/plans"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/reconcile"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/settlement"
	storedrecord "tally/lib/store/record"
)

// task is a handler at work on one message or request.
type task struct {
	name    string
	mutex   sync.Mutex
	asks    []*asked        // what waits for the scheduler: several requests, where it makes them side by side
	call    fakedynamo.Call // the one that is let go on
	slow    bool            // it is let go on seldom
	crashed atomic.Bool     // nothing that it does has an effect any more
	// committing says that it waits for the rest of its transaction to become visible,
	// which it is by commitBy.
	committing bool
	commitBy   time.Time
	recovering bool        // it is committed no earlier than that
	done       atomic.Bool // after err; a handler that was asleep sets it
	err        error
	finish     func()
	began      time.Time
	holds      time.Duration // so long after it began at the earliest it writes what lingers
	looks      string        // the partition that it was asked to look through; empty for all, or none
}

// asked is a request that waits to be made.
type asked struct {
	call fakedynamo.Call
	gate chan fakedynamo.Verdict
}

// ask waits for the scheduler, and returns what becomes of a request.
func (t *task) ask(call fakedynamo.Call) fakedynamo.Verdict {
	a := &asked{call: call, gate: make(chan fakedynamo.Verdict)}
	t.mutex.Lock()
	t.asks = append(t.asks, a)
	t.mutex.Unlock()
	return <-a.gate
}

// waiting reports whether a request waits.
func (t *task) waiting() bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return len(t.asks) > 0
}

// lingerMost is how long a handler holds back a write at most, which all have two seconds for.
const lingerMost = 1900 * time.Millisecond

// lingers reports whether its next request, which writes a bet or a result, is not made yet.
func (t *task) lingers() bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return slices.ContainsFunc(t.asks, func(a *asked) bool {
		ago := time.Since(t.began)
		return writesBet(a.call) && ago < t.holds || writesResult(a.call) && ago < lingerMost-t.holds/2-400*time.Millisecond
	})
}

// next takes one of the requests that wait. Which of them came first is left to Go; which is
// taken follows from the seed.
func (t *task) next(random *rand.Rand) *asked {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	at := 0
	if n := len(t.asks); n > 1 {
		slices.SortFunc(t.asks, func(a, b *asked) int { return strings.Compare(a.call.String(), b.call.String()) })
		at = random.IntN(n)
	}
	a := t.asks[at]
	t.asks = slices.Delete(t.asks, at, at+1)
	t.call = a.call
	return a
}

type taskKey struct{}

// start runs a handler until its first request.
func (w *world) start(name string, run func(context.Context) error, finish func(*task)) {
	w.startLook("", name, run, finish)
}

// startLook runs a handler that was asked to look through a partition.
func (w *world) startLook(looks, name string, run func(context.Context) error, finish func(*task)) {
	t := &task{name: name, began: time.Now(), looks: looks, slow: w.random.IntN(6) == 0}
	if w.plan.Lingers && w.random.IntN(2) == 0 {
		t.holds = time.Duration(w.random.Int64N(int64(lingerMost)))
	}
	t.finish = func() { finish(t) }
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), taskKey{}, t))
	w.active = append(w.active, t)
	if w.plan.Traced {
		w.note("%s starts", name)
	}
	go func() {
		defer cancel()
		defer func() {
			if fault := recover(); fault != nil {
				t.err = fmt.Errorf("panic: %v", fault)
				w.problem("%s: %v", name, t.err)
			}
			t.done.Store(true)
		}()
		t.err = run(ctx)
	}()
	w.settle()
}

// intercept stops a handler before a request until the scheduler lets it go on.
func (w *world) intercept(ctx context.Context, call fakedynamo.Call) fakedynamo.Verdict {
	t, isTask := ctx.Value(taskKey{}).(*task)
	if !isTask {
		return fakedynamo.Proceed
	}
	if t.crashed.Load() {
		return fakedynamo.FailBefore
	}
	return t.ask(call)
}

// commitWithin bounds how long a part of a transaction can be seen.
const commitWithin = time.Second

// torn stops a handler before a further item of its transaction becomes visible.
func (w *world) torn(ctx context.Context, call fakedynamo.Call, left []string) (next int) {
	next = w.random.IntN(len(left))
	t, isTask := ctx.Value(taskKey{}).(*task)
	if !isTask || w.landing || len(left) == len(call.Keys) {
		return next
	}
	if !t.committing {
		t.committing, t.commitBy = true, time.Now().Add(commitWithin)
		t.recovering = w.reader != nil && w.random.IntN(3) == 0
	}
	t.ask(fakedynamo.Call{Operation: "commits", Keys: left[next : next+1]})
	t.committing = len(left) > 1
	return next
}

// commit lets the transactions end that have to before a time.
func (w *world) commit(before time.Time) {
	for _, t := range slices.Clone(w.active) {
		for t.committing && t.commitBy.Before(before) {
			w.proceed(t)
		}
	}
}

// proceed lets a waiting task make its request, with whatever becomes of it.
func (w *world) proceed(t *task) {
	w.step++
	asked := t.next(w.random)
	verdict, crash := fakedynamo.Proceed, t.crashed.Load()
	switch {
	case t.committing: // what is committed is not undone
	case crash: // the others that it was about to make
		verdict = fakedynamo.FailBefore
	default:
		verdict, crash = w.policy.verdict(w, t)
	}
	t.crashed.Store(crash)
	if w.plan.Traced {
		suffix := ""
		if crash {
			suffix = ", CRASH"
		}
		w.note("%s: %s: %v%s", t.name, t.call, verdict, suffix)
		if n := len(w.trace); n > 1 && !t.call.Write && w.trace[n-2][stamp:] == w.trace[n-1][stamp:] {
			w.trace = w.trace[:n-1] // one page of a query after the other
		}
	}
	w.finds(t)
	asked.gate <- verdict
	w.settle()
	w.lateOf(w.db.Late(), &w.lateItems, w.db.Land)
	if w.log.files != nil {
		w.lateOf(w.log.files.Late(), &w.lateFiles, w.log.files.Land)
	}
}

// landing is a late write: when it may arrive at the earliest, and has to, and what lets the one arrive that is
// longest on its way to the same place.
type landing struct {
	from time.Time
	by   time.Time
	land func()
	to   *int // how many are on their way there
}

// lateOf notes what has just become late of a place with so many late writes.
func (w *world) lateOf(now int, known *int, land func()) {
	if now > *known {
		*known = now
		within := w.plan.LateWithin
		from := time.Duration(w.random.Int64N(int64(within))) * time.Duration(w.random.IntN(3)) / 2
		if w.plan.Lingers && w.random.IntN(4) > 0 {
			from = within
		}
		w.landBy = append(w.landBy, landing{from: time.Now().Add(from), by: time.Now().Add(within), land: land, to: known})
	}
}

// land lets the oldest late write arrive.
func (w *world) land() {
	w.note("a late write arrives")
	first := w.landBy[0]
	w.landBy = w.landBy[1:]
	*first.to--
	w.landing = true
	first.land()
	w.landing = false
	w.settle()
}

// deliver hands a message of a queue to its handler.
func (w *world) deliver(q *queue, m *message) {
	m.inFlight = true
	looks := ""
	if run, err := wire.ParseRun(m.body); q == w.sweeps && err == nil {
		looks = partitionOf(&run)
	}
	run := func(ctx context.Context) error {
		parsed, err := wire.ParseRun(m.body)
		if err != nil {
			return err
		}
		settler, p := w.settler()
		if parsed.Table != "" && !p.old {
			return settler.Tell(ctx, parsed.Draw, parsed.Table)
		}
		if parsed.Look != nil && !p.old {
			return w.looker(settler, p).Look(ctx, parsed, time.Since(m.sentAt))
		}
		return settler.Handle(ctx, parsed.Draw)
	}
	if w.policy.copies(w) {
		q.copy(m, time.Duration(w.random.IntN(2000))*time.Millisecond)
	}
	if q == w.entries {
		run = func(ctx context.Context) error {
			told, err := wire.ParseAppend(m.body)
			if err != nil {
				return err
			}
			return w.archiver().Handle(ctx, told)
		}
	}
	if q == w.due {
		reconciler := w.reconciler()
		run = func(ctx context.Context) error {
			asked, err := wire.ParseDue(m.body)
			if err != nil {
				return err
			}
			return reconciler.Look(ctx, asked)
		}
	}
	if q == w.webhooks {
		run = func(ctx context.Context) error { return w.reader.push(ctx, m.body) }
	}
	if q == w.studio || q == w.orders {
		from := intake.Studio
		if q == w.orders {
			from = intake.Operator
		}
		in := w.intake()
		run = func(ctx context.Context) error {
			return in.Handle(ctx, intake.Delivery{Body: []byte(m.body), SentAt: settlement.Instant(m.sentAt.UnixMilli()), From: from})
		}
	}
	w.startLook(looks, fmt.Sprintf("%s %s", q.name, plans.Describe(m.body)), run, func(t *task) { w.delivered(q, m, t) })
}

// delivered sees to a message after its handler has ended.
func (w *world) delivered(q *queue, m *message, t *task) {
	var notYet *settle.NotYetError
	var mismatch *settle.MismatchError
	var later *reconcile.LaterError
	switch {
	case errors.As(t.err, &later):
		q.retryAfter(m, later.After, false)
	case t.crashed.Load():
		w.note("%s crashed", t.name)
		q.retryAfter(m, 2*time.Second, true)
	case errors.As(t.err, &notYet):
		q.retryAfter(m, notYet.After, false)
	case errors.As(t.err, &mismatch):
		w.problem("%s: %v", t.name, t.err)
		q.retryAfter(m, time.Second, true)
	case t.err != nil:
		w.note("%s failed: %v", t.name, t.err)
		q.retryAfter(m, time.Duration(w.random.IntN(2000))*time.Millisecond, true)
	case w.policy.again(w):
		w.note("%s is delivered again later", t.name)
		q.retryAfter(m, time.Duration(w.random.IntN(20_000))*time.Millisecond, false)
	default:
		q.remove(m)
		w.looked(t, m)
		if q == w.studio || q == w.orders {
			from := intake.Studio
			if q == w.orders {
				from = intake.Operator
			}
			w.handled = append(w.handled, handled{body: m.body, from: from})
		}
	}
}

// attempt is one request of a bookmaker and what it was answered.
type attempt struct {
	op      *plans.Op
	bet     *placing.Request
	cancel  *plans.Cancel
	started int // the steps
	ended   int
	at      settlement.Instant // by the clock of the process that took it
	taken   time.Time
	over    time.Time // when it had ended
	answer  *storedrecord.Account
	refusal *placing.RefusedError // with neither, the outcome is not known
}

// request hands a bookmaker's request to a free API process.
func (w *world) request(a *api, op *plans.Op) {
	at := &attempt{op: op, bet: op.Bet, cancel: op.Cancel, started: w.step, at: a.now(), taken: time.Now()}
	w.attempts = append(w.attempts, at)
	a.busy = true
	var answer *storedrecord.Account
	run := func(ctx context.Context) (err error) {
		if op.Cancel != nil {
			answer, err = a.acceptor.Cancel(ctx, op.Cancel.Bookmaker, op.Cancel.Draw, op.Cancel.Reference)
		} else {
			answer, err = a.acceptor.Place(ctx, *op.Bet)
		}
		return err
	}
	w.start(op.Name(), run, func(t *task) {
		a.busy = false
		at.ended, at.over = w.step, time.Now()
		if t.crashed.Load() {
			w.note("%s crashed", t.name)
			w.boot(a)
			return
		}
		if !errors.As(t.err, &at.refusal) && t.err == nil {
			at.answer = answer
			if off := time.Duration(answer.Bet.AcceptedAt-settlement.Instant(at.taken.UnixMilli())) * time.Millisecond; op.Bet != nil && !answer.Replay && (off < -w.plan.Skew-time.Millisecond || off > at.over.Sub(at.taken)+w.plan.Skew+10*time.Millisecond) {
				w.problem("%s: it was accepted %v off the time", t.name, off)
			}
		}
		w.note("%s: answer %s", t.name, at.result())
	})
}

func (a *attempt) result() string {
	switch {
	case a.answer != nil:
		return fmt.Sprintf("%s %s %s accepted at %s", a.answer.Status, a.answer.Reason, a.answer.Cancellation, instant.Format(a.answer.Bet.AcceptedAt))
	case a.refusal != nil:
		return "refused: " + a.refusal.Error()
	}
	return "not known"
}
