package baccarat

import (
	"tally/lib/cards"
	"tally/lib/rules"
)

// decide marks what the first card of one or both sides decides, by dealing
// every completion that the shoe still allows. A fresh shoe decides nothing;
// one from which enough cards were burned can.
func decide(round int, visible facts) (map[string]rules.Mark, []rules.Fault) {
	deal := rules.NewDeal(Game.Decks)
	p, b := deal.Cards("Player", visible.player), deal.Cards("Banker", visible.banker)
	deal.Cards("burned", visible.burned)
	deal.Count("Player", visible.player, min(round-1, 1), min(round-1, 1), "BAC-2.2")
	deal.Count("Banker", visible.banker, max(round-2, 0), max(round-2, 0), "BAC-2.2")
	if faults := deal.Faults(); len(faults) > 0 {
		return nil, faults
	}
	seen := rules.NewTally(Game)
	c := completion{deal: deal, seen: seen}
	c.first(p, b)
	return seen.Marks(), nil
}

// completion walks through the cards still to come.
type completion struct {
	deal *rules.Deal
	seen *rules.Tally
}

// next calls deal with each card that may come next.
func (c *completion) next(then func(cards.Card)) {
	for card := range cards.Card(cards.Count) {
		if c.seen.Settled() {
			return
		}
		if c.deal.Left(card) > 0 {
			c.deal.Take(card)
			then(card)
			c.deal.Return(card)
		}
	}
}

// first completes both hands to two cards, in whatever order: what is dealt
// matters, not when.
func (c *completion) first(p, b []cards.Card) {
	switch {
	case len(p) < 2:
		c.next(func(card cards.Card) { c.first(append(p[:len(p):len(p)], card), b) })
	case len(b) < 2:
		c.next(func(card cards.Card) { c.first(p, append(b[:len(b):len(b)], card)) })
	case isNatural(sum(p)) || isNatural(sum(b)):
		c.seen.Add(newOutcome(p, b))
	case playerDraws(sum(p)):
		c.next(func(card cards.Card) { c.bankers(append(p[:2:2], card), b, points(card)) })
	default:
		c.bankers(p, b, stood)
	}
}

// bankers completes the Banker's hand.
func (c *completion) bankers(p, b []cards.Card, third int) {
	if !bankerDraws(sum(b), third) {
		c.seen.Add(newOutcome(p, b))
		return
	}
	c.next(func(card cards.Card) { c.seen.Add(newOutcome(p, append(b[:2:2], card))) })
}
