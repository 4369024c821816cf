package audit_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/entry"
	"tally/lib/archive/verify"
	"tally/lib/bookmaker/api"
	"tally/lib/bookmaker/audit"
	"tally/lib/bookmaker/client"
	"tally/lib/bookmaker/keys"
	"tally/lib/bookmaker/reports"
	"tally/lib/draw/report"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"

	"golang.org/x/mod/sumdb/note"
)

// logged verifies a sample log and returns the report, with its settlements.
func logged(t *testing.T, s *archivetest.Sample) *verify.Report {
	t.Helper()
	verifier, err := note.NewVerifier(s.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	source, err := verify.Open(s.Copy())
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Log(t.Context(), source, verify.Params{Origin: archivetest.Origin, Known: note.VerifierList(verifier), KeepSettlements: true})
	if err != nil || len(r.Findings) > 0 {
		t.Fatalf("%v, %v, want a log without findings", err, r)
	}
	return r
}

// TestReports compares one sample log with reports, as they are and as they may not
// be. The last one spoils the sample.
func TestReports(t *testing.T) {
	s := archivetest.PlayAll(t)
	for _, test := range []struct {
		name string
		do   func(*testing.T, *archivetest.Sample)
	}{
		{"all", allReports}, {"others", otherReports}, {"other totals", otherTotals}, {"not logged", notLogged},
		{"a part", partOfReports}, {"a rewritten page", rewrittenPage},
	} {
		t.Run(test.name, func(t *testing.T) { test.do(t, s) })
	}
}

const now = settlement.Instant(1_800_000_000_000)

// apiOf serves the API of a sample, and returns a bookmaker's client.
func apiOf(t *testing.T, s *archivetest.Sample, bookmaker string) *client.Client {
	t.Helper()
	clock := func() settlement.Instant { return now }
	handler, err := api.New(api.Options{Table: s.Table, Now: clock, Record: unrecorded{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	key, _, err := (&keys.Registry{Table: s.Table, Now: clock}).Create(t.Context(), keys.KeyParams{Bookmaker: bookmaker, Scopes: []string{keys.FeedRead}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&keys.Registry{Table: s.Table, Now: clock}).Set(t.Context(), bookmaker, func(k *keys.Settings) { k.RequestsPerSecond = 10_000 }); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(server.URL, key)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type unrecorded struct{}

func (unrecorded) Accepted(string)        {}
func (unrecorded) Unlooked(string)        {}
func (unrecorded) Refused(string, string) {}
func (unrecorded) Denied(string)          {}
func (unrecorded) Failed(string)          {}

func compare(t *testing.T, source audit.ReportSource, r *verify.Report) *audit.Comparison {
	t.Helper()
	result, err := audit.Compare(t.Context(), source, r.Settlements, "")
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// allReports compares the sample log with all reports of the table, with what
// the API tells each bookmaker, and with what was kept of that.
func allReports(t *testing.T, s *archivetest.Sample) {
	r := logged(t, s)
	all := compare(t, reports.New(s.Table), r)
	if len(all.Findings) > 0 || all.Compared == 0 || all.Whole != all.Compared || all.Totals != all.Reports || all.Lines < 100 {
		t.Fatalf("%+v, want len(all.Findings) = 0 and all.Compared other than 0 and all.Whole = %v and all.Totals = %v and all.Lines of at least 100",
			all, all.Compared, all.Reports)
	}
	sum := audit.Comparison{}
	for bookmaker := range bookmakers(t, s, r) {
		source, err := audit.FromAPI(t.Context(), apiOf(t, s, bookmaker), time.UnixMilli(int64(now)))
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(t.TempDir(), "reports")
		kept, err := audit.Keep(source, folder)
		if err != nil {
			t.Fatal(err)
		}
		of := compare(t, kept, r)
		if len(of.Findings) > 0 || of.Reports == 0 || of.Totals != of.Reports || len(source.Reported()) != of.Reports {
			t.Fatalf("%s: %+v, want len(of.Findings) = 0 and of.Reports other than 0 and of.Totals = %v and len(source.Reported()) = %v",
				bookmaker, of, of.Reports, of.Reports)
		}
		sum.Reports, sum.Lines = sum.Reports+of.Reports, sum.Lines+of.Lines
		again, err := audit.FromFolder(folder)
		if err != nil {
			t.Fatal(err)
		}
		if files := compare(t, again, r); len(files.Findings) > 0 || files.Reports != of.Reports || files.Lines != of.Lines {
			t.Fatalf("%s: %+v, not %+v", bookmaker, files, of)
		}
	}
	// A report without lines is not in a feed.
	if sum.Reports >= all.Reports || sum.Lines != all.Lines {
		t.Errorf("%+v by bookmaker, %+v in all", sum, all)
	}
}

// bookmakers returns those that have reports.
func bookmakers(t *testing.T, s *archivetest.Sample, r *verify.Report) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, e := range r.Settlements {
		list, err := reports.New(s.Table).Reports(t.Context(), e.Draw, e.State)
		if err != nil {
			t.Fatal(err)
		}
		for _, report := range list {
			names[report.Bookmaker] = true
		}
	}
	return names
}

// changed is a source whose reports a test changes.
type changed struct {
	audit.ReportSource
	do func(list []audit.Reported) []audit.Reported
}

func (c changed) Reports(ctx context.Context, draw string, state int) ([]audit.Reported, error) {
	list, err := c.ReportSource.Reports(ctx, draw, state)
	for i := range list {
		list[i].Lines = slices.Clone(list[i].Lines)
	}
	return c.do(list), err
}

// otherReports changes what was reported, in one way after the other.
func otherReports(t *testing.T, s *archivetest.Sample) {
	r := logged(t, s)
	table := reports.New(s.Table)
	for _, test := range []struct {
		name string
		want verify.Code
		do   func(list []audit.Reported) []audit.Reported
	}{
		{"another payout", verify.MismatchReport, onLines(func(lines [][]byte) [][]byte {
			lines[0] = bytes.Replace(lines[0], []byte(`"payout":"`), []byte(`"payout":"1`), 1)
			return lines
		})},
		{"a line left out", verify.MismatchReport, onLines(func(lines [][]byte) [][]byte { return lines[1:] })},
		{"a line more", verify.MismatchReport, onLines(func(lines [][]byte) [][]byte { return append(lines, lines[0]) })},
		{"lines in another order", verify.MismatchReport, onLines(func(lines [][]byte) [][]byte { slices.Reverse(lines); return lines })},
		{"a bookmaker's report left out", verify.MismatchReport, func(list []audit.Reported) []audit.Reported { return list[:min(len(list), 1)] }},
		{"a report that tally knows nothing of", verify.MismatchReport, func(list []audit.Reported) []audit.Reported {
			if len(list) > 0 {
				list = append(list, audit.Reported{Bookmaker: "cygnus"})
			}
			return list
		}},
		{"another's disclosure", verify.MismatchReport, func(list []audit.Reported) []audit.Reported {
			if len(list) > 1 {
				list[0].Disclosure = list[1].Disclosure
			}
			return list
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := compare(t, changed{table, test.do}, r)
			if len(result.Findings) == 0 {
				t.Fatal("nothing is found")
			}
			for _, f := range result.Findings {
				if f.Code != test.want || f.Message == "" {
					t.Errorf("found %v", f)
				}
			}
		})
	}
}

func onLines(do func([][]byte) [][]byte) func([]audit.Reported) []audit.Reported {
	return func(list []audit.Reported) []audit.Reported {
		for i := range list {
			if len(list[i].Lines) > 1 {
				list[i].Lines = do(list[i].Lines)
			}
		}
		return list
	}
}

// otherTotals has the log say other totals than the reports come to.
func otherTotals(t *testing.T, s *archivetest.Sample) {
	r := logged(t, s)
	for _, e := range r.Settlements {
		for i := range e.Totals {
			e.Totals[i].Payout.Add(1)
		}
	}
	result := compare(t, reports.New(s.Table), r)
	if len(result.Findings) == 0 || result.Whole == result.Compared {
		t.Fatalf("%+v, want len(result.Findings) other than 0 and result.Whole other than %v", result, result.Compared)
	}
	for _, f := range result.Findings {
		if f.Code != verify.MismatchTotals {
			t.Errorf("found %v", f)
		}
	}
}

// rewrittenPage has someone rewrite a page in the table after it was logged.
func rewrittenPage(t *testing.T, s *archivetest.Sample) {
	r := logged(t, s)
	pk := store.ReportKey("war-1.20261130.0512", 1, "acme", 0)
	for page, err := range s.Table.Query(t.Context(), pk, "") {
		if err != nil {
			t.Fatal(err)
		}
		text, err := report.Inflate(page.Binary)
		if err != nil {
			t.Fatal(err)
		}
		if page.Binary, err = report.Deflate([]byte(strings.Replace(string(text), `"won"`, `"lost"`, 1))); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), `"won"`) {
			page.Binary, err = report.Deflate([]byte(strings.Replace(string(text), `"lost"`, `"won"`, 1)))
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Table.Put(t.Context(), page); err != nil {
			t.Fatal(err)
		}
	}
	result := compare(t, reports.New(s.Table), r)
	if len(result.Findings) != 1 || result.Findings[0].Code != verify.MismatchReport || !strings.Contains(result.Findings[0].Message, "war-1.20261130.0512, state 1: acme") {
		t.Errorf("found %v", result.Findings)
	}
}

// notLogged has reports of settlements that the log does not have.
func notLogged(t *testing.T, s *archivetest.Sample) {
	r := logged(t, s)
	source, err := audit.FromAPI(t.Context(), apiOf(t, s, "acme"), time.UnixMilli(int64(now)))
	if err != nil {
		t.Fatal(err)
	}
	dropped := source.Reported()[0]
	r.Settlements = slices.DeleteFunc(r.Settlements, func(e *entry.Settlement) bool { return e.Draw == dropped.Draw && e.State == dropped.State })
	result := compare(t, source, r)
	if len(result.Findings) == 0 || result.Findings[len(result.Findings)-1].Code != verify.UnloggedReport {
		t.Errorf("found %v", result.Findings)
	}
	// Of another draw alone this says nothing.
	if result, err := audit.Compare(t.Context(), source, nil, "other"); err != nil || len(result.Findings) > 0 {
		t.Errorf("%+v, %v, want no error and len(result.Findings) = 0", result, err)
	}
	// What was reported just now may still be on its way.
	fresh, err := audit.FromAPI(t.Context(), apiOf(t, s, "acme"), time.UnixMilli(0))
	if err != nil || len(fresh.Reported()) > 0 {
		t.Errorf("%v, %v, want no error and len(fresh.Reported()) = 0", fresh.Reported(), err)
	}
}

// partOfReports has only the later reports of a draw: their lines are compared,
// their totals can't be.
func partOfReports(t *testing.T, s *archivetest.Sample) {
	r := logged(t, s)
	source, err := audit.FromAPI(t.Context(), apiOf(t, s, "acme"), time.UnixMilli(int64(now)))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	kept, err := audit.Keep(source, folder)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, kept, r)
	first, err := filepath.Glob(filepath.Join(folder, "*.1.jsonl"))
	if err != nil || len(first) == 0 {
		t.Fatal(err)
	}
	for _, path := range first {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	part, err := audit.FromFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	if result := compare(t, part, r); len(result.Findings) > 0 || result.Totals >= result.Reports || result.Reports == 0 {
		t.Errorf("%+v, want len(result.Findings) = 0 and result.Totals below %v and result.Reports other than 0", result, result.Reports)
	}
	if _, err := audit.FromFolder(t.TempDir()); err == nil {
		t.Error("an empty folder has reports")
	}
}
