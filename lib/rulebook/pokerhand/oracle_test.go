package pokerhand

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tally/lib/rulebook/cards"
)

// This file is the slow, obvious way: sort five cards as they are listed, read
// their kind off the list, and try every five of a larger hand.

// listed is a five in the contract's order with what is compared of it: six
// hexadecimal digits, the category and then the ranks.
type listed struct {
	cards    [5]cards.Card
	strength int
}

// list sorts a five and finds its strength.
func list(five [5]cards.Card) listed {
	same := func(card cards.Card) (n int) {
		for _, other := range five {
			if other.Rank() == card.Rank() {
				n++
			}
		}
		return n
	}
	sorted := five
	slices.SortFunc(sorted[:], func(a, b cards.Card) int {
		return cmp.Or(same(b)-same(a), int(b.Rank())-int(a.Rank()), int(a.Suit())-int(b.Suit()))
	})
	r := [5]int{}
	for i, card := range sorted {
		r[i] = int(card.Rank())
	}
	different := same(sorted[0]) == 1
	if different && r == [5]int{12, 3, 2, 1, 0} {
		ace := sorted[0]
		copy(sorted[:], sorted[1:])
		sorted[4] = ace
		r = [5]int{3, 2, 1, 0, -1}
	}
	straight := different && r[0]-r[4] == 4
	flush := true
	for _, card := range sorted {
		flush = flush && card.Suit() == sorted[0].Suit()
	}
	strength := kindOf(same(sorted[0]), same(sorted[3]), same(sorted[2]), straight, flush, r[0] == 12)
	for _, rank := range r {
		strength = strength*16 + rank + 1
	}
	return listed{sorted, strength}
}

func kindOf(first, fourth, third int, straight, flush, aceHigh bool) int {
	switch {
	case straight && flush && aceHigh:
		return 9
	case straight && flush:
		return 8
	case first == 4:
		return 7
	case first == 3 && fourth == 2:
		return 6
	case flush:
		return 5
	case straight:
		return 4
	case first == 3:
		return 3
	case first == 2 && third == 2:
		return 2
	case first == 2:
		return 1
	}
	return 0
}

// before compares two fives position by position: the higher rank comes first,
// then the suits in their order.
func before(a, b [5]cards.Card) int {
	return slices.CompareFunc(a[:], b[:], func(a, b cards.Card) int {
		return cmp.Or(int(b.Rank())-int(a.Rank()), int(a.Suit())-int(b.Suit()))
	})
}

// listBest tries every five of a hand.
func listBest(hand []cards.Card) listed {
	best := listed{strength: -1}
	for set := range 1 << len(hand) {
		var five []cards.Card
		for i, card := range hand {
			if set>>i&1 == 1 {
				five = append(five, card)
			}
		}
		if len(five) != 5 {
			continue
		}
		other := list([5]cards.Card(five))
		if other.strength > best.strength ||
			other.strength == best.strength && before(other.cards, best.cards) < 0 {
			best = other
		}
	}
	return best
}

func categoryOf(strength int) Category { return Category(strength >> 20) }

// hand reads cards as people write them: "AS KD 2C".
func hand(codes string) (list []cards.Card) {
	for code := range strings.FieldsSeq(codes) {
		card, ok := cards.Parse(code)
		if !ok {
			panic("no card: " + code)
		}
		list = append(list, card)
	}
	return list
}

// handOf gathers cards.
func handOf(list []cards.Card) (h Hand) {
	for _, card := range list {
		h.Add(card)
	}
	return h
}

// draw deals n different cards.
func draw(rng *rand.Rand, n int) []cards.Card {
	var list []cards.Card
	for _, card := range rng.Perm(cards.Count)[:n] {
		list = append(list, cards.Card(card))
	}
	return list
}

// The oracle itself, on hands whose order is known.
func TestOracle(t *testing.T) {
	ascending := []string{
		"7S 5S 4H 3D 2C", "AS KH QD JC 9S", "2S 2H 5D 4C 3S", "AS AH KD QC JS", "3S 3H 2D 2C 4S", "AS AH KD KC QS",
		"2S 2H 2D 4C 3S", "5S 4H 3D 2C AS", "6S 5H 4D 3C 2S", "AS KH QD JC TS", "7S 5S 4S 3S 2S", "AS KS QS JS 9S",
		"2S 2H 2D 3S 3C", "AS AH AD KS KC", "2S 2H 2D 2C 3S", "AS AH AD AC KS", "5S 4S 3S 2S AS", "KS QS JS TS 9S", "AS KS QS JS TS",
	}
	last := -1
	for _, codes := range ascending {
		t.Run(codes, func(t *testing.T) {
			five := list([5]cards.Card(hand(codes)))
			if five.strength <= last {
				t.Errorf("%s: not above the one before", codes)
			}
			if !slices.Equal(five.cards[:], hand(codes)) {
				t.Errorf("%s listed as %v", codes, five.cards)
			}
			last = five.strength
		})
	}
}
