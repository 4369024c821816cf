package baccarat

import (
	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/rules"
)

// decide marks what the first card of one or both sides decides, by going
// through every completion that the shoe still allows. A fresh shoe decides
// nothing; one from which enough cards were burned can.
func decide(round int, visible facts) (map[string]rules.Mark, []rules.Fault) {
	deal := rules.NewDeal(Game.Decks)
	p, b := deal.Cards("Player", visible.Player), deal.Cards("Banker", visible.Banker)
	deal.Cards("burned", visible.Burned)
	deal.Count("Player", visible.Player, min(round-1, 1), min(round-1, 1), "BAC-2.2")
	deal.Count("Banker", visible.Banker, max(round-2, 0), max(round-2, 0), "BAC-2.2")
	if faults := deal.Faults(); len(faults) > 0 {
		return nil, faults
	}
	c := completion{deal: deal, marks: rules.NewTally(Game), starts: map[start]bool{}, outcomes: map[outcome]bool{}}
	c.twoCards(p, func(player []cards.Card) {
		c.twoCards(b, func(banker []cards.Card) { c.finish(player, banker) })
	})
	if len(c.outcomes) == 0 {
		return nil, []rules.Fault{{Code: "wrong_card_count", Rule: "BAC-2.1", Message: "too few cards are left in the shoe to finish the draw"}}
	}
	return c.marks.Marks(), nil
}

// completion walks through the cards still to come. Completions that no
// selection tells apart are gone through once: there are 10^10 of them in a shoe
// that holds one card of each.
type completion struct {
	deal     *rules.Deal
	marks    *rules.Tally
	starts   map[start]bool // those gone through
	outcomes map[outcome]bool
}

// start is what matters of the first two cards of both sides: their points, on
// which the third cards and what the shoe has left for them depend, and pairs.
type start struct {
	points                          [4]uint8
	playerPair, bankerPair, perfect bool
}

// each takes every card from one on that the shoe still holds, one at a time.
func (c *completion) each(from cards.Card, then func(cards.Card)) {
	for card := from; card < cards.Count && !c.marks.Settled(); card++ {
		if c.deal.Left(card) > 0 {
			c.deal.Take(card)
			then(card)
			c.deal.Return(card)
		}
	}
}

// twoCards calls then with every first two cards of a side whose open cards are
// given. What is dealt matters, not when, so two closed cards come in one order.
func (c *completion) twoCards(open []cards.Card, then func([]cards.Card)) {
	if len(open) == 1 {
		c.each(0, func(second cards.Card) { then([]cards.Card{open[0], second}) })
		return
	}
	c.each(0, func(first cards.Card) {
		c.each(first, func(second cards.Card) { then([]cards.Card{first, second}) })
	})
}

// third calls then with one card of each number of points that the shoe holds.
func (c *completion) third(then func(cards.Card)) {
	var tried [10]bool
	c.each(0, func(card cards.Card) {
		if p := points(card); !tried[p] {
			tried[p] = true
			then(card)
		}
	})
}

// finish deals the third cards.
func (c *completion) finish(p, b []cards.Card) {
	two := newOutcome(p, b)
	key := start{points: [4]uint8{uint8(points(p[0])), uint8(points(p[1])), uint8(points(b[0])), uint8(points(b[1]))},
		playerPair: two.PlayerPair, bankerPair: two.BankerPair, perfect: two.PerfectPair}
	if c.starts[key] {
		return
	}
	c.starts[key] = true
	switch {
	case two.Natural:
		c.add(p, b)
	case playerDraws(two.PlayerPoints):
		c.third(func(card cards.Card) { c.bankers(append(p[:2:2], card), b, points(card)) })
	default:
		c.bankers(p, b, stood)
	}
}

// bankers deals the Banker's third card.
func (c *completion) bankers(p, b []cards.Card, third int) {
	if !bankerDraws(sum(b), third) {
		c.add(p, b)
		return
	}
	c.third(func(card cards.Card) { c.add(p, append(b[:2:2], card)) })
}

func (c *completion) add(p, b []cards.Card) {
	if o := newOutcome(p, b); !c.outcomes[*o] {
		c.outcomes[*o] = true
		c.marks.Add(o)
	}
}
