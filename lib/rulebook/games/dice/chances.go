package dice

import (
	"sync"

	"tally/lib/rulebook/rules"
)

// rolls are all 7,776 rolls.
var rolls = sync.OnceValue(func() (ways []rules.Way[*outcome]) {
	var fall func(faces []int64)
	fall = func(faces []int64) {
		if len(faces) == diceCount {
			ways = append(ways, rules.Way[*outcome]{Outcome: newOutcome(faces), Count: 1})
			return
		}
		for face := int64(1); face <= 6; face++ {
			fall(append(faces[:len(faces):len(faces)], face))
		}
	}
	fall(nil)
	return ways
})

// Chances counts selections of the game for a betting round and what is visible when it opens.
func Chances(game *rules.Game, round int, visible rules.Facts, list []rules.Selection) ([]rules.Chance, bool) {
	return rules.Count(game, chances(round, rules.Visible[facts](visible)), list)
}

// chances are the ways of a roll, of any selection.
func chances(int, facts) func(rules.Selection) []rules.Way[*outcome] {
	return func(rules.Selection) []rules.Way[*outcome] { return rolls() }
}
