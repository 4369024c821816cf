package simulation

import (
	"math/rand/v2"
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
