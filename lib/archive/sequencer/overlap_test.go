package sequencer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive/sequencer"
)

// Two appenders stage as many entries each on the same tree, and one of them may die
// then. The other one's batch has a name of its own.
func TestEquallyManyStaged(t *testing.T) {
	for _, dies := range []bool{false, true} {
		t.Run(fmt.Sprint(dies), func(t *testing.T) {
			w := grown(t, 3, 0)
			first, second := leaves("first", 2), leaves("second", 2)
			met := false
			w.db.Intercept = intercept(func(call fakedynamo.Call) fakedynamo.Verdict {
				if !commits(call) || met {
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
		})
	}
}

// once lets one request of the table's be preceded by something.
func (w *world) once(is func(fakedynamo.Call) bool, do func()) {
	came := false
	w.db.Intercept = intercept(func(call fakedynamo.Call) fakedynamo.Verdict {
		if is(call) && !came {
			came = true
			do()
		}
		return fakedynamo.Proceed
	})
}

// Another appender comes when a batch is committed and its entries are not in the index
// yet. It puts them there before it looks for its own, and so does not append them a
// second time.
func TestStateAheadOfIndex(t *testing.T) {
	w := grown(t, 3, 0)
	list := leaves("d", 1)
	asked := 0
	w.once(func(call fakedynamo.Call) bool { return call.Operation == "TransactWriteItems" }, func() {
		asked++
		if now := w.mustAppend(w.appender(), list); now.New != 0 || now.Tree.N != 4 {
			t.Errorf("the other one appended %d entries to a log of %d", now.New, now.Tree.N)
		}
	})
	w.mustAppend(w.appender(), list)
	if want := entriesOf(leaves("start", 3), list); asked != 1 || !slices.Equal(w.public, want) {
		t.Errorf("the log has %q, not %q", w.public, want)
	}
}

// Another appender commits, applies and publishes after the state was read and before the
// index is. The entries that it finds there are of no state that it knows.
func TestIndexAheadOfState(t *testing.T) {
	w := grown(t, 3, 0)
	list := leaves("d", 1)
	w.once(func(call fakedynamo.Call) bool { return call.Operation == "Query" }, func() { w.mustAppend(w.appender(), list) })
	if now := w.mustAppend(w.appender(), list); now.New != 0 || now.Tree.N != 4 {
		t.Errorf("%d new entries, a log of %d", now.New, now.Tree.N)
	}
}

// Another appender commits the same entries after the index was read and before they are
// committed: the commit fails, and the index is read again.
func TestOvertakenAfterIndex(t *testing.T) {
	w := grown(t, 3, 0)
	list := leaves("d", 300)
	w.once(commits, func() { w.mustAppend(w.appender(), list[:250]) })
	if now := w.mustAppend(w.appender(), list); now.New != 50 || now.Tree.N != 303 {
		t.Errorf("%d new entries, a log of %d", now.New, now.Tree.N)
	}
}

// A file with other bytes under a tile's name stops the log, whether it is found by who
// builds, by who applies a batch of its own, or by who goes on with another's.
func TestOtherBytesUnderName(t *testing.T) {
	for _, path := range []string{"tile/0/000.p/5", "tile/entries/000.p/5", "tile/0/000"} {
		t.Run(path, func(t *testing.T) {
			for _, committedBefore := range []bool{false, true} {
				t.Run(fmt.Sprint(committedBefore), func(t *testing.T) {
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
				})
			}
		})
	}
}
