package dice

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"tally/lib/rulebook/rules"
)

func (presentation) Dealing() rules.Dealing {
	return rules.Dealing{Shuffle: shuffle, Facts: fallen, Open: []int{0}}
}

// shuffle rolls five dice, now and then twice.
func shuffle(r *rand.Rand, _ []string) (faces []string) {
	dice := diceCount
	if r.IntN(20) == 0 {
		dice *= 2
	}
	for range dice {
		faces = append(faces, strconv.Itoa(1+r.IntN(6)))
	}
	return faces
}

// fallen are the rolls; of the first of two a die stood on its edge.
func fallen(faces []string) any {
	f := facts{}
	for dice := range slices.Chunk(rules.Numbers(faces), diceCount) {
		f.Rolls = append(f.Rolls, roll{Dice: dice})
	}
	if len(f.Rolls) > 1 {
		f.Rolls[0].Faults = []string{"die_on_edge"}
	}
	return f
}

// Example has groups of equally likely selections on the board.
func (presentation) Example() *rules.Example {
	return &rules.Example{
		Cancel: "die_fell",
		Rounds: []rules.ExampleRound{{Odds: map[string]string{"face": "1.6", "face_exactly/2": "6.25", "sum_odd": "1.95", "combo:pair": "2.05"},
			Bets: []string{"face:3", "face_exactly:5:2", "sum_odd", "combo:pair"}}},
		Facts: []string{`{"rolls":[{"dice":[3,3,5,5,5]}]}`, `{"rolls":[{"dice":[6,1,1,2,5],"faults":["die_on_edge"]},{"dice":[1,1,2,4,6]}]}`},
		Wrong: `{"rolls":[{"dice":[3,3,5,5]}]}`,
	}
}
