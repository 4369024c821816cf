package studio

import (
	"fmt"
	"strings"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/rules"
)

// blackjackSeats are the seats that play.
var blackjackSeats = [...]int{1, 3, 4, 6}

// blackjackVisible is each seat's first two cards and the dealer's open one.
func blackjackVisible(seen []string) string {
	seats := make([]string, 0, len(blackjackSeats))
	for i, number := range blackjackSeats {
		seats = append(seats, fmt.Sprintf(`{"seat":%d,"hands":[{"cards":%s}]}`, number, list(seen[2*i:2*i+2])))
	}
	return fmt.Sprintf(`{"dealer":%s,"seats":[%s]}`, list(seen[2*len(blackjackSeats):2*len(blackjackSeats)+1]), strings.Join(seats, ","))
}

// blackjackFacts plays the seats by a simple plan (split equal values of seven
// and more but tens, double on ten and eleven, draw up to fifteen) and then the
// dealer by the rules.
func blackjackFacts(game *rules.Game, s []string) string {
	open := 2 * len(blackjackSeats)
	deck := s[open+2:]
	take := func() string {
		card := deck[0]
		deck = deck[1:]
		return card
	}
	dealer := []string{s[open], s[open+1]}
	// The dealer looks under an ace: a blackjack ends play.
	ended := worth(dealer[0]) == 11 && total(dealer) == 21
	seats := make([]string, 0, len(blackjackSeats))
	for i, number := range blackjackSeats {
		hands, split := play([]string{s[2*i], s[2*i+1]}, ended, take)
		text := fmt.Sprintf(`{"seat":%d,`, number)
		if split {
			text += `"split":true,`
		}
		seats = append(seats, text+`"hands":[`+strings.Join(hands, ",")+`]}`)
	}
	for {
		facts := fmt.Sprintf(`{"dealer":%s,"seats":[%s]}`, list(dealer), strings.Join(seats, ","))
		if resolves(game, facts) {
			return facts
		}
		dealer = append(dealer, take())
	}
}

// play plays one seat and returns its hands.
func play(hand []string, ended bool, take func() string) (hands []string, split bool) {
	start := total(hand)
	switch {
	case ended || start == 21:
		return []string{fmt.Sprintf(`{"cards":%s}`, list(hand))}, false
	case worth(hand[0]) == worth(hand[1]) && worth(hand[0]) >= 7 && worth(hand[0]) != 10:
		for _, first := range hand {
			one := []string{first, take()}
			if worth(first) != 11 { // split aces get one card each
				one = draw(one, take)
			}
			hands = append(hands, fmt.Sprintf(`{"cards":%s}`, list(one)))
		}
		return hands, true
	case start == 10 || start == 11:
		return []string{fmt.Sprintf(`{"cards":%s,"doubled":true}`, list(append(hand, take())))}, false
	}
	return []string{fmt.Sprintf(`{"cards":%s}`, list(draw(hand, take)))}, false
}

func draw(hand []string, take func() string) []string {
	for total(hand) < 16 {
		hand = append(hand, take())
	}
	return hand
}

// worth is what a card counts: an ace 11, figures ten.
func worth(card string) int {
	c, _ := cards.Parse(card)
	switch rank := c.Rank(); {
	case rank == cards.Ace:
		return 11
	case rank >= cards.Ten:
		return 10
	default:
		return strings.Index("23456789", card[:1]) + 2
	}
}

// total is what a hand counts: aces count one where eleven is too much.
func total(hand []string) (sum int) {
	aces := 0
	for _, card := range hand {
		sum += worth(card)
		if worth(card) == 11 {
			aces++
		}
	}
	for ; sum > 21 && aces > 0; aces-- {
		sum -= 10
	}
	return sum
}
