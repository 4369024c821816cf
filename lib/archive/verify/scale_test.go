package verify_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/entry"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/tiles"
	"tally/lib/archive/tree"
	"tally/lib/archive/verify"
)

// copies makes entries of the sample log's, again and again as later draws of the same
// tables, whose numbers run on through the days.
type copies struct {
	entries [][]string     // what is between the numbers
	at      []place        // of each entry
	draws   map[string]int // of each table in the sample
}

// place is a draw's place among those of its table in the sample.
type place struct {
	table  string
	number int
}

const copiesADay = 500

// numbered is where an entry has its draw's number: in the name, after the day, and in the
// running number of its table.
var numbered = regexp.MustCompile(`20261130\.\d{4}|"sequence":\d+`)

func newCopies(t testing.TB) *copies {
	c := &copies{draws: map[string]int{}}
	numbers := map[string]int{}
	for _, data := range bundleOf(t, archivetest.PlayAll(t), 150) {
		e, err := entry.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		draw := e.ID().Draw
		table, _, _ := strings.Cut(draw, ".")
		if _, known := numbers[draw]; !known {
			c.draws[table]++
			numbers[draw] = c.draws[table]
		}
		c.entries = append(c.entries, numbered.Split(string(data), -1))
		c.at = append(c.at, place{table, numbers[draw]})
	}
	return c
}

// append appends entry i of the endless list.
func (c *copies) append(dst []byte, i int) []byte {
	copied, at := i/len(c.entries), c.at[i%len(c.entries)]
	each := c.draws[at.table]
	for n, text := range c.entries[i%len(c.entries)] {
		switch dst = append(dst, text...); {
		case n == 0:
			dst = fmt.Appendf(dst, "%d.%04d", 20261130+copied/copiesADay, copied%copiesADay*each+at.number)
		case n == 1 && bytes.HasSuffix(dst, []byte(`,`)): // an opening's, after the table
			dst = fmt.Appendf(dst, `"sequence":%d`, copied*each+at.number)
		}
	}
	return dst
}

// writeLog writes a log of so many entries into a folder, without appending them one
// after the other as a sequencer does.
func writeLog(t testing.TB, folder string, size int) {
	t.Helper()
	c := newCopies(t)
	put := func(path string, data []byte) {
		path = filepath.Join(folder, filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	var kept tree.InMemory
	var data []byte
	for from := 0; from < size; from += tiles.Width {
		width := min(tiles.Width, size-from)
		var bundle []byte
		for i := range width {
			data = c.append(data[:0], from+i)
			bundle = tiles.AppendEntry(bundle, data)
			if err := kept.Add(tlog.RecordHash(data)); err != nil {
				t.Fatal(err)
			}
		}
		put(tiles.EntriesPath(int64(from/tiles.Width), width), bundle)
	}
	for _, tile := range tlog.NewTiles(tiles.Height, 0, int64(size)) {
		data, err := tlog.ReadTileData(tile, &kept)
		if err != nil {
			t.Fatal(err)
		}
		put(tiles.Path(tile), data)
	}
	root, err := kept.Root()
	if err != nil {
		t.Fatal(err)
	}
	signer, _, _ := archivetest.Key(t, archivetest.Origin, 7)
	signed, err := checkpoint.Sign(archivetest.Origin, tlog.Tree{N: int64(size), Hash: root}, signer)
	if err != nil {
		t.Fatal(err)
	}
	put(checkpoint.Path, signed)
}

// TestLargeLog verifies fifteen hundred entries as a sequencer has appended them, from a
// folder and over HTTP.
func TestLargeLog(t *testing.T) {
	const size = 1_500
	c, s := newCopies(t), archivetest.New(t)
	var leaves []sequencer.Leaf
	for i := range size {
		leaves = append(leaves, sequencer.Leaf{Group: fmt.Sprint("group ", i/150), Key: fmt.Sprint(i), Data: c.append(nil, i)})
	}
	if _, err := s.Log.Append(t.Context(), leaves); err != nil {
		t.Fatal(err)
	}
	folder := s.Copy()
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer server.Close()
	for _, place := range []string{folder, server.URL} {
		verifyLarge(t, s, place, size, nil)
	}
}

// BenchmarkLog measures fresh verifications, from a folder and over HTTP, and one that goes
// on where the last thousand entries of a log are new.
func BenchmarkLog(b *testing.B) {
	folders := map[int]string{}
	for _, size := range []int{99_000, 100_000, 1_000_000} {
		folders[size] = b.TempDir()
		writeLog(b, folders[size], size)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(folders[100_000])))
	defer server.Close()
	s := archivetest.New(b)
	before := verifyLarge(b, s, folders[99_000], 99_000, nil)
	for _, row := range []struct {
		name, place string
		size        int64
		before      *verify.Report
	}{
		{"folder/100000", folders[100_000], 100_000, nil}, {"http/100000", server.URL, 100_000, nil}, {"folder/1000000", folders[1_000_000], 1_000_000, nil},
		{"onward/100000", folders[100_000], 100_000, before},
	} {
		b.Run(row.name, func(b *testing.B) {
			for b.Loop() {
				verifyLarge(b, s, row.place, row.size, row.before)
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/log")
		})
	}
}

// verifyLarge verifies a log, going on where an earlier verification ended.
func verifyLarge(t testing.TB, s *archivetest.Sample, place string, size int64, before *verify.Report) *verify.Report {
	t.Helper()
	source, err := verify.Open(place)
	if err != nil {
		t.Fatal(err)
	}
	options := optionsOf(t, s)
	options.Parallel, options.Save = 16, func(json.RawMessage) error { return nil }
	if before != nil {
		options.Seen, options.Resume = tlog.Tree{N: before.Size, Hash: before.Root}, new(verify.Snapshot)
		if err := json.Unmarshal(before.Snapshot, options.Resume); err != nil {
			t.Fatal(err)
		}
	}
	r, err := verify.Log(t.Context(), source, options)
	if err != nil || len(r.Findings) > 0 || r.Size != size || (r.From > 0) != (before != nil) {
		t.Fatalf("%v, %v, %d entries, from %d", err, r.Findings, r.Size, r.From)
	}
	return r
}
