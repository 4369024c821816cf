package wheel

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"tally/lib/rulebook/rules"
)

func (presentation) Dealing() rules.Dealing {
	return rules.Dealing{Shuffle: shuffle, Facts: stopped, Open: []int{0}}
}

// shuffle spins the wheel, now and then twice because it turned too little: the turns
// and the sector of each spin.
func shuffle(r *rand.Rand, _ []string) []string {
	spin := func(least, more int) []string {
		return []string{strconv.Itoa(least + r.IntN(more)), name(r.IntN(numbers + 1))}
	}
	last := spin(minTurns, 6)
	if r.IntN(20) == 0 {
		return append(spin(0, minTurns), last...)
	}
	return last
}

func stopped(symbols []string) any {
	f := facts{}
	for s := range slices.Chunk(symbols, 2) {
		f.Spins = append(f.Spins, spin{Turns: rules.Numbers(s[:1])[0], Sector: &s[1]})
	}
	return f
}

func (presentation) Example() *rules.Example { return nil }
