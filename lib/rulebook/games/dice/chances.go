package dice

import (
	"sync"

	"tally/lib/rulebook/rules"
)

// all are the 7,776 rolls, once they were asked for.
var all struct {
	sync.Once
	ways []rules.Way[*outcome]
}

func rolls() []rules.Way[*outcome] {
	all.Do(func() { fall(nil) })
	return all.ways
}

// fall adds the rolls that begin with some faces.
func fall(faces []int64) {
	if len(faces) == diceCount {
		all.ways = append(all.ways, rules.Way[*outcome]{Outcome: newOutcome(faces), Count: 1})
		return
	}
	for face := int64(1); face <= 6; face++ {
		fall(append(faces[:len(faces):len(faces)], face))
	}
}

// Chances counts selections of the game for a betting round and what is visible when it opens.
func Chances(game *rules.Game, round int, visible rules.Facts, list []rules.Selection) ([]rules.Chance, bool) {
	return rules.Count(game, chances(round, rules.Visible[facts](visible)), list)
}

// chances are the ways of a roll, of any selection.
func chances(int, facts) func(rules.Selection) []rules.Way[*outcome] {
	return func(rules.Selection) []rules.Way[*outcome] { return rolls() }
}
