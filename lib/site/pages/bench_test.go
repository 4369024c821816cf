package pages_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"testing"

	"tally/internal/testkit/archivetest"
	"tally/lib/rulebook/games"
	"tally/lib/site/history"
	"tally/lib/site/pages"
)

// manyRows are a day of draws, made of the samples of a game.
func manyRows(t testing.TB, game string, n int) []history.Row {
	t.Helper()
	found, _ := games.Find(game)
	samples := archivetest.Histories(t, found)
	rows := make([]history.Row, n)
	for i := range rows {
		row := samples[i%len(samples)].Row()
		row.Draw, row.Sequence = fmt.Sprintf("%s.20261130.%04d", row.Table, i), int64(i)
		second := i * 86_400 / n
		row.OpensAt = fmt.Sprintf("2026-11-30T%02d:%02d:%02d.000Z", second/3600, second/60%60, second%60)
		rows[i] = row
	}
	return rows
}

// TestParts cuts a day of 5,000 draws into its parts.
func TestParts(t *testing.T) {
	rows := manyRows(t, "roulette", 5000)
	files, err := newSite(t).Day("roulette", "2026-11-30", rows)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 11*len(pages.Languages) {
		t.Fatalf("%d files", len(files))
	}
	seen := 0
	for _, file := range files {
		var part int
		if _, err := fmt.Sscanf(file.Path, "en/roulette/2026-11-30.%d.html", &part); err != nil {
			continue
		}
		links := read(t, file).class("rows")[0]
		first := true
		for n := range (document{links}).all {
			if n.Data != "a" {
				continue
			}
			if first {
				// the newest comes first
				if want := fmt.Sprintf("2026-11-30/%s.html", rows[part*pages.PartRows-1].Draw); attribute(n, "href") != want {
					t.Errorf("part %d begins with %s, want %s", part, attribute(n, "href"), want)
				}
			}
			first = false
			seen++
		}
		if len(file.Data) > 400_000 {
			t.Errorf("part %d has %d bytes", part, len(file.Data))
		}
		checkPage(t, file)
	}
	if seen != len(rows) {
		t.Errorf("the parts have %d draws", seen)
	}
	// A part that is full does not change when draws follow.
	more, err := newSite(t).Day("roulette", "2026-11-30", manyRows(t, "roulette", 5000)[:4999])
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files[:9*len(pages.Languages)] {
		if !bytes.Equal(file.Data, more[i].Data) {
			t.Errorf("%s changed", file.Path)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	s := newSite(b)
	for _, game := range games.All() {
		d := archivetest.Histories(b, game)[0]
		b.Run(game.ID, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Draw(d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDay(b *testing.B) {
	s := newSite(b)
	for _, game := range []string{"roulette", "poker"} {
		rows := manyRows(b, game, 5000)
		b.Run(game, func(b *testing.B) {
			size := 0
			for b.Loop() {
				files, err := s.Day(game, "2026-11-30", rows)
				if err != nil {
					b.Fatal(err)
				}
				size = zipped(b, files[0].Data)
				b.ReportMetric(float64(len(files[0].Data)), "bytes/part")
			}
			b.ReportMetric(float64(size), "gzip/part")
		})
	}
}

func zipped(t testing.TB, data []byte) int {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}
