package verify_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/tiles"
	"tally/lib/archive/verify"
	"tally/lib/rulebook/games"
)

// memory is a log's files in memory.
type memory map[string][]byte

func (m memory) Get(_ context.Context, path string) ([]byte, error) {
	data, found := m[path]
	if !found {
		return nil, verify.ErrMissing
	}
	return bytes.Clone(data), nil
}

func filesOf(s *archivetest.Sample) memory {
	files := memory{}
	for key, file := range s.Files.Files() {
		files[key] = file.Data
	}
	return files
}

func optionsOf(t testing.TB, s *archivetest.Sample) verify.Params {
	t.Helper()
	verifier, err := note.NewVerifier(s.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	// The entries that tests make are of 2026 and January 2027.
	now := func() time.Time { return time.Date(2027, time.February, 1, 0, 0, 0, 0, time.UTC) }
	return verify.Params{Origin: archivetest.Origin, Known: note.VerifierList(verifier), Now: now}
}

func verified(t *testing.T, source verify.Source, options verify.Params) *verify.Report {
	t.Helper()
	r, err := verify.Log(t.Context(), source, options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSampleLog(t *testing.T) {
	s := archivetest.PlayAll(t)
	options := optionsOf(t, s)
	var last int64
	options.Progress = func(done, all int64) { last = done }
	r := verified(t, filesOf(s), options)
	if len(r.Findings) > 0 {
		t.Fatalf("found %+v, want nothing", r.Findings)
	}
	if r.Size != 150 || last != 150 || r.Counts.States != r.Counts.Resolved || r.Counts.Openings != len(r.Tables)*2+1 || len(r.Contradicted) > 0 {
		t.Errorf("%+v, want r.Size = 150 and last = 150 and r.Counts.States = %v and r.Counts.Openings = %v and len(r.Contradicted) = 0",
			r, r.Counts.Resolved, len(r.Tables)*2+1)
	}
	served := httptest.NewServer(http.FileServer(http.Dir(s.Copy())))
	defer served.Close()
	for _, place := range []string{s.Copy(), served.URL, served.URL + "/"} {
		t.Run(place, func(t *testing.T) {
			source, err := verify.Open(place)
			if err != nil {
				t.Fatal(err)
			}
			if again := verified(t, source, options); again.Root != r.Root || len(again.Findings) > 0 {
				t.Errorf("%s: %+v, want again.Root = %v and len(again.Findings) = 0", place, again, r.Root)
			}
		})
	}
}

// tamper is one way to tamper with a log.
type tamper struct {
	name string
	do   func(t *testing.T, s *archivetest.Sample, files memory, options *verify.Params)
	want []verify.Code // all that is found
}

var bundlePath, tilePath = tiles.EntriesPath(0, 150), "tile/0/000.p/150"

var tampers = []tamper{
	{"no file at all", func(_ *testing.T, _ *archivetest.Sample, files memory, _ *verify.Params) { clear(files) }, []verify.Code{verify.NoCheckpoint}},
	{"a flipped bit in the checkpoint's size", func(_ *testing.T, _ *archivetest.Sample, files memory, _ *verify.Params) {
		flip(files, checkpoint.Path, len(archivetest.Origin)+2)
	}, []verify.Code{verify.BadSignature}},
	{"a flipped bit in the checkpoint's signature", func(_ *testing.T, _ *archivetest.Sample, files memory, _ *verify.Params) {
		flip(files, checkpoint.Path, len(files[checkpoint.Path])-10)
	}, []verify.Code{verify.BadSignature}},
	{"a checkpoint that is none", func(_ *testing.T, _ *archivetest.Sample, files memory, _ *verify.Params) {
		files[checkpoint.Path] = []byte("hello\n")
	}, []verify.Code{verify.BadCheckpoint}},
	{"another log's key", func(t *testing.T, _ *archivetest.Sample, _ memory, options *verify.Params) {
		_, public, err := note.GenerateKey(nil, archivetest.Origin)
		if err != nil {
			t.Fatal(err)
		}
		verifier, err := note.NewVerifier(public)
		if err != nil {
			t.Fatal(err)
		}
		options.Known = note.VerifierList(verifier)
	}, []verify.Code{verify.BadSignature}},
	{"another log's name", func(_ *testing.T, _ *archivetest.Sample, _ memory, options *verify.Params) {
		options.Origin = "example.com/other"
	}, []verify.Code{verify.OtherLog}},
	{"a flipped bit in an entry", func(_ *testing.T, _ *archivetest.Sample, files memory, _ *verify.Params) {
		at := bytes.Index(files[bundlePath], []byte(`"sequence":`))
		flip(files, bundlePath, at+11)
	}, []verify.Code{verify.MismatchTile, verify.MismatchRoot}},
	{"a flipped bit in an entry's name", func(_ *testing.T, _ *archivetest.Sample, files memory, _ *verify.Params) {
		flip(files, bundlePath, 4)
	}, []verify.Code{verify.MismatchTile, verify.MismatchRoot, verify.BadEntry, verify.MisplacedEntry}},
	{"a flipped bit in an entry's length", func(_ *testing.T, _ *archivetest.Sample, files memory, _ *verify.Params) {
		flip(files, bundlePath, 1)
	}, []verify.Code{verify.BadBundle}},
	{"a flipped bit in a tile", func(_ *testing.T, _ *archivetest.Sample, files memory, _ *verify.Params) {
		flip(files, tilePath, 77)
	}, []verify.Code{verify.MismatchTile}},
	{"a tile that is too short", func(_ *testing.T, _ *archivetest.Sample, files memory, _ *verify.Params) {
		files[tilePath] = files[tilePath][32:]
	}, []verify.Code{verify.MismatchTile}},
	{"a missing tile", func(_ *testing.T, _ *archivetest.Sample, files memory, _ *verify.Params) {
		delete(files, tilePath)
	}, []verify.Code{verify.MissingTile}},
	{"a missing bundle", func(_ *testing.T, _ *archivetest.Sample, files memory, _ *verify.Params) {
		delete(files, bundlePath)
	}, []verify.Code{verify.MissingBundle}},
	{"two entries in another order, and their tile", func(t *testing.T, _ *archivetest.Sample, files memory, _ *verify.Params) {
		reorder(t, files)
	}, []verify.Code{verify.MismatchRoot, verify.MisplacedEntry}},
	{"an older checkpoint", func(t *testing.T, s *archivetest.Sample, _ memory, options *verify.Params) {
		options.Seen = tlog.Tree{N: 151}
	}, []verify.Code{verify.OlderCheckpoint}},
	{"another tree of the size that was seen", func(t *testing.T, s *archivetest.Sample, _ memory, options *verify.Params) {
		options.Seen = tlog.Tree{N: 150}
	}, []verify.Code{verify.Forked}},
	{"a log that grew from another one than was seen", func(t *testing.T, s *archivetest.Sample, _ memory, options *verify.Params) {
		options.Seen = tlog.Tree{N: 40, Hash: tlog.RecordHash([]byte("another"))}
	}, []verify.Code{verify.Forked}},
}

func flip(files memory, path string, at int) {
	data := bytes.Clone(files[path])
	data[at] ^= 1
	files[path] = data
}

// reorder swaps the first two entries in their bundle and in the tile.
func reorder(t *testing.T, files memory) {
	t.Helper()
	list, err := tiles.Entries(files[bundlePath], 150)
	if err != nil {
		t.Fatal(err)
	}
	list[0], list[1] = list[1], list[0]
	files[bundlePath], files[tilePath] = nil, nil
	for _, e := range list {
		hash := tlog.RecordHash(e)
		files[bundlePath], files[tilePath] = tiles.AppendEntry(files[bundlePath], e), append(files[tilePath], hash[:]...)
	}
}

// TestRefusals tampers with a log in one way after the other. Each must be found,
// and named.
func TestRefusals(t *testing.T) {
	s := archivetest.PlayAll(t)
	whole := filesOf(s)
	if _, found := whole[tilePath]; !found {
		t.Fatalf("%s is not there", tilePath)
	}
	for _, tamper := range tampers {
		t.Run(tamper.name, func(t *testing.T) {
			files, options := maps.Clone(whole), optionsOf(t, s)
			tamper.do(t, s, files, &options)
			r := verified(t, files, options)
			var got []verify.Code
			for _, f := range r.Findings {
				if f.Message == "" {
					t.Errorf("%s says nothing", f.Code)
				}
				if !slices.Contains(got, f.Code) {
					got = append(got, f.Code)
				}
			}
			if !slices.Equal(got, tamper.want) || r.Class() == verify.NothingWrong {
				t.Errorf("found %v, want %v", r.Findings, tamper.want)
			}
		})
	}
}

// TestEveryByte flips a bit of each byte of the newest files: nothing passes.
func TestEveryByte(t *testing.T) {
	game, _ := games.Find("war")
	s := archivetest.New(t)
	s.Play(game)
	s.ArchiveAll()
	whole, options := filesOf(s), optionsOf(t, s)
	size := verified(t, whole, options).Size
	for _, path := range []string{checkpoint.Path, tiles.EntriesPath(0, int(size)), fmt.Sprintf("tile/0/000.p/%d", size)} {
		for at := range whole[path] {
			files := maps.Clone(whole)
			flip(files, path, at)
			if r := verified(t, files, options); len(r.Findings) == 0 {
				t.Fatalf("a flipped bit at byte %d of %s passes", at, path)
			}
		}
	}
}

// TestRewrittenLogs verifies logs whose trees are right and signed, and whose
// entries say what can't be.
func TestRewrittenLogs(t *testing.T) {
	game, _ := games.Find("war")
	s := archivetest.New(t)
	s.Play(game)
	s.ArchiveAll()
	list, options := entriesOf(t, s), optionsOf(t, s)
	tests := []struct {
		name string
		want verify.Code
		make func(list [][]byte) [][]byte
	}{
		{"another outcome", verify.MismatchResult, func(list [][]byte) [][]byte {
			return replaceOne(t, list, `"winner":"dealer"`, `"winner":"player"`)
		}},
		{"other facts", verify.MismatchResult, func(list [][]byte) [][]byte {
			return replaceOne(t, list, `"dealer":"`, `"dealer":"A`)
		}},
		{"other visible cards", verify.MismatchResult, func(list [][]byte) [][]byte {
			return replaceOne(t, list, `"visible":{"player":`, `"visible":{"dealer":`)
		}},
		{"another version of the rules", verify.UnknownRules, func(list [][]byte) [][]byte {
			return replaceOne(t, list, `"catalogue":2`, `"catalogue":3`)
		}},
		{"an entry that was slipped in again", verify.RepeatedEntry, func(list [][]byte) [][]byte { return append(list, list[0]) }},
		{"an entry that was removed", verify.MisplacedEntry, func(list [][]byte) [][]byte { return list[1:] }},
		{"entries in reverse order", verify.MisplacedEntry, func(list [][]byte) [][]byte { slices.Reverse(list); return list }},
		{"an entry that is spelled otherwise", verify.BadEntry, func(list [][]byte) [][]byte {
			return replaceOne(t, list, `{"schema":1,`, `{ "schema":1,`)
		}},
		{"totals that don't add up", verify.BadEntry, func(list [][]byte) [][]byte {
			return replaceOne(t, list, `"totals":{"EUR":{"bets":`, `"totals":{"EUR":{"bets":9`)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := verified(t, filesOf(rewritten(t, test.make(slices.Clone(list)))), options)
			if len(r.Findings) == 0 || r.Findings[0].Code != test.want {
				t.Errorf("found %v, want %s first", r.Findings, test.want)
			}
		})
	}
}

// entriesOf returns the entries of a log of less than a bundle.
func entriesOf(t *testing.T, s *archivetest.Sample) [][]byte {
	t.Helper()
	return bundleOf(t, s, int(verified(t, filesOf(s), optionsOf(t, s)).Size))
}

// bundleOf returns the entries of a log of that size, less than a bundle.
func bundleOf(t testing.TB, s *archivetest.Sample, size int) [][]byte {
	t.Helper()
	list, err := tiles.Entries(filesOf(s)[tiles.EntriesPath(0, size)], size)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// rewritten returns a log that has these entries, rightly signed.
func rewritten(t *testing.T, list [][]byte) *archivetest.Sample {
	t.Helper()
	fresh := archivetest.New(t)
	var leaves []sequencer.Leaf
	for i, data := range list {
		leaves = append(leaves, sequencer.Leaf{Group: "any", Key: fmt.Sprint(i), Data: data})
	}
	if _, err := fresh.Log.Append(t.Context(), leaves); err != nil {
		t.Fatal(err)
	}
	return fresh
}

// replaceOne replaces the first text in the first entry that has it.
func replaceOne(t *testing.T, list [][]byte, old, by string) [][]byte {
	t.Helper()
	for i, data := range list {
		if strings.Contains(string(data), old) {
			list[i] = []byte(strings.Replace(string(data), old, by, 1))
			return list
		}
	}
	t.Fatalf("no entry has %s", old)
	return nil
}
