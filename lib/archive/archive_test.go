package archive_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/disclosure"
	"tally/lib/archive/entry"
	"tally/lib/archive/tiles"
	"tally/lib/draw/report"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
	"tally/lib/store"
)

var update = flag.Bool("update", false, "rewrite golden files")

// entriesOf returns the log's entries, a line each, in their order.
func entriesOf(t *testing.T, s *archivetest.Sample) []byte {
	t.Helper()
	files := s.Files.Files()
	done, err := s.Log.Append(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for n := int64(0); n*tiles.Width < done.Tree.N; n++ {
		w := int(min(tiles.Width, done.Tree.N-n*tiles.Width))
		list, err := tiles.Entries(files[tiles.EntriesPath(n, w)].Data, w)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			text = append(append(text, e...), '\n')
		}
	}
	return text
}

// TestEntries pins every byte of the entries of the sample draws of each game.
func TestEntries(t *testing.T) {
	for _, game := range games.All() {
		t.Run(game.ID, func(t *testing.T) {
			s := archivetest.New(t)
			s.Play(game)
			s.ArchiveAll()
			got := entriesOf(t, s)
			golden := filepath.Join("testdata", game.ID+".jsonl")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestNoTextOfPeople looks for what people wrote, and for bookmakers, in the log.
func TestNoTextOfPeople(t *testing.T) {
	s := archivetest.PlayAll(t)
	text := string(entriesOf(t, s))
	for _, word := range []string{"acme", "borealis", "riga", "tallinn", "photograph", "display_fault", "the river is", "shop", "ord-1"} {
		t.Run(word, func(t *testing.T) {
			if strings.Contains(text, word) {
				t.Errorf("the log has %q", word)
			}
		})
	}
}

// TestAnyOrder takes messages to the archive late, twice, in any order, or not at
// all: the log has the same entries for each draw, in an order that makes sense.
func TestAnyOrder(t *testing.T) {
	game, _ := games.Find("poker")
	want := func() []string {
		s := archivetest.New(t)
		s.Play(game)
		s.ArchiveAll()
		return sorted(entriesOf(t, s))
	}()
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 2))
		s := archivetest.New(t)
		s.Play(game)
		newest := map[string]wire.Append{}
		for _, last := range s.Told {
			newest[last.Draw] = last // the last of each draw must come: it is redelivered until it does
		}
		var some []wire.Append
		for _, last := range s.Told {
			if random.IntN(2) == 0 {
				some = append(some, last)
			}
		}
		s.Told = slices.Concat(some, some)
		for _, last := range newest {
			s.Told = append(s.Told, last)
		}
		random.Shuffle(len(s.Told), func(i, j int) { s.Told[i], s.Told[j] = s.Told[j], s.Told[i] })
		s.ArchiveAll()
		got := entriesOf(t, s)
		if withoutRoots(sorted(got)) != withoutRoots(want) {
			t.Fatalf("seed %d:\n%s", seed, got)
		}
		inOrder(t, got)
	}
}

func sorted(text []byte) []string {
	lines := strings.Split(string(text), "\n")
	slices.Sort(lines)
	return lines
}

// withoutRoots joins lines without their commitments' roots, which are salted.
func withoutRoots(lines []string) string {
	for i, line := range lines {
		lines[i], _, _ = strings.Cut(line, `,"bookmakers"`)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func inOrder(t *testing.T, text []byte) {
	t.Helper()
	seen := map[entry.ID]bool{}
	for line := range bytes.Lines(text) {
		e, err := entry.Parse(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			t.Fatal(err)
		}
		id := e.ID()
		before := entry.ID{Draw: id.Draw, Kind: entry.KindOpening}
		if id.Kind == entry.KindSettlement {
			before = entry.ID{Draw: id.Draw, Kind: entry.KindState, State: id.State}
		}
		if id.Kind != entry.KindOpening && !seen[before] {
			t.Errorf("%s is there before %s", id, before)
		}
		if seen[id] {
			t.Errorf("%s is there twice", id)
		}
		seen[id] = true
	}
}

func TestRecordsThatAreNotThere(t *testing.T) {
	game, _ := games.Find("dice")
	s := archivetest.New(t)
	s.Play(game)
	for _, last := range []wire.Append{{Draw: "nothing", What: wire.AppendOpening}, {Draw: s.Told[0].Draw, What: wire.AppendState, State: 99}, {Draw: s.Told[0].Draw, What: wire.AppendSettlement, State: 99}} {
		t.Run(fmt.Sprint(last), func(t *testing.T) {
			if err := s.Archive.Handle(t.Context(), last); err == nil {
				t.Errorf("%+v was archived", last)
			}
		})
	}
}

// TestDisclosures proves every line of every report of the sample draws against
// the log's entries, and that a changed line proves nothing.
func TestDisclosures(t *testing.T) {
	s := archivetest.PlayAll(t)
	proved := 0
	for line := range bytes.Lines(entriesOf(t, s)) {
		e, err := entry.Parse(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			t.Fatal(err)
		}
		settled, is := e.(*entry.Settlement)
		if !is || settled.Bookmakers.Count == 0 {
			continue
		}
		for _, bookmaker := range []string{"acme", "borealis"} {
			d, err := disclosure.Load(t.Context(), s.Table, settled.Draw, settled.State, bookmaker)
			if err != nil {
				continue
			}
			lines := reported(t, s, settled.Draw, settled.State, bookmaker)
			for i := range lines {
				proof, err := d.Prove(lines, i)
				if err != nil {
					t.Fatal(err)
				}
				if err := proof.Check(settled); err != nil {
					t.Errorf("%s of %s: %v", lines[i], settled.ID(), err)
				}
				changed := []byte(proof.Line)
				changed[len(changed)/2] ^= 1
				proof.Line = string(changed)
				if proof.Check(settled) == nil {
					t.Errorf("a changed line of %s is proved", settled.ID())
				}
				proved++
			}
		}
	}
	if proved < 50 {
		t.Errorf("only %d lines were proved", proved)
	}
	if _, err := disclosure.Load(t.Context(), s.Table, "nothing", 1, "acme"); !errors.Is(err, disclosure.ErrNotLogged) {
		t.Errorf("a disclosure of nothing: %v", err)
	}
}

// reported returns the lines that were reported to a bookmaker.
func reported(t *testing.T, s *archivetest.Sample, draw string, state int, bookmaker string) (lines [][]byte) {
	t.Helper()
	for shard := range 2 {
		for page, err := range s.Table.Query(t.Context(), store.ReportKey(draw, state, bookmaker, shard), "") {
			if err != nil {
				t.Fatal(err)
			}
			text, err := report.Inflate(page.Binary)
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.Lines(text) {
				lines = append(lines, bytes.TrimSuffix(line, []byte("\n")))
			}
		}
	}
	return lines
}
