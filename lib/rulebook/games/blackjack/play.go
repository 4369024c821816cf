package blackjack

import (
	"fmt"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/rules"
)

// stands is the total on which the dealer stands, soft or hard.
const stands = 17

// play returns how the hands break the rules of play.
func (t table) play() (faults []rules.Fault) {
	peeked := t.dealer[0].Rank() == cards.Ace && isBlackjack(t.dealer[:2])
	for _, seat := range t.seats {
		faults = append(faults, seat.illegal(peeked)...)
	}
	return append(faults, t.dealers()...)
}

// illegal returns how a seat was played against the rules.
func (s seatTable) illegal(peeked bool) (faults []rules.Fault) {
	fault := func(rule, format string, args ...any) {
		faults = append(faults, rules.Fault{Code: "illegal_hand", Rule: rule, Message: fmt.Sprintf(format, args...)})
	}
	if s.split {
		first, second := s.hands[0].cards, s.hands[1].cards
		if value(first[0]) != value(second[0]) {
			fault("BJ-2.7", "seat %d: %v and %v are split but differ in value", s.number, first[0], second[0])
		}
		if first[0].Rank() == cards.Ace && (len(first) > 2 || len(second) > 2) {
			fault("BJ-2.7", "seat %d: split aces get one card each", s.number)
		}
	}
	for _, h := range s.hands {
		if h.doubled && s.split {
			fault("BJ-2.7", "%s: a hand of a split can't be doubled", h.place)
		}
		if h.doubled && len(h.cards) != 3 {
			fault("BJ-2.6", "%s: a doubled hand has three cards, not %d", h.place, len(h.cards))
		}
		if drew := drewAfter(h.cards, limit); drew > 0 {
			fault("BJ-4.4.1", "%s: it has %d with %d cards and can't take another", h.place, total(h.cards[:drew]), drew)
		}
		if peeked && len(h.cards) > 2 {
			fault("BJ-3.7", "%s: the dealer's blackjack under an ace ended play, no third card can be drawn", h.place)
		}
		if peeked && h.doubled {
			fault("BJ-3.7", "%s: the dealer's blackjack under an ace ended play, it can't be doubled", h.place)
		}
	}
	if peeked && s.split {
		fault("BJ-3.7", "seat %d: the dealer's blackjack under an ace ended play, it can't be split", s.number)
	}
	return faults
}

// drewAfter returns after how many cards, two or more, a hand had reached a
// total and yet got another card; 0 when it did not.
func drewAfter(hand []cards.Card, reached int) int {
	for n := 2; n < len(hand); n++ {
		if total(hand[:n]) >= reached {
			return n
		}
	}
	return 0
}

// dealers returns how the dealer broke the rules: the dealer draws to 16, but
// not when no live hand remains.
func (t table) dealers() []rules.Fault {
	switch now, n := total(t.dealer), drewAfter(t.dealer, stands); {
	case n > 0:
		return []rules.Fault{{Code: "dealer_must_stand", Rule: "BJ-4.4.2",
			Message: fmt.Sprintf("the dealer has %d with %d cards and must stand", total(t.dealer[:n]), n)}}
	case !t.live() && len(t.dealer) > 2:
		return []rules.Fault{{Code: "dealer_must_stand", Rule: "BJ-4.4.3",
			Message: "no hand is left that the dealer's could beat: the dealer must not draw"}}
	case t.live() && now < stands:
		return []rules.Fault{{Code: "dealer_must_draw", Rule: "BJ-4.4.2",
			Message: fmt.Sprintf("the dealer has %d and must draw to 17", now)}}
	}
	return nil
}

// live reports whether a hand is left that the dealer's cards can still decide:
// neither bust nor a blackjack.
func (t table) live() bool {
	for _, seat := range t.seats {
		for _, h := range seat.hands {
			if total(h.cards) <= limit && (seat.split || !isBlackjack(h.cards)) {
				return true
			}
		}
	}
	return false
}
