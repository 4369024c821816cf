package build_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/site/build"
	"tally/lib/site/files"
)

// counted notes the requests to a store and to a log.
type counted struct {
	build.Source
	mutex    sync.Mutex
	requests map[string]int
}

var digits = regexp.MustCompile(`[0-9a-f]{4,}|[0-9]+`)

func (c *counted) note(request string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.requests[request]++
}

func (c *counted) Get(ctx context.Context, path string) ([]byte, error) {
	c.note("log " + digits.ReplaceAllString(path, "N"))
	return c.Source.Get(ctx, path)
}

// TestRequests pins what is read and written in a typical minute of a table: one
// draw is opened, the one before has its result, the one before that is
// corrected. Requests are what the site costs.
func TestRequests(t *testing.T) {
	entries := draws(t, 21, 3, 1, "roulette")
	var of [3][][]byte
	for _, data := range entries {
		for i := range of {
			if strings.Contains(string(data), fmt.Sprintf(".000%d", i+1)) {
				of[i] = append(of[i], data)
			}
		}
	}
	// An opening; closings and a state; a correction.
	before := slices.Concat(of[0][:3], of[1][:1])
	minute := slices.Concat(of[2][:1], of[1][1:3], of[0][3:4])
	l, store := newLog(t, append(before, minute...)), fakeobjects.New()
	l.grow(4)
	run(t, follower(l, l.known, store))
	l.grow(8)
	c := &counted{Source: l, requests: map[string]int{}}
	store.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		c.note(digits.ReplaceAllString(call.String(), "N"))
		return fakedynamo.Proceed
	}
	f := follower(l, l.known, store)
	f.Log = c
	run(t, f)
	compare(t, l, store.Files(), 8)
	var got []string
	for _, request := range slices.Sorted(maps.Keys(c.requests)) {
		got = append(got, fmt.Sprintf("%d %s", c.requests[request], request))
	}
	want := `
7 GetObject cursor.json
3 GetObject en/roulette/N-N-N/rou-N.N.html
1 GetObject en/roulette/N-N-N.N.html
1 GetObject en/roulette/N-N-N.html
1 GetObject en/roulette/N-N.html
1 GetObject en/roulette/N.html
1 GetObject en/roulette/index.html
1 GetObject en/roulette/statistics.html
1 GetObject en/index.html
2 GetObject results/draws/rou-N.N.json
1 GetObject results/index.json
3 GetObject results/roulette/N-N-N/rou-N.N.json
1 GetObject results/roulette/N-N-N.csv
1 GetObject results/roulette/N-N-N.json
1 GetObject results/roulette/N-N-N.ndjson
1 GetObject results/roulette/N-N.json
1 GetObject results/roulette/N.json
1 GetObject results/roulette/index.json
1 PutIfAbsent results/draws/rou-N.N.json
2 PutIfAbsent results/roulette/N-N-N/rou-N.N.N.json
2 PutIfAbsent results/roulette/N-N-N/rou-N.N.N.tlog-proof
2 PutIfMatch cursor.json
3 PutIfMatch en/roulette/N-N-N/rou-N.N.html
1 PutIfMatch en/roulette/N-N-N.N.html
1 PutIfMatch en/roulette/N-N.html
1 PutIfMatch en/roulette/N.html
1 PutIfMatch en/roulette/index.html
1 PutIfMatch en/roulette/statistics.html
1 PutIfMatch en/index.html
1 PutIfMatch results/index.json
3 PutIfMatch results/roulette/N-N-N/rou-N.N.json
1 PutIfMatch results/roulette/N-N-N.csv
1 PutIfMatch results/roulette/N-N-N.json
1 PutIfMatch results/roulette/N-N-N.ndjson
1 PutIfMatch results/roulette/N-N.json
1 PutIfMatch results/roulette/N.json
1 PutIfMatch results/roulette/index.json
1 log checkpoint
2 log tile/entries/N.p/N
1 log tile/N/N.p/N`
	wanted := strings.Split(strings.TrimSpace(want), "\n")
	slices.SortFunc(wanted, byRequest)
	slices.SortFunc(got, byRequest)
	if !slices.Equal(got, wanted) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wanted, "\n"))
	}
}

func byRequest(a, b string) int {
	_, a, _ = strings.Cut(a, " ")
	_, b, _ = strings.Cut(b, " ")
	return strings.Compare(a, b)
}

// TestManyDraws follows a day of many draws of one game from an empty site: in few
// runs, and with indexes that stay small.
func TestManyDraws(t *testing.T) {
	const count = 800
	l, store := newLog(t, draws(t, 1, count, 1, "roulette")), fakeobjects.New()
	all := int64(len(l.entries))
	l.grow(all)
	f := follower(l, l.known, store)
	f.Stretch, f.Limit = build.DefaultStretch, 2*build.DefaultStretch
	runs := 0
	for result := run(t, f); result.Size < result.All; result = run(t, f) {
		runs++
	}
	if most := int(all/f.Limit) + 1; runs > most {
		t.Errorf("%d runs for %d entries", runs, all)
	}
	made := store.Files()
	rows, err := files.ReadRows(made[files.RowsPath("roulette", "2026-11-30")].Data)
	if err != nil || len(rows) < count*9/10 {
		t.Errorf("the day has %d rows, %v", len(rows), err)
	}
	for path, file := range made {
		isIndex := strings.HasSuffix(path, ".json") && strings.Count(path, "/") < 3 && !strings.Contains(path, "draws/")
		if isIndex && len(file.Data) > 64<<10 {
			t.Errorf("%s has %d bytes", path, len(file.Data))
		}
	}
}

// TestYears has a draw on every day of more than two years: no index grows with the number
// of days.
func TestYears(t *testing.T) {
	const days = 2*365 + 62
	l, store := newLog(t, draws(t, 2, days, days, "roulette")), fakeobjects.New()
	all := int64(len(l.entries))
	l.grow(all)
	f := follower(l, l.known, store)
	f.Stretch = all
	run(t, f)
	parts := map[int]int{}
	for path, file := range store.Files() {
		name := strings.TrimSuffix(strings.TrimPrefix(path, "results/roulette/"), ".json")
		if !strings.HasPrefix(path, "results/roulette/") || strings.ContainsAny(name, "/.") {
			continue
		}
		if index, err := files.Read[files.Index](file.Data); err == nil {
			parts[len(name)] = max(parts[len(name)], len(index.Parts))
		}
		if len(file.Data) > 64<<10 {
			t.Errorf("%s has %d bytes", path, len(file.Data))
		}
	}
	if parts[len("2026")] != 12 || parts[len("2026-11")] != 31 {
		t.Errorf("indexes have up to %v parts", parts)
	}
	game, err := files.Read[files.Game](store.Files()[files.GamePath("roulette")].Data)
	if err != nil || len(game.Years) != 4 || len(game.Latest) != files.LatestOfGame {
		t.Errorf("%d years, %d latest, %v", len(game.Years), len(game.Latest), err)
	}
}
