package simulation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tally/internal/simulation/plans"
)

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
