package blackjack

import (
	"fmt"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/rules"
)

// decide marks what the first two cards of each seat and the dealer's open card
// decide: a blackjack can't lose; a seat without cards, a split of unlike cards,
// a double on a blackjack and insurance without an ace can't win.
func decide(round int, visible facts) (map[string]rules.Mark, []rules.Fault) {
	if round == 1 {
		if len(visible.Dealer) > 0 || len(visible.Seats) > 0 {
			return nil, []rules.Fault{{Code: "wrong_card_count", Rule: "BJ-3.4", Message: "betting round 1 opens before the cards: none are visible"}}
		}
		return nil, nil
	}
	t, deal := lay(visible, 1, 1, 2, 2)
	for _, s := range t.seats {
		if s.split {
			deal.Fault("illegal_hand", "BJ-2.7", fmt.Sprintf("seat %d is split before the betting round opened", s.number))
		}
		for _, h := range s.hands {
			if h.doubled {
				deal.Fault("illegal_hand", "BJ-2.6", fmt.Sprintf("seat %d is doubled before the betting round opened", s.number))
			}
		}
	}
	if faults := deal.Faults(); len(faults) > 0 {
		return nil, faults
	}
	marks := map[string]rules.Mark{}
	for number := 1; number <= seats; number++ {
		for _, family := range []string{"seat:%d", "split:%d", "double:%d:1", "insurance:%d"} {
			marks[fmt.Sprintf(family, number)] = rules.MarkLose
		}
	}
	for _, s := range t.seats {
		t.open(s, deal, marks)
	}
	return marks, nil
}

// open removes the marks of what is not decided at a seat that plays.
func (t table) open(s seatTable, deal *rules.Deal, marks map[string]rules.Mark) {
	two := s.hands[0].cards
	seat := fmt.Sprintf("seat:%d", s.number)
	if isBlackjack(two) {
		marks[seat] = rules.MarkWin
	} else {
		delete(marks, seat)
		delete(marks, fmt.Sprintf("double:%d:1", s.number))
		if value(two[0]) == value(two[1]) {
			delete(marks, fmt.Sprintf("split:%d", s.number))
		}
	}
	if t.dealer[0].Rank() == cards.Ace {
		insurance := fmt.Sprintf("insurance:%d", s.number)
		switch tens, others := holeCards(deal); {
		case tens && others:
			delete(marks, insurance)
		case tens:
			marks[insurance] = rules.MarkWin
		}
	}
}

// holeCards reports whether a ten-value and whether another card is left in the
// shoe.
func holeCards(deal *rules.Deal) (tens, others bool) {
	for card := range cards.Card(cards.Count) {
		if deal.Left(card) > 0 {
			tens = tens || value(card) == 10
			others = others || value(card) != 10
		}
	}
	return tens, others
}
