package sequencer_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/objects"
	"tally/lib/archive/sequencer"
)

// mustAppend appends leaves and checks the whole log.
func (w *world) mustAppend(l *sequencer.Log, list []sequencer.Leaf) sequencer.Appended {
	w.t.Helper()
	done, err := l.Append(w.t.Context(), list)
	if err != nil {
		w.t.Fatal(err)
	}
	w.check()
	return done
}

func TestAppendGrowsTheLog(t *testing.T) {
	w := newWorld(t)
	l := w.appender()
	size := 0
	for i, n := range []int{1, 1, 98, 99, 57, 100, 1, 256, 3, 1100} {
		done := w.mustAppend(l, leaves(fmt.Sprint("draw-", i), n))
		size += n
		if done.New != n || done.Tree.N != int64(size) || len(w.public) != size {
			t.Fatalf("after %d more: %+v, %d public", n, done, len(w.public))
		}
	}
}

func TestAppendIsIdempotent(t *testing.T) {
	w := newWorld(t)
	list := leaves("d", 5)
	if done := w.mustAppend(w.appender(), append(slices.Clone(list[:3]), list[:3]...)); done.New != 3 {
		t.Fatalf("%+v, want done.New = 3", done)
	}
	done := w.mustAppend(w.appender(), append(list, list...))
	if done.New != 2 || done.Tree.N != 5 {
		t.Fatalf("%+v, want done.New = 2 and done.Tree.N = 5", done)
	}
	other := []sequencer.Leaf{{Group: "d", Key: list[1].Key, Data: []byte("something else")}, {Group: "d", Key: "new", Data: []byte("new")}}
	done = w.mustAppend(w.appender(), other)
	if len(done.Conflicts) != 1 || done.Conflicts[0].Key != list[1].Key || done.New != 1 {
		t.Fatalf("%+v, want len(done.Conflicts) = 1 and done.Conflicts[0].Key = %v and done.New = 1", done, list[1].Key)
	}
	at, err := w.appender().Indexes(t.Context(), "d")
	if err != nil || len(at) != 6 || at[list[4].Key] != 4 || at["new"] != 5 {
		t.Fatalf("%v, %v, want no error and len(at) = 6 and at[list[4].Key] = 4 and at[\"new\"] = 5", at, err)
	}
}

func TestAppendRefusesEmptyAndLargeEntries(t *testing.T) {
	w := newWorld(t)
	for _, size := range []int{0, 1 << 16} {
		if _, err := w.appender().Append(t.Context(), []sequencer.Leaf{{Group: "d", Key: "k", Data: make([]byte, size)}}); err == nil {
			t.Errorf("an entry of %d bytes was taken", size)
		}
	}
	w.mustAppend(w.appender(), []sequencer.Leaf{{Group: "d", Key: "k", Data: slices.Repeat([]byte("x"), 1<<16-1)}})
}

// requested records the requests, each of which takes a second, with the second in which
// it was begun: those of one second go on side by side.
func (w *world) requested() (take func() []string) {
	var calls []string
	began := time.Now()
	var mutex sync.Mutex
	w.intercept(intercept(func(call fakedynamo.Call) fakedynamo.Verdict {
		name := call.String()
		if call.Operation == "TransactWriteItems" {
			name = fmt.Sprintf("TransactWriteItems of %d", len(call.Keys))
		}
		if at := strings.LastIndexByte(name, '-'); strings.Contains(name, "staged/") {
			name = name[:at]
		}
		mutex.Lock()
		calls = append(calls, fmt.Sprintf("%d: %s", int(time.Since(began).Seconds()), name))
		mutex.Unlock()
		time.Sleep(time.Second)
		return fakedynamo.Proceed
	}))
	return func() []string {
		taken := calls
		calls, began = nil, time.Now()
		slices.Sort(taken)
		return taken
	}
}

// TestRequests pins the keys that are written, their headers, how many requests an
// append takes, which are what it costs, and which of them go on side by side.
func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		take := w.requested()
		want := func(step string, leaves []sequencer.Leaf, lines ...string) {
			t.Helper()
			if _, err := w.appender().Append(t.Context(), leaves); err != nil {
				t.Fatal(err)
			}
			if got := take(); !slices.Equal(got, lines) {
				t.Errorf("%s:\n%s\nwant\n%s", step, strings.Join(got, "\n"), strings.Join(lines, "\n"))
			}
		}
		want("an append to an empty log", leaves("a", 2),
			"0: GetItem LOG#example.com/tally / STATE", "0: GetObject checkpoint",
			"1: Query LOG#example.com/tally#a",
			"2: PutIfAbsent staged/0-2",
			"3: PutItem LOG#example.com/tally / STATE",
			"4: PutIfAbsent tile/0/000.p/2", "4: PutIfAbsent tile/entries/000.p/2", "4: TransactWriteItems of 2",
			"5: GetObject checkpoint",
			"6: PutIfMatch checkpoint")
		want("a replay", leaves("a", 2),
			"0: GetItem LOG#example.com/tally / STATE", "0: GetObject checkpoint",
			"1: Query LOG#example.com/tally#a")
		want("one more entry", leaves("b", 1),
			"0: GetItem LOG#example.com/tally / STATE", "0: GetObject checkpoint",
			"1: Query LOG#example.com/tally#b",
			"2: GetObject tile/0/000.p/2", "2: GetObject tile/entries/000.p/2",
			"3: PutIfAbsent staged/2-3",
			"4: PutItem LOG#example.com/tally / STATE",
			"5: PutIfAbsent tile/0/000.p/3", "5: PutIfAbsent tile/entries/000.p/3", "5: TransactWriteItems of 1",
			"6: GetObject checkpoint",
			"7: PutIfMatch checkpoint")
		want("more than one tile, of two draws", append(leaves("c", 200), leaves("d", 60)...),
			"0: GetItem LOG#example.com/tally / STATE", "0: GetObject checkpoint",
			"1: Query LOG#example.com/tally#c", "1: Query LOG#example.com/tally#d",
			"2: GetObject tile/0/000.p/3", "2: GetObject tile/entries/000.p/3",
			"3: PutIfAbsent staged/3-263",
			"4: PutItem LOG#example.com/tally / STATE",
			"5: PutIfAbsent tile/0/000", "5: PutIfAbsent tile/0/001.p/7", "5: PutIfAbsent tile/1/000.p/1",
			"5: PutIfAbsent tile/entries/000", "5: PutIfAbsent tile/entries/001.p/7",
			"5: TransactWriteItems of 100", "5: TransactWriteItems of 100", "5: TransactWriteItems of 60",
			"6: GetObject checkpoint",
			"7: PutIfMatch checkpoint")
		w.headers()
	})
}

func (w *world) headers() {
	w.t.Helper()
	for key, file := range w.files.Files() {
		header := objects.Header{ContentType: "application/octet-stream", CacheControl: objects.Immutable}
		switch {
		case key == "checkpoint":
			header = objects.Header{ContentType: "text/plain; charset=utf-8", CacheControl: objects.Mutable}
		case strings.HasPrefix(key, "staged/"):
			header.ContentType, header.Passing = "application/x-tar", true
		case strings.Contains(key, ".p/"):
			header.Passing = true
		}
		if file.Header != header {
			w.t.Errorf("%s has the headers %+v, want %+v", key, file.Header, header)
		}
	}
}

// However large the log is, and the batch, as many requests of the append wait for each
// other until it is public.
func TestRounds(t *testing.T) {
	for _, test := range []struct{ before, entries int }{{1, 1}, {300, 1}, {300, sequencer.MaxBatch}} {
		synctest.Test(t, func(t *testing.T) {
			w := grown(t, test.before, 0)
			take := w.requested()
			if _, err := w.appender().Append(t.Context(), leaves("d", test.entries)); err != nil {
				t.Fatal(err)
			}
			calls := slices.DeleteFunc(take(), func(call string) bool { return strings.HasPrefix(call, "8: Drop ") }) // what was replaced
			if !strings.HasPrefix(calls[len(calls)-1], "7: PutIfMatch checkpoint") {
				t.Errorf("%d entries after %d take\n%s", test.entries, test.before, strings.Join(calls, "\n"))
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	grown := func(t *testing.T) (*world, []byte) {
		w := newWorld(t)
		w.mustAppend(w.appender(), leaves("a", 3))
		early := w.files.Files()["checkpoint"].Data
		w.mustAppend(w.appender(), leaves("b", 3))
		return w, early
	}
	fails := func(t *testing.T, w *world, want error) {
		t.Helper()
		before := len(w.files.Files())
		if _, err := w.appender().Append(t.Context(), leaves("c", 1)); !errors.Is(err, want) {
			t.Fatalf("got %v, want %v", err, want)
		}
		if len(w.files.Files()) != before {
			t.Error("something was written all the same")
		}
	}
	t.Run("the table was set back to nothing", func(t *testing.T) {
		w, _ := grown(t)
		w.db = fakedynamo.New(t, "tally")
		fails(t, w, sequencer.ErrAhead)
	})
	t.Run("the table was set back", func(t *testing.T) {
		w, _ := grown(t)
		w.db = fakedynamo.New(t, "tally")
		kept := w.files
		w.files = newWorld(t).files
		w.public = nil
		w.mustAppend(w.appender(), leaves("a", 3))
		w.files = kept
		fails(t, w, sequencer.ErrAhead)
	})
	t.Run("the checkpoint is of another log of this size", func(t *testing.T) {
		w, _ := grown(t)
		other := newWorld(t)
		other.mustAppend(other.appender(), leaves("x", 6))
		w.files.Set("checkpoint", other.files.Files()["checkpoint"].Data)
		fails(t, w, sequencer.ErrForked)
	})
	t.Run("the checkpoint is of another, smaller log", func(t *testing.T) {
		w, _ := grown(t)
		other := newWorld(t)
		other.mustAppend(other.appender(), leaves("x", 2))
		w.files.Set("checkpoint", other.files.Files()["checkpoint"].Data)
		fails(t, w, sequencer.ErrForked)
	})
	t.Run("the checkpoint is signed by someone else", func(t *testing.T) {
		w, _ := grown(t)
		secret, _, err := note.GenerateKey(nil, origin)
		if err != nil {
			t.Fatal(err)
		}
		signer, err := note.NewSigner(secret)
		if err != nil {
			t.Fatal(err)
		}
		w.signer = signer
		text := w.files.Files()["checkpoint"].Data
		c, err := checkpoint.Open(text, origin, note.VerifierList(w.verifier))
		if err != nil {
			t.Fatal(err)
		}
		forged, err := checkpoint.Sign(origin, c.Tree, signer)
		if err != nil {
			t.Fatal(err)
		}
		w.files.Set("checkpoint", forged)
		fails(t, w, checkpoint.ErrSignature)
	})
	t.Run("an older checkpoint is replaced again", func(t *testing.T) {
		w, early := grown(t)
		w.files.Set("checkpoint", early)
		w.mustAppend(w.appender(), leaves("c", 1))
	})
	t.Run("a bundle has a flipped bit", func(t *testing.T) {
		w, _ := grown(t)
		flip(w, "tile/entries/000.p/6", 20)
		fails(t, w, sequencer.ErrCorrupt)
	})
	t.Run("a tile has a flipped bit", func(t *testing.T) {
		w, _ := grown(t)
		flip(w, "tile/0/000.p/6", 20)
		if _, err := w.appender().Append(t.Context(), leaves("c", 1)); err == nil {
			t.Fatal("appended to a broken tree")
		}
	})
	t.Run("another file is where a tile belongs", func(t *testing.T) {
		w, _ := grown(t)
		w.files.Set("tile/0/000.p/7", []byte("something else"))
		if _, err := w.appender().Append(t.Context(), leaves("c", 1)); !errors.Is(err, sequencer.ErrCorrupt) {
			t.Fatalf("got %v", err)
		}
	})
}

func flip(w *world, path string, at int) {
	data := w.files.Files()[path].Data
	data[at] ^= 1
	w.files.Set(path, data)
}
