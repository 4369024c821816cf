package simulation

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"tally/internal/simulation/plans"
)

// With a limit of nearly nothing corrections are held, an operator releases them while
// handlers fail and newer states come, and all ends settled.
func TestHeldCorrections(t *testing.T) {
	released, replaced := 0, 0
	for seed := range 40 {
		plan := plans.New(uint64(seed + 1))
		plan.HoldAbove = "EUR=0.00,JPY=0"
		for n := range 6 {
			plan.Ops = append(plan.Ops, &plans.Op{At: time.Duration(n) * 30 * time.Second, Release: true})
		}
		slices.SortStableFunc(plan.Ops, func(a, b *plans.Op) int { return cmp.Compare(a.At, b.At) })
		o := Run(t, plan)
		if len(o.Problems) > 0 {
			t.Fatalf("seed %d: %v", seed+1, o.Problems)
		}
		released, replaced = released+o.Released, replaced+o.Replaced
	}
	t.Logf("%d released, %d partitions replaced", released, replaced)
	if released == 0 || replaced == 0 {
		t.Errorf("%d settlements were released, %d partitions of them replaced", released, replaced)
	}
}
