package files_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/entry"
	"tally/lib/archive/objects"
	"tally/lib/rulebook/games"
	"tally/lib/site/files"
	"tally/lib/site/history"
	"tally/lib/site/pages"
	"tally/lib/site/statistics"
)

// day returns the rows of the sample draws of all games, as if they were of one.
func day(t testing.TB) (rows []history.Row) {
	t.Helper()
	for _, game := range games.All() {
		for _, d := range archivetest.Histories(t, game) {
			rows = append(rows, d.Row())
		}
	}
	// One that was just opened, one whose facts are too large, and one whose names a
	// spreadsheet would take for formulas.
	rows = append(rows, history.Row{Draw: "new", Game: "war", Table: "t", Sequence: 1, OpensAt: "2026-11-30T23:59:59.999Z", Leaves: []int64{1000}})
	rows = append(rows, history.Row{Draw: "-1.2", Game: "wheel", Table: "-t", Sequence: 2, OpensAt: "2026-11-30T00:00:00.000Z", State: 1, Status: entry.Resolved,
		FactsSHA256: strings.Repeat("a", 64), Outcome: json.RawMessage(`{"sector":"cup"}`), Corrected: new(bool), Leaves: []int64{1001, 1002}})
	slices.SortFunc(rows, files.Compare)
	return rows
}

// made returns the files of a day by the ends of their names.
func made(t testing.TB, rows []history.Row) map[string]pages.File {
	t.Helper()
	list, _, err := files.DayFiles("war", "2026-11-30", rows)
	if err != nil {
		t.Fatal(err)
	}
	byEnd := map[string]pages.File{}
	for _, f := range list {
		end, is := strings.CutPrefix(f.Path, "results/war/2026-11-30")
		if !is || f.Immutable || f.ContentType != files.ContentType(f.Path) {
			t.Errorf("%s, %s, immutable %v", f.Path, f.ContentType, f.Immutable)
		}
		byEnd[end] = f
	}
	return byEnd
}

// TestSameBytes makes the same files of the same rows.
func TestSameBytes(t *testing.T) {
	first, again := made(t, day(t)), made(t, day(t))
	for end, f := range first {
		if !bytes.Equal(f.Data, again[end].Data) {
			t.Errorf("%s has other bytes the second time", end)
		}
	}
	if len(first) != 3 {
		t.Errorf("%d files", len(first))
	}
}

// written is a value as JSON, in which a pointer is what it points to.
func written(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("writing %v: %v", value, err)
	}
	return string(text)
}

// TestRowsReadBack reads newline-separated JSON back.
func TestRowsReadBack(t *testing.T) {
	rows := day(t)
	text := made(t, rows)[".ndjson"].Data
	read, err := files.ReadRows(text)
	if err != nil || written(t, read) != written(t, rows) {
		t.Errorf("%v\n%v\n%v, want no error and written(t, read) = written(t, rows)", err, read, rows)
	}
	if bytes.Count(text, []byte("\n")) != len(rows) || bytes.Contains(text, []byte(`\u003c`)) {
		t.Error("there is not a line for each row, or it is escaped more than it needs")
	}
	for _, broken := range []string{"{", "{}\n", "null\n", `{"draw":"a","leaves":[1]}` + "\n", `{"draw":"a","game":"war","leaves":[2,1]}` + "\n", `{"draw":"a","game":"war","leaves":[1],"more":1}` + "\n"} {
		t.Run(broken, func(t *testing.T) {
			if _, err := files.ReadRows([]byte(broken)); !errors.Is(err, files.ErrDamaged) {
				t.Errorf("%q was read: %v", broken, err)
			}
		})
	}
}

// TestCSV reads CSV back by another parser's rules: a heading, as many fields in
// each record, CRLF, and nothing that a spreadsheet takes for a formula.
func TestCSV(t *testing.T) {
	rows := day(t)
	text := string(made(t, rows)[".csv"].Data)
	if strings.Count(text, "\r\n") != len(rows)+1 || strings.Count(text, "\n") != len(rows)+1 {
		t.Error("lines don't end in CRLF")
	}
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(records) != len(rows)+1 || !slices.Equal(records[0], files.Columns) {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for i, row := range rows {
		got := map[string]string{}
		for c, name := range files.Columns {
			got[name] = records[i+1][c]
		}
		want := map[string]string{"draw": row.Draw, "game": row.Game, "table": row.Table, "opens_at": row.OpensAt, "made_at": row.MadeAt, "status": string(row.Status),
			"facts": string(row.Facts), "outcome": string(row.Outcome), "reason": row.Reason, "rule": row.Rule, "facts_sha256": row.FactsSHA256,
			"leaves": strings.Trim(fmt.Sprint(row.Leaves), "[]")}
		// Without a result there is nothing of one, here as in JSON.
		var members map[string]json.RawMessage
		if err := json.Unmarshal(lineOf(t, row), &members); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"state", "revision", "corrected", "settled"} {
			want[name] = string(members[name])
			if _, has := members[name]; has && row.State == 0 || !has && row.State > 0 && name == "corrected" {
				t.Errorf("draw %s, state %d: %s in %s", row.Draw, row.State, name, lineOf(t, row))
			}
		}
		for name, value := range want {
			if got[name] != value && got[name] != "'"+value {
				t.Errorf("draw %s: %s is %q, not %q", row.Draw, name, got[name], value)
			}
		}
		for name, value := range got {
			if value != "" && strings.ContainsAny(value[:1], "=+-@\t\r") {
				t.Errorf("draw %s: %s is the formula %q", row.Draw, name, value)
			}
		}
	}
	if !strings.Contains(text, "\n'-1.2,wheel,'-t,") {
		t.Error("no field is kept from being a formula")
	}
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

// TestOldRows reads rows as they were once written: without a result they had the state
// 0, and only a correction said so.
func TestOldRows(t *testing.T) {
	const head = `{"draw":"a","game":"dice","table":"t","sequence":1,"opens_at":"2026-11-30T12:02:00.000Z",`
	rows, err := files.ReadRows([]byte(head + `"state":0,"leaves":[0]}` + "\n" + head + `"state":1,"status":"void","leaves":[0]}` + "\n" + head + `"state":1,"status":"void","corrected":true,"leaves":[0]}` + "\n"))
	if err != nil || len(rows) != 3 || rows[0].Corrected != nil || rows[1].Corrected == nil || *rows[1].Corrected || !rows[2].IsCorrected() {
		t.Errorf("%+v, %v", rows, err)
	}
}

// TestDayIndex sums a day up, and names its files with their digests.
func TestDayIndex(t *testing.T) {
	rows := day(t)
	list := made(t, rows)
	index, err := files.Read[files.Day](list[".json"].Data)
	if err != nil {
		t.Fatal(err)
	}
	if index.Draws != len(rows) || index.Pending != 1 || index.Uncounted != 0 || index.Resolved+index.Void+index.Cancelled+index.Pending != index.Draws ||
		index.Corrected == 0 || index.Cancelled == 0 || index.Through != 1002 || index.From != "2026-11-30" || index.To != "2026-11-30" {
		t.Errorf("%+v", index)
	}
	if len(index.Files) != 2 {
		t.Errorf("%d files", len(index.Files))
	}
	for _, link := range index.Files {
		f := list[strings.TrimPrefix(link.Name, "2026-11-30")]
		sum := sha256.Sum256(f.Data)
		if link.Bytes != len(f.Data) || link.SHA256 != hex.EncodeToString(sum[:]) || link.Type != f.ContentType {
			t.Errorf("%+v, want link.Bytes = %v and link.SHA256 = hex.EncodeToString(sum[:]) and link.Type = %v", link, len(f.Data), f.ContentType)
		}
	}
}

// TestLargeDay makes the files of a day of 5,000 draws: the index of the day stays
// small.
func TestLargeDay(t *testing.T) {
	var rows []history.Row
	sample := day(t)
	for i := range 5000 {
		row := sample[i%len(sample)]
		row.Draw, row.Leaves = fmt.Sprintf("%s-%05d", row.Game, i), []int64{int64(4 * i), int64(4*i + 1)}
		rows = append(rows, row)
	}
	list := made(t, rows)
	if n := len(list[".json"].Data); n > 16<<10 {
		t.Errorf("the index has %d bytes", n)
	}
	if read, err := files.ReadRows(list[".ndjson"].Data); err != nil || len(read) != len(rows) {
		t.Errorf("%d rows, %v", len(read), err)
	}
}

// TestTotal adds up the periods that a longer one has.
func TestTotal(t *testing.T) {
	parts := []files.Period{
		{Name: "2026-10-31", From: "2026-10-31", To: "2026-10-31", Draws: 3, Resolved: 2, Void: 1, Corrected: 1, Counts: statistics.Counts{"winner": {"player": 2}}, Through: 70},
		{Name: "2026-11-02", From: "2026-11-02", To: "2026-11-02", Draws: 4, Resolved: 1, Cancelled: 1, Pending: 1, Uncounted: 1, Counts: statistics.Counts{"winner": {"player": 1, "dealer": 4}}, Through: 60},
	}
	want := files.Period{Name: "2026", From: "2026-10-31", To: "2026-11-02", Draws: 7, Resolved: 3, Void: 1, Cancelled: 1, Pending: 1, Corrected: 1, Uncounted: 1,
		Counts: statistics.Counts{"winner": {"player": 3, "dealer": 4}}, Through: 70}
	if got := files.Total("2026", parts); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if parts[0].Counts["winner"]["player"] != 2 {
		t.Error("a part was changed")
	}
}

// TestDrawFiles holds the files of each sample draw against its history.
func TestDrawFiles(t *testing.T) {
	for _, game := range games.All() {
		for _, d := range archivetest.Histories(t, game) {
			f, err := files.Draw(d)
			if err != nil {
				t.Fatal(err)
			}
			h, err := files.Read[files.History](f.Data)
			if err != nil || len(h.Entries) != len(d.Leaves) || written(t, h.Row) != written(t, d.Row()) {
				t.Errorf("%s: %v, want no error and len(h.Entries) = %v and written(t, h.Row) = written(t, d.Row())", f.Path, err, len(d.Leaves))
			}
			states := 0
			for i, e := range h.Entries {
				if !bytes.Equal(e.Entry, d.Leaves[i].Data) || e.Index != d.Leaves[i].Index {
					t.Errorf("%s: entry %d is %s", f.Path, e.Index, e.Entry)
				}
				if state, is := d.Leaves[i].Entry.(*entry.State); is {
					once := files.State(d, d.Leaves[i])
					link := h.States[states]
					if states++; !once.Immutable || !bytes.Equal(once.Data, d.Leaves[i].Data) || link.State != state.State || !strings.HasSuffix(once.Path, "/"+link.Entry) {
						t.Errorf("%s: %+v, want once.Immutable and once.Data = %v and link.State = %v and once.Path to end in %q",
							once.Path, link, d.Leaves[i].Data, state.State, "/"+link.Entry)
					}
				}
			}
			if states != len(h.States) {
				t.Errorf("%s names %d states of %d", f.Path, len(h.States), states)
			}
			where, err := files.PlaceFile(d)
			place, readErr := files.Read[files.Place](where.Data)
			if err := errors.Join(err, readErr); err != nil || !where.Immutable || files.DrawPath(place.Game, place.Day, place.Draw) != f.Path || place.Opening != d.Leaves[0].Index {
				t.Errorf("%s: %+v, %v, want no error and where.Immutable and files.DrawPath(place.Game, place.Day, place.Draw) = %v and place.Opening = %v",
					where.Path, place, err, f.Path, d.Leaves[0].Index)
			}
		}
	}
}

// TestLatest lists results, the latest first.
func TestLatest(t *testing.T) {
	row := func(draw, at string, state int) history.Row {
		return history.Row{Draw: draw, OpensAt: at, State: state}
	}
	rows := []history.Row{row("a", "1", 1), row("d", "3", 0), row("b", "2", 2), row("c", "2", 1), row("e", "0", 1)}
	var got string
	for _, r := range files.Latest(rows, 3) {
		got += r.Draw
	}
	if got != "cba" || rows[0].Draw != "a" {
		t.Errorf("got %s", got)
	}
	if latest := files.Latest(nil, 3); latest == nil {
		t.Error("none is no list")
	}
}

func TestIsState(t *testing.T) {
	for draw, want := range map[string]string{"a.1": "a 1 true", "rou-1.20261130.1001": "rou-1.20261130 1001 true", "a.01": " 0 false", "a.0": " 0 false",
		"a": " 0 false", ".1": " 0 false", "a.1b": " 0 false", "a.": " 0 false", "a.-1": " 0 false", "a.99999999999999999999": " 0 false", "..1": ". 1 true"} {
		t.Run(draw, func(t *testing.T) {
			other, state, may := files.IsState(draw)
			if got := fmt.Sprint(other, " ", state, " ", may); got != want {
				t.Errorf("%s: got %q, want %q", draw, got, want)
			}
		})
	}
	if files.StatePath("war", "2026-11-30", "a", 1) != files.DrawPath("war", "2026-11-30", "a.1") {
		t.Error("the two are not at one path")
	}
}

func TestCacheControl(t *testing.T) {
	if files.CacheControl("a.json", true) != objects.Immutable || files.CacheControl("a.tlog-proof", false) != files.CacheProof || files.CacheControl("a.json", false) != files.CacheChanging {
		t.Error("something is kept for another time")
	}
}
