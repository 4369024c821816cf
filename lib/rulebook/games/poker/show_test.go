package poker_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"tally/internal/testkit/showtest"
	"tally/lib/rulebook/games/poker"
	"tally/lib/rulebook/show"
)

func TestShownByTheLaws(t *testing.T) { showtest.Laws(t, poker.Game, 200) }

// TestShown: of the winners the cards that count are marked, on the board too. Where
// several win there is no sole winner.
func TestShown(t *testing.T) {
	showtest.Tell(t, poker.Game, []showtest.Case{
		{`{"hands":[["AS","KD"],["2C","2D"],["9H","TH"],["JC","3S"],["QD","QH"],["7S","8S"]],"board":["4H","5H","6H","KC","2H"],"burned":["3D"]}`,
			"1 hands 5 · flush", "winners 1 hands 5, combination flush",
			"board 4H* 5H* 6H* KC 2H*; hand 1 AS KD pair; hand 2 2C 2D three_of_a_kind; hand 3 9H TH flush; " +
				"hand 4 JC 3S straight; hand 5 QD QH* wins flush; hand 6 7S 8S straight; 3D",
			"board high_card, first_hand pair, sole_winner 5"},
		{`{"hands":[["2C","3D"],["2D","3C"],["2H","3H"],["4C","5D"],["4D","5C"],["4H","5H"]],"board":["AS","KS","QS","JS","TS"]}`,
			"6 hands 1, 2, 3, 4, 5, 6 · royal_flush", "winners 6 hands 1, 2, 3, 4, 5, 6, combination royal_flush",
			"board AS* KS* QS* JS* TS*; hand 1 2C 3D wins royal_flush; hand 2 2D 3C wins royal_flush; hand 3 2H 3H wins royal_flush; " +
				"hand 4 4C 5D wins royal_flush; hand 5 4D 5C wins royal_flush; hand 6 4H 5H wins royal_flush",
			"board royal_flush, first_hand royal_flush"},
	})
}

// TestOtherHands: facts and an outcome of another number of hands are not shown together.
func TestOtherHands(t *testing.T) {
	_, err := show.Read(poker.Game.Show, []byte(`{"hands":[["AS","KD"],["2C","2D"]]}`), []byte(`{"winners":[1],"combination":"pair","hands":[{"category":"pair","best":[]}]}`))
	if err == nil {
		t.Error("two hands of which one is judged are shown, want an error")
	}
}

// TestExpected counts boards and sevens by choosing ranks and suits.
func TestExpected(t *testing.T) {
	choose := func(n, k int64) int64 { return new(big.Int).Binomial(n, k).Int64() }
	all := choose(52, 5)
	lines, suited := int64(10), 4*choose(13, 5)
	five := []int64{
		(choose(13, 5) - lines) * (4*4*4*4*4 - 4), 13 * 6 * choose(12, 3) * 4 * 4 * 4, choose(13, 2) * 6 * 6 * 44, 13 * 4 * choose(12, 2) * 4 * 4,
		lines * (4*4*4*4*4 - 4), suited - 4*lines, 13 * 4 * 12 * 6, 13 * 48, 4 * (lines - 1), 4,
	}
	names := strings.Fields("high_card pair two_pairs three_of_a_kind straight flush full_house four_of_a_kind straight_flush royal_flush")
	var board []string
	for i, n := range five {
		board = append(board, fmt.Sprintf("%s %s", names[i], big.NewRat(n, all).RatString()))
	}
	if got, want := showtest.Shares(t, poker.Game, "board"), strings.Join(board, ", "); got != want {
		t.Errorf("boards are expected as %s, want %s", got, want)
	}
	// Of seven cards: two more of any to a royal flush; a straight flush without the card
	// above it; five, six or seven of a suit; four with any three.
	royal, straightFlush := 4*choose(47, 2), 4*9*choose(46, 2)
	seven := map[string]int64{
		"royal_flush": royal, "straight_flush": straightFlush, "four_of_a_kind": 13 * choose(48, 3),
		"flush":      4*(choose(13, 7)+choose(13, 6)*39+choose(13, 5)*choose(39, 2)) - royal - straightFlush,
		"full_house": choose(13, 2)*4*4*44 + 13*4*choose(12, 2)*6*6 + 13*4*12*6*choose(11, 2)*4*4,
	}
	hand := showtest.Shares(t, poker.Game, "first_hand")
	for name, n := range seven {
		t.Run(name, func(t *testing.T) {
			if want := name + " " + big.NewRat(n, choose(52, 7)).RatString(); !strings.Contains(", "+hand+",", ", "+want+",") {
				t.Errorf("hands are expected as %s, want %s among them", hand, want)
			}
		})
	}
}
