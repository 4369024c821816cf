package api_test

import (
	"net/http"
	"testing"
	"time"

	"tally/internal/testkit/fakedynamo"
	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/store"
)

// A board of lucky7 prices groups of selections, such as all that name four balls: bets
// are placed at the odds of their selection's group, and paid out at them.
func TestBoardByGroups(t *testing.T) {
	w := newWorldOn(t, store.New(fakedynamo.New(t, "table"), "table"))
	w.open("lucky7", "l-1", `{"drawn/1":"5.70","drawn/2":"38.50","drawn/4":"501.00","colour_over/0.5":"1.01","colour_under/0.5":"lose"}`)
	bets := []struct{ reference, selection, odds, status, payout string }{
		{"one", "drawn:7", "5.70", "won", "57.00"},
		{"one-lost", "drawn:2", "5.70", "lost", "0.00"},
		{"two", "drawn:7-42", "38.50", "won", "385.00"},
		{"four", "drawn:1-5-7-42", "501.00", "won", "5010.00"},
	}
	place := func(reference, selection, odds, want string) result {
		return w.want(w.do(http.MethodPut, "/v1/draws/l-1/bets/"+reference, `{"selection":"`+selection+`","odds":"`+odds+`","stake":"10.00","currency":"EUR"}`), want)
	}
	for _, bet := range bets {
		t.Run(bet.reference, func(t *testing.T) {
			if p := place(bet.reference, bet.selection, "9.99", "409 odds_changed").problem(t); p.CurrentOdds != bet.odds {
				t.Errorf("%s: the current odds are %q, not those of its group, %s", bet.selection, p.CurrentOdds, bet.odds)
			}
		})
	}
	place("three", "drawn:1-5-7", "298.00", "409 not_offered") // the board has no drawn/3
	for _, bet := range bets {
		place(bet.reference+"-right", bet.selection, bet.odds, "201")
	}
	w.pass(time.Minute)
	w.result("lucky7", "l-1", 1, `{"balls":[42,7,1,30,12,5,19,33]}`)
	for _, bet := range bets {
		t.Run(bet.reference, func(t *testing.T) {
			settled := decoded[v1.BetDetail](t, w.want(w.do(http.MethodGet, "/v1/draws/l-1/bets/"+bet.reference+"-right", ""), "200"))
			if len(settled.Settlements) != 1 || settled.Status != bet.status || settled.Odds != bet.odds || settled.Settlements[0].Payout != bet.payout {
				t.Errorf("10.00 on %s is %+v, instead of %s at %s with %s", bet.selection, settled, bet.status, bet.odds, bet.payout)
			}
		})
	}
}
