package sequencer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive/sequencer"
	"tally/lib/store"
)

// Two appenders stage as many entries each on the same tree, and one of them may die
// then. The other one's batch has a name of its own.
func TestEquallyManyStaged(t *testing.T) {
	for _, dies := range []bool{false, true} {
		w := grown(t, 3, 0)
		first, second := leaves("first", 2), leaves("second", 2)
		met := false
		w.db.Intercept = intercept(func(call fakedynamo.Call) fakedynamo.Verdict {
			if call.Operation != "TransactWriteItems" || met {
				return fakedynamo.Proceed
			}
			met = true
			w.mustAppend(w.appender(), second) // the first is staged, and not committed
			return fakedynamo.Proceed
		})
		ctx, cancel := context.WithCancel(t.Context())
		l := w.appender()
		l.Pause = func(context.Context, int) error {
			if dies {
				cancel()
			}
			return ctx.Err()
		}
		if _, err := l.Append(ctx, first); (err != nil) != dies || err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("dies %v: the first was told %v", dies, err)
		}
		w.db.Intercept = nil
		w.mustAppend(w.appender(), first)
		if want := entriesOf(leaves("start", 3), second, first); !met || !slices.Equal(w.public, want) {
			t.Errorf("dies %v: the log has %q, not %q", dies, w.public, want)
		}
	}
}

// other is the context of an appender that comes while another one commits.
type other struct{}

// The state is seen before the index that is written with it. Who finds its entry in no
// index by then does not append it a second time.
func TestStateAheadOfIndex(t *testing.T) {
	w := grown(t, 3, 0)
	list := leaves("d", 1)
	came, proceed, done := make(chan bool), make(chan bool), make(chan sequencer.Appended)
	w.db.Intercept = func(ctx context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if ctx.Value(other{}) != nil && call.Operation == "TransactWriteItems" && came != nil {
			close(came)
			came = nil
			<-proceed
		}
		return fakedynamo.Proceed
	}
	committing := came
	w.db.Torn = func(ctx context.Context, _ fakedynamo.Call, left []string) (next int) {
		if ctx.Value(other{}) == nil && len(left) == 1 {
			go func() {
				now, err := w.appender().Append(context.WithValue(t.Context(), other{}, true), list)
				if err != nil {
					t.Error(err)
				}
				done <- now
			}()
			<-committing
		}
		return slices.IndexFunc(left, func(key string) bool { return len(left) == 1 || strings.Contains(key, store.LogStateKey) })
	}
	if _, err := w.appender().Append(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	close(proceed)
	if now := <-done; now.New != 0 || now.Tree.N != 4 {
		t.Errorf("the other one appended %d entries to a log of %d", now.New, now.Tree.N)
	}
	w.check()
	if want := entriesOf(leaves("start", 3), list); !slices.Equal(w.public, want) {
		t.Errorf("the log has %q, not %q", w.public, want)
	}
}

// The index is seen before the state that is written with it. Until then an entry is
// not public, and nobody is told that it is.
func TestIndexAheadOfState(t *testing.T) {
	w := grown(t, 3, 0)
	list := leaves("d", 1)
	asked := 0
	w.db.Torn = func(_ context.Context, _ fakedynamo.Call, left []string) (next int) {
		if len(left) == 1 {
			asked++
			if now, err := w.appender().Append(t.Context(), list); !errors.Is(err, sequencer.ErrOvertaken) {
				t.Errorf("told that all is in a log of %d entries, %v", now.Tree.N, err)
			}
		}
		return slices.IndexFunc(left, func(key string) bool { return len(left) == 1 || !strings.Contains(key, store.LogStateKey) })
	}
	w.mustAppend(w.appender(), list)
	w.db.Torn = nil
	if now := w.mustAppend(w.appender(), list); asked != 1 || now.New != 0 || now.Tree.N != 4 {
		t.Errorf("asked %d times; then %d new entries, a log of %d", asked, now.New, now.Tree.N)
	}
}

// A file with other bytes under a tile's name stops the log, whether it is found by who
// builds, by who applies a batch of its own, or by who goes on with another's.
func TestOtherBytesUnderName(t *testing.T) {
	for _, path := range []string{"tile/0/000.p/5", "tile/entries/000.p/5", "tile/0/000"} {
		for _, committedBefore := range []bool{false, true} {
			w := grown(t, 3, 0)
			n := 2
			if path == "tile/0/000" {
				w, n = grown(t, 250, 0), 6
			}
			if committedBefore {
				w, _ = committed(t, len(w.public), n)
			}
			public := w.files.Files()["checkpoint"].Data
			w.files.Set(path, []byte("something else"))
			if _, err := w.appender().Append(t.Context(), leaves("d", n)); !errors.Is(err, sequencer.ErrCorrupt) {
				t.Errorf("%s, committed before %v: %v", path, committedBefore, err)
			}
			if files := w.files.Files(); string(files["checkpoint"].Data) != string(public) || string(files[path].Data) != "something else" {
				t.Errorf("%s, committed before %v: it was written over, or published", path, committedBefore)
			}
		}
	}
}
