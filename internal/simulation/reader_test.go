package simulation

import (
	"testing"
	"time"

	"tally/internal/simulation/plans"
)

// While handlers fail and the items of transactions become visible one after the other,
// a bookmaker follows its feed, asks for its totals around midnight and takes webhooks.
func TestReaders(t *testing.T) {
	t.Parallel()
	entries, told := 0, 0
	for seed := range max(1, *seeds/20) {
		plan := plans.NewLong(uint64(seed+1), 24*time.Hour-time.Duration(251+seed%4)*time.Second, 6)
		plan.Reads, plan.Torn, plan.Tasks = true, true, 8
		failed := false
		play(t, plan, newStorm(plan), func(w *world, _ *checker) {
			failed = len(w.problems) > 0
			entries, told = entries+len(w.reader.feed), told+len(w.reader.totals)
		})
		if failed {
			t.Fatalf("shrunk from %d ops:\n%s", len(plan.Ops), Report(t, Shrink(t, plan)))
		}
	}
	t.Logf("%d entries, %d totals", entries, told)
	if entries < *seeds/20 {
		t.Errorf("only %d entries were read", entries)
	}
}
