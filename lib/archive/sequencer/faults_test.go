package sequencer_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/witness"
)

func intercept(decide func(fakedynamo.Call) fakedynamo.Verdict) fakedynamo.Interceptor {
	return func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict { return decide(call) }
}

// entries turns leaves into what a reader sees.
func entriesOf(lists ...[]sequencer.Leaf) (all []entrySeen) {
	for _, list := range lists {
		for _, leaf := range list {
			all = append(all, entrySeen(leaf.Data))
		}
	}
	return all
}

// TestEveryWriteFails lets each write of an append fail in each way, once, and for
// good from there on (a crash), and then appends again.
func TestEveryWriteFails(t *testing.T) {
	testFaults(t, 256, 2, 1)
	// Sizes at which tiles are begun, filled, and passed.
	for _, start := range []int{0, 250, 256} {
		for _, n := range []int{1, 120} {
			testFaults(t, start, n, 0)
		}
	}
}

func testFaults(t *testing.T, start, n, witnesses int) {
	writes := countWrites(t, start, n, witnesses)
	for at := range writes {
		for _, verdict := range []fakedynamo.Verdict{fakedynamo.FailBefore, fakedynamo.FailAfter, fakedynamo.FailLate, fakedynamo.SendTwice, fakedynamo.Conflict} {
			for _, crash := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d+%d witnesses %d write %d %v crash %v", start, n, witnesses, at, verdict, crash), func(t *testing.T) {
					testFault(t, start, n, witnesses, at, verdict, crash)
				})
			}
		}
	}
}

func grown(t *testing.T, start, witnesses int) *world {
	w := newWorld(t)
	for range witnesses {
		w.witnessed()
	}
	for i := 0; start > 0 && i < start; i += sequencer.MaxBatch {
		if _, err := w.appender().Append(t.Context(), leaves("start", min(start, i+sequencer.MaxBatch))); err != nil {
			t.Fatal(err)
		}
	}
	w.check()
	return w
}

// countWrites returns how many writes an append takes.
func countWrites(t *testing.T, start, n, witnesses int) (writes int) {
	w := grown(t, start, witnesses)
	w.intercept(intercept(func(call fakedynamo.Call) fakedynamo.Verdict {
		if call.Write {
			writes++
		}
		return fakedynamo.Proceed
	}))
	w.mustAppend(w.appender(), leaves("d", n))
	return writes
}

func testFault(t *testing.T, start, n, witnesses, at int, verdict fakedynamo.Verdict, crash bool) {
	w := grown(t, start, witnesses)
	writes, dead := 0, false
	w.intercept(intercept(func(call fakedynamo.Call) fakedynamo.Verdict {
		if dead {
			return fakedynamo.FailBefore
		}
		if !call.Write {
			return fakedynamo.Proceed
		}
		if writes++; writes-1 == at {
			dead = crash
			return verdict
		}
		return fakedynamo.Proceed
	}))
	list := leaves("d", n)
	_, err := w.appender().Append(t.Context(), list)
	w.intercept(nil)
	w.check()
	if err == nil && len(w.public) != start+n {
		t.Fatalf("appended, but the public sees %d entries", len(w.public))
	}
	w.mustAppend(w.appender(), list)
	w.land()
	w.check()
	w.mustAppend(w.appender(), leaves("next", 2))
	if want := entriesOf(leaves("start", start), list, leaves("next", 2)); !slices.Equal(w.public, want) {
		t.Fatalf("the log has %d entries, want %d", len(w.public), len(want))
	}
	if len(w.cosigned()) != witnesses || w.outcomes.count[witness.Contradicted] > 0 {
		t.Fatalf("cosigned by %v; %v", w.cosigned(), w.outcomes.count)
	}
}

// TestTwoAppenders lets two appenders take turns, request by request, in random
// order and with random faults, and checks the whole log after each request.
func TestTwoAppenders(t *testing.T) {
	for seed := range uint64(80) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { interleave(t, seed, 0) })
		if seed < 30 {
			t.Run(fmt.Sprintf("seed %d with a witness", seed), func(t *testing.T) { interleave(t, seed, 1) })
		}
	}
}

// turn is a request that waits for its turn.
type turn struct {
	who int
	run chan fakedynamo.Verdict
}

type appenderKey struct{}

func interleave(t *testing.T, seed uint64, witnesses int) {
	random := rand.New(rand.NewPCG(seed, 1))
	w := grown(t, random.IntN(4)*85, witnesses)
	before := slices.Clone(w.public)
	turns := make(chan turn)
	w.intercept(func(ctx context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		who, ours := ctx.Value(appenderKey{}).(int)
		if !ours {
			return fakedynamo.Proceed
		}
		mine := turn{who, make(chan fakedynamo.Verdict)}
		turns <- mine
		return <-mine.run
	})
	shared, own := leaves("shared", 3), [2][]sequencer.Leaf{leaves("first", 4), leaves("second", 5)}
	ended := make(chan int)
	var group sync.WaitGroup
	start := func(who int) {
		group.Go(func() {
			ctx := context.WithValue(t.Context(), appenderKey{}, who)
			for {
				_, err := w.appender().Append(ctx, slices.Concat(own[who], shared))
				if err == nil {
					break
				}
				if errors.Is(err, sequencer.ErrAhead) || errors.Is(err, sequencer.ErrForked) || errors.Is(err, sequencer.ErrCorrupt) {
					t.Errorf("appender %d: %v", who, err)
					break
				}
			}
			ended <- who
		})
	}
	start(0)
	start(1)
	waiting := map[int]turn{}
	for running := 2; running > 0; {
		for len(waiting) < running {
			select {
			case mine := <-turns:
				waiting[mine.who] = mine
			case <-ended:
				running--
			}
		}
		if running == 0 {
			break
		}
		who := random.IntN(2)
		if _, there := waiting[who]; !there {
			who = 1 - who
		}
		next := waiting[who]
		delete(waiting, who)
		verdict := fakedynamo.Proceed
		if random.IntN(12) == 0 {
			verdict = []fakedynamo.Verdict{fakedynamo.FailBefore, fakedynamo.FailAfter, fakedynamo.FailLate}[random.IntN(3)]
		}
		if random.IntN(6) == 0 {
			w.land()
		}
		w.check() // between any two requests the files are a log
		next.run <- verdict
	}
	group.Wait()
	w.intercept(nil)
	for range 20 {
		w.land()
	}
	w.check()
	w.mustAppend(w.appender(), slices.Concat(own[0], own[1], shared))
	if len(w.cosigned()) != witnesses || w.outcomes.count[witness.Contradicted] > 0 {
		t.Fatalf("cosigned by %v; %v", w.cosigned(), w.outcomes.count)
	}
	if want := len(before) + len(own[0]) + len(own[1]) + len(shared); len(w.public) != want {
		t.Fatalf("the log has %d entries, want %d", len(w.public), want)
	}
	for _, list := range [][]sequencer.Leaf{own[0], own[1], shared} {
		last := -1
		for _, e := range entriesOf(list) {
			at := slices.Index(w.public, e)
			if at <= last {
				t.Fatalf("%q is at %d, after one at %d", e, at, last)
			}
			last = at
		}
	}
}
