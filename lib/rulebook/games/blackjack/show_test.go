package blackjack_test

import (
	"testing"

	"tally/internal/testkit/showtest"
	"tally/lib/rulebook/games/blackjack"
	"tally/lib/rulebook/show"
)

func TestShownByTheLaws(t *testing.T) { showtest.Laws(t, blackjack.Game, 300) }

// TestShown has a soft 17 of the dealer's against every kind of hand, a bust dealer, and
// one whose blackjack ends play.
func TestShown(t *testing.T) {
	showtest.Tell(t, blackjack.Game, []showtest.Case{
		{`{"dealer":["AS","6D"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D","TC"],"doubled":true}]},` +
			`{"seat":4,"split":true,"hands":[{"cards":["8D","TC"]},{"cards":["8S","9C"]}]},{"seat":6,"hands":[{"cards":["AH","KC"]}]}],"burned":["2C"]}`,
			"dealer 17 · 3 count_win · 1 count_push",
			"dealer 17, seat 1 21 · win, seat_and_hand 4 1 18 · win, seat_and_hand 4 2 17 · push, seat 6 blackjack · win",
			"dealer AS 6D 17; seat 1 doubled 8H 3D TC/ 21 win; seat 4 split 8D TC 18 win and 8S 9C 17 push; seat 6 AH KC blackjack win; 2C",
			"dealer_blackjack no, dealer_open A"},
		{`{"dealer":["TS","6D","KC"],"seats":[{"seat":2,"hands":[{"cards":["9H","9D"]}]},{"seat":3,"hands":[{"cards":["TH","6C","9S"]}]}]}`,
			"dealer 26, bust · 1 count_win · 1 count_lose", "dealer 26, bust, seat 2 18 · win, seat 3 25, bust · lose",
			"dealer TS 6D KC 26, bust; seat 2 9H 9D 18 win; seat 3 TH 6C 9S 25, bust lose", "dealer_blackjack no, dealer_open T"},
		{`{"dealer":["AS","KD"],"seats":[{"seat":5,"hands":[{"cards":["9H","9D"]}]}]}`, "dealer blackjack · 1 count_lose",
			"dealer blackjack, seat 5 18 · lose", "dealer AS KD blackjack; seat 5 9H 9D 18 lose", "dealer_blackjack yes, dealer_open A"},
	})
	d := showtest.Draw(t, blackjack.Game, `{"dealer":["TS","7D"],"seats":[{"seat":7,"hands":[{"cards":["5H","5D","9C"],"doubled":true}]}]}`)
	if got, want := showtest.Pairs(show.Seen(showtest.Words{}, d)), "dealer 10♠ 7♦, seat 7, doubled 5♥ 5♦ 9♣"; got != want {
		t.Errorf("the facts are told as %s, want %s", got, want)
	}
}

// TestOtherSeats: facts and an outcome of other hands are not shown together; facts alone
// are, without a total.
func TestOtherSeats(t *testing.T) {
	facts := []byte(`{"dealer":["TS","7D"],"seats":[{"seat":7,"hands":[{"cards":["5H","5D"]}]}]}`)
	_, err := show.Read(blackjack.Game.Show, facts, []byte(`{"dealer":{"total":17},"seats":[{"seat":7,"hands":[{"total":10},{"total":12}]}]}`))
	if err == nil {
		t.Error("a hand of which two were judged is shown, want an error")
	}
	d, err := show.Read(blackjack.Game.Show, facts, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := showtest.Told(d), "\n\ndealer TS 7D; seat 7 5H 5D\ndealer_open T"; got != want {
		t.Errorf("without an outcome it is told %q, want %q", got, want)
	}
}

// TestExpected: an ace and one of the tens, in either order, of eight decks.
func TestExpected(t *testing.T) {
	if got, want := showtest.Shares(t, blackjack.Game, "dealer_blackjack"), "yes 256/5395, no 5139/5395"; got != want {
		t.Errorf("the dealer's blackjack is expected as %s, want %s", got, want)
	}
}
