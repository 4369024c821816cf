package api_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/fakedynamo"
	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/intake"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// whileHidden makes a transaction of which one item becomes visible last, and a request
// while all others can be seen. The transaction goes on once the request is answered, or
// has asked for the hidden item in a way that waits for it.
func (w *world) whileHidden(db *fakedynamo.DB, hidden string, transaction func(), request func() result) (got result) {
	w.Helper()
	asked, answered := make(chan bool, 100), make(chan result, 1)
	met := false
	db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if call.Operation == "TransactGetItems" && slices.ContainsFunc(call.Keys, func(key string) bool { return strings.HasSuffix(key, hidden) }) {
			asked <- true
		}
		return fakedynamo.Proceed
	}
	db.Torn = func(_ context.Context, call fakedynamo.Call, left []string) (next int) {
		if len(left) > 1 || !strings.HasSuffix(left[0], hidden) {
			return max(0, slices.IndexFunc(left, func(key string) bool { return !strings.HasSuffix(key, hidden) }))
		}
		for len(asked) > 0 {
			<-asked // by the transaction's own side, before
		}
		met = true
		go func() { answered <- request() }()
		select {
		case <-asked:
		case got := <-answered:
			answered <- got
		}
		return 0
	}
	transaction()
	if !met {
		w.Fatalf("no transaction had %s", hidden)
	}
	got = <-answered
	db.Torn, db.Intercept = nil, nil
	return got
}

// A report that the feed tells of, or a draw whose head can be seen, is answered while
// the transaction that has written it is still being committed: what it names and can't
// be seen yet is not missing.
func TestWhileBeingCommitted(t *testing.T) {
	const board = `{"player":"2.08","dealer":"2.08","war":"12.00"}`
	settled := func(w *world) {
		w.open("roulette", "d", "")
		w.want(w.do(http.MethodPut, "/v1/draws/d/bets/b-1", straight17), "201")
		w.pass(time.Minute)
		w.say(intake.Studio, "roulette", "d", "draw.resulted", `,"revision":1,"facts":`+facts17)
		w.pass(12 * time.Second)
	}
	sweeps := func(w *world) {
		if err := w.settler.Handle(w.Context(), "d"); err != nil {
			w.Fatal(err)
		}
	}
	opens := func(w *world) { w.open("war", "d", board) }
	plays := func(w *world) {
		w.say(intake.Studio, "blackjack", "d", "betting.opened", `,"round":2,"opens_at":"`+instant.Format(w.now())+`","closes_at":"`+instant.Format(w.now()+60_000)+
			`","visible":{"dealer":["AS"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D"]}]}]}`)
	}
	deals := func(w *world) {
		w.open("blackjack", "d", "")
		w.want(w.do(http.MethodPut, "/v1/draws/d/bets/b-1", `{"selection":"seat:1","stake":"10.00","currency":"EUR"}`), "201")
		w.pass(70 * time.Second)
	}
	nothing := func(*world) {}
	for _, test := range []struct {
		name, hidden       string
		before, meanwhile  func(w *world)
		method, path, body string
		code, shows        string
	}{
		{"a page of a report", store.FedKey(1, "acme"), settled, sweeps, http.MethodGet, "/v1/draws/d/reports/1/0/1", "", "200", `"b-1"`},
		{"a disclosure", store.FedKey(1, "acme"), settled, sweeps, http.MethodGet, "/v1/draws/d/reports/1/disclosure", "", "404 not_logged", ""},
		{"a draw that opens", store.OpenedKey, nothing, opens, http.MethodGet, "/v1/draws/d", "", "200", `"player":"2.08"`},
		{"a draw's second round", store.RoundKey(2), deals, plays, http.MethodGet, "/v1/draws/d", "", "200", `"8H"`},
		{"a bet", store.OpenedKey, nothing, opens, http.MethodPut, "/v1/draws/d/bets/b-1", `{"selection":"player","odds":"2.08","stake":"10.00","currency":"EUR"}`, "201", `"2.08"`},
		{"a side wager", store.RoundKey(2), deals, plays, http.MethodPut, "/v1/draws/d/bets/b-1/wagers/double:1:1", `{"stake":"10.00","currency":"EUR"}`, "201", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := fakedynamo.New(t, "table")
			w := newWorldOn(t, store.New(db, "table"))
			test.before(w)
			a := w.whileHidden(db, test.hidden, func() { test.meanwhile(w) }, func() result { return w.do(test.method, test.path, test.body) })
			if w.want(a, test.code); !strings.Contains(a.body, test.shows) {
				t.Errorf("it does not show %s: %s", test.shows, a.body)
			}
			if feed := decoded[v1.Feed](t, w.want(w.do(http.MethodGet, "/v1/feed?after=0", ""), "200")); int64(len(feed.Entries)) != feed.Newest {
				t.Errorf("then the feed has %d of %d entries", len(feed.Entries), feed.Newest)
			}
		})
	}
}

// The totals of a month are those of a run of the feed: nothing after a report that is
// not to be seen yet is counted, nor what came while its days were.
func TestTotalsAreARun(t *testing.T) {
	const midnight = noon + 36*3_600_000 // that after 2026-12-01
	reports := func(t *testing.T, w *world, newest int, numbers ...int) {
		t.Helper()
		times := []settlement.Instant{0, midnight - 3000, midnight - 2000, midnight - 1000, midnight + 1000}
		items := []store.Item{{SK: store.CounterKey, Body: fmt.Sprintf(`{"newest":%d,"at":%d}`, newest, times[newest])}}
		for _, n := range numbers {
			body := fmt.Sprintf(`{"sequence":%d,"draw":"rou-%[1]d","game":"roulette","state":1,"shards":[],"totals":[{"currency":"EUR","bets":1,"stake":"100","payout":"0","lost":1}],"at":%d,"previous_at":%d}`,
				n, times[n], times[n-1])
			items = append(items, store.Item{SK: store.EntryKey(int64(n)), Body: body})
		}
		for _, item := range items {
			item.PK = store.FeedKey("acme")
			if err := w.table.Put(t.Context(), item); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := func(t *testing.T, w *world, last int64) {
		t.Helper()
		got := decoded[v1.PeriodTotals](t, w.want(w.do(http.MethodGet, "/v1/totals?period=2026-12", ""), "200"))
		if got.First != 1 || got.Last != last || len(got.Totals) != 1 || got.Totals[0].Bets != int(last) {
			t.Errorf("%+v, not reports 1 to %d", got, last)
		}
	}
	t.Run("one can't be seen", func(t *testing.T) {
		w := newWorldOn(t, store.New(fakedynamo.New(t, "tally"), "tally"))
		w.at = midnight + 2000
		reports(t, w, 4, 1, 3, 4)
		want(t, w, 1)
		reports(t, w, 4, 2)
		want(t, w, 4)
	})
	t.Run("others come meanwhile", func(t *testing.T) {
		db := fakedynamo.New(t, "tally")
		w := newWorldOn(t, store.New(db, "tally"))
		w.at = midnight + 2000
		reports(t, w, 1, 1)
		db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
			if strings.HasSuffix(call.String(), "TOTALS#acme / 2026-12-02") {
				db.Intercept = nil
				reports(t, w, 4, 2, 3, 4)
			}
			return fakedynamo.Proceed
		}
		want(t, w, 1)
		want(t, w, 4)
	})
}
