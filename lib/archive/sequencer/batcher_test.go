package sequencer_test

import (
	"fmt"
	"sync"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive/sequencer"
)

// TestBatcher lets forty callers append at once: they share batches.
func TestBatcher(t *testing.T) {
	w := newWorld(t)
	commits := 0
	var mutex sync.Mutex
	hold := make(chan struct{})
	w.intercept(intercept(func(call fakedynamo.Call) fakedynamo.Verdict {
		if call.Operation != "TransactWriteItems" {
			return fakedynamo.Proceed
		}
		mutex.Lock()
		commits++
		first := commits == 1
		mutex.Unlock()
		if first {
			<-hold // until all others wait
		}
		return fakedynamo.Proceed
	}))
	b := &sequencer.Batcher{Log: w.appender()}
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			if _, err := b.Append(t.Context(), leaves(fmt.Sprint("draw-", i), 2)); err != nil {
				t.Error(err)
			}
		})
	}
	for {
		mutex.Lock()
		started := commits
		mutex.Unlock()
		if started == 1 && b.Waiting() > 0 {
			break
		}
	}
	close(hold)
	group.Wait()
	w.check()
	if len(w.public) != 80 || commits > 20 {
		t.Errorf("%d entries by %d commits", len(w.public), commits)
	}
}
