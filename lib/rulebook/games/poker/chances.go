package poker

import (
	"tally/lib/rulebook/pokerhand"
	"tally/lib/rulebook/rules"
)

// Chances counts selections of the game for a betting round and what is visible when it opens.
func Chances(game *rules.Game, round int, visible rules.Facts, list []rules.Selection) ([]rules.Chance, bool) {
	return rules.Count(game, chances(round, rules.Visible[facts](visible)), list)
}

// chances are the ways of the board that is still to come, of each hand and category alone:
// several hands may win one board. Before the hands lie open they are beyond counting.
func chances(round int, visible facts) func(rules.Selection) []rules.Way[*outcome] {
	if round == 1 {
		return nil
	}
	t, faults := lay(visible, visibleBoard[round])
	if len(faults) > 0 {
		return nil
	}
	counts, err := pokerhand.Analyse(&t.hands, t.board, t.burned)
	if err != nil {
		return nil
	}
	return func(s rules.Selection) []rules.Way[*outcome] {
		hand, won := &outcome{Winners: []int64{int64(s.At(0))}, Combination: pokerhand.Category(s.At(0)).String()}, 0
		if Game.Family(s).Name == "hand" {
			won = int(counts.WinOrTie[s.At(0)-1])
		} else {
			won = int(counts.Category[s.At(0)])
		}
		return []rules.Way[*outcome]{{Outcome: hand, Count: uint64(won)}, {Outcome: &outcome{}, Count: uint64(int(counts.Boards) - won)}}
	}
}
