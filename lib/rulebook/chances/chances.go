// Package chances counts how likely selections are: exactly, by all that may still come. It is
// apart from the games since a settlement needs none of it.
package chances

import (
	"tally/lib/rulebook/games/baccarat"
	"tally/lib/rulebook/games/dice"
	"tally/lib/rulebook/games/lucky"
	"tally/lib/rulebook/games/poker"
	"tally/lib/rulebook/games/war"
	"tally/lib/rulebook/rules"
)

// counters are those of the games that have odds boards.
var counters = map[string]func(*rules.Game, int, rules.Facts, []rules.Selection) ([]rules.Chance, bool){
	"baccarat": baccarat.Chances, "dice": dice.Chances, "lucky5": lucky.Chances, "lucky7": lucky.Chances, "poker": poker.Chances, "war": war.Chances,
}

// Of returns the exact chances of selections of a game when a betting round opens and these
// cards are visible, which Decide has found no fault with: all that may still come is counted,
// from a full shoe or a whole set of balls without what is visible. ok is false where that is
// beyond counting, and in games that have a paytable.
func Of(game *rules.Game, round int, visible rules.Facts, list []rules.Selection) (chances []rules.Chance, ok bool) {
	count := counters[game.ID]
	if count == nil {
		return nil, false
	}
	return count(game, round, visible, list)
}
