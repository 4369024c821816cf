// Package games lists every game that tally settles. A new game is a package of
// its own and one line here.
package games

import (
	"tally/lib/games/baccarat"
	"tally/lib/games/blackjack"
	"tally/lib/games/dice"
	"tally/lib/games/lucky"
	"tally/lib/games/poker"
	"tally/lib/games/roulette"
	"tally/lib/games/war"
	"tally/lib/games/wheel"
	"tally/lib/rules"
)

var all = []*rules.Game{
	baccarat.Game,
	baccarat.Live,
	dice.Game,
	lucky.Five,
	lucky.Seven,
	poker.Game,
	war.Game,
	wheel.Game,
	blackjack.Game,
	roulette.Game,
}

// All returns the games in the order of the rulebook.
func All() []*rules.Game { return append([]*rules.Game(nil), all...) }

// Find returns the game of that id.
func Find(id string) (*rules.Game, bool) {
	for _, game := range all {
		if game.ID == id {
			return game, true
		}
	}
	return nil, false
}
