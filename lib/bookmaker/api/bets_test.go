package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/bookmaker/keys"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/intake"
	"tally/lib/rulebook/settlement"
)

// TestBatch places bets of which each has an answer of its own, a side wager with
// the bet that it is made on among them.
func TestBatch(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	answers := func(body string) (codes []string) {
		for _, r := range decoded[v1.BatchResponse](t, w.want(w.do(http.MethodPost, "/v1/bets", body), "200")).Results {
			code := fmt.Sprint(r.Status)
			if r.Problem != nil {
				code += " " + r.Problem.Code
			}
			if (r.Bet == nil) == (r.Problem == nil) {
				t.Errorf("%+v, want (r.Bet == nil) other than %v", r, (r.Problem == nil))
			}
			codes = append(codes, code)
		}
		return codes
	}
	body := `{"bets":[{"draw":"rou-1","reference":"b-1","selection":"red","stake":"1.00","currency":"EUR"},` +
		`{"draw":"rou-1","reference":"b-2","selection":"reed","stake":"1","currency":"EUR"},{"draw":"rou-2","reference":"b-1","selection":"red","stake":"1.00","currency":"EUR"},` +
		`{"draw":"rou-1","base":"b-1","selection":"double:1:1","stake":"1.00","currency":"EUR"}]}`
	if got, want := answers(body), []string{"201", "422 unknown_selection", "404 unknown_draw", "422 unknown_selection"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	if got := answers(body); got[0] != "200" {
		t.Errorf("again: %q", got)
	}
	for name, body := range map[string]string{"none": `{"bets":[]}`, "both": `{"bets":[{"draw":"d","reference":"b","base":"c","selection":"red","stake":"1","currency":"EUR"}]}`,
		"neither": `{"bets":[{"draw":"d","selection":"red","stake":"1","currency":"EUR"}]}`, "too many": `{"bets":[` + strings.Repeat(`{"draw":"d","reference":"b","selection":"red","stake":"1","currency":"EUR"},`, 100) + `{}]}`} {
		t.Run(fmt.Sprintf("%.40q", name), func(t *testing.T) {
			if p := w.want(w.do(http.MethodPost, "/v1/bets", body), "400 invalid_request").problem(t); len(p.Errors) == 0 || !strings.HasPrefix(p.Errors[0].At, "/bets") {
				t.Errorf("%s: %+v, want len(p.Errors) other than 0 and p.Errors[0].At to begin with \"/bets\"", name, p)
			}
		})
	}
}

// TestBatchRepeated has an identity twice in one request. Which of two were stored
// would be chance, so it is refused with both places, and none is.
func TestBatchRepeated(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	bet := func(identity, selection string) string {
		return `{"draw":"rou-1",` + identity + `,"selection":"` + selection + `","stake":"1.00","currency":"EUR"}`
	}
	one, base := bet(`"reference":"b-1"`, "red"), bet(`"base":"b-1"`, "double:1:1")
	for _, test := range []struct {
		name string
		bets []string
		want []string // places with what they say
	}{
		{"other selections", []string{one, bet(`"reference":"b-1"`, "black")}, []string{"/bets/1/reference /bets/0"}},
		{"the same bet", []string{one, one}, []string{"/bets/1/reference /bets/0"}},
		{"three times, others between", []string{bet(`"reference":"b-0"`, "red"), one, bet(`"reference":"b-2"`, "red"), one, one}, []string{"/bets/3/reference /bets/1", "/bets/4/reference /bets/1"}},
		{"a side wager", []string{one, base, base}, []string{"/bets/2/selection /bets/1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := w.want(w.do(http.MethodPost, "/v1/bets", `{"bets":[`+strings.Join(test.bets, ",")+`]}`), "400 invalid_request").problem(t)
			var got []string
			for _, problem := range p.Errors {
				before, _, _ := strings.Cut(strings.TrimPrefix(problem.Detail, "it has the identity of "), ",")
				if got = append(got, problem.At+" "+before); problem.Code != "duplicate_bet" {
					t.Errorf("code %s", problem.Code)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%q, not %q", got, test.want)
			}
		})
	}
	w.want(w.do(http.MethodGet, "/v1/draws/rou-1/bets/b-1", ""), "404 unknown_bet")
	other := strings.Replace(one, "rou-1", "rou-2", 1)
	w.want(w.do(http.MethodPost, "/v1/bets", `{"bets":[`+strings.Join([]string{one, other, base, bet(`"base":"b-1"`, "insurance:1")}, ",")+`]}`), "200")
}

// TestSideWagers plays blackjack: a double and insurance under their bet.
func TestSideWagers(t *testing.T) {
	w := newWorld(t)
	at := func(minutes settlement.Instant) string { return instant.Format(noon + 60_000*minutes) }
	w.say(intake.Studio, "blackjack", "bj-1", "draw.opened", fmt.Sprintf(`,"sequence":1,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q},{"round":2,"opens_at":%q,"closes_at":%q}]`, at(0), at(1), at(1), at(2)))
	w.want(w.do(http.MethodPut, "/v1/draws/bj-1/bets/b", `{"selection":"seat:1","stake":"10.00","currency":"EUR"}`), "201")
	w.want(w.do(http.MethodPut, "/v1/draws/bj-1/bets/b.1", `{"selection":"seat:2","stake":"10.00","currency":"EUR"}`), "201")
	const double = "/v1/draws/bj-1/bets/b/wagers/double:1:1"
	w.want(w.do(http.MethodPut, double, `{"stake":"10.00","currency":"EUR"}`), "409 wrong_round")
	w.pass(time.Minute)
	w.say(intake.Studio, "blackjack", "bj-1", "betting.opened", fmt.Sprintf(`,"round":2,"opens_at":%q,"closes_at":%q,"visible":{"dealer":["AS"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D"]}]},{"seat":2,"hands":[{"cards":["TH","9D"]}]}]}`, at(1), at(2)))
	w.pass(5 * time.Second)
	w.want(w.do(http.MethodPut, double, `{"stake":"10.00","currency":"EUR"}`), "201")
	w.want(w.do(http.MethodPut, double, `{"stake":"10.00","currency":"EUR"}`), "200")
	w.want(w.do(http.MethodPut, double, `{"stake":"9.00","currency":"EUR"}`), "409 reference_used")
	w.want(w.do(http.MethodPut, "/v1/draws/bj-1/bets/b/wagers/insurance:1", `{"stake":"5.00","currency":"EUR"}`), "201")
	w.want(w.do(http.MethodPut, "/v1/draws/bj-1/bets/b/wagers/double:2:1", `{"stake":"10.00","currency":"EUR"}`), "422 base_mismatch")
	w.want(w.do(http.MethodPut, "/v1/draws/bj-1/bets/c/wagers/double:1:1", `{"stake":"10.00","currency":"EUR"}`), "404 base_not_found")
	w.pass(time.Minute)
	w.result("blackjack", "bj-1", 1, `{"dealer":["AS","6D"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D","TC"],"doubled":true}]},{"seat":2,"hands":[{"cards":["TH","9D"]}]}]}`)
	bet := decoded[v1.BetDetail](t, w.want(w.do(http.MethodGet, "/v1/draws/bj-1/bets/b", ""), "200"))
	status := bet.Status
	for _, wager := range bet.Wagers {
		status += ", " + wager.Wager + " " + wager.Status + " " + fmt.Sprint(len(wager.Settlements))
	}
	if status != "won, double:1:1 won 1, insurance:1 lost 1" {
		t.Errorf("%s, want the bet and its double won, insurance lost", status)
	}
	entry := decoded[v1.Feed](t, w.do(http.MethodGet, "/v1/feed", "")).Entries[0]
	var fromBets, fromFeed []string
	for _, b := range append([]v1.BetDetail{bet}, bet.Wagers...) {
		for _, line := range b.Settlements {
			fromBets = append(fromBets, fmt.Sprint(line))
		}
	}
	for _, line := range w.lines(entry) {
		if line.Bet == "b" {
			fromFeed = append(fromFeed, fmt.Sprint(line))
		}
	}
	if !slices.Equal(fromBets, fromFeed) || len(fromFeed) != 3 {
		t.Errorf("bets say %q, the feed %q", fromBets, fromFeed)
	}
}

func TestCancel(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", straight17)
	w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-2", straight17)
	w.pass(time.Second)
	first := w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1/cancellation", ""), "200")
	w.pass(time.Second)
	again := w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1/cancellation", ""), "200")
	bet := decoded[v1.Bet](t, first)
	// The round may still turn out to have closed before that.
	if first.body != again.body || bet.Status != "accepted" || bet.Cancellation != "counts_if_before_closing" || bet.CancelledAt != "2026-11-30T12:00:01.000Z" {
		t.Errorf("%s, then %s", first.body, again.body)
	}
	same := func() {
		t.Helper()
		if got := decoded[v1.BetDetail](t, w.do(http.MethodGet, "/v1/draws/rou-1/bets/b-1", "")); got.Bet != bet || got.Settlements == nil {
			t.Errorf("%+v instead of %+v", got.Bet, bet)
		}
	}
	same()
	w.pass(time.Minute)
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-2/cancellation", ""), "409 betting_closed")
	w.pass(15 * time.Second)
	same()                   // a message that moves the closing may still wait on the queue
	w.pass(15 * time.Minute) // as long as one may have waited and still do so
	bet = decoded[v1.Bet](t, w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1/cancellation", ""), "200"))
	if bet.Status != "refunded" || bet.Reason != "cancelled_by_bookmaker" || bet.Cancellation != "counts" || bet.CancelledAt != "2026-11-30T12:00:01.000Z" {
		t.Errorf("%+v, want bet.Status = \"refunded\" and bet.Reason = \"cancelled_by_bookmaker\" and bet.Cancellation = \"counts\" and bet.CancelledAt = \"2026-11-30T12:00:01.000Z\"",
			bet)
	}
	same()
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-3/cancellation", ""), "404 unknown_bet")
}

// TestBetsOfShards lists the bets of a draw with several shards, in pages of all
// sizes: each bet once.
func TestBetsOfShards(t *testing.T) {
	w := newWorld(t)
	w.allow(100_000)
	w.intake.Settings = draw.Settings{Shards: 7}
	w.open("roulette", "rou-1", "")
	const bets = 40
	for i := range bets {
		w.want(w.do(http.MethodPut, fmt.Sprintf("/v1/draws/rou-1/bets/b-%d", i), straight17), "201")
		if i%3 == 0 {
			w.want(w.do(http.MethodPut, fmt.Sprintf("/v1/draws/rou-1/bets/b-%d/cancellation", i), ""), "200")
		}
		w.want(w.do(http.MethodPut, fmt.Sprintf("/v1/draws/rou-1/bets/b-%d-refused", i), `{"selection":"red","stake":"1.00","currency":"EUR","odds":"2.00"}`), "422 odds_not_allowed")
	}
	for _, limit := range []int{1, 2, 3, 7, 39, 40, 100} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			seen := map[string]int{}
			for next := ""; ; {
				list := decoded[v1.Bets](t, w.want(w.do(http.MethodGet, fmt.Sprintf("/v1/draws/rou-1/bets?limit=%d%s", limit, next), ""), "200"))
				for _, bet := range list.Bets {
					seen[bet.Reference]++
				}
				if len(list.Bets) > limit {
					t.Errorf("%d bets in a page of %d", len(list.Bets), limit)
				}
				if list.Next == "" {
					break
				}
				next = "&cursor=" + list.Next
			}
			for reference, times := range seen {
				if times != 1 {
					t.Errorf("pages of %d: %s comes %d times", limit, reference, times)
				}
			}
			if len(seen) != bets {
				t.Errorf("pages of %d: %d bets", limit, len(seen))
			}
		})
	}
	w.want(w.do(http.MethodGet, "/v1/draws/rou-1/bets?cursor=OTk5CkJFVCM", ""), "400 invalid_request")
}

func TestDisputes(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", straight17)
	const body = `{"draw":"rou-1","bets":["b-2","b-1"],"reason":"display_fault","evidence":"video"}`
	unknown := w.want(w.do(http.MethodPut, "/v1/disputes/d-1", body), "422 unknown_bets").problem(t)
	if len(unknown.Errors) != 1 || unknown.Errors[0].At != "/bets/0" || unknown.Detail != "these are no bets of yours on draw rou-1: b-2" {
		t.Errorf("%+v, want len(unknown.Errors) = 1 and unknown.Errors[0].At = \"/bets/0\" and unknown.Detail = \"these are no bets of yours on draw rou-1: b-2\"",
			unknown)
	}
	w.want(w.do(http.MethodGet, "/v1/disputes/d-1", ""), "404 unknown_dispute")
	w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-2", straight17)
	first := w.want(w.do(http.MethodPut, "/v1/disputes/d-1", body), "201")
	w.pass(time.Second)
	again := w.want(w.do(http.MethodPut, "/v1/disputes/d-1", body), "200")
	if first.body != again.body {
		t.Errorf("%s, then %s", first.body, again.body)
	}
	other := w.want(w.do(http.MethodPut, "/v1/disputes/d-1", strings.Replace(body, "video", "photo", 1)), "409 dispute_used").problem(t)
	if !slices.Equal(other.Differs, []string{"evidence"}) {
		t.Errorf("%+v, want other.Differs = \"evidence\"", other)
	}
	w.want(w.do(http.MethodPut, "/v1/disputes/d-1", strings.Replace(body, "b-2", "b-3", 1)), "409 dispute_used")
	w.want(w.do(http.MethodPut, "/v1/disputes/d-2", strings.Replace(body, "rou-1", "rou-9", 1)), "404 unknown_draw")
	w.want(w.do(http.MethodPut, "/v1/disputes/d-2", body), "201")
	dispute := decoded[v1.Dispute](t, first)
	order, err := json.Marshal(dispute.Order)
	if err != nil {
		t.Fatal(err)
	}
	w.say(intake.Operator, "roulette", "rou-1", "bets.voided", `,"order":`+string(order)+`,"scope":{"bookmaker":"acme","bets":["b-1"]},"reason":"x","evidence":"y"`)
	var all []string
	for next := ""; ; {
		list := decoded[v1.Disputes](t, w.do(http.MethodGet, "/v1/disputes?limit=1"+next, ""))
		for _, d := range list.Disputes {
			all = append(all, d.Dispute+" "+d.Status)
		}
		if list.Next == "" {
			break
		}
		next = "&cursor=" + list.Next
	}
	if !slices.Equal(all, []string{"d-1 upheld", "d-2 open"}) {
		t.Errorf("%q, want all = \"d-1 upheld\", \"d-2 open\"", all)
	}
	if got := decoded[v1.Dispute](t, w.do(http.MethodGet, "/v1/disputes/d-1", "")); got.Status != "upheld" {
		t.Errorf("%+v, want got.Status = \"upheld\"", got)
	}
}

func TestLimits(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	if _, err := w.keys.Set(t.Context(), "acme", func(s *keys.Settings) { s.MaxStake, s.Rounding = map[string]string{"EUR": "9.99"}, "down" }); err != nil {
		t.Fatal(err)
	}
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", straight17), "422 limit_exceeded")
	w.want(w.do(http.MethodGet, "/v1/draws/rou-1/bets/b-1", ""), "404 unknown_bet")
	settings := decoded[v1.Settings](t, w.do(http.MethodGet, "/v1/settings", ""))
	if settings.Bookmaker != "acme" || settings.MaxStake["EUR"] != "9.99" || settings.Rounding != "down" || settings.BetsPerRequest != 100 || len(settings.Scopes) != 4 {
		t.Errorf("%+v", settings)
	}
}
