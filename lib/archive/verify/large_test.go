//go:build !race

package verify_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/entry"
	"tally/lib/archive/tiles"
	"tally/lib/archive/verify"
)

// TestForgotten has entries about a draw that came to rest long before, and is forgotten:
// what the log says of it is read again, by who reads the whole log and by who goes on.
func TestForgotten(t *testing.T) {
	sample := newCopies(t).list(150)
	const draw = "bac-1.20261130.0001"
	var early, late [][]byte
	states := 0
	for _, data := range sample {
		e, err := entry.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		if id := e.ID(); id.Draw == draw && id.State > 1 {
			states++
			late = append(late, data)
			continue
		}
		early = append(early, data)
	}
	if states < 2 {
		t.Fatalf("%s has %d entries after its first state, want a state and its settlement at least", draw, states)
	}
	filled := slices.Concat(early, openings(33_000))
	options := optionsOf(t, archivetest.New(t))
	next := remembering(t, &options)
	next(verified(t, logOf(t, filled), options))
	for name, row := range map[string]struct {
		list [][]byte
		want []verify.Code
	}{
		"what follows":      {late, nil},
		"a state left out":  {late[1:], []verify.Code{verify.MisplacedEntry}},
		"its opening again": {sample[:1], []verify.Code{verify.RepeatedEntry}},
		"its state again":   {[][]byte{sample[2]}, []verify.Code{verify.RepeatedEntry}},
	} {
		t.Run(name, func(t *testing.T) {
			files := logOf(t, slices.Concat(filled, row.list))
			further, whole := next(nil), options
			whole.Seen = further.Seen
			r := verified(t, files, further)
			sameReports(t, name, r, verified(t, files, whole))
			var found []verify.Code
			for _, f := range r.Findings {
				found = append(found, f.Code)
			}
			if found = slices.Compact(found); !slices.Equal(found, row.want) {
				t.Errorf("%s: found %v, want %v", name, r.Findings, row.want)
			}
		})
	}
}

// TestMemoryIsFlat verifies logs of which one is three times as long as the other: what is
// held at the most, once all that can be freed is, is hardly more. Without forgetting draws
// at rest it is twice as much.
func TestMemoryIsFlat(t *testing.T) {
	most := map[int]uint64{}
	for _, size := range []int{40_000, 120_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			folder := t.TempDir()
			writeLog(t, folder, size)
			options := optionsOf(t, archivetest.New(t))
			options.Progress = func(done, _ int64) {
				if done%(64*tiles.Width) != 0 {
					return
				}
				var memory runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&memory)
				most[size] = max(most[size], memory.HeapAlloc)
			}
			source, err := verify.Open(folder)
			if err != nil {
				t.Fatal(err)
			}
			if r := verified(t, source, options); len(r.Findings) > 0 || r.Size != int64(size) {
				t.Fatalf("%d entries: %v", r.Size, r.Findings)
			}
		})
	}
	if short, long := most[40_000], most[120_000]; long > short*3/2 {
		t.Errorf("120,000 entries hold %d bytes, 40,000 hold %d: want no more than half as much again", long, short)
	}
}
