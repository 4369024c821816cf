package poker_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// This is the rulebook's poker, slowly: every five of seven cards is described,
// and descriptions are compared.

const (
	ranks = "23456789TJQKA" // ascending
	suits = "SHDC"          // in the order in which equal ranks are listed
)

var categories = []string{"high_card", "pair", "two_pairs", "three_of_a_kind", "straight", "flush", "full_house",
	"four_of_a_kind", "straight_flush", "royal_flush"}

var straights = []string{"5432A", "65432", "76543", "87654", "98765", "T9876", "JT987", "QJT98", "KQJT9", "AKQJT"}

// shape is the category of five cards by the sizes of the groups of equal ranks.
var shape = map[string]string{"11111": "high_card", "2111": "pair", "221": "two_pairs", "311": "three_of_a_kind",
	"32": "full_house", "41": "four_of_a_kind"}

// listed is five cards in the order of the contract, and how good they are.
type listed struct {
	cards    []string
	category string
	value    [6]int // the category, then the ranks as listed
}

func list(five []string) listed {
	cards := slices.Clone(five)
	count := func(card string) (n int) {
		for _, other := range five {
			if other[0] == card[0] {
				n++
			}
		}
		return n
	}
	slices.SortFunc(cards, func(a, b string) int {
		if count(a) != count(b) {
			return count(b) - count(a)
		}
		if a[0] != b[0] {
			return strings.IndexByte(ranks, b[0]) - strings.IndexByte(ranks, a[0])
		}
		return strings.IndexByte(suits, a[1]) - strings.IndexByte(suits, b[1])
	})
	if cards[0][0] == 'A' && cards[1][0] == '5' && count(cards[0]) == 1 && count(cards[1]) == 1 { // the ace is low
		cards = append(cards[1:], cards[0])
	}
	ordered, sizes, flush := "", "", true
	for i, card := range cards {
		ordered += card[:1]
		flush = flush && card[1] == cards[0][1]
		if i == 0 || card[0] != cards[i-1][0] {
			sizes += fmt.Sprint(count(card))
		}
	}
	straight := slices.Index(straights, ordered)
	l := listed{cards: cards, category: shape[sizes]}
	switch {
	case straight == 9 && flush:
		l.category = "royal_flush"
	case straight >= 0 && flush:
		l.category = "straight_flush"
	case flush:
		l.category = "flush"
	case straight >= 0:
		l.category = "straight"
	}
	l.value[0] = slices.Index(categories, l.category)
	for i := range ordered {
		l.value[i+1] = strings.IndexByte(ranks, ordered[i])
	}
	if straight == 0 {
		l.value[5] = -1
	}
	return l
}

// bestOf returns the best five of seven cards; of equally good ones the one
// whose suits come first.
func bestOf(seven []string) (best listed) {
	for a := range 7 {
		for b := a + 1; b < 7; b++ {
			five := make([]string, 0, 5)
			for i, card := range seven {
				if i != a && i != b {
					five = append(five, card)
				}
			}
			l := list(five)
			if best.cards == nil {
				best = l
				continue
			}
			switch order := slices.Compare(l.value[:], best.value[:]); {
			case order > 0, order == 0 && slices.CompareFunc(l.cards, best.cards, bySuit) < 0:
				best = l
			}
		}
	}
	return best
}

func bySuit(a, b string) int { return strings.IndexByte(suits, a[1]) - strings.IndexByte(suits, b[1]) }

// resolved is what the rulebook makes of six hands and a board.
type resolved struct {
	winners  []int
	category string
	hands    []listed
}

func resolve(hands [][]string, board []string) (r resolved) {
	best := listed{}
	for _, hand := range hands {
		l := bestOf(slices.Concat(hand, board))
		r.hands = append(r.hands, l)
		if best.cards == nil || slices.Compare(l.value[:], best.value[:]) > 0 {
			best = l
		}
	}
	for i, l := range r.hands {
		if l.value == best.value {
			r.winners = append(r.winners, i+1)
		}
	}
	r.category = best.category
	return r
}

func (r resolved) json() string {
	winners, _ := json.Marshal(r.winners)
	hands := make([]string, 0, len(r.hands))
	for _, l := range r.hands {
		hands = append(hands, fmt.Sprintf(`{"category":%q,"best":["%s"]}`, l.category, strings.Join(l.cards, `","`)))
	}
	return fmt.Sprintf(`{"winners":%s,"combination":%q,"hands":[%s]}`, winners, r.category, strings.Join(hands, ","))
}

// wins reports whether a selection wins, by its text.
func (r resolved) wins(selection string) bool {
	for _, winner := range r.winners {
		if selection == fmt.Sprintf("hand:%d", winner) {
			return true
		}
	}
	return selection == "combo:"+r.category
}

func deck() (cards []string) {
	for _, rank := range ranks {
		for _, suit := range suits {
			cards = append(cards, string(rank)+string(suit))
		}
	}
	return cards
}
