package simulation

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"tally/internal/simulation/plans"
	"tally/internal/testkit/fakedynamo"
)

// policy is how a run decides: who goes on, and what becomes of a request.
type policy interface {
	// verdict decides about the request that a task waits to make; crash says that
	// it is the last thing the task does.
	verdict(w *world, t *task) (v fakedynamo.Verdict, crash bool)
	// again tells whether a message that was handled is delivered again.
	again(w *world) bool
	// copies tells whether a message is delivered to another handler at the same time.
	copies(w *world) bool
	// most is how many tasks are at work at once.
	most() int
}

// maxSteps bounds a run.
const maxSteps = 100_000

// run carries out the plan, then stops the faults, delivers everything again and
// checks.
func (w *world) run() {
	policy, traced := w.policy, w.plan.Traced
	w.policy, w.plan.Traced = &calm{}, false
	w.work([]*plans.Op{{Reconcile: true}}) // the schedule has always been running
	w.policy, w.plan.Traced = policy, traced
	w.work(w.plan.Ops)
	w.policy, w.plan.Traced = &calm{}, false
	w.sleep(inTime + time.Millisecond) // of what is late only bets may arrive after that
	w.note("faults stop; everything is delivered again")
	for _, q := range w.queues() {
		q.redrive()
	}
	var replays []*plans.Op
	for i, op := range w.plan.Ops {
		if op.Queue != "" {
			replays = append(replays, &plans.Op{At: time.Since(w.started) + time.Duration(i)*10*time.Millisecond, Queue: op.Queue, Body: op.Body})
		}
	}
	w.work(replays)
	minutes := 16 // until every settled draw was counted again
	if w.plan.LateRecords {
		minutes = 45
	}
	for found := -1; found != w.found; { // what was found is settled, and counted itself
		found = w.found
		w.pass(minutes)
	}
	for _, q := range w.queues() {
		if len(q.messages)+len(q.dead) > 0 {
			w.problem("queue %s is not empty: %d messages, %d dead", q.name, len(q.messages), len(q.dead))
		}
	}
}

// pass has draws looked at for so many minutes.
func (w *world) pass(minutes int) {
	var looks []*plans.Op
	for n := range minutes {
		looks = append(looks, &plans.Op{At: time.Since(w.started) + time.Duration(n)*time.Minute, Reconcile: true})
		if w.plan.HoldAbove != "" {
			looks = append(looks, &plans.Op{At: looks[len(looks)-1].At + time.Second, Release: true})
		}
	}
	w.work(looks)
}

// work goes on until all ops are started, all queues are empty and nobody is at
// work.
func (w *world) work(ops []*plans.Op) {
	for limit := w.step + maxSteps; w.step < limit; {
		w.step++
		w.raise()
		choices := w.choices(&ops)
		if len(choices) == 0 {
			if !w.advance(ops) {
				return
			}
			continue
		}
		if len(w.active) > 0 && w.policy.most() > 1 {
			choices = append(choices, w.dawdle)
		}
		choices[w.random.IntN(len(choices))]()
	}
	w.problem("the run does not end")
}

// choices are the things that can happen now.
func (w *world) choices(ops *[]*plans.Op) (list []func()) {
	for _, t := range w.active {
		switch {
		case t.committing && t.recovering && w.policy.most() > 1:
		case w.plan.Lingers && t.lingers():
		case !t.waiting() || t.slow && w.policy.most() > 1 && w.random.IntN(8) > 0:
		case t.slow:
			list = append(list, func() { w.proceed(t) })
		default:
			list = append(list, func() { w.proceed(t) }, func() { w.proceed(t) })
		}
	}
	if len(w.landBy) > 0 && w.policy.most() > 1 && !time.Now().Before(w.landBy[0].from) {
		list = append(list, w.land)
	}
	if w.reader != nil && !w.reader.busy && slices.ContainsFunc(w.active, func(t *task) bool { return t.committing }) {
		list = append(list, w.reader.read)
	}
	if len(w.active) >= w.policy.most() {
		return list
	}
	for _, q := range w.queues() {
		if messages := q.visible(); len(messages) > 0 {
			m := messages[w.random.IntN(len(messages))]
			list = append(list, func() { w.deliver(q, m) })
		}
	}
	if len(*ops) > 0 && time.Since(w.started) >= (*ops)[0].At {
		if start := w.starter((*ops)[0]); start != nil {
			list = append(list, func() {
				*ops = (*ops)[1:]
				start()
			})
		}
	}
	return list
}

// starter returns what starts an op; nil when no process is free for it.
func (w *world) starter(op *plans.Op) func() {
	if op.Queue != "" {
		q := w.studio
		if op.Queue == "orders" {
			q = w.orders
		}
		return func() {
			if w.plan.Traced {
				w.note("sent to %s: %s", op.Queue, plans.Describe(op.Body))
			}
			q.put(op.Body, op.Lag)
		}
	}
	if op.Reconcile {
		return func() {
			cursor := w.cursor()
			w.start("reconcile", func(ctx context.Context) error { return errors.Join(w.reader.wake(ctx), cursor.Run(ctx)) }, func(t *task) {
				if _, quiet := w.policy.(*calm); quiet && t.err != nil {
					w.problem("reconcile: %v", t.err)
				}
			})
		}
	}
	if op.Release {
		return func() { w.start("release", w.release, func(*task) {}) }
	}
	w.replace()
	var free []*api
	for _, a := range w.apis {
		if !a.busy {
			free = append(free, a)
		}
	}
	if len(free) == 0 {
		return nil
	}
	a := free[w.random.IntN(len(free))]
	return func() { w.request(a, op) }
}

// dawdle lets a little time pass while handlers are at work; now and then more.
func (w *world) dawdle() {
	if w.random.IntN(3) > 0 {
		return
	}
	d := time.Duration(1+w.random.IntN(300)) * time.Millisecond
	if w.plan.Lingers { // who does is slow in what is planned so
		w.sleep(d / 4)
		return
	}
	switch w.random.IntN(150) {
	case 0:
		d = 15 * time.Second
	case 1, 2, 3, 4, 5:
		d *= 12
	}
	w.sleep(d)
}

// advance lets time pass until something can happen; false when nothing will.
func (w *world) advance(ops []*plans.Op) bool {
	if len(w.active) > 0 {
		w.sleep(150 * time.Millisecond) // longer than any pause before another try
		return true
	}
	var next time.Time
	earlier := func(at time.Time, ok bool) {
		if ok && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	if len(ops) > 0 {
		earlier(w.started.Add(ops[0].At), true)
	}
	for _, q := range w.queues() {
		earlier(q.next())
	}
	if next.IsZero() {
		return false
	}
	w.sleep(time.Until(next))
	return true
}

// sleep lets time pass; late writes arrive in time.
func (w *world) sleep(d time.Duration) {
	until := time.Now().Add(d)
	w.commit(until)
	for len(w.landBy) > 0 && w.landBy[0].by.Before(until) {
		time.Sleep(time.Until(w.landBy[0].by))
		w.land()
	}
	time.Sleep(time.Until(until))
	w.settle()
}

// calm runs one handler after the other, without faults.
type calm struct{}

func (*calm) verdict(*world, *task) (fakedynamo.Verdict, bool) { return fakedynamo.Proceed, false }
func (*calm) again(*world) bool                                { return false }
func (*calm) copies(*world) bool                               { return false }
func (*calm) most() int                                        { return 1 }

// storm lets handlers overlap and requests fail, from a seed.
type storm struct {
	random *rand.Rand
	faults int // left
	rate   float64
	tasks  int
	// late is how many writes of bets are lost with the process that made them, and
	// arrive later than the first run waits; zero when nothing may.
	late float64
	lost int // one of so many results is lost like that, where plans are lossy
}

func (s *storm) most() int { return s.tasks }

func (s *storm) copies(w *world) bool { return w.plan.Copies && s.random.IntN(15) == 0 }

func (s *storm) again(*world) bool { return s.tasks > 1 && s.random.IntN(10) == 0 }

var verdicts = []fakedynamo.Verdict{fakedynamo.FailBefore, fakedynamo.FailAfter, fakedynamo.FailLate, fakedynamo.SendTwice, fakedynamo.Conflict, fakedynamo.Throttle}

func (s *storm) verdict(w *world, t *task) (v fakedynamo.Verdict, crash bool) {
	ofBet := writesBet(t.call)
	if s.late > 0 && ofBet && s.random.Float64() < s.late {
		return fakedynamo.FailLate, true
	}
	if w.plan.Lossy && writesResult(t.call) && s.random.IntN(s.lost) == 0 {
		return fakedynamo.FailLate, true
	}
	if len(w.plan.Bursts) > 0 && w.inBurst() && s.random.IntN(3) > 0 {
		return fakedynamo.Throttle, false
	}
	if s.faults == 0 || s.random.Float64() >= s.rate {
		return fakedynamo.Proceed, false
	}
	s.faults--
	crash = s.random.IntN(4) == 0
	if !t.call.Write {
		return fakedynamo.FailBefore, crash
	}
	v = verdicts[s.random.IntN(len(verdicts))]
	if v == fakedynamo.Conflict && t.call.Operation == "Send" {
		v = fakedynamo.FailAfter
	}
	if v == fakedynamo.FailLate && w.plan.LateWithin > inTime && !ofBet && t.call.Operation != "Send" {
		v = fakedynamo.FailAfter // only bets are that late
	}
	return v, crash
}

func writesBet(call fakedynamo.Call) bool {
	return call.Write && strings.HasPrefix(call.Keys[0], ofBets)
}

func writesResult(call fakedynamo.Call) bool {
	return call.Operation == "TransactWriteItems" && strings.Contains(call.String(), " / REV#")
}

// inTime is how late a request arrives at most that no settlement misses.
const inTime = 2 * time.Second

// inBurst reports whether nearly nothing more can be asked of the table now.
func (w *world) inBurst() bool {
	at := time.Since(w.started)
	return slices.ContainsFunc(w.plan.Bursts, func(s plans.Span) bool { return s.Covers(at) })
}
