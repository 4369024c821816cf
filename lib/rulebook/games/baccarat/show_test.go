package baccarat_test

import (
	"math/big"
	"testing"

	"tally/internal/testkit/showtest"
	"tally/lib/rulebook/games/baccarat"
	"tally/lib/rulebook/rules"
)

func TestShownByTheLaws(t *testing.T) {
	// What is decided between the cards is found by going through all that may follow.
	t.Run("between the cards", func(t *testing.T) { showtest.Laws(t, baccarat.Game, 6) })
	t.Run("at once", func(t *testing.T) { showtest.Laws(t, baccarat.Live, 200) })
}

// TestShown has coups of which each points, pair and natural was worked out by hand.
func TestShown(t *testing.T) {
	list := []showtest.Case{
		// 3 and 7 are 0; the Banker draws on 1, to a queen.
		{`{"player":["KS","3D","7C"],"banker":["9H","2C","QS"],"burned":["5C"]}`, "banker 0 : 1",
			"winner banker, points points_of_both 0 1, natural no, cards cards_and_size 6 big, pairs no_pair",
			"player KS 3D 7C/ 0; banker 9H 2C QS/ wins 1; 5C",
			"cards 6, natural no, pairs none, perfect_pair no, winner banker"},
		{`{"player":["KS","8D"],"banker":["KH","KD"]}`, "player 8 : 0 · natural",
			"winner player, points points_of_both 8 0, natural yes, cards cards_and_size 4 small, pairs banker_pair",
			"player KS 8D wins 8; banker KH KD 0 pair",
			"cards 4, natural yes, pairs banker, perfect_pair no, winner player"},
		{`{"player":["KS","KD","9C"],"banker":["5H","2D"]}`, "player 9 : 7",
			"winner player, points points_of_both 9 7, natural no, cards cards_and_size 5 big, pairs player_pair",
			"player KS KD 9C/ wins 9 pair; banker 5H 2D 7",
			"cards 5, natural no, pairs player, perfect_pair no, winner player"},
		{`{"player":["4S","4S"],"banker":["4D","4D"]}`, "tie 8 : 8 · natural",
			"winner tie, points points_of_both 8 8, natural yes, cards cards_and_size 4 small, pairs player_pair, banker_pair, perfect_pair",
			"player 4S 4S 8 pair; banker 4D 4D 8 pair",
			"cards 4, natural yes, pairs both, perfect_pair yes, winner tie"},
	}
	showtest.Tell(t, baccarat.Game, list)
	showtest.Tell(t, baccarat.Live, list)
}

// TestPairsAreExpected deals two hands card by card: the second card is of the first one's
// kind, and then the fourth of the third's, whose kind may be that of the first hand.
func TestPairsAreExpected(t *testing.T) {
	for _, game := range []*rules.Game{baccarat.Game, baccarat.Live} {
		t.Run(game.ID, func(t *testing.T) {
			shoe := int64(52 * game.Decks)
			pair := func(kinds int64) (one, both *big.Rat) {
				each := shoe / kinds
				one = big.NewRat(each-1, shoe-1)
				again := big.NewRat((each-2)*(each-3)+(kinds-1)*each*(each-1), (shoe-2)*(shoe-3))
				return one, again.Mul(again, one)
			}
			rank, ranks := pair(13)
			alone := new(big.Rat).Sub(rank, ranks)
			none := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Add(rank, alone))
			want := "none " + none.RatString() + ", player " + alone.RatString() + ", banker " + alone.RatString() + ", both " + ranks.RatString()
			if got := showtest.Shares(t, game, "pairs"); got != want {
				t.Errorf("pairs are expected as %s, want %s", got, want)
			}
			card, cards := pair(52)
			perfect := new(big.Rat).Sub(new(big.Rat).Add(card, card), cards)
			want = "yes " + perfect.RatString() + ", no " + new(big.Rat).Sub(big.NewRat(1, 1), perfect).RatString()
			if got := showtest.Shares(t, game, "perfect_pair"); got != want {
				t.Errorf("perfect pairs are expected as %s, want %s", got, want)
			}
		})
	}
}
