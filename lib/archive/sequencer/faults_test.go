package sequencer_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/witness"
	"tally/lib/store"
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
	testFaults(t, 0, 1, 0)
	testFaults(t, 256, 2, 1)
}

// A crash is at a write: of those that go on beside it, all are made or none.
type crash string

const (
	noCrash   crash = "none"
	crashLast crash = "after those beside it"
	crashOnly crash = "without those beside it"
)

// applies reports whether a request is one of those that apply a batch, side by side.
func applies(call fakedynamo.Call) bool {
	return call.Operation == "TransactWriteItems" || call.Operation == "PutIfAbsent" && strings.HasPrefix(call.Keys[0], "tile/")
}

// commits reports whether a request is the commit.
func commits(call fakedynamo.Call) bool {
	return call.Operation == "PutItem" && strings.HasSuffix(call.Keys[0], store.LogStateKey)
}

// applying reports whether applies is true of a request, by its text.
func applying(write string) bool {
	return strings.HasPrefix(write, "TransactWriteItems") || strings.HasPrefix(write, "PutIfAbsent tile/")
}

func testFaults(t *testing.T, start, n, witnesses int) {
	for _, write := range writesOf(t, start, n, witnesses) {
		for _, verdict := range []fakedynamo.Verdict{fakedynamo.FailBefore, fakedynamo.FailAfter, fakedynamo.FailLate, fakedynamo.SendTwice, fakedynamo.Conflict} {
			for _, crash := range []crash{noCrash, crashLast, crashOnly} {
				t.Run(fmt.Sprintf("%d+%d witnesses %d %.60s %v crash %v", start, n, witnesses, write, verdict, crash), func(t *testing.T) {
					testFault(t, start, n, witnesses, write, verdict, crash)
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
	if start > 0 {
		w.mustAppend(w.appender(), leaves("start", start))
	}
	return w
}

// writesOf returns the writes of an append, by what they write.
func writesOf(t *testing.T, start, n, witnesses int) (writes []string) {
	w := grown(t, start, witnesses)
	var mutex sync.Mutex
	w.intercept(intercept(func(call fakedynamo.Call) fakedynamo.Verdict {
		mutex.Lock()
		defer mutex.Unlock()
		if call.Write {
			writes = append(writes, call.String())
		}
		return fakedynamo.Proceed
	}))
	w.mustAppend(w.appender(), leaves("d", n))
	slices.Sort(writes)
	return slices.Compact(writes)
}

func testFault(t *testing.T, start, n, witnesses int, write string, verdict fakedynamo.Verdict, crash crash) {
	w := grown(t, start, witnesses)
	came := false
	var mutex sync.Mutex
	w.intercept(intercept(func(call fakedynamo.Call) fakedynamo.Verdict {
		mutex.Lock()
		defer mutex.Unlock()
		beside := applying(write) && applies(call)
		switch {
		case !came && call.Write && call.String() == write:
			came = true
			return verdict
		case crash == crashOnly && beside, crash != noCrash && came && !beside:
			return fakedynamo.FailBefore
		}
		return fakedynamo.Proceed
	}))
	list := leaves("d", n)
	l := w.appender()
	_, err := l.Append(t.Context(), list)
	w.intercept(nil)
	w.check()
	if err == nil && len(w.public) != start+n {
		t.Fatalf("appended, but the public sees %d entries", len(w.public))
	}
	if crash != noCrash {
		l = w.appender()
	}
	w.mustAppend(l, list)
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
	for seed := range uint64(48) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { interleave(t, seed, 0) })
		})
		if seed < 16 {
			t.Run(fmt.Sprintf("seed %d with a witness", seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { interleave(t, seed, 1) })
			})
		}
	}
}

// turn is a request that waits for its turn.
type turn struct {
	what string // by whom, and what
	run  chan fakedynamo.Verdict
}

type appenderKey struct{}

// turns are the requests of appenders that wait for their turn.
type turns struct {
	mutex   sync.Mutex
	waiting []turn
}

func (q *turns) wait(ctx context.Context, call fakedynamo.Call) fakedynamo.Verdict {
	who, ours := ctx.Value(appenderKey{}).(int)
	if !ours {
		return fakedynamo.Proceed
	}
	mine := turn{fmt.Sprint(who, call), make(chan fakedynamo.Verdict)}
	q.mutex.Lock()
	q.waiting = append(q.waiting, mine)
	q.mutex.Unlock()
	return <-mine.run
}

// next takes one of those that wait; false where there is none.
func (q *turns) next(random *rand.Rand) (turn, bool) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if len(q.waiting) == 0 {
		return turn{}, false
	}
	slices.SortFunc(q.waiting, func(a, b turn) int { return strings.Compare(a.what, b.what) })
	at := random.IntN(len(q.waiting))
	next := q.waiting[at]
	q.waiting = slices.Delete(q.waiting, at, at+1)
	return next, true
}

func interleave(t *testing.T, seed uint64, witnesses int) {
	random := rand.New(rand.NewPCG(seed, 1))
	w := grown(t, random.IntN(4)*85, witnesses)
	before := slices.Clone(w.public)
	queue := &turns{}
	w.intercept(queue.wait)
	shared, own := leaves("shared", 3), [2][]sequencer.Leaf{leaves("first", 4), leaves("second", 5+int(seed%8/7)*100)}
	var group sync.WaitGroup
	for who := range 2 {
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
		})
	}
	for {
		synctest.Wait()
		next, waits := queue.next(random)
		if !waits {
			break
		}
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
