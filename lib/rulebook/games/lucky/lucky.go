// Package lucky holds the rules of the two ball lotteries: Lucky 5, five of 36
// balls in four colours, and Lucky 7, seven of 42 in two. They are one game with
// two ball sets.
package lucky

import (
	"strconv"

	"tally/lib/rulebook/rules"
)

// Five is Lucky 5: exactly five of 36 balls, in cylinders left to right.
var Five = define(&ballSet{
	id: "lucky5", title: "Lucky 5", prefix: "LUCKY5", version: 2, equipment: "36 balls, nine of each colour",
	balls: 36, drawn: 5, longestPick: 3,
	colours:  []string{"white", "green", "red", "blue"},
	colourOf: func(ball int) int { return (ball - 1) / 9 },
	sizes:    []int{9, 9, 9, 9}, sums: []int{45, 126, 207, 288},
})

// Seven is Lucky 7: the first seven of 42 balls in the tube. Which numbers are
// yellow no source says; the sums 451 and 452 of the two colours leave many
// ways, so the ball set is part of the catalogue's version.
var Seven = define(&ballSet{
	id: "lucky7", title: "Lucky 7", prefix: "LUCKY7", version: 2, equipment: "42 balls, 21 of each colour (which numbers are yellow is provisional)",
	balls: 42, drawn: 7, longestPick: 4, moreAllowed: true,
	colours: []string{"yellow", "black"},
	colourOf: func(ball int) int {
		if ball%4 <= 1 {
			return 0
		}
		return 1
	},
	sizes: []int{21, 21}, sums: []int{451, 452},
})

// ballSet is what the two games differ in.
type ballSet struct {
	id, title, prefix string
	version           int
	equipment         string
	balls             int      // numbered from 1
	drawn             int      // balls that count
	longestPick       int      // numbers that drawn may name
	moreAllowed       bool     // balls after the last that counts are ignored
	colours           []string // in the order of the outcome
	colourOf          func(ball int) int
	sizes, sums       []int // of each colour: checked when the game is defined
}

// check panics when the colours do not have the sizes and sums that the
// rulebook gives.
func (set *ballSet) check() {
	sizes, sums := make([]int, len(set.colours)), make([]int, len(set.colours))
	for ball := 1; ball <= set.balls; ball++ {
		colour := set.colourOf(ball)
		sizes[colour]++
		sums[colour] += ball
	}
	for i, colour := range set.colours {
		if sizes[i] != set.sizes[i] || sums[i] != set.sums[i] {
			panic(set.id + ": " + colour + " has " + strconv.Itoa(sizes[i]) + " balls of sum " + strconv.Itoa(sums[i]))
		}
	}
}

// lowest and highest are the whole parts of the lines around the smallest and
// the largest sum of the balls that count.
func (set *ballSet) sumLines() rules.Line {
	lowest, highest := 0, 0
	for i := range set.drawn {
		lowest += i + 1
		highest += set.balls - i
	}
	return rules.Line{Min: lowest, Max: highest - 1}
}

func define(set *ballSet) *rules.Game {
	set.check()
	return rules.Define(rules.Spec[facts, *outcome]{
		ID: set.id, Title: set.title, Prefix: set.prefix, Version: set.version, Equipment: set.equipment,
		Rounds: []rules.Round{{Number: 1, When: "before the draw"}},
		Cancel: rules.BallReasons, CancelRule: set.prefix + "-5.1", LateRule: set.prefix + "-3.2",
		Families: set.families(),
		Groups: [][]string{{"sum_odd", "sum_even"}, {"more_odd", "more_even"}, {"first_odd", "first_even"},
			{"last_odd", "last_even"}, {"first_colour"}, {"last_colour"}},
		Read:    read,
		Resolve: set.resolve,
		Show:    set,
	})
}
