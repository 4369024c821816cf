package pokerhand

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tally/lib/rulebook/cards"
)

func TestBestFive(t *testing.T) {
	for _, test := range []struct {
		name, cards, want string
		category          Category
	}{
		{"two threes", "2C 2S 2D KH KD KS AC", "KS KH KD 2S 2D", FullHouse},
		{"three and two pairs", "KH KD KS QC QH 3S 3H", "KS KH KD QH QC", FullHouse},
		{"three pairs, kicker from the third", "2C AS AD KH KD QC QS", "AS AD KH KD QS", TwoPairs},
		{"three pairs, kicker above the third", "9C AS AD KH KD 2C 2S", "AS AD KH KD 9C", TwoPairs},
		{"straight of six", "4S 5H 6D 7C 8S 9H AD", "9H 8S 7C 6D 5H", Straight},
		{"straight of seven", "2S 3H 4D 5C 6S 7H 8D", "8D 7H 6S 5C 4D", Straight},
		{"straight with a pair", "5D 6C 7H 7S 8D 9C 2S", "9C 8D 7S 6C 5D", Straight},
		{"straight with a three", "5D 6C 7H 7S 7D 8D 9C", "9C 8D 7S 6C 5D", Straight},
		{"wheel", "AC 2D 3H 4S 5C KD QH", "5C 4S 3H 2D AC", Straight},
		{"wheel with two aces", "AC AH 2D 3H 4S 5C KD", "5C 4S 3H 2D AH", Straight},
		{"six above the wheel", "AC 2D 3H 4S 5C 6D QH", "6D 5C 4S 3H 2D", Straight},
		{"no straight round the corner", "QC KD AH 2S 3C 7D 8H", "AH KD QC 8H 7D", HighCard},
		{"four, kicker of a pair", "9S 9H 9D 9C KD KS 2H", "9S 9H 9D 9C KS", FourOfAKind},
		{"four, kicker of a three", "9C 9D 9H 9S 4C 4D 4H", "9S 9H 9D 9C 4H", FourOfAKind},
		{"four, several kickers", "9C 9D 9H 9S 4C KC 5H", "9S 9H 9D 9C KC", FourOfAKind},
		{"seven suited", "2H 4H 6H 8H TH QH KH", "KH QH TH 8H 6H", Flush},
		{"flush over a three", "2H 4H 6H 8H TH TS TD", "TH 8H 6H 4H 2H", Flush},
		{"flush over a straight", "2H 3H 4H 5S 6H 7D JH", "JH 6H 4H 3H 2H", Flush},
		{"straight flush below a flush card", "2H 3H 4H 5H 6H KH AS", "6H 5H 4H 3H 2H", StraightFlush},
		{"straight flush below a straight", "2H 3H 4H 5H 6H 7S 8D", "6H 5H 4H 3H 2H", StraightFlush},
		{"suited wheel", "AH 2H 3H 4H 5H KH 6S", "5H 4H 3H 2H AH", StraightFlush},
		{"suited wheel, other ace", "AS AH 2H 3H 4H 5H KD", "5H 4H 3H 2H AH", StraightFlush},
		{"straight flush of seven", "7D 8D 9D TD JD QD KD", "KD QD JD TD 9D", StraightFlush},
		{"royal flush", "9C AC KC QC JC TC AS", "AC KC QC JC TC", RoyalFlush},
		{"pair", "2C 2S AD KH 9D 7C 5S", "2S 2C AD KH 9D", Pair},
		{"three", "2C 2S 2D KH 9D 7C 5S", "2S 2D 2C KH 9D", ThreeOfAKind},
		{"six cards", "2C 2S AD AH 9D 9S", "AH AD 9S 9D 2S", TwoPairs},
		{"five cards", "2C 2S AD 9D 9S", "9S 9D 2S 2C AD", TwoPairs},
	} {
		t.Run(test.name, func(t *testing.T) {
			given := hand(test.cards)
			five, rank := BestFive(given)
			if !slices.Equal(five[:], hand(test.want)) || rank.Category() != test.category {
				t.Errorf("%s: got %v of %v, want %s", test.name, rank.Category(), five, test.want)
			}
			if want := listBest(given); five != want.cards || rank.Category() != categoryOf(want.strength) {
				t.Errorf("%s: the oracle has %v", test.name, want.cards)
			}
		})
	}
}

// Hands of few ranks or few suits are full of groups, runs and flushes.
func TestBestFiveOfCrowdedHands(t *testing.T) {
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, seed))
	ranks, _ := allFives()
	for i := range 30_000 {
		given := crowded(rng, 5+i%3)
		five, rank := BestFive(given)
		if want := listBest(given); five != want.cards || rank != ranks[want.strength] {
			t.Fatalf("seed %d: %v has %v, want %v", seed, given, five, want.cards)
		}
	}
}

// crowded deals n cards that lie within a few ranks and suits.
func crowded(rng *rand.Rand, n int) []cards.Card {
	width := 2 + rng.IntN(8)
	suits := max(1+rng.IntN(4), (n+width-1)/width)
	lowest := rng.IntN(13)
	var list []cards.Card
	for _, i := range rng.Perm(width * suits)[:n] {
		rank := cards.Rank((lowest + i/suits) % 13)
		list = append(list, cards.New(rank, cards.Suit(i%suits)))
	}
	return list
}

func TestBestFiveRefuses(t *testing.T) {
	for name, given := range map[string][]cards.Card{
		"none":      nil,
		"four":      hand("AS KS QS JS"),
		"eight":     hand("AS KS QS JS TS 9S 8S 7S"),
		"duplicate": hand("AS KS QS JS AS"),
		"same five": hand("AS AS AS AS AS"),
		"no card":   append(hand("AS KS QS JS"), cards.Count),
	} {
		t.Run(name, func(t *testing.T) {
			if five, rank := BestFive(given); rank != 0 {
				t.Errorf("%s: rank %#x of %v", name, rank, five)
			}
		})
	}
}
