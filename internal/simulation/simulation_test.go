package simulation

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"tally/internal/simulation/plans"
)

var (
	seeds = flag.Int("seeds", defaultSeeds, "how many seeds to run")
	from  = flag.Int("from", 0, "how many seeds to leave out before the first")
	edges = flag.Bool("edges", false, "only plans whose bets are under way just when a draw is settled first")
	seed  = flag.Uint64("seed", 0, "the one seed to run, printing every step")
)

// Runs make much that is soon forgotten, and hold little: a third of the time goes to collecting it.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// sayEvery is how often a soak says how far it is.
const sayEvery = 5 * time.Second

// Many seeds, each a run of its own. A soak, which says so by -v, tells how far it is, and
// which seed has failed and how to see it again, as it goes.
func TestSeeds(t *testing.T) {
	if *seed != 0 {
		t.Log(Report(t, planOf(*seed)))
		return
	}
	r := &ran{count: *seeds, began: time.Now(), late: map[string]int{}}
	if testing.Short() {
		r.count = min(r.count, 200)
	}
	t.Cleanup(func() {
		t.Log(r.summary())
		if !t.Failed() && r.count >= 1000 && (r.abandoned < 10 || r.late["bet"] < 10 || r.late["cancel"] == 0) {
			t.Errorf("too few late records: %d states were abandoned, found were %v", r.abandoned, r.late)
		}
	})
	const workers = 4
	for worker := range workers {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for n := worker; n < r.count && !r.failed(); n += workers {
				plan := planOf(uint64(*from + n + 1))
				o := Run(t, plan)
				if r.add(plan.Seed, o) {
					fmt.Printf("seed %d fails: %s\nsee its steps: go test ./internal/simulation -run TestSeeds -edges=%v -seed %d -v\n", plan.Seed, o.Problems[0], *edges, plan.Seed)
					t.Errorf("shrunk from %d ops:\n%s", len(plan.Ops), Report(t, Shrink(t, plan)))
				}
			}
		})
	}
}

func planOf(seed uint64) *plans.Plan {
	if *edges {
		return plans.Edges(seed)
	}
	return plans.New(seed)
}

// ran is what has come of the seeds so far.
type ran struct {
	count int
	began time.Time

	mutex     sync.Mutex
	said      time.Time
	done      int
	wrong     uint64 // the first seed that failed; zero for none
	abandoned int
	late      map[string]int
}

func (r *ran) failed() bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.wrong != 0
}

// add adds what came of a seed; first says that it is the first that failed.
func (r *ran) add(seed uint64, o Outcome) (first bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.done++
	r.abandoned += o.Abandoned
	for kind, n := range o.Late {
		r.late[kind] += n
	}
	if testing.Verbose() && time.Since(r.said) > sayEvery {
		r.said = time.Now()
		fmt.Println(r.progress())
	}
	if len(o.Problems) == 0 || r.wrong != 0 {
		return false
	}
	r.wrong = seed
	return true
}

func (r *ran) progress() string {
	took := time.Since(r.began).Seconds()
	return fmt.Sprintf("%d of %d seeds from %d on, %.0f s, %.1f a second", r.done, r.count, *from+1, took, float64(r.done)/took)
}

// summary says what was run, and which seed failed.
func (r *ran) summary() string {
	text := fmt.Sprintf("%s; %d states were abandoned; late records: %v", r.progress(), r.abandoned, r.late)
	if r.wrong != 0 {
		text += fmt.Sprintf("; the first seed to fail: %d", r.wrong)
	}
	return text
}
