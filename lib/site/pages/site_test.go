package pages_test

import (
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"tally/internal/testkit/archivetest"
	"tally/lib/rulebook/games"
	"tally/lib/site/history"
	"tally/lib/site/pages"
	"tally/lib/site/statistics"
)

// writePages is a folder that the sample pages are written to, to look at them.
var writePages = flag.String("write-pages", "", "write the sample pages into this `folder`")

// sites has the site of the tests, once it was made.
var sites = sync.OnceValues(freshSite)

func freshSite() (*pages.Site, error) {
	return pages.New(pages.Options{Origin: archivetest.Origin, VerifierKeys: []string{"example.com/tally+11111111+AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA="}, LogURL: "log/"})
}

func newSite(t testing.TB) *pages.Site {
	t.Helper()
	s, err := sites()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// made are the files of sampleFiles, once they were made.
var made map[string]pages.File

// sampleFiles makes all pages of the sample draws and of those that this package's
// tests add. They must not be changed.
func sampleFiles(t testing.TB) map[string]pages.File {
	t.Helper()
	if made == nil {
		made = makeFiles(t, newSite(t))
	}
	return made
}

func makeFiles(t testing.TB, s *pages.Site) map[string]pages.File {
	t.Helper()
	files := map[string]pages.File{}
	add := func(made []pages.File, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range made {
			if _, twice := files[file.Path]; twice {
				t.Errorf("%s is made twice", file.Path)
			}
			files[file.Path] = file
		}
	}
	add(s.Assets(), nil)
	add(s.Fixed())
	latest := map[string][]history.Row{}
	more := cases(t)
	for _, d := range more {
		if d.Opening.Game == "keno" {
			add(s.Draw(d))
			add(s.Day("keno", d.Day(), []history.Row{d.Row()}))
			add(s.Period("keno", "2026-11", []pages.ListedPeriod{{Name: d.Day()}}))
			add(s.Period("keno", "2026", []pages.ListedPeriod{{Name: "2026-11"}}))
			add(s.Game("keno", nil, nil, nil, nil))
			add(s.Statistics("keno", nil, "", ""))
		}
	}
	for _, game := range games.All() {
		counts := expected(game.ID, 1000)
		histories := archivetest.Histories(t, game)
		for _, d := range more {
			if d.Opening.Game == game.ID {
				histories = append(histories, d)
			}
		}
		for _, d := range histories {
			add(s.Draw(d))
			row := d.Row()
			latest[game.ID] = append(latest[game.ID], row)
			count, err := statistics.Count(row)
			if err != nil {
				t.Fatal(err)
			}
			counts.Add(count)
		}
		rows := latest[game.ID]
		add(s.Day(game.ID, "2026-11-30", rows))
		period := func(name string) []pages.ListedPeriod { return []pages.ListedPeriod{{Name: name, Draws: len(rows)}} }
		add(s.Game(game.ID, rows, period("2026"), period("2026-11"), period("2026-11-30")))
		add(s.Period(game.ID, "2026-11", period("2026-11-30")))
		add(s.Period(game.ID, "2026", period("2026-11")))
		add(s.Statistics(game.ID, counts, "2026-11-30", "2026-11-30"))
	}
	add(s.Home(latest))
	return files
}

// TestSamplePages makes every page.
func TestSamplePages(t *testing.T) {
	files := sampleFiles(t)
	if *writePages == "" {
		return
	}
	for _, file := range files {
		path := filepath.Join(*writePages, filepath.FromSlash(file.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
