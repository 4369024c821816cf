package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "tally/lib/bookmaker/apitype"
)

func TestPlaceABet(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	first := w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", straight17), "201")
	again := w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", straight17), "200")
	if first.body != again.body {
		t.Errorf("first %s, then %s", first.body, again.body)
	}
	bet := decoded[v1.Bet](t, first)
	if bet.Status != "accepted" || bet.Selection != "straight:17" || bet.Stake != "10.00" || bet.Round != 1 || bet.AcceptedAt != "2026-11-30T12:00:00.000Z" {
		t.Errorf("%+v, want bet.Status = \"accepted\" and bet.Selection = \"straight:17\" and bet.Stake = \"10.00\" and bet.Round = 1 and bet.AcceptedAt = \"2026-11-30T12:00:00.000Z\"",
			bet)
	}
	other := w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", `{"selection":"red","stake":"11.00","currency":"EUR"}`), "409 reference_used")
	if p := other.problem(t); !slices.Equal(p.Differs, []string{"selection", "stake"}) {
		t.Errorf("it differs in %v", p.Differs)
	}
	w.pass(time.Minute)
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", straight17), "200")
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-2", straight17), "409 betting_closed")
	w.want(w.do(http.MethodGet, "/v1/draws/rou-1/bets/b-2", ""), "404 unknown_bet")
}

func TestOddsOfTheBoard(t *testing.T) {
	w := newWorld(t)
	w.open("lucky5", "l-1", `{"sum_odd":"1.95","drawn:7":"6.6"}`)
	for _, test := range []struct{ body, want, odds string }{
		{`{"selection":"sum_odd","odds":"1.95","stake":"10.00","currency":"EUR"}`, "201", ""},
		{`{"selection":"sum_odd","odds":"1.96","stake":"10.00","currency":"EUR"}`, "409 odds_changed", "1.95"},
		{`{"selection":"sum_odd","odds":"1.95","stake":"10.00","currency":"EUR"}`, "409 odds_changed", "1.95"}, // right, and too early
		{`{"selection":"drawn:8","odds":"6.60","stake":"10.00","currency":"EUR"}`, "409 not_offered", ""},
		{`{"selection":"sum_odd","stake":"10.00","currency":"EUR"}`, "422 odds_missing", ""},
	} {
		t.Run(test.body, func(t *testing.T) {
			got := w.want(w.do(http.MethodPut, "/v1/draws/l-1/bets/"+"b"+test.want[:3]+test.odds, test.body), test.want)
			if got.status >= 400 && got.problem(t).CurrentOdds != test.odds {
				t.Errorf("current odds %q", got.problem(t).CurrentOdds)
			}
		})
	}
}

// TestAllProblemsAtOnce sends requests with several problems.
func TestAllProblemsAtOnce(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	for _, test := range []struct {
		name, path, body, want string
		faults                 []string
	}{
		{"form", "/v1/draws/rou-1/bets/b-1", `{"selection":7,"stakes":"1","currency":"EUR","shop":"a b"}`, "400 invalid_request",
			[]string{"missing_field /stake", "unknown_field /stakes", "wrong_type /selection", "bad_value /shop"}},
		{"values", "/v1/draws/rou-1/bets/b-1", `{"selection":"straight:37","odds":"0.5","stake":"1","currency":"EUR"}`, "422 illegal_shape",
			[]string{"illegal_shape /selection", "bad_amount /stake", "odds_not_allowed /odds"}},
		{"path", "/v1/draws/rou!1/bets/b%201", straight17, "400 invalid_request", []string{"bad_value path draw", "bad_value path reference"}},
		{"no JSON", "/v1/draws/rou-1/bets/b-1", `{"selection":`, "400 invalid_request", []string{"bad_json /"}},
		{"twice", "/v1/draws/rou-1/bets/b-1", `{"stake":"1.00","stake":"2.00"}`, "400 invalid_request", []string{"duplicate_field /stake"}},
		{"empty", "/v1/draws/rou-1/bets/b-1", ` `, "400 invalid_request", []string{"bad_json /"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := w.want(w.do(http.MethodPut, test.path, test.body), test.want).problem(t)
			var got []string
			for _, f := range p.Errors {
				got = append(got, f.Code+" "+f.At)
			}
			slices.Sort(got)
			slices.Sort(test.faults)
			if !slices.Equal(got, test.faults) {
				t.Errorf("faults %q, not %q", got, test.faults)
			}
		})
	}
}

func TestBodiesThatAreNotRead(t *testing.T) {
	w := newWorld(t)
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", straight17, "Content-Type", "application/x-www-form-urlencoded"), "415 unsupported_media_type")
	w.want(w.do(http.MethodPost, "/v1/bets", `{"bets":"`+string(make([]byte, 300<<10))+`"}`), "413 too_large")
	if p := w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", strings.Repeat(" ", 300<<10)), "413 too_large").problem(t); strings.Contains(p.Action, "fewer") {
		t.Errorf("one bet is named: %s", p.Action)
	}
	for _, coding := range []string{"gzip", "br", "deflate, gzip"} {
		w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", straight17, "Content-Encoding", coding), "415 unsupported_media_type")
	}
	w.want(w.do(http.MethodPut, "/v1/draws/nosuch/bets/b-1", straight17, "Content-Encoding", "identity"), "404 unknown_draw")
	w.want(w.do(http.MethodPut, "/v1/draws/nosuch/bets/b-1", straight17), "404 unknown_draw")
	w.want(w.do(http.MethodGet, "/v1/nosuch", ""), "404 unknown_path")
	if a := w.want(w.do(http.MethodDelete, "/v1/draws/rou-1/bets/b-1", ""), "405 method_not_allowed"); a.header.Get("Allow") != "GET, PUT" {
		t.Errorf("Allow: %s", a.header.Get("Allow"))
	}
}

// TestStakeLimits sends stakes that have the right decimals and are none.
func TestStakeLimits(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	for _, stake := range []string{"10000000000.01", "-1.00", "0.00"} {
		t.Run(stake, func(t *testing.T) {
			p := w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", `{"selection":"red","stake":"`+stake+`","currency":"EUR"}`), "422 bad_amount").problem(t)
			if want := `"` + stake + `" is no stake in EUR: write a decimal with exactly 2 decimals, from 0.01 to 10000000000.00`; p.Detail != want {
				t.Errorf("%s, want %s", p.Detail, want)
			}
		})
	}
}

// TestProblemsInWords reads what is said of a form that is wrong: words, no names of
// a validator's rules and no patterns.
func TestProblemsInWords(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	bets := strings.TrimSuffix(strings.Repeat(`{"draw":"d","reference":"b","selection":"red","stake":"1","currency":"EUR"},`, 101), ",")
	for _, test := range []struct{ method, path, body, want string }{
		{http.MethodPut, "/v1/draws/rou-1/bets/b-1", `[]`, "/: it is an array, not an object"},
		{http.MethodPut, "/v1/draws/rou-1/bets/b-1", `{"selection":7,"stake":"1.00","currency":"EUR"}`, "/selection: it is a number, not a string"},
		{http.MethodPost, "/v1/bets", `{"bets":[` + bets + `]}`, "/bets: it has 101 entries; at most 100 are allowed"},
		{http.MethodPost, "/v1/bets", `{"bets":[]}`, "/bets: it has 0 entries; at least 1 are needed"},
		{http.MethodPost, "/v1/bets", `{"bets":[` + strings.Repeat("{},", 79_999) + `{}]}`, "/bets: it has 80000 entries; at most 100 are allowed"},
		{http.MethodPost, "/v1/bets", "\ufeff" + `{"bets":[]}`, "/: the body begins with a byte order mark: send it without"},
		{http.MethodPut, "/v1/draws/rou-1/bets/b-1", "\ufeff" + straight17, "/: the body begins with a byte order mark: send it without"},
		{http.MethodPut, "/v1/disputes/d-1", `{"draw":"rou-1","bets":[` + strings.Repeat(`"b",`, 100) + `"b"],"reason":"r","evidence":"e"}`, "/bets: it has 101 entries; at most 100 are allowed"},
		{http.MethodPut, "/v1/disputes/d-1", `{"draw":"..","reason":"r","evidence":"e"}`, `/draw: ".." is not written so: write 1 to 64 of A-Z a-z 0-9 . _ -, but not . or ..`},
		{http.MethodPut, "/v1/disputes/d-1", `{"draw":"rou-1","bets":["b",".."],"reason":"r","evidence":"e"}`, `/bets/1: ".." is not written so: write 1 to 64 of A-Z a-z 0-9 . _ -, but not . or ..`},
		{http.MethodPut, "/v1/disputes/d-1", `{"draw":"rou-1","bets":["."],"reason":"r","evidence":"e"}`, `/bets/0: "." is not written so: write 1 to 64 of A-Z a-z 0-9 . _ -, but not . or ..`},
		{http.MethodPut, "/v1/disputes/%2E", `{"draw":"rou-1","reason":"r","evidence":"e"}`, `path dispute: "." is not written so: write 1 to 64 of A-Z a-z 0-9 . _ -, but not . or ..`},
		{http.MethodPut, "/v1/disputes/%2E%2E", `{"draw":"rou-1","reason":"r","evidence":"e"}`, `path dispute: ".." is not written so: write 1 to 64 of A-Z a-z 0-9 . _ -, but not . or ..`},
		{http.MethodPut, "/v1/draws/rou-1/bets/%2E", straight17, `path reference: "." is not written so: write 1 to 64 of A-Z a-z 0-9 . _ -, but not . or ..`},
		{http.MethodGet, "/v1/feed?after=-1", "", "query after: it is below 0"},
		{http.MethodGet, "/v1/feed?after=1000000000000", "", "query after: it is above 999999999999"},
		{http.MethodGet, "/v1/feed?after=" + strings.Repeat("9", 400), "", "query after: it is above 999999999999"},
		{http.MethodGet, "/v1/feed?after=-" + strings.Repeat("9", 400), "", "query after: it is below 0"},
		{http.MethodGet, "/v1/feed?after=01", "", "query after: it is no whole number"},
		{http.MethodGet, "/v1/feed?limit=101", "", "query limit: it is above 100"},
		{http.MethodGet, "/v1/draws?from=noon", "", `query from: "noon" is not written so: write a time in UTC with milliseconds, such as 2026-11-30T12:00:00.000Z`},
		{http.MethodGet, "/v1/draws/rou!1", "", `path draw: "rou!1" is not written so: write 1 to 64 of A-Z a-z 0-9 . _ -, but not . or ..`},
		{http.MethodGet, "/v1/feed?limit=0", "", "query limit: it is below 1"},
		{http.MethodPut, "/v1/disputes/d-1", `{"draw":"rou-1","bets":["a","b","a"],"reason":"","evidence":"e"}`, "2 faults, the first at /bets: entries 0 and 2 are the same, counted from 0"},
	} {
		t.Run(fmt.Sprintf("%.40q", test.method), func(t *testing.T) {
			if p := w.want(w.do(test.method, test.path, test.body), "400 invalid_request").problem(t); p.Detail != test.want {
				t.Errorf("%s %s: %s, want p.Detail = %v", test.method, test.path, p.Detail, test.want)
			}
		})
	}
	var many []string
	for i := range 5000 {
		many = append(many, fmt.Sprintf(`"f-%04d":1`, i))
	}
	if p := w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", "{"+strings.Join(many, ",")+"}"), "400 invalid_request").problem(t); len(p.Errors) != 100 {
		t.Errorf("%d problems are listed, want 100", len(p.Errors))
	}
	for currency, want := range map[string]string{"eur": "write the currency in capital letters: EUR", "euro": `"euro" is no active ISO 4217 currency with a minor unit`} {
		t.Run(currency, func(t *testing.T) {
			if p := w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", `{"selection":"red","stake":"1.00","currency":"`+currency+`"}`), "422 unknown_currency").problem(t); p.Detail != want {
				t.Errorf("%s, want %s", p.Detail, want)
			}
		})
	}
	red := w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", `{"selection":"reed","stake":"1.00","currency":"EUR"}`), "422 unknown_selection").problem(t)
	if red.Detail != "reed: Roulette has no such selection; GET /v1/games/roulette lists them" {
		t.Errorf("%s, want that Roulette has no reed, and where to look", red.Detail)
	}
}
