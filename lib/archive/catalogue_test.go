package archive_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive"
	"tally/lib/archive/entry"
	"tally/lib/rulebook/games"
	"tally/lib/store"
	"tally/lib/strictjson"
)

// A log of draws that began before a version was raised is as it would have been, and
// read as it was.
func TestCatalogueRaised(t *testing.T) {
	for _, id := range []string{"roulette", "poker"} {
		t.Run(id, func(t *testing.T) {
			first, _ := games.Find(id)
			s := archivetest.New(t)
			s.Play(first)
			second := *first
			second.Version++
			second.Rounds = second.Rounds[:1]
			t.Cleanup(games.Release(&second))
			s.ArchiveAll()
			got := entriesOf(t, s)
			want, err := os.ReadFile(filepath.Join("testdata", id+".jsonl"))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
			}
			for line := range bytes.Lines(got) {
				e, err := entry.Parse(bytes.TrimSpace(line))
				if err != nil {
					t.Fatal(err)
				}
				switch e := e.(type) {
				case *entry.Opening:
					err = e.Resolve()
				case *entry.Closings:
					err = e.Resolve(new(strictjson.Document))
				case *entry.State:
					err = e.Resolve(new(strictjson.Document))
				}
				if err != nil {
					t.Errorf("%s: %v", e.ID(), err)
				}
			}
		})
	}
}

// What a draw of rules that the program does not have says can't be logged, or compared,
// by it: the draw waits, and the others are logged.
func TestUnknownRules(t *testing.T) {
	roulette, _ := games.Find("roulette")
	war, _ := games.Find("war")
	s := archivetest.New(t)
	second := *roulette
	second.Version = 99
	withdraw := games.Release(&second)
	s.Play(&second)
	s.Play(war)
	withdraw()
	unknown := archivetest.Draws(t, roulette)
	logged := 0
	for _, last := range s.Told {
		err := s.Archive.Handle(t.Context(), last)
		if is := slices.Contains(unknown, last.Draw); errors.Is(err, games.ErrUnknown) != is || !is && err != nil {
			t.Errorf("draw %s: %v", last.Draw, err)
		}
		if err == nil {
			logged++
		}
	}
	if logged == 0 {
		t.Error("nothing is logged")
	}
	if _, err := archive.Expected(t.Context(), s.Table, entry.ID{Draw: unknown[0], Kind: entry.KindState, State: 1}, true); !errors.Is(err, games.ErrUnknown) || errors.Is(err, archive.ErrRecords) {
		t.Errorf("what the log must have: %v", err)
	}
	if _, found, err := s.Table.Get(t.Context(), store.DrawKey(unknown[0]), store.HeadKey); err != nil || !found {
		t.Errorf("draw %s has no head, %v", unknown[0], err)
	}
}
