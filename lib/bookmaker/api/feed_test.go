package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tally/internal/testkit/fakedynamo"
	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw/report"
	"tally/lib/pipeline/intake"
	"tally/lib/store"
)

const (
	facts17 = `{"spins":[{"revolutions":6,"pocket":17}]}`
	facts9  = `{"spins":[{"revolutions":6,"pocket":9}]}`
)

// lines reads all pages of a report of the feed.
func (w *world) lines(entry v1.FeedEntry) (lines []v1.Line) {
	w.Helper()
	for _, page := range entry.Pages {
		lines = append(lines, decoded[v1.ReportPage](w.TB, w.want(w.do(http.MethodGet, page.Href, ""), "200")).Lines...)
	}
	return lines
}

// TestHistoryIsAsTheFeedSays corrects a draw twice, once with no change, voids a
// bet, and compares each bet's history with what the feed has said of it.
func TestHistoryIsAsTheFeedSays(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	for i, selection := range []string{"straight:17", "straight:9", "red", "dozen:2", "zero_none"} {
		w.do(http.MethodPut, fmt.Sprintf("/v1/draws/rou-1/bets/b-%d", i), fmt.Sprintf(`{"selection":%q,"stake":"10.00","currency":"EUR"}`, selection))
	}
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-3/cancellation", ""), "200")
	w.pass(time.Minute)
	w.result("roulette", "rou-1", 1, facts17)
	w.result("roulette", "rou-1", 2, facts9)
	w.say(intake.Operator, "roulette", "rou-1", "bets.voided", `,"order":"o-1","scope":{"bookmaker":"acme","bets":["b-1"]},"reason":"x","evidence":"y"`)
	w.settle("rou-1")

	feed := decoded[v1.Feed](t, w.want(w.do(http.MethodGet, "/v1/feed", ""), "200"))
	if len(feed.Entries) != 3 || feed.Next != 3 || feed.Newest != 3 {
		t.Fatalf("%d entries, next %d, newest %d", len(feed.Entries), feed.Next, feed.Newest)
	}
	reported := map[string][]v1.Line{}
	for _, entry := range feed.Entries {
		for _, line := range w.lines(entry) {
			reported[line.Bet] = append(reported[line.Bet], line)
		}
	}
	if len(reported) != 4 || len(reported["b-0"]) != 2 || len(reported["b-1"]) != 3 || len(reported["b-3"]) != 1 {
		t.Errorf("%v, want len(reported) = 4 and len(reported[\"b-0\"]) = 2 and len(reported[\"b-1\"]) = 3 and len(reported[\"b-3\"]) = 1",
			reported)
	}
	for reference, lines := range reported {
		bet := decoded[v1.BetDetail](t, w.want(w.do(http.MethodGet, "/v1/draws/rou-1/bets/"+reference, ""), "200"))
		if !reflect.DeepEqual(bet.Settlements, lines) {
			t.Errorf("%s: history %+v, feed %+v", reference, bet.Settlements, lines)
		}
		if newest := lines[len(lines)-1]; bet.Status != newest.Status || bet.Reason != newest.Reason {
			t.Errorf("%s is %s %s, the feed says %+v", reference, bet.Status, bet.Reason, newest)
		}
	}
	list := decoded[v1.Bets](t, w.want(w.do(http.MethodGet, "/v1/draws/rou-1/bets?limit=3", ""), "200"))
	rest := decoded[v1.Bets](t, w.want(w.do(http.MethodGet, "/v1/draws/rou-1/bets?limit=3&cursor="+list.Next, ""), "200"))
	for _, bet := range append(list.Bets, rest.Bets...) {
		if !reflect.DeepEqual(bet.Settlements, reported[bet.Reference]) {
			t.Errorf("%s in the list: %+v", bet.Reference, bet)
		}
	}
	if len(list.Bets) != 3 || len(rest.Bets) != 1 || rest.Next != "" {
		t.Errorf("pages of %d and %d bets, then %q", len(list.Bets), len(rest.Bets), rest.Next)
	}
}

func TestTotalsAndPages(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", straight17)
	w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-2", `{"selection":"red","stake":"1000","currency":"JPY"}`)
	if before := decoded[v1.DrawTotals](t, w.do(http.MethodGet, "/v1/draws/rou-1/totals", "")); before.State != 0 || len(before.Totals) != 0 {
		t.Errorf("before: %+v", before)
	}
	w.pass(time.Minute)
	w.result("roulette", "rou-1", 1, facts17)
	csv := w.want(w.do(http.MethodGet, "/v1/draws/rou-1/totals?format=csv", ""), "200")
	if want := "currency,bets,stake,payout,won,lost,refunded\r\nEUR,1,10.00,360.00,1,0,0\r\nJPY,1,1000,0,0,1,0\r\n"; csv.body != want {
		t.Errorf("%q, want csv.body = %v", csv.body, want)
	}
	page := w.want(w.do(http.MethodGet, "/v1/draws/rou-1/reports/1/0/1?format=csv", ""), "200")
	if rows := strings.Split(page.body, "\r\n"); len(rows) != 4 || !strings.HasPrefix(rows[1], "b-1,,won,10.00,360.00,EUR,,ROU-") {
		t.Errorf("%q, want len(rows) = 4 and rows[1] to begin with \"b-1,,won,10.00,360.00,EUR,,ROU-\"", page.body)
	}
	w.result("roulette", "rou-1", 2, facts9)
	for _, period := range []string{"2026-11-30", "2026-11"} {
		t.Run(period, func(t *testing.T) {
			totals := decoded[v1.PeriodTotals](t, w.want(w.do(http.MethodGet, "/v1/totals?period="+period, ""), "200"))
			if totals.First != 1 || totals.Last != 2 || totals.Final || len(totals.Totals) != 2 || totals.Totals[0] != (v1.Totals{Currency: "EUR", Bets: 1, Stake: "10.00", Payout: "0.00", Lost: 1}) {
				t.Errorf("%s: %+v", period, totals)
			}
		})
	}
	// A correction on the next day changes only that day.
	w.pass(13 * time.Hour)
	w.want(w.do(http.MethodGet, "/v1/totals?period=2026-11-30", ""), "200")
	w.result("roulette", "rou-1", 3, facts17)
	w.pass(24 * time.Hour)
	var days []string
	for _, period := range []string{"2026-11-30", "2026-12-01", "2026-12", "2026-10"} {
		totals := decoded[v1.PeriodTotals](t, w.want(w.do(http.MethodGet, "/v1/totals?period="+period, ""), "200"))
		text := fmt.Sprint(totals.Final)
		for _, each := range totals.Totals {
			text += fmt.Sprintf(" %s %d %s %s", each.Currency, each.Bets, each.Stake, each.Payout)
		}
		days = append(days, text)
	}
	if want := []string{"true EUR 1 10.00 0.00 JPY 1 1000 2000", "true EUR 0 0.00 360.00 JPY 0 0 -2000", "false EUR 0 0.00 360.00 JPY 0 0 -2000", "true"}; !slices.Equal(days, want) {
		t.Errorf("%q, not %q", days, want)
	}
	w.want(w.do(http.MethodGet, "/v1/totals?period=2026-02-30", ""), "400 invalid_request")
}

// TestTotalsOfExpiredReports has reports expire one after the other, in any order: a
// day is answered in full, as it was counted before, or not at all.
func TestTotalsOfExpiredReports(t *testing.T) {
	w := newWorld(t)
	for day := range 4 { // reports 1 to 8, two a day
		for i := range 2 {
			id := fmt.Sprintf("rou-%d-%d", day, i)
			w.open("roulette", id, "")
			w.want(w.do(http.MethodPut, "/v1/draws/"+id+"/bets/b-1", straight17), "201")
			w.pass(time.Minute)
			w.result("roulette", id, 1, facts17)
		}
		w.pass(24*time.Hour - 2*(time.Minute+12*time.Second))
	}
	newest := w.want(w.do(http.MethodGet, "/v1/totals?period=2026-12-03", ""), "200")
	expired := func(sequence int64) {
		if err := w.table.Delete(t.Context(), store.FeedKey("acme"), store.EntryKey(sequence)); err != nil {
			t.Fatal(err)
		}
	}
	w.pass(7 * 24 * time.Hour)
	ask := func() (codes string) {
		for _, period := range []string{"2026-11-29", "2026-11-30", "2026-12-01", "2026-12-02", "2026-12-03", "2026-12-04", "2026-12"} {
			a := w.do(http.MethodGet, "/v1/totals?period="+period, "")
			if codes += fmt.Sprint(a.status); a.status == http.StatusOK {
				totals, bets := decoded[v1.PeriodTotals](t, a), 0
				for _, each := range totals.Totals {
					bets += each.Bets
				}
				codes += fmt.Sprintf(":%d", bets)
			}
			codes += " "
		}
		return codes
	}
	forget := func() { // what was counted
		for _, day := range []string{"2026-11-29", "2026-11-30", "2026-12-01", "2026-12-02", "2026-12-03", "2026-12-04"} {
			if err := w.table.Delete(t.Context(), store.TotalsKey("acme"), day); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		expires int64
		want    string
	}{
		{0, "200:0 200:2 200:2 200:2 200:2 200:0 200:6 "},
		{4, "200:0 200:2 410 410 200:2 200:0 410 "}, // it could be of the second day or of the third
		{1, "410 410 410 410 200:2 200:0 410 "},
		{2, "410 410 410 410 200:2 200:0 410 "},
		{5, "410 410 410 410 200:2 200:0 410 "},
		{6, "410 410 410 410 410 200:0 410 "},
		{8, "410 410 410 410 410 410 410 "},
		{3, "410 410 410 410 410 410 410 "},
		{7, "410 410 410 410 410 410 410 "},
	} {
		t.Run(fmt.Sprint(test.expires), func(t *testing.T) {
			forget()
			if test.expires > 0 {
				expired(test.expires)
			}
			if got := ask(); got != test.want {
				t.Errorf("without %d: %s, not %s", test.expires, got, test.want)
			}
		})
	}
	// Nothing of these days can have expired yet, whatever has before.
	forget()
	w.open("roulette", "later", "")
	w.want(w.do(http.MethodPut, "/v1/draws/later/bets/b-1", straight17), "201")
	w.pass(time.Minute)
	w.result("roulette", "later", 1, facts17)
	want := strings.NewReplacer("2026-12-03", "2026-12-11", "true", "false", `"first":7,"last":8`, `"first":9,"last":9`, `"bets":2,"stake":"20.00","payout":"720.00","won":2`, `"bets":1,"stake":"10.00","payout":"360.00","won":1`).Replace(newest.body)
	if got := w.do(http.MethodGet, "/v1/totals?period=2026-12-11", ""); got.body != want {
		t.Errorf("%s, not %s", got.body, want)
	}
	w.want(w.do(http.MethodGet, "/v1/totals?period=2026-12-10", ""), "200")
}

func TestPosition(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", straight17)
	w.pass(time.Minute)
	w.result("roulette", "rou-1", 1, facts17)
	w.result("roulette", "rou-1", 2, facts9)
	w.want(w.do(http.MethodPut, "/v1/feed/position", `{"sequence":3}`), "409 position_ahead")
	w.want(w.do(http.MethodPut, "/v1/feed/position", `{"sequence":1}`), "200")
	if p := decoded[v1.Position](t, w.do(http.MethodGet, "/v1/feed/position", "")); p.Sequence != 1 {
		t.Errorf("%+v, want p.Sequence = 1", p)
	}
	if feed := decoded[v1.Feed](t, w.do(http.MethodGet, "/v1/feed", "")); len(feed.Entries) != 1 || feed.Entries[0].Sequence != 2 {
		t.Errorf("%+v, want len(feed.Entries) = 1 and feed.Entries[0].Sequence = 2", feed)
	}
	for _, after := range []string{"3", "999999", "999999999999"} {
		t.Run(after, func(t *testing.T) {
			if p := w.want(w.do(http.MethodGet, "/v1/feed?after="+after, ""), "409 position_ahead").problem(t); p.Newest == nil || *p.Newest != 2 || p.Detail != "there is no report "+after+": the newest is 2" {
				t.Errorf("after %s: %+v", after, p)
			}
		})
	}
	if feed := decoded[v1.Feed](t, w.want(w.do(http.MethodGet, "/v1/feed?after=2", ""), "200")); len(feed.Entries) != 0 || feed.Next != 2 {
		t.Errorf("after the newest: %+v", feed)
	}
	if feed := decoded[v1.Feed](t, w.do(http.MethodGet, "/v1/feed?after=0&limit=1", "")); len(feed.Entries) != 1 || feed.Next != 1 || feed.Newest != 2 {
		t.Errorf("%+v, want len(feed.Entries) = 1 and feed.Next = 1 and feed.Newest = 2", feed)
	}
}

// TestFeedSetBack has the feed end before the acknowledged position, as a restore to
// an earlier time does: it gets this, instead of nothing new for ever, and goes on once
// another position is acknowledged.
func TestFeedSetBack(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", straight17)
	w.pass(time.Minute)
	w.result("roulette", "rou-1", 1, facts17)
	w.want(w.do(http.MethodPut, "/v1/feed/position", `{"sequence":1}`), "200")
	if err := w.table.Put(t.Context(), store.Item{PK: store.BookmakerKey("acme"), SK: store.PositionKey, Body: `{"sequence":9}`}); err != nil {
		t.Fatal(err)
	}
	w.want(w.do(http.MethodGet, "/v1/feed", ""), "409 position_ahead")
	w.want(w.do(http.MethodPut, "/v1/feed/position", `{"sequence":1}`), "200")
	w.result("roulette", "rou-1", 2, facts9)
	if feed := decoded[v1.Feed](t, w.want(w.do(http.MethodGet, "/v1/feed", ""), "200")); len(feed.Entries) != 1 || feed.Entries[0].Sequence != 2 {
		t.Errorf("%+v, want len(feed.Entries) = 1 and feed.Entries[0].Sequence = 2", feed)
	}
}

// TestTenReadersDuringSettlement reads the feed while draws are being settled:
// every reader sees every report, in order and without a gap.
func TestTenReadersDuringSettlement(t *testing.T) {
	w := newWorld(t)
	const draws = 40
	for i := range draws {
		id := fmt.Sprintf("rou-%d", i)
		w.open("roulette", id, "")
		w.want(w.do(http.MethodPut, "/v1/draws/"+id+"/bets/b-1", straight17), "201")
	}
	w.pass(time.Minute)
	for i := range draws {
		w.say(intake.Studio, "roulette", fmt.Sprintf("rou-%d", i), "draw.resulted", `,"revision":1,"facts":`+facts17)
	}
	w.pass(12 * time.Second)
	var settling, reading sync.WaitGroup
	for part := range 4 {
		settling.Go(func() {
			for i := part; i < draws; i += 4 {
				if err := w.settler.Handle(t.Context(), fmt.Sprintf("rou-%d", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 10 {
		reading.Go(func() {
			seen, after := 0, int64(0)
			for deadline := time.Now().Add(30 * time.Second); seen < draws && time.Now().Before(deadline); {
				feed := decoded[v1.Feed](t, w.do(http.MethodGet, fmt.Sprintf("/v1/feed?after=%d&limit=7", after), ""))
				for _, entry := range feed.Entries {
					if after++; entry.Sequence != after {
						t.Errorf("entry %d where %d has to come", entry.Sequence, after)
						return
					}
					seen++
				}
			}
			if seen != draws {
				t.Errorf("%d reports of %d", seen, draws)
			}
		})
	}
	settling.Wait()
	reading.Wait()
}

// TestNoFormulas has a reference begin as a formula of a spreadsheet does.
func TestNoFormulas(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/-1", straight17), "201")
	w.pass(time.Minute)
	w.result("roulette", "rou-1", 1, facts17)
	page := w.want(w.do(http.MethodGet, "/v1/draws/rou-1/reports/1/0/1?format=csv", ""), "200")
	if rows := strings.Split(page.body, "\r\n"); len(rows) != 3 || !strings.HasPrefix(rows[1], "'-1,,won,10.00,360.00,EUR,") {
		t.Errorf("%q, want len(rows) = 3 and rows[1] to begin with \"'-1,,won,10.00,360.00,EUR,\"", page.body)
	}
}

// TestFeedInBytes reads a feed of many megabytes: no answer has more than four, however
// many reports were asked for, but one that has more by itself; and none is left out.
func TestFeedInBytes(t *testing.T) {
	w := newWorldOn(t, store.New(fakedynamo.New(t, "table"), "table"))
	const entries, large, most = 110, 60, 4 << 20
	id := strings.Repeat("d", 64) // the longest
	put := func(sk string, body any) {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.table.Put(t.Context(), store.Item{PK: store.FeedKey("acme"), SK: sk, Body: string(text)}); err != nil {
			t.Fatal(err)
		}
	}
	for sequence := int64(1); sequence <= entries; sequence++ {
		pages := 700
		if sequence == large {
			pages = 40_000
		}
		put(store.EntryKey(sequence), report.Entry{Sequence: sequence, Draw: id, Game: "roulette", State: 1, At: noon, Shards: []report.Shard{{Pages: pages, Lines: pages}}})
	}
	put(store.CounterKey, map[string]int64{"newest": entries, "at": int64(noon)})
	answers, after := 0, int64(0)
	for after < entries {
		a := w.want(w.do(http.MethodGet, fmt.Sprintf("/v1/feed?after=%d&limit=100", after), ""), "200")
		feed := decoded[v1.Feed](t, a)
		if len(feed.Entries) == 0 || len(a.body) > most && len(feed.Entries) > 1 {
			t.Fatalf("after %d: %d reports in %d bytes", after, len(feed.Entries), len(a.body))
		}
		for _, entry := range feed.Entries {
			if after++; entry.Sequence != after {
				t.Fatalf("report %d where %d has to come", entry.Sequence, after)
			}
		}
		if feed.Next != after {
			t.Fatalf("next is %d after report %d", feed.Next, after)
		}
		answers++
	}
	if answers < 4 || answers > 12 {
		t.Errorf("it took %d answers", answers)
	}
}
