package sequencer_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/objects"
	"tally/lib/archive/tiles"
)

// A log grows by batches of all sizes. Parts stay of the last whole tile and of what comes
// after it; and whoever has an earlier checkpoint verifies its tree all the same.
func TestPartsAreDropped(t *testing.T) {
	w := newWorld(t)
	earlier := map[int][]byte{}
	for size, i := 0, 0; size < 2000; i++ {
		n := []int{1, 7, 30, 100, 90, 3, 600, 256}[i%8]
		w.mustAppend(w.appender(), leaves(fmt.Sprint("draw-", i), n))
		size += n
		earlier[size] = w.files.Files()[checkpoint.Path].Data
		for path := range w.files.Files() {
			var level string
			var tile, width int
			if _, err := fmt.Sscanf(strings.ReplaceAll(path, "/", " "), "tile %s %d.p %d", &level, &tile, &width); err != nil {
				continue
			}
			if whole := size / 256; (level == "0" || level == "entries") && tile < whole-1 || level == "1" && tile > 0 {
				t.Errorf("a log of %d entries still has %s", size, path)
			}
		}
	}
	for size, signed := range earlier {
		opened, err := checkpoint.Open(signed, origin, note.VerifierList(w.verifier))
		if err != nil {
			t.Fatal(err)
		}
		get := func(ctx context.Context, path string) ([]byte, error) {
			return tiles.Get(ctx, path, objects.ErrNotFound, func(ctx context.Context, path string) ([]byte, error) {
				data, _, err := w.files.Get(ctx, path)
				return data, err
			})
		}
		hashes := tlog.TileHashReader(opened.Tree, tiles.NewReader(t.Context(), get))
		if root, err := tlog.TreeHash(opened.Tree.N, hashes); err != nil || root != opened.Tree.Hash {
			t.Errorf("the tree of size %d can't be read any more: %v", size, err)
		}
		last := opened.Tree.N - 1
		width := int(last%tiles.Width) + 1
		bundle, err := get(t.Context(), tiles.EntriesPath(last/tiles.Width, width))
		if err != nil {
			t.Fatal(err)
		}
		list, err := tiles.Entries(bundle, width)
		if err != nil || !bytes.Equal(list[width-1], []byte(w.public[last])) {
			t.Errorf("the last entry of size %d is %q, %v", size, list, err)
		}
	}
}

// What can't be dropped stays: the append is done.
func TestPartsThatStay(t *testing.T) {
	w := grown(t, 200, 0)
	var dropped atomic.Int64
	w.files.Intercept = intercept(func(call fakedynamo.Call) fakedynamo.Verdict {
		if call.Operation == "Drop" {
			return fakedynamo.FailBefore
		}
		return fakedynamo.Proceed
	})
	w.mustAppend(w.appender(), leaves("d", 400))
	w.files.Intercept = intercept(func(call fakedynamo.Call) fakedynamo.Verdict {
		if call.Operation == "Drop" {
			dropped.Add(1)
		}
		return fakedynamo.Proceed
	})
	w.mustAppend(w.appender(), leaves("e", 1)) // completes nothing
	paths := w.files.Files()
	if _, stays := paths["tile/0/000.p/200"]; !stays || dropped.Load() != 0 || len(w.public) != 601 {
		t.Errorf("%d folders were dropped; there are %d files of a log of %d", dropped.Load(), len(paths), len(w.public))
	}
	w.mustAppend(w.appender(), leaves("f", 256))
	if dropped.Load() != 2 { // of tile 1, and of its bundle
		t.Errorf("%d folders were dropped", dropped.Load())
	}
}
