package blackjack

import (
	"tally/lib/rulebook/cards"
	"tally/lib/strictjson"
)

type result uint8

const (
	lose result = iota
	win
	push
)

var results = [...]string{"lose", "win", "push"}

// outcome is a resolved round of play; seats by number, 0 unused.
type outcome struct {
	dealer dealer
	order  []int // the seats in the order of the facts
	seats  [seats + 1]seat
}

type dealer struct {
	total     int
	blackjack bool
	aceUp     bool
}

type seat struct {
	plays bool
	split bool
	hands [2]hand // the second when split
}

type hand struct {
	total     int
	blackjack bool
	doubled   bool
	result    result
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

func newOutcome(table table) *outcome {
	o := &outcome{dealer: dealer{
		total:     total(table.dealer),
		blackjack: isBlackjack(table.dealer),
		aceUp:     table.dealer[0].Rank() == cards.Ace,
	}}
	for _, s := range table.seats {
		played := seat{plays: true, split: s.split}
		for i, h := range s.hands {
			made := hand{total: total(h.cards), blackjack: !s.split && isBlackjack(h.cards), doubled: h.doubled}
			made.result = o.dealer.against(made)
			played.hands[i] = made
		}
		o.seats[s.number] = played
		o.order = append(o.order, s.number)
	}
	return o
}

// against compares a hand with the dealer's. A bust hand loses even if the
// dealer busts; the dealer's blackjack beats every 21 that is none.
func (d dealer) against(h hand) result {
	switch {
	case h.total > limit:
		return lose
	case h.blackjack && d.blackjack:
		return push
	case h.blackjack:
		return win
	case d.blackjack:
		return lose
	case d.total > limit || h.total > d.total:
		return win
	case h.total == d.total:
		return push
	}
	return lose
}

// AppendJSON implements rules.Outcome.
func (o *outcome) AppendJSON(dst []byte) []byte {
	out := strictjson.Out(dst).Open().
		Name("dealer").Open().
		IntMember("total", o.dealer.total).
		BoolMember("blackjack", o.dealer.blackjack).
		BoolMember("bust", o.dealer.total > limit).
		Close().
		Name("seats").OpenList()
	for _, number := range o.order {
		out = o.seats[number].append(out.Open().IntMember("seat", number).Name("hands").OpenList()).CloseList().Close()
	}
	return out.CloseList().Close()
}

func (s seat) append(out strictjson.Out) strictjson.Out {
	hands := s.hands[:1]
	if s.split {
		hands = s.hands[:]
	}
	for _, h := range hands {
		out = out.Open().
			IntMember("total", h.total).
			BoolMember("blackjack", h.blackjack).
			BoolMember("bust", h.total > limit).
			TextMember("result", results[h.result]).
			Close()
	}
	return out
}
