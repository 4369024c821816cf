package secondopinion

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/tiles"
	"tally/lib/archive/tree"
	"tally/lib/archive/verify"
)

// damage is a way to tamper with a log.
type damage struct {
	name string
	do   func(c *copied)
	want verify.Code // the reason that tally verify names first
	// others says that fsck and one of the clients see it, too. A log that was set back
	// or forked is a log like another: only who remembers a checkpoint sees it.
	others bool
}

var damages = []damage{
	{"a flipped bit in the checkpoint", func(c *copied) { c.flip(checkpoint.Path, 3) }, verify.BadSignature, true},
	{"a flipped bit in an entry", func(c *copied) { c.flip(c.bundle(), 40) }, verify.MismatchTile, true},
	{"a flipped bit in a tile", func(c *copied) { c.flip(c.tile(), 77) }, verify.MismatchTile, true},
	{"a missing tile", func(c *copied) { c.remove(c.tile()) }, verify.MissingTile, true},
	{"a missing bundle", func(c *copied) { c.remove(c.bundle()) }, verify.MissingBundle, true},
	{"two entries in another order", (*copied).reorder, verify.MismatchTile, true},
	{"an older checkpoint", func(c *copied) { c.resign(c.size - 1) }, verify.OlderCheckpoint, false},
	{"a forked log", (*copied).fork, verify.Forked, false},
	{"no file, and a size near the end of all numbers", func(c *copied) { c.claim(math.MaxInt64) }, verify.BadCheckpoint, true},
	{"no file, and one entry more than a log can have", func(c *copied) { c.claim(checkpoint.MaxSize + 1) }, verify.BadCheckpoint, true},
}

// Refuse tampers with copies of a log, in one way after the other, and fails a test
// unless tally verify refuses each and names the reason, and the others do where
// they can. The signer is the log's: who runs it could do this.
func (l Log) Refuse(t *testing.T, signer note.Signer) {
	t.Helper()
	r, err := l.Verify(t.Context(), tlog.Tree{})
	if err != nil || len(r.Findings) > 0 || r.Size < 3 {
		t.Fatalf("%v, %v, %d entries", err, r.Findings, r.Size)
	}
	seen := tlog.Tree{N: r.Size, Hash: r.Root}
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			c := &copied{Log: Log{Folder: t.TempDir(), Key: l.Key}, t: t, signer: signer, size: r.Size, signed: r.Checkpoint}
			if err := os.CopyFS(c.Folder, os.DirFS(l.Folder)); err != nil {
				t.Fatal(err)
			}
			d.do(c)
			c.refused(d, seen)
		})
	}
}

// copied is a copy of a log to be tampered with.
type copied struct {
	Log
	t      *testing.T
	signer note.Signer
	size   int64
	signed []byte // the checkpoint before
}

// stuck is how long fsck may take to find what is wrong. Where a file is missing it
// does not end.
const stuck = 3 * time.Second

func (c *copied) refused(d damage, seen tlog.Tree) {
	c.t.Helper()
	r, err := c.Verify(c.t.Context(), seen)
	if err != nil || len(r.Findings) == 0 || r.Findings[0].Code != d.want || r.Findings[0].Message == "" {
		c.t.Errorf("tally verify: %v, %v, want %s", err, r.Findings, d.want)
	}
	if err := c.Fsck(c.t.Context(), stuck); (err != nil) != d.others {
		c.t.Errorf("fsck: %v", err)
	}
	if d.others && c.Read(c.t.Context()) == nil && c.Prove(c.t.Context(), 1) == nil {
		c.t.Error("neither torchwood's client nor Tessera's sees it")
	}
	if err := c.Follow(c.t.Context(), c.signed); err == nil && d.want == verify.Forked {
		c.t.Error("Tessera's client follows a fork")
	}
}

func (c *copied) path(name string) string { return filepath.Join(c.Folder, filepath.FromSlash(name)) }

func (c *copied) read(name string) []byte {
	c.t.Helper()
	data, err := os.ReadFile(c.path(name))
	if err != nil {
		c.t.Fatal(err)
	}
	return data
}

func (c *copied) write(name string, data []byte) {
	c.t.Helper()
	if err := os.MkdirAll(filepath.Dir(c.path(name)), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(c.path(name), data, 0o644); err != nil {
		c.t.Fatal(err)
	}
}

func (c *copied) flip(name string, at int) {
	data := c.read(name)
	data[at] ^= 1
	c.write(name, data)
}

func (c *copied) remove(name string) {
	c.t.Helper()
	if err := os.Remove(c.path(name)); err != nil {
		c.t.Fatal(err)
	}
}

// bundle and tile are the first ones.
func (c *copied) bundle() string { return tiles.EntriesPath(0, int(min(c.size, tiles.Width))) }

func (c *copied) tile() string {
	return tiles.Path(tlog.Tile{H: tiles.Height, L: 0, N: 0, W: int(min(c.size, tiles.Width))})
}

// entries reads all entries.
func (c *copied) entries() (all [][]byte) {
	c.t.Helper()
	for n := int64(0); n*tiles.Width < c.size; n++ {
		width := int(min(tiles.Width, c.size-n*tiles.Width))
		list, err := tiles.Entries(c.read(tiles.EntriesPath(n, width)), width)
		if err != nil {
			c.t.Fatal(err)
		}
		all = append(all, list...)
	}
	return all
}

// reorder puts the first two entries of the log in another order.
func (c *copied) reorder() {
	all := c.entries()[:min(c.size, tiles.Width)]
	all[0], all[1] = all[1], all[0]
	c.write(c.bundle(), bundled(all))
}

func bundled(entries [][]byte) (bundle []byte) {
	for _, e := range entries {
		bundle = append(binary.BigEndian.AppendUint16(bundle, uint16(len(e))), e...)
	}
	return bundle
}

// resign signs the checkpoint of the first so many entries, with their tiles.
func (c *copied) resign(size int64) { c.rewrite(c.entries()[:size]) }

// claim leaves nothing of the log but a checkpoint of this size, signed, with the root
// of no entries.
func (c *copied) claim(size int64) {
	c.t.Helper()
	if err := os.RemoveAll(c.path("tile")); err != nil {
		c.t.Fatal(err)
	}
	root := new(tree.Range).Root()
	signed, err := note.Sign(&note.Note{Text: fmt.Sprintf("%s\n%d\n%s\n", c.Key.Name(), size, root)}, c.signer)
	if err != nil {
		c.t.Fatal(fmt.Errorf("signing: %w", err))
	}
	c.write(checkpoint.Path, signed)
}

// fork writes another log of that size and one entry more: without the first entry,
// and with the last one twice.
func (c *copied) fork() {
	all := c.entries()
	last := all[len(all)-1]
	c.rewrite(append(all[1:], bytes.Clone(last), bytes.Clone(last)))
}

// rewrite writes a log of these entries.
func (c *copied) rewrite(all [][]byte) {
	c.t.Helper()
	if err := os.RemoveAll(c.path("tile")); err != nil {
		c.t.Fatal(err)
	}
	var kept tree.InMemory
	for _, e := range all {
		if err := kept.Add(tlog.RecordHash(e)); err != nil {
			c.t.Fatal(err)
		}
	}
	for n := 0; n < len(all); n += tiles.Width {
		part := all[n:min(len(all), n+tiles.Width)]
		c.write(tiles.EntriesPath(int64(n/tiles.Width), len(part)), bundled(part))
	}
	size := int64(len(all))
	for _, tile := range tlog.NewTiles(tiles.Height, 0, size) {
		data, err := tlog.ReadTileData(tile, &kept)
		if err != nil {
			c.t.Fatal(err)
		}
		c.write(tiles.Path(tile), data)
	}
	root, err := kept.Root()
	if err != nil {
		c.t.Fatal(err)
	}
	signed, err := checkpoint.Sign(c.Key.Name(), tlog.Tree{N: size, Hash: root}, c.signer)
	if err != nil {
		c.t.Fatal(fmt.Errorf("signing: %w", err))
	}
	c.write(checkpoint.Path, signed)
}
