package plans

import (
	"slices"

	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
)

// script is what a studio can do on a table of one game: the game's example.
type script struct {
	game string
	rules.Example
}

// played are the games that are played first; each is there for something that the
// others don't have. Which one a seed plays depends on their order.
var played = []string{"war", "roulette", "blackjack", "lucky5", "live_baccarat", "dice"}

// scripts are those of all games that have an example.
func scripts() (list []script) {
	ids := slices.Clone(played)
	for _, game := range games.All() {
		if !slices.Contains(ids, game.ID) {
			ids = append(ids, game.ID)
		}
	}
	for _, id := range ids {
		game, _ := games.Find(id)
		if example := game.Show.Example(); example != nil {
			list = append(list, script{game: id, Example: *example})
		}
	}
	return list
}

// offered returns the odds of a selection in a round, empty without a board.
func (s script) offered(round rules.ExampleRound, selection string) string {
	if odds, own := round.Odds[selection]; own {
		return odds
	}
	game, _ := games.Find(s.game)
	on, err := game.Parse(selection)
	if err != nil {
		return ""
	}
	return round.Odds[game.BoardGroup(on)]
}
