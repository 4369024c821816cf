package baccarat

import (
	"strings"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/rules"
)

type way = rules.Way[*outcome]

// Chances counts selections of the game for a betting round and what is visible when it opens.
func Chances(game *rules.Game, round int, visible rules.Facts, list []rules.Selection) ([]rules.Chance, bool) {
	return rules.Count(game, chances(round, rules.Visible[facts](visible)), list)
}

// chances are the ways of a coup from a shoe without what is visible: for pairs those of the
// first two cards of both sides, for all else those of the points.
func chances(_ int, visible facts) func(rules.Selection) []way {
	deal := rules.NewDeal(decks)
	p, b := deal.Cards("Player", visible.Player), deal.Cards("Banker", visible.Banker)
	deal.Cards("burned", visible.Burned)
	var pairs, points []way
	return func(s rules.Selection) []way {
		if strings.HasSuffix(Game.Family(s).Name, "_pair") {
			if pairs == nil {
				pairs = pairWays(deal, p, b)
			}
			return pairs
		}
		if points == nil {
			points = pointWays(deal, p, b)
		}
		return points
	}
}

// each calls then with every card that the shoe holds, taken out of it, and how many copies
// it held; with the open card of a side alone where there is one.
func each(deal *rules.Deal, open []cards.Card, then func(card cards.Card, copies uint64)) {
	if len(open) > 0 {
		then(open[0], 1)
		return
	}
	for card := range cards.Card(cards.Count) {
		if left := deal.Left(card); left > 0 {
			deal.Take(card)
			then(card, uint64(left))
			deal.Return(card)
		}
	}
}

// pairWays goes through the Player's two cards and counts the Banker's.
func pairWays(deal *rules.Deal, p, b []cards.Card) (ways []way) {
	var counts [2][2][2]uint64 // by the Player's pair, the Banker's, and whether one is perfect
	each(deal, p, func(first cards.Card, copies uint64) {
		each(deal, nil, func(second cards.Card, more uint64) {
			pair, perfect := first.Rank() == second.Rank(), first == second
			equal, same, all := bankerPairs(deal, b)
			n := copies * more
			counts[bit(pair)][1][bit(perfect)] += n * (equal - same)
			counts[bit(pair)][1][1] += n * same
			counts[bit(pair)][0][bit(perfect)] += n * (all - equal)
		})
	})
	for i := range 8 {
		player, banker, perfect := i&1, i>>1&1, i>>2
		if n := counts[player][banker][perfect]; n > 0 {
			ways = append(ways, way{Outcome: &outcome{PlayerPair: player == 1, BankerPair: banker == 1, PerfectPair: perfect == 1}, Count: n})
		}
	}
	return ways
}

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

// bankerPairs counts the Banker's two cards: those of one rank, those of one rank and suit
// among them, and all.
func bankerPairs(deal *rules.Deal, open []cards.Card) (equal, same, all uint64) {
	var ranks [cards.Count]uint64
	total := uint64(0)
	for card := range cards.Card(cards.Count) {
		left := uint64(deal.Left(card))
		ranks[card.Rank()] += left
		total += left
		if len(open) == 0 && left > 0 {
			same += left * (left - 1)
		}
	}
	if len(open) > 0 {
		return ranks[open[0].Rank()], uint64(deal.Left(open[0])), total
	}
	for _, n := range ranks {
		if n > 0 {
			equal += n * (n - 1)
		}
	}
	return equal, same, total * (total - 1)
}

// shoe is how many cards of each number of points are left.
type shoe struct {
	left  [10]uint64
	total uint64
}

// coup is where a coup stands, by points: enough for all that it can come to but pairs.
type coup struct {
	shoe
	counts map[outcome]uint64
}

// take goes through the points of the next card, which is the open one where there is one.
func (c *coup) take(open []cards.Card, weight uint64, then func(points int, weight uint64)) {
	if len(open) > 0 {
		then(points(open[0]), weight)
		return
	}
	for n, left := range c.left {
		if left == 0 {
			continue
		}
		c.left[n]--
		c.total--
		then(n, weight*left)
		c.left[n]++
		c.total++
	}
}

// pointWays counts the coups by who wins with how many cards.
func pointWays(deal *rules.Deal, p, b []cards.Card) (ways []way) {
	c := &coup{counts: map[outcome]uint64{}}
	for card := range cards.Card(cards.Count) {
		c.left[points(card)] += uint64(deal.Left(card))
		c.total += uint64(deal.Left(card))
	}
	c.take(p, 1, func(p1 int, w uint64) {
		c.take(nil, w, func(p2 int, w uint64) {
			c.take(b, w, func(b1 int, w uint64) {
				c.take(nil, w, func(b2 int, w uint64) { c.thirds((p1+p2)%10, (b1+b2)%10, w) })
			})
		})
	})
	for o, n := range c.counts {
		ways = append(ways, way{Outcome: &o, Count: n})
	}
	return ways
}

// thirds deals third cards as the rules want them.
func (c *coup) thirds(p, b int, w uint64) {
	switch {
	case isNatural(p) || isNatural(b):
		c.add(p, b, 4, w)
	case playerDraws(p):
		c.take(nil, w, func(third int, w uint64) { c.bankers((p+third)%10, b, third, 5, w) })
	default:
		c.bankers(p, b, stood, 4, w)
	}
}

// bankers deals the Banker's third card; so many cards lie there before.
func (c *coup) bankers(p, b, third, before int, w uint64) {
	if !bankerDraws(b, third) {
		c.add(p, b, before, w)
		return
	}
	c.take(nil, w, func(card int, w uint64) { c.add(p, (b+card)%10, before+1, w) })
}

// add counts a coup of so many cards, each for all six that could have been dealt.
func (c *coup) add(p, b, dealt int, w uint64) {
	for n := range uint64(6 - dealt) {
		w *= c.total - n
	}
	o := outcome{Winner: tie, Size: "big", Cards: dealt}
	switch {
	case p > b:
		o.Winner = player
	case p < b:
		o.Winner = banker
	}
	if dealt == 4 {
		o.Size = "small"
	}
	c.counts[o] += w
}
