package verify_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/entry"
	"tally/lib/archive/tiles"
	"tally/lib/archive/tree"
	"tally/lib/archive/verify"
)

// openings returns so many entries.
func openings(n int) (list [][]byte) {
	for i := range n {
		o := entry.Opening{Draw: fmt.Sprintf("d.%d", i), Game: "dice", Table: "d", Sequence: int64(i + 1), StoredAt: 1_800_000_000_000, Message: strings.Repeat("ab", 32),
			Rounds: []entry.Planned{{Round: 1, OpensAt: 1_800_000_000_000, ClosesAt: 1_800_000_001_000}}}
		list = append(list, o.Append(nil))
	}
	return list
}

// logOf returns the files of a log of these entries, by the letter of the formats,
// under the key of the sample log.
func logOf(t *testing.T, list [][]byte) memory {
	t.Helper()
	var kept tree.InMemory
	files := memory{}
	for n := 0; n < len(list); n += tiles.Width {
		part := list[n:min(len(list), n+tiles.Width)]
		var bundle []byte
		for _, data := range part {
			bundle = tiles.AppendEntry(bundle, data)
			if err := kept.Add(tlog.RecordHash(data)); err != nil {
				t.Fatal(err)
			}
		}
		files[tiles.EntriesPath(int64(n/tiles.Width), len(part))] = bundle
	}
	for _, tile := range tlog.NewTiles(tiles.Height, 0, int64(len(list))) {
		data, err := tlog.ReadTileData(tile, &kept)
		if err != nil {
			t.Fatal(err)
		}
		files[tiles.Path(tile)] = data
	}
	root, err := kept.Root()
	if err != nil {
		t.Fatal(err)
	}
	secret, _, err := note.GenerateKey(rand.NewChaCha8([32]byte{7}), archivetest.Origin)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	if files[checkpoint.Path], err = checkpoint.Sign(archivetest.Origin, tlog.Tree{N: int64(len(list)), Hash: root}, signer); err != nil {
		t.Fatal(err)
	}
	return files
}

// TestAbsurdSizes has logs of nothing but a checkpoint, rightly signed, of a size that
// no log can have: none holds, whatever was seen before, and none can be remembered.
func TestAbsurdSizes(t *testing.T) {
	options := optionsOf(t, archivetest.New(t))
	signer, _, _ := archivetest.Key(t, archivetest.Origin, 7)
	for _, size := range []uint64{1<<48 + 1, 1<<53 + 1, 1<<63 - 256, 1<<63 - 255, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			for _, root := range []tlog.Hash{new(tree.Range).Root(), tlog.RecordHash([]byte("one"))} {
				signed, err := note.Sign(&note.Note{Text: fmt.Sprintf("%s\n%d\n%s\n", archivetest.Origin, size, root)}, signer)
				if err != nil {
					t.Fatal(err)
				}
				files := memory{checkpoint.Path: signed}
				for _, seen := range []tlog.Tree{{}, {N: 1, Hash: root}, {N: 150, Hash: root}} {
					options.Seen = seen
					one, err := verify.Draw(t.Context(), files, options, "war-1", nil)
					if err != nil {
						t.Fatal(err)
					}
					for _, r := range []*verify.Report{verified(t, files, options), one} {
						if len(r.Findings) != 1 || r.Findings[0].Code != verify.BadCheckpoint {
							t.Errorf("%d entries after %d: found %v", size, seen.N, r.Findings)
						}
					}
				}
				file := filepath.Join(t.TempDir(), "seen.json")
				if err := (&verify.Memory{Checkpoint: string(signed)}).Write(file); err != nil {
					t.Fatal(err)
				}
				if _, err := verify.Remembered(file, archivetest.Origin, options.Known); !errors.Is(err, checkpoint.ErrForm) {
					t.Errorf("%d entries are remembered: %v", size, err)
				}
			}
		})
	}
}

// TestSizes verifies logs of the sizes at which tiles begin and end, each grown out of
// each smaller one, and refuses each with any one of its files changed.
func TestSizes(t *testing.T) {
	options, all := optionsOf(t, archivetest.New(t)), openings(513)
	var seen []tlog.Tree
	for _, size := range []int{0, 1, 2, 255, 256, 257, 512, 513} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			files := logOf(t, all[:size])
			now := tlog.Tree{}
			for _, before := range append(seen, now) {
				options.Seen = before
				r := verified(t, files, options)
				if len(r.Findings) > 0 || r.Size != int64(size) || r.Counts.Openings != size {
					t.Fatalf("%d entries after %d: %v", size, before.N, r.Findings)
				}
				now = tlog.Tree{N: r.Size, Hash: r.Root}
			}
			seen = append(seen, now)
			options.Seen = tlog.Tree{}
			for path := range files {
				if size > 257 {
					break
				}
				tampered(t, files, path, options, func(data []byte) []byte { return nil })
				tampered(t, files, path, options, func(data []byte) []byte { return data[:len(data)-1] })
				tampered(t, files, path, options, func(data []byte) []byte { return append(data, 'x') })
				tampered(t, files, path, options, func(data []byte) []byte { return append(data, 0, 0) }) // as an entry without bytes
				tampered(t, files, path, options, func(data []byte) []byte { data[len(data)/2] ^= 1; return data })
			}
			if size > 0 {
				other := logOf(t, append(slices.Clone(all[1:size]), all[0]))
				options.Seen = now
				if r := verified(t, other, options); size > 1 && (len(r.Findings) == 0 || r.Findings[0].Code != verify.Forked) {
					t.Errorf("%d entries in another order: %v", size, r.Findings)
				}
				options.Seen = tlog.Tree{}
			}
		})
	}
}

func tampered(t *testing.T, files memory, path string, options verify.Params, change func([]byte) []byte) {
	t.Helper()
	changed := maps.Clone(files)
	if changed[path] = change(bytes.Clone(files[path])); changed[path] == nil {
		delete(changed, path)
	}
	if r := verified(t, changed, options); len(r.Findings) == 0 {
		t.Errorf("%d files, another %s: nothing is found", len(files), path)
	}
}

// TestReopened has a draw whose history was told once, and is told again with another
// result: who reads one draw back to its opening is told that this is all that was
// read, and who reads the whole log finds it.
func TestReopened(t *testing.T) {
	options := optionsOf(t, archivetest.New(t))
	list := append(openings(300), openings(1)...)
	files := logOf(t, list)
	if r := verified(t, files, options); len(r.Findings) != 1 || r.Findings[0].Code != verify.RepeatedEntry {
		t.Errorf("%v, want len(r.Findings) = 1 and r.Findings[0].Code = verify.RepeatedEntry", r.Findings)
	}
	r := drawn(t, files, options, "d.0")
	if len(r.Findings) > 0 || len(r.History) != 1 || r.History[0].Index != 300 || r.One.Read != 45 {
		t.Errorf("%v %+v %+v, want len(r.Findings) = 0 and len(r.History) = 1 and r.History[0].Index = 300 and r.One.Read = 45",
			r.Findings, r.History, r.One)
	}
}
