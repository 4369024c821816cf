package pokerhand_test

import (
	"fmt"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/pokerhand"
)

func ExampleBest() {
	var seven [7]cards.Card
	for i, code := range []string{"AS", "KS", "QS", "JS", "TS", "2H", "2D"} {
		seven[i], _ = cards.Parse(code)
	}
	fmt.Println(pokerhand.Best(&seven).Category())
	// Output: royal_flush
}
