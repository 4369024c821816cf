package verify_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/entry"
	"tally/lib/archive/tiles"
	"tally/lib/archive/verify"
)

// counting counts what is read of a log.
type counting struct {
	verify.Source
	mutex sync.Mutex
	paths []string
	bytes int
	fails string // the path that can't be read
}

var errDown = errors.New("the server is down")

func (c *counting) Get(ctx context.Context, path string) ([]byte, error) {
	if path == c.fails {
		return nil, errDown
	}
	data, err := c.Source.Get(ctx, path)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.paths, c.bytes = append(c.paths, path), c.bytes+len(data)
	return data, err
}

// list returns so many entries.
func (c *copies) list(size int) (list [][]byte) {
	for i := range size {
		list = append(list, c.append(nil, i))
	}
	return list
}

// remembering has what is to be remembered written into a file and read from there.
func remembering(t *testing.T, options *verify.Params) (read func(r *verify.Report) verify.Params) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "seen.json")
	options.Save = func(snapshot json.RawMessage) error { return (&verify.Memory{Snapshot: snapshot}).Write(path) }
	return func(r *verify.Report) verify.Params {
		t.Helper()
		if r != nil {
			if err := (&verify.Memory{Checkpoint: string(r.Checkpoint), Snapshot: r.Snapshot}).Write(path); err != nil {
				t.Fatal(err)
			}
		}
		m, err := verify.Remembered(path, options.Origin, options.Known)
		if err != nil {
			t.Fatal(err)
		}
		next := *options
		next.Seen, next.Resume = m.Seen, m.Resume
		return next
	}
}

// sameReports compares what a verification of what is new came to with one of the whole
// log, which had seen the same before.
func sameReports(t *testing.T, name string, further, whole *verify.Report) {
	t.Helper()
	a, b := *further, *whole
	a.From, a.Snapshot, b.Snapshot = 0, nil, nil
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%s: the report is\n%+v, of the whole log it is\n%+v", name, a, b)
	}
}

// TestOnward verifies logs that have grown out of others, at the sizes where tiles begin and
// end and where draws are under way: only what is new is read, and the report is that of
// the whole log.
func TestOnward(t *testing.T) {
	all := newCopies(t).list(1_600)
	for _, sizes := range [][2]int{{1, 2}, {7, 300}, {255, 256}, {256, 257}, {256, 512}, {300, 300}, {300, 301}, {511, 1_537}, {1_000, 1_600}, {1_280, 1_600}} {
		t.Run(fmt.Sprint(sizes), func(t *testing.T) {
			name := fmt.Sprintf("%d entries after %d", sizes[1], sizes[0])
			options := optionsOf(t, archivetest.New(t))
			next := remembering(t, &options)
			options = next(verified(t, logOf(t, all[:sizes[0]]), options))
			files := &counting{Source: logOf(t, all[:sizes[1]])}
			r := verified(t, files, options)
			if r.From != int64(sizes[0]) || len(r.Findings) > 0 {
				t.Errorf("%s: verified on from %d: %v", name, r.From, r.Findings)
			}
			options.Resume = nil
			sameReports(t, name, r, verified(t, logOf(t, all[:sizes[1]]), options))
			want := []string{checkpoint.Path, tiles.KeysPath}
			if first := sizes[0] / tiles.Width; sizes[1] > sizes[0] {
				if first > 0 {
					want = append(want, fmt.Sprintf("tile/1/000.p/%d", sizes[1]/tiles.Width))
				}
				for n := first; n*tiles.Width < sizes[1]; n++ {
					width := min(tiles.Width, sizes[1]-n*tiles.Width)
					want = append(want, tiles.EntriesPath(int64(n), width), strings.Replace(tiles.EntriesPath(int64(n), width), "entries", "0", 1))
				}
				if first == 0 && sizes[1] >= tiles.Width { // level 1 has begun since
					want = append(want, fmt.Sprintf("tile/1/000.p/%d", sizes[1]/tiles.Width))
				}
			}
			slices.Sort(want)
			slices.Sort(files.paths)
			if !slices.Equal(files.paths, want) {
				t.Errorf("%s: read were %v, want %v", name, files.paths, want)
			}
		})
	}
}

// TestOnwardFaults changes what is new: what is found is what a verification of the whole
// log finds.
func TestOnwardFaults(t *testing.T) {
	all := newCopies(t).list(700)
	const before = 333
	options := optionsOf(t, archivetest.New(t))
	next := remembering(t, &options)
	options = next(verified(t, logOf(t, all[:before]), options))
	bare := options
	bare.Resume = nil
	compare := func(name string, files memory) {
		t.Helper()
		options := next(nil) // a snapshot is used up
		r, whole := verified(t, files, options), verified(t, files, bare)
		if len(whole.Findings) == 0 || r.From != 0 {
			t.Errorf("%s: found %v, from entry %d", name, whole.Findings, r.From)
		}
		sameReports(t, name, r, whole)
	}
	files := logOf(t, all)
	for path := range files {
		if path == checkpoint.Path || path == "tile/0/000" || path == "tile/entries/000" {
			continue // the one is no part of the tree, the others were verified before
		}
		for _, at := range []int{3, len(files[path]) / 2, len(files[path]) - 1} {
			changed := maps.Clone(files)
			changed[path] = slices.Clone(files[path])
			changed[path][at] ^= 1
			compare(fmt.Sprintf("byte %d of %s", at, path), changed)
		}
		missing := maps.Clone(files)
		delete(missing, path)
		compare("without "+path, missing)
	}
	for name, list := range map[string][][]byte{
		"an opening again":               slices.Insert(slices.Clone(all), 600, all[0]),
		"a state again":                  slices.Insert(slices.Clone(all), 600, all[2]),
		"a settlement again":             slices.Insert(slices.Clone(all), 600, all[before-1]),
		"an entry left out":              slices.Delete(slices.Clone(all), before, before+1),
		"an entry before those verified": slices.Insert(slices.Clone(all), before-1, all[500]),
		"other entries":                  slices.Concat(all[1:before+1], all[:1], all[before+1:]),
	} {
		compare(name, logOf(t, list))
	}
}

// TestOtherSnapshot goes on from what was remembered of a log that differs in its last bundle,
// where nothing but that was seen: the whole log is read.
func TestOtherSnapshot(t *testing.T) {
	all := newCopies(t).list(700)
	options := optionsOf(t, archivetest.New(t))
	next := remembering(t, &options)
	further := next(verified(t, logOf(t, all[:333]), options))
	further.Seen = options.Seen
	at := slices.IndexFunc(all[300:], func(data []byte) bool { return strings.Contains(string(data), `"root":"`) }) + 300
	if at >= 333 {
		t.Fatalf("the first settlement after entry 300 is entry %d, want one before 333", at)
	}
	committed := regexp.MustCompile(`"root":"[0-9a-f]{64}"`)
	all[at] = committed.ReplaceAll(all[at], []byte(`"root":"`+strings.Repeat("ab", 32)+`"`))
	files := logOf(t, all)
	r := verified(t, files, further)
	if r.From != 0 {
		t.Errorf("it goes on from entry %d", r.From)
	}
	sameReports(t, "a snapshot of another log", r, verified(t, files, options))
}

// TestInterrupted has a log fail in the middle: what was verified until then is not read
// again.
func TestInterrupted(t *testing.T) {
	all := newCopies(t).list(2_000)
	options := optionsOf(t, archivetest.New(t))
	next := remembering(t, &options)
	files := logOf(t, all)
	if _, err := verify.Log(t.Context(), &counting{Source: files, fails: "tile/entries/005"}, options); !errors.Is(err, errDown) {
		t.Fatalf("%v, want that the server is down", err)
	}
	further := next(nil)
	if further.Resume == nil || further.Resume.Size != 5*tiles.Width {
		t.Fatalf("remembered is %+v, want a snapshot of %d entries", further.Resume, 5*tiles.Width)
	}
	count := &counting{Source: files}
	r := verified(t, count, further)
	sameReports(t, "the rest", r, verified(t, files, options))
	// The checkpoint, the keys, the tile of level 1, and three bundles with their tiles.
	if r.From != 5*tiles.Width || len(count.paths) != 9 {
		t.Errorf("from entry %d it reads %v", r.From, count.paths)
	}
}

// TestMemory reads what was remembered: as it was written, by an earlier version, and not
// at all once it was changed.
func TestMemory(t *testing.T) {
	all := newCopies(t).list(300)
	options := optionsOf(t, archivetest.New(t))
	next := remembering(t, &options)
	r := verified(t, logOf(t, all), options)
	if next(r).Resume == nil {
		t.Error("the snapshot is not remembered")
	}
	read := func(text []byte) (*verify.Memory, error) {
		path := filepath.Join(t.TempDir(), "changed.json")
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return verify.Remembered(path, options.Origin, options.Known)
	}
	old, err := json.MarshalIndent(map[string]string{"checkpoint": string(r.Checkpoint)}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if m, err := read(old); err != nil || m.Seen.N != 300 || m.Resume != nil {
		t.Errorf("what an earlier version has written: %+v, %v", m, err)
	}
	text, err := json.Marshal(verify.Memory{Checkpoint: string(r.Checkpoint), Snapshot: r.Snapshot, SHA256: entry.HashOf(string(r.Snapshot))})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := read(text); err != nil || m.Resume == nil {
		t.Errorf("what was written is not read: %v", err)
	}
	for at := len(text) - 3; at > 0; at -= 101 {
		changed := slices.Clone(text)
		changed[at] ^= 1
		if m, err := read(changed); err == nil && m.Resume != nil {
			t.Errorf("byte %d, of %.40q, is changed, and it is believed", at, text[at:])
		}
	}
	later := strings.Replace(string(r.Snapshot), `"version":1`, `"version":99`, 1)
	if text, err = json.Marshal(verify.Memory{Checkpoint: string(r.Checkpoint), Snapshot: json.RawMessage(later), SHA256: entry.HashOf(later)}); err != nil {
		t.Fatal(err)
	}
	if m, err := read(text); err != nil || m.Seen.N != 300 || m.Resume != nil {
		t.Errorf("what a later version has written: %+v, %v", m, err)
	}
}

// TestMemories has the key of a log replaced, with a file of what was seen under each: a
// verification goes on from what either knows, and both remember what it has come to.
func TestMemories(t *testing.T) {
	all := newCopies(t).list(300)
	fresh := optionsOf(t, archivetest.New(t))
	before, after := filepath.Join(t.TempDir(), "before.json"), filepath.Join(t.TempDir(), "after.json")
	read := func(files ...string) (*verify.Memories, verify.Params) {
		t.Helper()
		options := fresh
		memories, err := verify.ReadMemories(files, &options)
		if err != nil {
			t.Fatal(err)
		}
		return memories, options
	}
	if _, options := read(); options.Save != nil || options.Resume != nil || options.Seen.N != 0 {
		t.Errorf("without a file there is something to go on from: %+v, want nothing", options)
	}
	memories, options := read(before)
	first := verified(t, logOf(t, all[:100]), options)
	if err := memories.Write(first.Checkpoint, first.Snapshot); err != nil {
		t.Fatal(err)
	}
	memories, options = read(after, before)
	if options.Seen.N != 100 || options.Resume == nil || options.Resume.Size != 100 {
		t.Fatalf("seen are %d entries, to go on from %+v, want 100 of the older key's file", options.Seen.N, options.Resume)
	}
	second := verified(t, logOf(t, all), options)
	if second.From != 100 {
		t.Errorf("it is read from entry %d on, want 100", second.From)
	}
	if err := options.Save(second.Snapshot); err != nil { // as of a run that is interrupted
		t.Fatal(err)
	}
	for file, seen := range map[string]int64{before: 100, after: 0} {
		t.Run(file, func(t *testing.T) {
			if _, options := read(file); options.Seen.N != seen || options.Resume == nil || options.Resume.Size != 300 {
				t.Errorf("%s has seen %d, to go on from %+v, want %d and 300", filepath.Base(file), options.Seen.N, options.Resume, seen)
			}
		})
	}
	if err := memories.Write(second.Checkpoint, nil); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{before, after} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			if _, options := read(file); options.Seen.N != 300 || options.Resume == nil || options.Resume.Size != 300 {
				t.Errorf("it has seen %d, to go on from %+v, want all 300", options.Seen.N, options.Resume)
			}
		})
	}
	for name, path := range map[string]string{"a file for its folder": filepath.Join(before, "seen.json"), "a folder for the file": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			if err := (&verify.Memory{Checkpoint: string(second.Checkpoint)}).Write(path); err == nil {
				t.Error("it is written, want an error")
			}
		})
	}
}
