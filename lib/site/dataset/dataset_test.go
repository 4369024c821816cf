package dataset_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/entry"
	"tally/lib/archive/objects"
	"tally/lib/rulebook/games"
	"tally/lib/site/dataset"
	"tally/lib/site/files"
	"tally/lib/site/history"
	"tally/lib/site/pages"
)

// site is what a site has, by the paths of its files.
type site map[string][]byte

func (s site) Get(_ context.Context, path string) ([]byte, error) {
	if data, is := s[path]; is {
		return data, nil
	}
	return nil, objects.ErrNotFound
}

func (s site) put(t *testing.T, err error, list ...pages.File) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		s[f.Path] = f.Data
	}
}

// days are those of the sample: two of one year, and one of another.
var days = []string{"2026-11-30", "2026-12-01", "2027-01-01"}

// sample is a site that has the same draws on each of the days, and the rows of a day by
// their games.
func sample(t *testing.T) (site, map[string][]history.Row) {
	t.Helper()
	s, rows := site{}, map[string][]history.Row{}
	for _, id := range []string{"war", "wheel"} {
		game, _ := games.Find(id)
		for _, d := range archivetest.Histories(t, game) {
			rows[id] = append(rows[id], d.Row())
		}
	}
	// One that was just opened, and one whose facts are too large.
	rows["war"] = append(rows["war"], history.Row{Draw: "new", Game: "war", Table: "t", Sequence: 1, OpensAt: "2026-11-30T23:59:59.999Z", Leaves: []int64{1000}})
	rows["wheel"] = append(rows["wheel"], history.Row{Draw: "-1.2", Game: "wheel", Table: "-t", Sequence: 2, OpensAt: "2026-11-30T00:00:00.000Z", State: 1, Status: entry.Resolved,
		FactsSHA256: strings.Repeat("a", 64), Outcome: json.RawMessage(`{"sector":"cup"}`), Corrected: new(bool), Leaves: []int64{1001, 1002}})
	var newest []files.Newest
	for id, list := range rows {
		months, years := map[string][]files.Period{}, map[string][]files.Period{}
		for _, day := range days {
			made, period, err := files.DayFiles(id, day, list)
			s.put(t, err, made...)
			months[day[:7]] = append(months[day[:7]], period)
		}
		for _, name := range slices.Sorted(maps.Keys(months)) {
			f, period, err := files.IndexFile(id, name, months[name])
			s.put(t, err, f)
			years[name[:4]] = append(years[name[:4]], period)
		}
		var all []files.Period
		for _, name := range slices.Sorted(maps.Keys(years)) {
			f, period, err := files.IndexFile(id, name, years[name])
			s.put(t, err, f)
			all = append(all, period)
		}
		f, err := files.GameFile(id, all, nil)
		s.put(t, err, f)
		newest = append(newest, files.Newest{Game: id})
	}
	f, err := files.GamesFile(newest)
	s.put(t, err, f)
	return s, rows
}

// makeSet makes a data set, and returns its files.
func makeSet(t *testing.T, s site, o dataset.Options) (map[string][]byte, dataset.Summary, error) {
	t.Helper()
	var mutex sync.Mutex
	made := map[string][]byte{}
	o.Parallel, o.Write = 3, func(path string, data []byte) error {
		mutex.Lock()
		defer mutex.Unlock()
		made[path] = data
		return nil
	}
	summary, err := dataset.Make(t.Context(), s, o)
	return made, summary, err
}

// TestSmall makes a file of 5,000 draws: it has less than a tenth of the bytes of its JSON.
func TestSmall(t *testing.T) {
	s, rows := sample(t)
	var many []history.Row
	for i := range 5000 {
		row := rows["wheel"][i%len(rows["wheel"])]
		row.Draw, row.Leaves = "wheel-"+strconv.Itoa(i), []int64{int64(4 * i), int64(4*i + 1)}
		many = append(many, row)
	}
	list, _, err := files.DayFiles("wheel", days[0], many)
	s.put(t, err, list...)
	made, _, err := makeSet(t, s, dataset.Options{To: days[0], Games: []string{"wheel"}})
	if err != nil {
		t.Fatal(err)
	}
	if n, whole := len(made["day=2026-11-30/wheel.parquet"]), len(s["results/wheel/2026-11-30.ndjson"]); n == 0 || n > whole/10 {
		t.Errorf("%d bytes, of %d", n, whole)
	}
}

// TestMake takes what was asked for.
func TestMake(t *testing.T) {
	s, rows := sample(t)
	all := []string{"day=2026-11-30/war.parquet", "day=2026-11-30/wheel.parquet", "day=2026-12-01/war.parquet", "day=2026-12-01/wheel.parquet", "day=2027-01-01/war.parquet", "day=2027-01-01/wheel.parquet"}
	for name, row := range map[string]struct {
		options dataset.Options
		want    []string
		days    int
	}{
		"everything":         {dataset.Options{}, all, 3},
		"from a day":         {dataset.Options{From: "2026-12-01"}, all[2:], 2},
		"until a day":        {dataset.Options{To: "2026-12-01"}, all[:4], 2},
		"one day":            {dataset.Options{From: "2026-12-01", To: "2026-12-01"}, all[2:4], 1},
		"a day without draw": {dataset.Options{From: "2026-12-02", To: "2026-12-31"}, nil, 0},
		"one game":           {dataset.Options{From: "2026-12-01", Games: []string{"wheel"}}, []string{all[3], all[5]}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			made, summary, err := makeSet(t, s, row.options)
			if err != nil {
				t.Fatal(err)
			}
			draws := 0
			for path := range made {
				draws += len(rows[strings.TrimSuffix(path[strings.Index(path, "/")+1:], ".parquet")])
			}
			if got := slices.Sorted(maps.Keys(made)); !slices.Equal(got, row.want) || summary != (dataset.Summary{Days: row.days, Files: len(row.want), Draws: int64(draws)}) {
				t.Errorf("%q, %+v, want %q", got, summary, row.want)
			}
		})
	}
}

// TestRefused refuses what is not the site's.
func TestRefused(t *testing.T) {
	const rowsFile = "results/war/2026-12-01.ndjson"
	for name, row := range map[string]struct {
		change func(site)
		games  []string
		want   error
	}{
		"other rows":      {func(s site) { s[rowsFile] = s[rowsFile][:bytes.IndexByte(s[rowsFile], '\n')+1] }, nil, dataset.ErrUnlike},
		"no rows":         {func(s site) { delete(s, rowsFile) }, nil, objects.ErrNotFound},
		"no index":        {func(s site) { delete(s, "results/war/2026-12.json") }, nil, objects.ErrNotFound},
		"a damaged index": {func(s site) { s["results/war/2026.json"] = []byte("{") }, nil, files.ErrDamaged},
		"no site":         {func(s site) { clear(s) }, nil, objects.ErrNotFound},
		"no such game":    {func(site) {}, []string{"keno"}, dataset.ErrNoGame},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := sample(t)
			row.change(s)
			if _, _, err := makeSet(t, s, dataset.Options{Games: row.games}); !errors.Is(err, row.want) {
				t.Errorf("%v, want %v", err, row.want)
			}
		})
	}
	s, _ := sample(t)
	full := errors.New("the disk is full")
	if _, err := dataset.Make(t.Context(), s, dataset.Options{Parallel: 1, Write: func(string, []byte) error { return full }}); !errors.Is(err, full) {
		t.Errorf("%v, want %v", err, full)
	}
}

// parquetRow is a row as a reader of Parquet would declare it.
type parquetRow struct {
	Draw        string     `parquet:"draw"`
	Game        string     `parquet:"game"`
	Table       string     `parquet:"table"`
	Sequence    int64      `parquet:"sequence"`
	OpensAt     time.Time  `parquet:"opens_at,timestamp(millisecond)"`
	State       *int32     `parquet:"state"`
	MadeAt      *time.Time `parquet:"made_at,timestamp(millisecond)"`
	Revision    *int32     `parquet:"revision"`
	Status      *string    `parquet:"status"`
	Reason      *string    `parquet:"reason"`
	Rule        *string    `parquet:"rule"`
	Corrected   *bool      `parquet:"corrected"`
	Settled     *int32     `parquet:"settled"`
	Facts       *string    `parquet:"facts"`
	FactsSHA256 *string    `parquet:"facts_sha256"`
	Outcome     *string    `parquet:"outcome"`
	Leaves      []int64    `parquet:"leaves,list"`
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func number(n *int32) int {
	if n == nil {
		return 0
	}
	return int(*n)
}

// lineOf returns a row as a line of NDJSON.
func lineOf(t *testing.T, row history.Row) []byte {
	t.Helper()
	if len(row.Facts) == 0 {
		row.Facts = nil
	}
	if len(row.Outcome) == 0 {
		row.Outcome = nil
	}
	line, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// TestRows reads the rows back as they were, and the same bytes twice.
func TestRows(t *testing.T) {
	s, all := sample(t)
	made, _, err := makeSet(t, s, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := makeSet(t, s, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for path, data := range made {
		t.Run(path, func(t *testing.T) {
			if !bytes.Equal(data, again[path]) {
				t.Error("it has other bytes the second time")
			}
			same(t, data, all[strings.TrimSuffix(path[strings.Index(path, "/")+1:], ".parquet")])
		})
	}
}

// same compares a file with the rows that it is made of.
func same(t *testing.T, data []byte, rows []history.Row) {
	t.Helper()
	read, err := parquet.Read[parquetRow](bytes.NewReader(data), int64(len(data)))
	if err != nil || len(read) != len(rows) {
		t.Fatalf("%d rows, %v", len(read), err)
	}
	for i, row := range rows {
		got := read[i]
		back := history.Row{Draw: got.Draw, Game: got.Game, Table: got.Table, Sequence: got.Sequence, OpensAt: got.OpensAt.UTC().Format("2006-01-02T15:04:05.000Z"),
			State: number(got.State), Revision: number(got.Revision), Status: entry.Status(text(got.Status)), Facts: json.RawMessage(text(got.Facts)),
			FactsSHA256: text(got.FactsSHA256), Outcome: json.RawMessage(text(got.Outcome)), Reason: text(got.Reason), Rule: text(got.Rule),
			Corrected: got.Corrected, Settled: number(got.Settled), Leaves: got.Leaves}
		if got.MadeAt != nil {
			back.MadeAt = got.MadeAt.UTC().Format("2006-01-02T15:04:05.000Z")
		}
		if a, b := lineOf(t, back), lineOf(t, row); !bytes.Equal(a, b) {
			t.Errorf("got\n%s\nwant\n%s", a, b)
		}
	}
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, column := range file.Root().Columns() {
		columns = append(columns, column.Name())
	}
	if !slices.Equal(columns, files.Columns) {
		t.Errorf("the columns are %q", columns)
	}
}
