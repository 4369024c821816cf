package sequencer_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/witness"
)

// TestBatcher lets forty callers append at once while the first batch is committed: they
// share the second.
func TestBatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		made := 0
		w.db.Intercept = intercept(func(call fakedynamo.Call) fakedynamo.Verdict {
			if commits(call) {
				made++
				time.Sleep(time.Second)
			}
			return fakedynamo.Proceed
		})
		b := &sequencer.Batcher{Log: w.appender()}
		var group sync.WaitGroup
		for i := range 41 {
			group.Go(func() {
				if _, err := b.Append(t.Context(), leaves(fmt.Sprint("draw-", i), 2)); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		group.Wait()
		w.check()
		if len(w.public) != 82 || made != 2 {
			t.Errorf("%d entries by %d commits", len(w.public), made)
		}
	})
}

// Callers that come within the window share the first batch, too.
func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		take := w.requested()
		b := &sequencer.Batcher{Log: w.appender(), Window: 300 * time.Millisecond}
		var group sync.WaitGroup
		for i := range 3 {
			group.Go(func() {
				time.Sleep(time.Duration(i) * 100 * time.Millisecond)
				if _, err := b.Append(t.Context(), leaves(fmt.Sprint("draw-", i), 1)); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if calls := take(); len(calls) != 12 {
			t.Errorf("three entries take %d requests: %q", len(calls), calls)
		}
	})
}

// An entry that no log can have fails for who asks for it alone, and so does a context
// that ends while others have the turn.
func TestOwnFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.requested()
		b := &sequencer.Batcher{Log: w.appender()}
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := b.Append(t.Context(), leaves("a", 1)); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		if _, err := b.Append(t.Context(), []sequencer.Leaf{{Group: "b", Key: "k"}}); err == nil {
			t.Error("an empty entry was appended")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := b.Append(ctx, leaves("c", 1)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		group.Wait()
	})
}

// slowly has a witness take its time over every request.
func (w *world) slowly(by time.Duration) {
	w.witnesses[0].Intercept = func(ctx context.Context, _ fakedynamo.Call) fakedynamo.Verdict {
		select {
		case <-ctx.Done():
		case <-time.After(by):
		}
		return fakedynamo.Proceed
	}
}

// While a checkpoint waits for a witness, batches are appended and applied; each caller
// waits for one checkpoint under way and for its own, and what is published was shown to
// the witness before.
func TestAppendsGoOnBesideWitness(t *testing.T) {
	const timeout = 10 * time.Second
	for name, test := range map[string]struct {
		takes     time.Duration
		want      time.Duration // until the last caller has its answer
		published int64
		cosigned  int
	}{
		// The first is published after 8 s, the others together after 8 more.
		"slow": {8 * time.Second, 16 * time.Second, 2, 1},
		// It is waited for once, and then left alone.
		"dead": {time.Hour, timeout, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t).witnessed()
				w.slowly(test.takes)
				var committed, published atomic.Int64
				w.db.Intercept = intercept(func(call fakedynamo.Call) fakedynamo.Verdict {
					if commits(call) {
						committed.Add(1)
					}
					return fakedynamo.Proceed
				})
				w.files.Intercept = intercept(func(call fakedynamo.Call) fakedynamo.Verdict {
					if call.Operation == "PutIfMatch" {
						published.Add(1)
					}
					return fakedynamo.Proceed
				})
				l := w.appender()
				l.Witnesses.Timeout = timeout
				b := &sequencer.Batcher{Log: l}
				began := time.Now()
				var group sync.WaitGroup
				for i := range 5 { // a second apart
					group.Go(func() {
						if _, err := b.Append(t.Context(), leaves(fmt.Sprint("draw-", i), 2)); err != nil {
							t.Error(err)
						}
					})
					time.Sleep(time.Second)
				}
				w.check()
				if committed.Load() != 5 || len(w.public) != 0 {
					t.Errorf("after five seconds %d batches are committed, and %d entries public", committed.Load(), len(w.public))
				}
				group.Wait()
				if took := time.Since(began); took != test.want {
					t.Errorf("it took %s, want %s", took, test.want)
				}
				w.check()
				if len(w.public) != 10 || published.Load() != test.published || len(w.cosigned()) != test.cosigned {
					t.Errorf("%d entries are public by %d checkpoints, cosigned by %v", len(w.public), published.Load(), w.cosigned())
				}
			})
		})
	}
}

// A caller that stops waiting for a witness leaves its batch to the next to publish.
func TestPublisherGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t).witnessed()
		w.slowly(8 * time.Second)
		b := &sequencer.Batcher{Log: w.appender()}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		w.files.Intercept = func(ctx context.Context, _ fakedynamo.Call) fakedynamo.Verdict {
			if ctx.Err() != nil {
				return fakedynamo.FailBefore
			}
			return fakedynamo.Proceed
		}
		if _, err := b.Append(ctx, leaves("a", 1)); err == nil {
			t.Fatal("it did not give up")
		}
		time.Sleep(witness.Backoff)
		if _, err := b.Append(t.Context(), leaves("a", 1)); err != nil {
			t.Fatal(err)
		}
		w.check()
		if len(w.public) != 1 || len(w.cosigned()) != 1 {
			t.Errorf("%d entries are public, cosigned by %v", len(w.public), w.cosigned())
		}
	})
}

// A witness that has cosigned another appender's later checkpoint is no witness that
// fails: it is asked about the next one at once.
func TestOvertakenAtWitness(t *testing.T) {
	w := newWorld(t).witnessed()
	first := w.appender()
	came := false
	w.witnesses[0].Intercept = intercept(func(fakedynamo.Call) fakedynamo.Verdict {
		if !came {
			came = true
			w.mustAppend(w.appender(), leaves("b", 1))
		}
		return fakedynamo.Proceed
	})
	w.mustAppend(first, leaves("a", 1))
	w.mustAppend(first, leaves("c", 1))
	if len(w.cosigned()) != 1 || len(w.public) != 3 || w.outcomes.count[witness.Late] != 1 {
		t.Errorf("%d entries are public, cosigned by %v: %v", len(w.public), w.cosigned(), w.outcomes.count)
	}
}
