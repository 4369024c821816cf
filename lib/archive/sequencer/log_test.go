package sequencer_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

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
	for i, n := range []int{1, 1, 98, 99, 57, 100, 1, 256, 3} {
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
	w.mustAppend(w.appender(), list[:3])
	done := w.mustAppend(w.appender(), append(list, list...))
	if done.New != 2 || done.Tree.N != 5 {
		t.Fatalf("%+v", done)
	}
	other := []sequencer.Leaf{{Group: "d", Key: list[1].Key, Data: []byte("something else")}, {Group: "d", Key: "new", Data: []byte("new")}}
	done = w.mustAppend(w.appender(), other)
	if len(done.Conflicts) != 1 || done.Conflicts[0].Key != list[1].Key || done.New != 1 {
		t.Fatalf("%+v", done)
	}
	at, err := w.appender().Indexes(t.Context(), "d")
	if err != nil || len(at) != 6 || at[list[4].Key] != 4 || at["new"] != 5 {
		t.Fatalf("%v, %v", at, err)
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

// TestRequests pins the keys that are written, their headers, and how many
// requests an append takes: they are what it costs.
func TestRequests(t *testing.T) {
	w := newWorld(t)
	var calls []string
	record := func() { calls = nil }
	w.intercept(intercept(func(call fakedynamo.Call) fakedynamo.Verdict {
		name := call.String()
		if call.Operation == "TransactWriteItems" {
			name = fmt.Sprintf("TransactWriteItems of %d", len(call.Keys))
		}
		if at := strings.LastIndexByte(name, '-'); strings.Contains(name, "staged/") {
			name = name[:at]
		}
		calls = append(calls, name)
		return fakedynamo.Proceed
	}))
	l := w.appender()
	want := func(step string, lines ...string) {
		t.Helper()
		if !slices.Equal(calls, lines) {
			t.Errorf("%s:\n%s\nwant\n%s", step, strings.Join(calls, "\n"), strings.Join(lines, "\n"))
		}
	}
	if _, err := l.Append(t.Context(), leaves("a", 2)); err != nil {
		t.Fatal(err)
	}
	first := []string{"GetItem LOG#example.com/tally / STATE", "GetObject checkpoint", "Query LOG#example.com/tally#a"}
	want("an append to an empty log", append(slices.Clone(first),
		"PutIfAbsent staged/0-2", "TransactWriteItems of 3",
		"PutIfAbsent tile/entries/000.p/2", "PutIfAbsent tile/0/000.p/2", "GetObject checkpoint", "PutIfMatch checkpoint")...)
	record()
	if _, err := l.Append(t.Context(), leaves("a", 2)); err != nil {
		t.Fatal(err)
	}
	want("a replay", first...)
	record()
	if _, err := l.Append(t.Context(), leaves("b", 1)); err != nil {
		t.Fatal(err)
	}
	first[2] = "Query LOG#example.com/tally#b"
	want("one more entry", append(slices.Clone(first),
		"GetObject tile/entries/000.p/2", "GetObject tile/0/000.p/2",
		"PutIfAbsent staged/2-3", "TransactWriteItems of 2",
		"PutIfAbsent tile/entries/000.p/3", "PutIfAbsent tile/0/000.p/3", "GetObject checkpoint", "PutIfMatch checkpoint")...)
	for key, file := range w.files.Files() {
		header := objects.Header{ContentType: "application/octet-stream", CacheControl: objects.Immutable}
		switch {
		case key == "checkpoint":
			header = objects.Header{ContentType: "text/plain; charset=utf-8", CacheControl: objects.Mutable}
		case strings.HasPrefix(key, "staged/"):
			header.ContentType = "application/x-tar"
		}
		if file.Header != header {
			t.Errorf("%s has the headers %+v, want %+v", key, file.Header, header)
		}
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
