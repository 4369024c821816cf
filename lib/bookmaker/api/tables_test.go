package api_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/intake"
)

// sayOfTable has intake take a message about a table.
func (w *world) sayOfTable(table, rest string) {
	w.Helper()
	body := `{"schema":1,"id":"m","table":"` + table + `","at":"` + instant.Format(w.now()) + `",` + rest + `}`
	if err := w.intake.Handle(w.Context(), intake.Delivery{Body: []byte(body), SentAt: w.now()}); err != nil {
		w.Fatal(err)
	}
}

// Those with bets on a table's draw are told in their feeds that it is suspended, once each;
// it is no report.
func TestToldOfTables(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", straight17), "201")
	w.pass(time.Second)
	since := instant.Format(w.now())
	w.sayOfTable("t-1", `"type":"table.suspended","reason":"equipment_error"`)
	tell := func(draw, table string) {
		t.Helper()
		if err := w.settler.Tell(t.Context(), draw, table); err != nil {
			t.Fatal(err)
		}
	}
	told := func(want ...v1.TableNews) {
		t.Helper()
		var got []v1.TableNews
		for _, e := range decoded[v1.Feed](t, w.want(w.do(http.MethodGet, "/v1/feed?after=0", ""), "200")).Entries {
			if e.Table != nil {
				got = append(got, *e.Table)
				if e.Draw != "rou-1" || e.State != 0 || e.Lines != 0 || len(e.Totals)+len(e.Pages) != 0 {
					t.Errorf("the entry is %+v, want nothing but the table", e)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the feed tells %+v, want %+v", got, want)
		}
	}
	tell("rou-1", "t-2") // another table's
	tell("rou-2", "t-1") // no draw
	told()
	tell("rou-1", "t-1")
	tell("rou-1", "t-1")
	suspended := v1.TableNews{Table: "t-1", Status: "suspended", Reason: "equipment_error", Since: since}
	told(suspended)
	w.pass(time.Second)
	resumed := v1.TableNews{Table: "t-1", Status: "open", Since: instant.Format(w.now())}
	w.sayOfTable("t-1", `"type":"table.resumed"`)
	tell("rou-1", "t-1")
	told(suspended, resumed)
	w.pass(time.Minute)
	w.result("roulette", "rou-1", 1, facts17)
	w.sayOfTable("t-1", `"type":"table.suspended","reason":"shift"`)
	tell("rou-1", "t-1") // it is over
	told(suspended, resumed)
	feed := decoded[v1.Feed](t, w.want(w.do(http.MethodGet, "/v1/feed?after=2", ""), "200"))
	if len(feed.Entries) != 1 || feed.Entries[0].State != 1 || feed.Entries[0].Sequence != 3 {
		t.Errorf("after that the feed has %+v, want the report of the draw", feed.Entries)
	}
	totals := decoded[v1.PeriodTotals](t, w.want(w.do(http.MethodGet, "/v1/totals?period=2026-11-30", ""), "200"))
	if len(totals.Totals) != 1 || totals.Totals[0].Bets != 1 || totals.First != 1 || totals.Last != 3 {
		t.Errorf("the day comes to %+v, want one bet in entries 1 to 3", totals)
	}
}

// Bookmakers see which tables take no bets, why, and which are silent; bets on a suspended
// one are refused.
func TestListTables(t *testing.T) {
	w := newWorld(t)
	listed := func(want ...v1.Table) {
		t.Helper()
		list := decoded[v1.Tables](t, w.want(w.do(http.MethodGet, "/v1/tables", ""), "200"))
		if !slices.Equal(list.Tables, want) {
			t.Errorf("listed are %+v, want %+v", list.Tables, want)
		}
	}
	listed()
	w.open("roulette", "rou-1", "")
	begun := instant.Format(w.now())
	w.sayOfTable("t-1", `"type":"table.alive"`)
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", straight17), "201")
	listed(v1.Table{Table: "t-1", Status: "open", HeardAt: begun})
	w.pass(time.Second)
	since := instant.Format(w.now())
	w.sayOfTable("t-1", `"type":"table.suspended","reason":"equipment_error"`)
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-2", straight17), "409 table_suspended")
	listed(v1.Table{Table: "t-1", Status: "suspended", Reason: "equipment_error", Since: since, HeardAt: since})
	w.pass(time.Second)
	since = instant.Format(w.now())
	w.sayOfTable("t-1", `"type":"table.resumed"`)
	w.pass(time.Second)
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-3", straight17), "201")
	w.pass(time.Minute)
	listed(v1.Table{Table: "t-1", Status: "silent", Since: since, HeardAt: since})
}
