package tiles

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

// TestPaths has the examples of the specification.
func TestPaths(t *testing.T) {
	for want, tile := range map[string]tlog.Tile{
		"tile/0/x001/x234/067":       {H: Height, L: 0, N: 1234067, W: Width},
		"tile/0/x001/x234/067.p/8":   {H: Height, L: 0, N: 1234067, W: 8},
		"tile/2/000":                 {H: Height, L: 2, N: 0, W: Width},
		"tile/63/999.p/255":          {H: Height, L: 63, N: 999, W: 255},
		"tile/1/x001/000.p/1":        {H: Height, L: 1, N: 1000, W: 1},
		"tile/0/x123/x456/x789/000":  {H: Height, L: 0, N: 123456789000, W: Width},
		"tile/0/x001/x000/x000/000":  {H: Height, L: 0, N: 1000000000, W: Width},
		"tile/0/x100/x000/010.p/100": {H: Height, L: 0, N: 100000010, W: 100},
	} {
		t.Run(want, func(t *testing.T) {
			if got := Path(tile); got != want {
				t.Errorf("%+v is at %s, want %s", tile, got, want)
			}
		})
	}
	if got := EntriesPath(1234067, 17); got != "tile/entries/x001/x234/067.p/17" {
		t.Errorf("entries are at %s, want tile/entries/x001/x234/067.p/17", got)
	}
	// A tree of 70,000, as the specification counts it.
	full, partial := 0, 0
	for _, tile := range tlog.NewTiles(Height, 0, 70_000) {
		if tile.W == Width {
			full++
		} else {
			partial++
		}
	}
	if full != 274 || partial != 3 {
		t.Errorf("%d full tiles and %d partial ones", full, partial)
	}
}

func TestBundles(t *testing.T) {
	entries := [][]byte{[]byte("one"), {}, bytes.Repeat([]byte("x"), 1<<16-1)}
	var bundle []byte
	for _, e := range entries {
		bundle = AppendEntry(bundle, e)
	}
	read, err := Entries(bundle, 3)
	if err != nil || len(read) != 3 || !bytes.Equal(read[2], entries[2]) {
		t.Fatal(err)
	}
	for _, w := range []int{0, 2, 4} {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			if _, err := Entries(bundle, w); !errors.Is(err, ErrBundle) {
				t.Errorf("%d entries: %v", w, err)
			}
		})
	}
	for _, n := range []int{0, 1, 4, len(bundle) - 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if _, err := Entries(bundle[:n], 3); !errors.Is(err, ErrBundle) {
				t.Errorf("%d bytes: %v", n, err)
			}
		})
	}
}

// A partial file names the full one that has it at its beginning.
func TestFullAndHead(t *testing.T) {
	for path, want := range map[string]struct {
		full  string
		width int
	}{
		"tile/0/000.p/5":              {"tile/0/000", 5},
		"tile/entries/x001/000.p/255": {"tile/entries/x001/000", 255},
		"tile/0/000":                  {"tile/0/000", Width},
		"tile/0/000.p/0":              {"tile/0/000.p/0", Width},
		"tile/0/000.p/256":            {"tile/0/000.p/256", Width},
		"tile/0/000.p/x":              {"tile/0/000.p/x", Width},
	} {
		t.Run(path, func(t *testing.T) {
			if full, width := Full(path); full != want.full || width != want.width {
				t.Errorf("%s is part of %s, of the width %d", path, full, width)
			}
		})
	}
	hashes := bytes.Repeat([]byte("h"), Width*tlog.HashSize)
	if got := Head("tile/0/000", 5, hashes); len(got) != 5*tlog.HashSize {
		t.Errorf("five hashes have %d bytes", len(got))
	}
	var bundle []byte
	for range Width {
		bundle = AppendEntry(bundle, []byte("one"))
	}
	if got := Head("tile/entries/000", 2, bundle); string(got) != "\x00\x03one\x00\x03one" {
		t.Errorf("two entries are %q", got)
	}
	if got := Head("tile/entries/000", 2, []byte("x")); string(got) != "x" {
		t.Errorf("what is no bundle is %q", got)
	}
}

// Files are bounded by what they may have at most.
func TestMaxBytes(t *testing.T) {
	for path, want := range map[string]int64{"checkpoint": 1 << 20, KeysPath: 64 << 10, "tile/0/000": 256 * 32, "tile/entries/000": 256 * 65537, "results/index.json": 128 << 20} {
		t.Run(path, func(t *testing.T) {
			if got := MaxBytes(path); got != want {
				t.Errorf("%s has at most %d bytes, want %d", path, got, want)
			}
		})
	}
}
