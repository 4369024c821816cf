package lucky

import (
	"strings"

	"tally/lib/rulebook/rules"
)

type way = rules.Way[*outcome]

// Chances counts selections of one of the two games; nothing is visible before its draw.
func Chances(game *rules.Game, _ int, _ rules.Facts, list []rules.Selection) ([]rules.Chance, bool) {
	return rules.Count(game, game.Show.(*ballSet).chances(game), list)
}

// chances are the ways of a draw, of each market by what alone it asks of: the sum, the odd
// balls, the colours, one ball, or the numbers that it names. All ways of all balls are too
// many to go through.
func (set *ballSet) chances(game *rules.Game) func(rules.Selection) []way {
	known := map[string][]way{}
	return func(s rules.Selection) []way {
		name := game.Family(s).Name
		aspect, _, _ := strings.Cut(name, "_")
		if name == "drawn" || name == "not_drawn" {
			return set.ofNumbers(s, name)
		}
		if known[aspect] == nil {
			known[aspect] = map[string]func() []way{"sum": set.ofSums, "more": set.ofOdd, "colour": set.ofColours,
				"first": func() []way { return set.ofBall(func(o *outcome, ball int) { o.First = ball }) },
				"last":  func() []way { return set.ofBall(func(o *outcome, ball int) { o.Last = ball }) }}[aspect]()
		}
		return known[aspect]
	}
}

// all is how many draws there are, whatever the order of their balls.
func (set *ballSet) all() uint64 { return uint64(choose(set.balls, set.drawn)) }

// ofNumbers are the draws with all numbers that a selection names, and the others. Those
// that are not drawn are asked for one at a time.
func (set *ballSet) ofNumbers(s rules.Selection, market string) []way {
	with, n := set.newOutcome(), s.Numbers()
	if market == "not_drawn" {
		n = 1
	}
	for i := range n {
		with.drawn |= 1 << s.At(i)
	}
	count := uint64(choose(set.balls-n, set.drawn-n))
	return []way{{Outcome: with, Count: count}, {Outcome: set.newOutcome(), Count: set.all() - count}}
}

// ofSums are the draws by their sum.
func (set *ballSet) ofSums() (ways []way) {
	least, most := extremes(set.balls, set.drawn)
	for sum, count := range countSums(set.balls, set.drawn, most) {
		if sum >= least {
			o := set.newOutcome()
			o.Sum = sum
			ways = append(ways, way{Outcome: o, Count: uint64(count)})
		}
	}
	return ways
}

// ofOdd are the draws by how many of their balls are odd.
func (set *ballSet) ofOdd() (ways []way) {
	for n, group := range oddBalls(set.balls, set.drawn) {
		o := set.newOutcome()
		o.Odd, o.Even = n, set.drawn-n
		ways = append(ways, way{Outcome: o, Count: uint64(group.Count)})
	}
	return ways
}

// ofColours are the draws by how many of their balls have each colour.
func (set *ballSet) ofColours() (ways []way) {
	var take func(colour, left int, o outcome, count uint64)
	take = func(colour, left int, o outcome, count uint64) {
		if colour == len(set.colours) {
			if left == 0 {
				ways = append(ways, way{Outcome: &o, Count: count})
			}
			return
		}
		for n := 0; n <= min(left, set.sizes[colour]); n++ {
			o.Colours.counts[colour] = n
			take(colour+1, left-n, o, count*uint64(choose(set.sizes[colour], n)))
		}
	}
	take(0, set.drawn, *set.newOutcome(), 1)
	return ways
}

// ofBall are the draws by one of their balls, which is any as often as any other.
func (set *ballSet) ofBall(put func(*outcome, int)) (ways []way) {
	for ball := 1; ball <= set.balls; ball++ {
		o := set.newOutcome()
		put(o, ball)
		ways = append(ways, way{Outcome: o, Count: 1})
	}
	return ways
}
