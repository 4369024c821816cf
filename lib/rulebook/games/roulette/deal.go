package roulette

import (
	"math/rand/v2"
	"strconv"

	"tally/lib/rulebook/rules"
)

func (presentation) Dealing() rules.Dealing {
	return rules.Dealing{Shuffle: shuffle, Facts: fallen, Open: []int{0}}
}

// shuffle spins the ball: its revolutions and its pocket.
func shuffle(r *rand.Rand, _ []string) []string {
	return []string{strconv.Itoa(4 + r.IntN(8)), strconv.Itoa(r.IntN(highest + 1))}
}

func fallen(symbols []string) any {
	n := rules.Numbers(symbols)
	return facts{Spins: []spin{{Revolutions: n[0], Pocket: n[1]}}}
}

// Example has a paytable and many selections.
func (presentation) Example() *rules.Example {
	return &rules.Example{
		Cancel: "technical_failure",
		Rounds: []rules.ExampleRound{{Bets: []string{"red", "black", "odd", "straight:17", "straight:0", "corner:0-1-2-3", "dozen:2"}}},
		Facts:  []string{`{"spins":[{"revolutions":6,"pocket":17}]}`, `{"spins":[{"revolutions":2,"pocket":9},{"revolutions":5,"pocket":0}]}`, `{"spins":[{"revolutions":4,"pocket":34}]}`},
		Wrong:  `{"spins":[{"revolutions":6,"pocket":37}]}`,
	}
}
