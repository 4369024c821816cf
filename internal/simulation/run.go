package simulation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tally/internal/simulation/plans"
	"tally/lib/pipeline/placing"
	"tally/lib/rulebook/games"
)

// Outcome is what came of a run.
type Outcome struct {
	Problems  []string // what is wrong with the result
	Steps     []string
	Abandoned int            // states
	Late      map[string]int // late records that reconcile had settled, by kind
	Released  int            // settlements that were held
	Replaced  int            // partitions of settlements that were held until a newer state came
	Told      int            // entries of feeds that tell how a table stands
	Suspended int            // bets that were refused since their table was suspended
	Refused   int            // requests and messages, by a process whose clock is wrong
}

// Run carries out a plan.
func Run(t *testing.T, plan *plans.Plan) (o Outcome) {
	play(t, plan, newStorm(plan), func(w *world, c *checker) {
		told := 0
		for _, f := range c.feeds {
			for _, e := range f.entries {
				if e.Table != nil {
					told++
				}
			}
		}
		o = Outcome{
			Problems:  w.problems,
			Steps:     w.trace,
			Abandoned: w.abandoned,
			Late:      w.late,
			Released:  w.released,
			Replaced:  w.replaced,
			Told:      told,
			Suspended: w.suspended(),
			Refused:   w.refused,
		}
	})
	return o
}

// suspended counts the bets that were refused since their table was suspended.
func (w *world) suspended() (n int) {
	for _, a := range w.attempts {
		if a.refusal != nil && a.refusal.Code == placing.CodeTableSuspended {
			n++
		}
	}
	return n
}

// newStorm returns the faults of a plan.
func newStorm(plan *plans.Plan) *storm {
	s := &storm{random: rand.New(rand.NewPCG(plan.Seed, 3)), faults: plan.Faults, rate: 0.04, tasks: plan.Tasks, lost: 8}
	if plan.Lingers {
		s.lost = 2
	}
	if plan.LateWithin > inTime {
		s.late = 0.4
	} else if plan.Lossy {
		s.late = 0.2
	}
	return s
}

// catalogues is held by the one run that releases a version of a game, and by all others
// together: the games are those of the whole program.
var catalogues sync.RWMutex

// play carries out a plan, checks the result and shows both to look.
func play(t *testing.T, plan *plans.Plan, policy policy, look func(*world, *checker)) {
	if plan.Raise > 0 {
		catalogues.Lock()
		defer catalogues.Unlock()
	} else {
		catalogues.RLock()
		defer catalogues.RUnlock()
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(plan.Start)
		w := newWorld(t, plan, policy)
		for _, a := range w.apis {
			w.boot(a)
		}
		defer func() { w.withdraw() }()
		w.run()
		look(w, w.check())
	})
}

// raise releases a second version of the first draw's game, once it is time.
func (w *world) raise() {
	if w.plan.Raise == 0 || w.raised || time.Since(w.started) < w.plan.Raise {
		return
	}
	id, _, _ := strings.Cut(w.plan.Draws[0], "-")
	newest, _ := games.Find(id)
	next := *newest
	next.Version++
	w.raised, w.withdraw = true, games.Release(&next)
	w.note("version %d of %s is released", next.Version, id)
}

// maxShrinks bounds how many runs shrinking a plan takes.
const maxShrinks = 400

// Shrink returns a plan that still fails with as few faults, handlers at once and
// ops as it finds.
func Shrink(t *testing.T, plan *plans.Plan) *plans.Plan {
	runs := 0
	fails := func(p *plans.Plan) bool {
		runs++
		return len(Run(t, p).Problems) > 0
	}
	best := *plan
	for _, simpler := range []func(*plans.Plan){
		func(p *plans.Plan) { p.Faults = 0 }, func(p *plans.Plan) { p.Tasks = 1 }, func(p *plans.Plan) { p.Skew = 0 }, func(p *plans.Plan) { p.Shards = 1 },
		func(p *plans.Plan) { p.APIs = 1 }, func(p *plans.Plan) { p.PageBytes = 1 << 20 }, func(p *plans.Plan) { p.Faults = min(p.Faults, 1) },
	} {
		next := best
		if simpler(&next); fails(&next) {
			best = next
		}
	}
	for size := len(best.Ops) / 2; size > 0 && runs < maxShrinks; {
		dropped := false
		for at := 0; at+size <= len(best.Ops) && runs < maxShrinks; {
			next := best
			next.Ops = slices.Delete(slices.Clone(best.Ops), at, at+size)
			if fails(&next) {
				best, dropped = next, true
			} else {
				at += size
			}
		}
		if !dropped || size > len(best.Ops) {
			size /= 2
		}
	}
	return &best
}

// Report returns a failing plan for people: the seed, the ops, the steps and what
// is wrong.
func Report(t *testing.T, plan *plans.Plan) string {
	traced := *plan
	traced.Traced = true
	o := Run(t, &traced)
	var out strings.Builder
	fmt.Fprintf(&out, "seed %d: %d faults at most, %d handlers at once, %d API processes, %d shards, %d lines a page, %d bytes a query page, clocks ±%v\n\nplan:\n",
		plan.Seed, plan.Faults, plan.Tasks, plan.APIs, plan.Shards, plan.PageLines, plan.PageBytes, plan.Skew)
	for _, op := range plan.Ops {
		fmt.Fprintln(&out, op)
	}
	fmt.Fprintf(&out, "\nsteps:\n%s\n\nwrong:\n%s\n", strings.Join(o.Steps, "\n"), strings.Join(o.Problems, "\n"))
	return out.String()
}
