package simulation

import (
	"flag"
	"sync"
	"testing"

	"tally/internal/simulation/plans"
)

var (
	seeds = flag.Int("seeds", defaultSeeds, "how many seeds to run")
	from  = flag.Int("from", 0, "how many seeds to leave out before the first")
	seed  = flag.Uint64("seed", 0, "the one seed to run, printing every step")
)

// Many seeds, each a run of its own.
func TestSeeds(t *testing.T) {
	if *seed != 0 {
		t.Log(Report(t, plans.New(*seed)))
		return
	}
	count := *seeds
	if testing.Short() {
		count = min(count, 200)
	}
	var mutex sync.Mutex
	done, abandoned, found := 0, 0, map[string]int{}
	t.Cleanup(func() {
		t.Logf("%d states were abandoned; late records: %v", abandoned, found)
		if count >= 1000 && (abandoned < 10 || found["bet"] < 10 || found["cancel"] == 0) {
			t.Errorf("too few late records: %d states were abandoned, found were %v", abandoned, found)
		}
	})
	const workers = 4
	for worker := range workers {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for n := worker; n < count && !t.Failed(); n += workers {
				plan := plans.New(uint64(*from + n + 1))
				o := Run(t, plan)
				if len(o.Problems) > 0 {
					t.Errorf("shrunk from %d ops:\n%s", len(plan.Ops), Report(t, Shrink(t, plan)))
				}
				mutex.Lock()
				if done++; done%1000 == 0 {
					t.Logf("%d of %d seeds", done, count)
				}
				abandoned += o.Abandoned
				for kind, n := range o.Late {
					found[kind] += n
				}
				mutex.Unlock()
			}
		})
	}
}
