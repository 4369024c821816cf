package verify

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/tiles"
	"tally/lib/archive/tree"
)

// inMemory are files in memory.
type inMemory map[string][]byte

func (m inMemory) Get(_ context.Context, path string) ([]byte, error) {
	data, found := m[path]
	if !found {
		return nil, ErrMissing
	}
	return data, nil
}

// TestEveryLeafIsHashed has a tree of more entries than bundles can be counted of, and
// the root of none: a walk that reads nothing has not verified it.
func TestEveryLeafIsHashed(t *testing.T) {
	for _, size := range []int64{math.MaxInt64, math.MaxInt64 - 255, 1} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			r := &Report{}
			w := newWalk(inMemory{}, Params{}, tlog.Tree{N: size, Hash: new(tree.Range).Root()}, r)
			if err := w.finish(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(r.Findings) != 1 || r.Findings[0].Code != MismatchRoot {
				t.Errorf("%d entries: found %v", size, r.Findings)
			}
		})
	}
}

// TestLevels compares the tiles of trees that have three levels of them: 65,536
// leaves fill a tile of the second, and one more begins a branch.
func TestLevels(t *testing.T) {
	var kept tree.InMemory
	var hashes []tlog.Hash
	for i := range uint64(65_537) {
		hash := tlog.RecordHash(binary.BigEndian.AppendUint64(nil, i))
		if err := kept.Add(hash); err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, hash)
	}
	for _, size := range []int64{65_535, 65_536, 65_537} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			files := inMemory{}
			for _, tile := range tlog.NewTiles(tiles.Height, 0, size) {
				data, err := tlog.ReadTileData(tile, &kept)
				if err != nil {
					t.Fatal(err)
				}
				files[tiles.Path(tile)] = data
			}
			root, err := tlog.TreeHash(size, &kept)
			if err != nil {
				t.Fatal(err)
			}
			found := func() []Finding {
				r := &Report{}
				w := newWalk(files, Params{}, tlog.Tree{N: size, Hash: root}, r)
				for n, part := range slices.Collect(slices.Chunk(hashes[:size], tiles.Width)) {
					b := &bundle{}
					for _, hash := range part {
						b.hashes = append(b.hashes, hash[:]...)
						b.tile.Add(hash)
					}
					var err error
					if b.unequal, err = w.compare(t.Context(), 0, int64(n), b.hashes, nil); err != nil {
						t.Fatal(err)
					}
					if err := w.take(t.Context(), int64(n), b); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.finish(t.Context()); err != nil {
					t.Fatal(err)
				}
				return r.Findings
			}
			if list := found(); len(list) > 0 {
				t.Fatalf("%d leaves: %v", size, list)
			}
			upper := []string{"tile/0/254", "tile/1/000.p/255"}
			if size >= 65_536 {
				upper = []string{"tile/0/255", "tile/1/000", "tile/2/000.p/1"}
			}
			for _, path := range upper {
				files[path][7] ^= 1
			}
			list := found()
			if len(list) != len(upper) {
				t.Fatalf("%d leaves: %v", size, list)
			}
			for i, path := range upper {
				if list[i].Code != MismatchTile || list[i].File != path {
					t.Errorf("%d leaves: %v, want %s", size, list[i], path)
				}
			}
		})
	}
}
