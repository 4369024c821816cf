package pokerhand_test

import (
	"fmt"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/pokerhand"
)

func ExampleBestFive() {
	var seven []cards.Card
	for _, code := range []string{"AS", "KS", "QS", "JS", "TS", "2H", "2D"} {
		card, _ := cards.Parse(code)
		seven = append(seven, card)
	}
	five, rank := pokerhand.BestFive(seven)
	fmt.Println(five, rank.Category())
	// Output: [AS KS QS JS TS] royal_flush
}
