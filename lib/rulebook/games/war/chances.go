package war

import (
	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/rules"
)

// Chances counts selections of the game for a betting round and what is visible when it opens.
func Chances(game *rules.Game, round int, visible rules.Facts, list []rules.Selection) ([]rules.Chance, bool) {
	return rules.Count(game, chances(round, rules.Visible[facts](visible)), list)
}

// chances are the ways of the two cards, from a shoe without what is visible.
func chances(_ int, visible facts) func(rules.Selection) []rules.Way[*outcome] {
	deal := rules.NewDeal(decks)
	p := deal.Cards("Player", list(visible.Player))
	deal.Cards("burned", visible.Burned)
	var ways []rules.Way[*outcome]
	for first := range cards.Card(cards.Count) {
		copies := deal.Left(first)
		if len(p) == 1 {
			copies = 0
			if first == p[0] {
				copies = 1
			}
		} else {
			deal.Take(first)
		}
		for second := range cards.Card(cards.Count) {
			if left := deal.Left(second); copies > 0 && left > 0 {
				ways = append(ways, rules.Way[*outcome]{Outcome: newOutcome(first, second), Count: uint64(copies) * uint64(left)})
			}
		}
		if len(p) == 0 {
			deal.Return(first)
		}
	}
	return func(rules.Selection) []rules.Way[*outcome] { return ways }
}
