package roulette

import (
	"slices"

	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
)

// The layout: twelve rows of three numbers, 1-2-3 to 34-35-36, and the zero
// above 1, 2 and 3. Two numbers are neighbours when they share an edge.

type (
	family    = rules.Family[*outcome]
	selection = rules.Selection
)

func families() []family {
	return []family{
		inside("straight", 35, 1, nil, "the ball falls on the number"),
		inside("split", 17, 2, checkSplit, "the ball falls on one of two neighbours"),
		inside("street", 11, 3, checkStreet, "the ball falls on one of the three numbers of a row, 0-1-2 or 0-2-3"),
		inside("corner", 8, 4, checkCorner, "the ball falls on one of four numbers that meet in a corner, or 0-1-2-3"),
		{Name: "line", Params: []rules.Param{rules.Set{Min: 1, Max: highest, From: 2, To: 2}}, Check: checkLine,
			Odds: money.ToOne(5), Rule: "ROU-2.2", Means: "the ball falls on one of the six numbers of two neighbouring rows",
			Wins: func(o *outcome, s selection) bool { return o.Pocket >= s.At(0) && o.Pocket <= s.At(1) }},
		{Name: "column", Params: []rules.Param{rules.Int{Min: 1, Max: 3}}, Odds: money.ToOne(2), Rule: "ROU-2.2",
			Means: "the ball falls on a number of the column",
			Wins:  func(o *outcome, s selection) bool { return o.Column == s.At(0) }},
		{Name: "dozen", Params: []rules.Param{rules.Int{Min: 1, Max: 3}}, Odds: money.ToOne(2), Rule: "ROU-2.2",
			Means: "the ball falls on a number of the dozen",
			Wins:  func(o *outcome, s selection) bool { return o.Dozen == s.At(0) }},
		outside("red", "a red number", func(o *outcome) string { return o.Colour }),
		outside("black", "a black number", func(o *outcome) string { return o.Colour }),
		outside("odd", "an odd number", func(o *outcome) string { return o.Parity }),
		outside("even", "an even number", func(o *outcome) string { return o.Parity }),
		outside("low", "1 to 18", func(o *outcome) string { return o.Half }),
		outside("high", "19 to 36", func(o *outcome) string { return o.Half }),
	}
}

// inside is a bet on numbers named one by one.
func inside(name string, toOne, count int, check func(selection) string, means string) family {
	return family{Name: name, Params: []rules.Param{rules.Set{Min: 0, Max: highest, From: count, To: count}}, Check: check,
		Odds: money.ToOne(toOne), Rule: "ROU-2.2", Means: means,
		Wins: func(o *outcome, s selection) bool {
			for i := range s.Numbers() {
				if s.At(i) == o.Pocket {
					return true
				}
			}
			return false
		}}
}

// outside is an even-money bet on what the outcome says of the number; the zero loses it.
func outside(name, means string, of func(*outcome) string) family {
	return family{Name: name, Odds: money.ToOne(1), Rule: "ROU-2.2", Means: "the ball falls on " + means,
		Wins: func(o *outcome, _ selection) bool { return of(o) == name }}
}

func checkSplit(s selection) string {
	a, b := s.At(0), s.At(1)
	switch {
	case a == 0 && b <= 3, a != 0 && b-a == 3, a != 0 && b-a == 1 && a%3 != 0:
		return ""
	}
	return "these two are not neighbours on the layout"
}

func checkStreet(s selection) string {
	numbers := []int{s.At(0), s.At(1), s.At(2)}
	for _, street := range [][]int{{0, 1, 2}, {0, 2, 3}} {
		if slices.Equal(numbers, street) {
			return ""
		}
	}
	if a := numbers[0]; a%3 == 1 && numbers[1] == a+1 && numbers[2] == a+2 {
		return ""
	}
	return "these three are no row of the layout, and neither 0-1-2 nor 0-2-3"
}

func checkCorner(s selection) string {
	numbers := []int{s.At(0), s.At(1), s.At(2), s.At(3)}
	a := numbers[0]
	if slices.Equal(numbers, []int{0, 1, 2, 3}) || a != 0 && a%3 != 0 && slices.Equal(numbers, []int{a, a + 1, a + 3, a + 4}) {
		return ""
	}
	return "these four don't meet in a corner of the layout, and are not 0-1-2-3"
}

func checkLine(s selection) string {
	if a := s.At(0); a%3 == 1 && s.At(1) == a+5 {
		return ""
	}
	return "a line is written as the first and the last of six numbers in two neighbouring rows, such as line:1-6"
}
