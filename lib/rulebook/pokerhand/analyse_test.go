package pokerhand

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tally/lib/rulebook/cards"
)

// sixHands are the hands of the vector pok0001.
var sixHands = handsOf("AS 6D 4S KC QH 8S 8D 2C JD 6C 6H 5C")

func handsOf(codes string) (hands [Hands][2]cards.Card) {
	for i, card := range hand(codes) {
		hands[i/2][i%2] = card
	}
	return hands
}

// slowCounts goes through the boards with the oracle.
func slowCounts(hands *[Hands][2]cards.Card, board, dead []cards.Card) (c Counts) {
	known := slices.Concat(board, dead)
	for _, pair := range hands {
		known = append(known, pair[:]...)
	}
	var complete func(from cards.Card, board []cards.Card)
	complete = func(from cards.Card, board []cards.Card) {
		if len(board) == 5 {
			c.add(hands, board)
			return
		}
		for card := from; card < cards.Count; card++ {
			if !slices.Contains(known, card) {
				complete(card+1, append(slices.Clone(board), card))
			}
		}
	}
	complete(0, board)
	return c
}

func (c *Counts) add(hands *[Hands][2]cards.Card, board []cards.Card) {
	var strengths []int
	for _, pair := range hands {
		strengths = append(strengths, listBest(slices.Concat(pair[:], board)).strength)
	}
	best := slices.Max(strengths)
	winners := 0
	for i, strength := range strengths {
		if strength == best {
			c.WinOrTie[i]++
			winners++
		}
	}
	if winners == 1 {
		c.SoleWin[slices.Index(strengths, best)]++
	}
	c.Boards++
	c.Winners[winners]++
	c.Category[categoryOf(best)]++
}

func TestAnalyseAgreesWithOracle(t *testing.T) {
	const seed = 13
	rng := rand.New(rand.NewPCG(seed, seed))
	for _, size := range []int{3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			dead := rng.IntN(4)
			dealt := draw(rng, 12+size+dead)
			var hands [Hands][2]cards.Card
			for i, card := range dealt[:12] {
				hands[i/2][i%2] = card
			}
			board, burned := dealt[12:12+size], dealt[12+size:]
			got, err := Analyse(&hands, board, burned)
			if err != nil {
				t.Fatal(err)
			}
			if want := slowCounts(&hands, board, burned); got != want {
				t.Errorf("seed %d: %v on %v, burned %v:\ngot  %+v\nwant %+v", seed, hands, board, burned, got, want)
			}
		})
	}
}

func TestWhatCanStillHappen(t *testing.T) {
	for _, test := range []struct {
		name, hands, board string
		canWin, canLose    string // a bit for each hand
		categories         []Category
		decided            bool
	}{
		{
			"royal flush on the board: all six win", "2C 3C 4C 5C 6C 7C 8C 9C 2D 3D 4D 5D", "AS KS QS JS TS",
			"111111", "000000", []Category{RoyalFlush}, true,
		},
		{
			"royal flush after the flop: it cannot lose", "AS KS 4C 5C 6C 7C 8C 9C 2D 3D 4D 5D", "QS JS TS",
			"100000", "011111", []Category{RoyalFlush}, true,
		},
		{
			"a straight ahead, against three nines and a diamond", "9S 9H 7D 8C 2C 3C 2S 3S 4H 5H KC QC", "9D TD JD 2H",
			"110001", "111111", []Category{Straight, Flush, FullHouse, FourOfAKind, StraightFlush}, false,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			hands := handsOf(test.hands)
			counts, err := Analyse(&hands, hand(test.board), nil)
			if err != nil {
				t.Fatal(err)
			}
			if want := slowCounts(&hands, hand(test.board), nil); counts != want {
				t.Errorf("%s: got %+v, want %+v", test.name, counts, want)
			}
			for i := range Hands {
				if counts.CanWin(i) != (test.canWin[i] == '1') || counts.CanLose(i) != (test.canLose[i] == '1') {
					t.Errorf("%s: hand %d can win %v, can lose %v", test.name, i, counts.CanWin(i), counts.CanLose(i))
				}
			}
			for category := range Category(Categories) {
				possible := slices.Contains(test.categories, category)
				if counts.CategoryCanWin(category) != possible {
					t.Errorf("%s: %v can win: %v", test.name, category, !possible)
				}
				if counts.CategoryCanLose(category) != !(possible && test.decided) {
					t.Errorf("%s: %v can lose: %v", test.name, category, possible && test.decided)
				}
			}
		})
	}
}

func TestAnalyseRefuses(t *testing.T) {
	var rest []cards.Card
	for card := range cards.Card(cards.Count) {
		if !slices.ContainsFunc(sixHands[:], func(pair [2]cards.Card) bool { return slices.Contains(pair[:], card) }) {
			rest = append(rest, card)
		}
	}
	twice := sixHands
	twice[5][1] = twice[0][0]
	for _, test := range []struct {
		name        string
		hands       [Hands][2]cards.Card
		board, dead []cards.Card
		want        error
	}{
		{"one card", sixHands, hand("KH"), nil, ErrBoardSize},
		{"two cards", sixHands, hand("KH QS"), nil, ErrBoardSize},
		{"six cards", sixHands, hand("KH QS 8C 9C TC JC"), nil, ErrBoardSize},
		{"within hands", twice, nil, nil, ErrDuplicate},
		{"hand and board", sixHands, hand("KH QS AS"), nil, ErrDuplicate},
		{"board and dead", sixHands, hand("KH QS 8C"), hand("KH"), ErrDuplicate},
		{"no card", sixHands, nil, []cards.Card{cards.Count}, ErrNoCard},
		{"too few left", sixHands, nil, rest[4:], ErrTooFew},
		{"just enough left", sixHands, nil, rest[5:], nil},
		{"nothing left or missing", sixHands, rest[:5], rest[5:], nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			counts, err := Analyse(&test.hands, test.board, test.dead)
			if !errors.Is(err, test.want) {
				t.Errorf("%s: %v, want %v", test.name, err, test.want)
			}
			if want := map[bool]uint32{true: 1}[test.want == nil]; counts.Boards != want {
				t.Errorf("%s: %d boards, want %d", test.name, counts.Boards, want)
			}
		})
	}
}
