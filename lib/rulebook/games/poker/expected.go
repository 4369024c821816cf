package poker

import (
	"tally/lib/rulebook/pokerhand"
	"tally/lib/rulebook/show"
)

// How many of all fives, and of all sevens, make each category, from the weakest up.
var (
	ofFive  = [pokerhand.Categories]int64{1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 36, 4}
	ofSeven = [pokerhand.Categories]int64{23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 37260, 4324}
)

func categoryShares(counts [pokerhand.Categories]int64) []show.Value {
	var groups []show.Group
	for category, n := range counts {
		groups = append(groups, show.Group{Name: pokerhand.Category(category).String(), Count: n})
	}
	return show.Shares(groups)
}
