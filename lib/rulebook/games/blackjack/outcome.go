package blackjack

import (
	"cmp"

	"tally/lib/rulebook/cards"
	"tally/lib/strictjson"
)

// What becomes of a hand.
const (
	lose = "lose"
	win  = "win"
	push = "push"
)

// outcome is a resolved round of play.
type outcome struct {
	Dealer *hand  `json:"dealer"`
	Seats  []seat `json:"seats"` // in the order of the facts
	aceUp  bool   // the dealer's open card is an ace
}

type seat struct {
	Number int    `json:"seat"`
	Hands  []hand `json:"hands"` // two when split
}

// hand is a seat's hand; the dealer's has no result.
type hand struct {
	Total     int    `json:"total"`
	Blackjack bool   `json:"blackjack"`
	Bust      bool   `json:"bust"`
	Result    string `json:"result"`
	doubled   bool
}

// seat returns the seat of a number, nil where it does not play.
func (o *outcome) seat(number int) *seat {
	for i := range o.Seats {
		if o.Seats[i].Number == number {
			return &o.Seats[i]
		}
	}
	return nil
}

const limit = 21

// value is what a card counts; an ace 1, see total.
func value(card cards.Card) int {
	switch rank := card.Rank(); {
	case rank == cards.Ace:
		return 1
	case rank >= cards.Ten:
		return 10
	default:
		return int(rank) + 2
	}
}

// total is the best total of a hand: an ace counts 11 where that does not bust.
func total(hand []cards.Card) int {
	sum, ace := 0, false
	for _, card := range hand {
		sum += value(card)
		ace = ace || card.Rank() == cards.Ace
	}
	if ace && sum+10 <= limit {
		return sum + 10
	}
	return sum
}

// isBlackjack reports an ace and a ten-value as the first two cards.
func isBlackjack(hand []cards.Card) bool { return len(hand) == 2 && total(hand) == limit }

func newHand(dealt []cards.Card, canBlackjack bool) hand {
	sum := total(dealt)
	return hand{Total: sum, Blackjack: canBlackjack && isBlackjack(dealt), Bust: sum > limit}
}

func newOutcome(table table) *outcome {
	dealer := newHand(table.dealer, true)
	o := &outcome{Dealer: &dealer, aceUp: table.dealer[0].Rank() == cards.Ace}
	for _, s := range table.seats {
		played := seat{Number: s.number}
		for _, h := range s.hands {
			made := newHand(h.cards, !s.split)
			made.Result, made.doubled = dealer.against(made), h.doubled
			played.Hands = append(played.Hands, made)
		}
		o.Seats = append(o.Seats, played)
	}
	return o
}

// against compares a hand with the dealer's. A bust hand loses even if the
// dealer busts; the dealer's blackjack beats every 21 that is none.
func (d hand) against(h hand) string {
	switch {
	case h.Bust:
		return lose
	case h.Blackjack && d.Blackjack:
		return push
	case h.Blackjack:
		return win
	case d.Blackjack:
		return lose
	case d.Bust || h.Total > d.Total:
		return win
	case h.Total == d.Total:
		return push
	}
	return lose
}

// AppendJSON implements rules.Outcome.
func (o *outcome) AppendJSON(dst []byte) []byte {
	dealer := cmp.Or(o.Dealer, &hand{})
	out := dealer.append(strictjson.Out(dst).Open().Name("dealer").Open()).Close().Name("seats").OpenList()
	for _, s := range o.Seats {
		out = out.Open().IntMember("seat", s.Number).Name("hands").OpenList()
		for i := range s.Hands {
			out = s.Hands[i].append(out.Open()).TextMember("result", s.Hands[i].Result).Close()
		}
		out = out.CloseList().Close()
	}
	return out.CloseList().Close()
}

// append appends what dealer and seats have.
func (h *hand) append(out strictjson.Out) strictjson.Out {
	return out.IntMember("total", h.Total).BoolMember("blackjack", h.Blackjack).BoolMember("bust", h.Bust)
}
