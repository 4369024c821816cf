package lucky

import (
	"math/rand/v2"
	"strconv"

	"tally/lib/rulebook/rules"
)

func (set *ballSet) Dealing() rules.Dealing {
	return rules.Dealing{Shuffle: set.shuffle, Facts: dealt, Open: []int{0}}
}

// shuffle draws balls; one more than count, where that is allowed.
func (set *ballSet) shuffle(r *rand.Rand, _ []string) (drawn []string) {
	balls := r.Perm(set.balls)[:set.drawn+1]
	if !set.moreAllowed {
		balls = balls[:set.drawn]
	}
	for _, n := range balls {
		drawn = append(drawn, strconv.Itoa(n+1))
	}
	return drawn
}

func dealt(balls []string) any { return facts{Balls: rules.Numbers(balls)} }

// Example has facts that void the draw.
func (set *ballSet) Example() *rules.Example {
	if set.moreAllowed {
		return nil
	}
	return &rules.Example{
		Cancel: "balls_not_ready",
		Rounds: []rules.ExampleRound{{Odds: map[string]string{"sum_odd": "1.95", "sum_even": "1.9", "drawn:7": "6.6", "colour_none:blue": "4.7501", "first_over:18.5": "2"},
			Bets: []string{"sum_odd", "sum_even", "drawn:7", "colour_none:blue", "first_over:18.5"}}},
		Facts: []string{`{"balls":[36,1,17,9,22]}`, `{"balls":[7,8,17,9]}`, `{"balls":[7,3,11,19,2]}`},
		Wrong: `{"balls":[37,1,17,9,22]}`,
	}
}
