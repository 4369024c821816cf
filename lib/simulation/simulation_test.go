package simulation

import (
	"flag"
	"testing"
)

var (
	seeds = flag.Int("seeds", defaultSeeds, "how many seeds to run")
	seed  = flag.Uint64("seed", 0, "the one seed to run, printing every step")
)

// Many seeds, each a run of its own.
func TestSeeds(t *testing.T) {
	if *seed != 0 {
		t.Log(Report(t, NewPlan(*seed)))
		return
	}
	const workers = 4
	for worker := range workers {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for n := worker; n < *seeds && !t.Failed(); n += workers {
				plan := NewPlan(uint64(n + 1))
				if problems, _ := Run(t, plan); len(problems) > 0 {
					t.Errorf("shrunk from %d ops:\n%s", len(plan.Ops), Report(t, Shrink(t, plan)))
				}
			}
		})
	}
}
