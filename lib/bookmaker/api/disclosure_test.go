package api_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/commitment"
	"tally/lib/bookmaker/api"
	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/bookmaker/keys"
	"tally/lib/rulebook/games/roulette"
)

// TestDisclosure asks for what proves the reports on the sample draws: before they
// are logged, after, and by another bookmaker.
func TestDisclosure(t *testing.T) {
	s := archivetest.New(t)
	s.Play(roulette.Game)
	w := &world{TB: t, table: s.Table, at: noon + 86_400_000, count: map[string]int{}}
	w.keys = &keys.Registry{Table: w.table, Now: w.now}
	var err error
	if w.api, err = api.New(api.Options{Table: w.table, Now: w.now, Record: w, Log: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	w.server = httptest.NewServer(newConformance(t, w.api))
	defer w.server.Close()
	w.acme = w.key("acme", keys.FeedRead)

	feed := decoded[v1.Feed](t, w.want(w.do(http.MethodGet, "/v1/feed?after=0", ""), "200"))
	if len(feed.Entries) == 0 {
		t.Fatal("acme has no reports")
	}
	path := func(e v1.FeedEntry) string { return fmt.Sprintf("/v1/draws/%s/reports/%d/disclosure", e.Draw, e.State) }
	for _, entry := range feed.Entries {
		w.want(w.do(http.MethodGet, path(entry), ""), "404 not_logged")
	}
	s.ArchiveAll()
	stranger := as(w.key("nobody", keys.FeedRead))
	for _, entry := range feed.Entries {
		d := decoded[commitment.Disclosure](t, w.want(w.do(http.MethodGet, path(entry), ""), "200"))
		if d.Draw != entry.Draw || d.State != entry.State || d.Commitment.Bookmaker != "acme" || d.Commitment.Lines != int64(entry.Lines) {
			t.Errorf("%+v of %+v", d, entry)
		}
		lines := w.plainLines(entry)
		for i := range lines {
			if _, err := d.Prove(lines, i); err != nil {
				t.Errorf("line %d of %s: %v", i, path(entry), err)
			}
		}
		w.want(w.do(http.MethodGet, path(entry), "", stranger...), "404 unknown_report")
	}
	w.want(w.do(http.MethodGet, path(v1.FeedEntry{Draw: feed.Entries[0].Draw, State: 99}), ""), "404 unknown_report")
	other := as(w.key("borealis", keys.FeedRead))
	for _, entry := range decoded[v1.Feed](t, w.do(http.MethodGet, "/v1/feed?after=0", "", other...)).Entries {
		mine, theirs := w.do(http.MethodGet, path(entry), ""), w.want(w.do(http.MethodGet, path(entry), "", other...), "200")
		if mine.status == 200 && bytes.Equal(decoded[commitment.Disclosure](t, mine).Key, decoded[commitment.Disclosure](t, theirs).Key) {
			t.Error("two bookmakers have the same key")
		}
	}
}

// plainLines reads a report's lines as they are committed to.
func (w *world) plainLines(entry v1.FeedEntry) (lines [][]byte) {
	w.Helper()
	for _, page := range entry.Pages {
		a := w.want(w.do(http.MethodGet, page.Href+"?format=jsonl", ""), "200")
		if got := a.header.Get("Content-Type"); got != "application/x-ndjson" {
			w.Errorf("Content-Type %s", got)
		}
		lines = slices.AppendSeq(lines, bytes.SplitSeq(bytes.TrimSuffix([]byte(a.body), []byte("\n")), []byte("\n")))
	}
	return lines
}
