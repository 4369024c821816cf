package lucky

import (
	"strconv"

	"tally/lib/rulebook/rules"
)

type (
	family    = rules.Family[*outcome]
	selection = rules.Selection
)

// families returns the markets on a ball set.
func (set *ballSet) families() []family {
	ball := rules.Int{Min: 1, Max: set.balls}
	sums := set.sumLines()
	places := rules.Line{Min: 1, Max: set.balls - 1}
	counts := rules.Line{Min: 0, Max: set.drawn - 1}
	exact := rules.Int{Min: 0, Max: set.drawn}
	colour, pair := rules.Word(set.colours), rules.WordPair(set.colours)
	result, order := set.prefix+"-2.2", set.prefix+"-2.3"
	colours := set.prefix + "-1.2"

	return []family{
		{Name: "drawn", Params: []rules.Param{rules.Set{Min: 1, Max: set.balls, From: 1, To: set.longestPick}}, Rule: result,
			Board: func(s selection) string { return "drawn/" + strconv.Itoa(s.Numbers()) },
			Means: "all of these numbers are drawn",
			Wins: func(o *outcome, s selection) bool {
				for i := range s.Numbers() {
					if !o.drew(s.At(i)) {
						return false
					}
				}
				return true
			}},
		{Name: "not_drawn", Params: []rules.Param{ball}, Rule: result, Board: always("not_drawn"),
			Means: "this number is not drawn",
			Wins:  func(o *outcome, s selection) bool { return !o.drew(s.At(0)) }},
		{Name: "sum_under", Params: []rules.Param{sums}, Rule: result, Means: "the sum of the balls is under the line",
			Wins: func(o *outcome, s selection) bool { return rules.Under(o.Sum, s.At(0)) }},
		{Name: "sum_over", Params: []rules.Param{sums}, Rule: result, Means: "the sum of the balls is over the line",
			Wins: func(o *outcome, s selection) bool { return rules.Over(o.Sum, s.At(0)) }},
		{Name: "sum_odd", Rule: result, Means: "the sum of the balls is odd",
			Wins: func(o *outcome, _ selection) bool { return odd(o.Sum) }},
		{Name: "sum_even", Rule: result, Means: "the sum of the balls is even",
			Wins: func(o *outcome, _ selection) bool { return !odd(o.Sum) }},
		{Name: "more_odd", Rule: result, Means: "more odd than even balls are drawn",
			Wins: func(o *outcome, _ selection) bool { return o.Odd > o.Even }},
		{Name: "more_even", Rule: result, Means: "more even than odd balls are drawn",
			Wins: func(o *outcome, _ selection) bool { return o.Even > o.Odd }},
		{Name: "colour_any", Params: []rules.Param{colour}, Rule: colours, Board: always("colour_any"),
			Means: "at least one ball has the colour",
			Wins:  func(o *outcome, s selection) bool { return o.Colours.counts[s.At(0)] > 0 }},
		{Name: "colour_none", Params: []rules.Param{colour}, Rule: colours, Board: always("colour_none"),
			Means: "no ball has the colour",
			Wins:  func(o *outcome, s selection) bool { return o.Colours.counts[s.At(0)] == 0 }},
		{Name: "colour_under", Params: []rules.Param{colour, counts}, Rule: colours, Board: byLine("colour_under"),
			Means: "fewer balls than the line have the colour",
			Wins:  func(o *outcome, s selection) bool { return rules.Under(o.Colours.counts[s.At(0)], s.At(1)) }},
		{Name: "colour_over", Params: []rules.Param{colour, counts}, Rule: colours, Board: byLine("colour_over"),
			Means: "more balls than the line have the colour",
			Wins:  func(o *outcome, s selection) bool { return rules.Over(o.Colours.counts[s.At(0)], s.At(1)) }},
		{Name: "colour_exactly", Params: []rules.Param{colour, exact}, Rule: colours,
			Board: func(s selection) string { return "colour_exactly/" + strconv.Itoa(s.At(1)) },
			Means: "exactly so many balls have the colour",
			Wins:  func(o *outcome, s selection) bool { return o.Colours.counts[s.At(0)] == s.At(1) }},
		{Name: "colour_more", Params: []rules.Param{pair}, Rule: colours, Board: always("colour_more"),
			Means: "more balls have the first colour than the second",
			Wins:  func(o *outcome, s selection) bool { return o.Colours.counts[s.At(0)] > o.Colours.counts[s.At(1)] }},
		{Name: "colour_equal", Params: []rules.Param{pair}, Rule: colours, Board: always("colour_equal"),
			Means: "as many balls have the first colour as the second",
			Wins:  func(o *outcome, s selection) bool { return o.Colours.counts[s.At(0)] == o.Colours.counts[s.At(1)] }},
		{Name: "first_odd", Rule: order, Means: "the first ball is odd",
			Wins: func(o *outcome, _ selection) bool { return odd(o.First) }},
		{Name: "first_even", Rule: order, Means: "the first ball is even",
			Wins: func(o *outcome, _ selection) bool { return !odd(o.First) }},
		{Name: "last_odd", Rule: order, Means: "the last ball is odd",
			Wins: func(o *outcome, _ selection) bool { return odd(o.Last) }},
		{Name: "last_even", Rule: order, Means: "the last ball is even",
			Wins: func(o *outcome, _ selection) bool { return !odd(o.Last) }},
		{Name: "first_under", Params: []rules.Param{places}, Rule: order, Means: "the first ball is under the line",
			Wins: func(o *outcome, s selection) bool { return rules.Under(o.First, s.At(0)) }},
		{Name: "first_over", Params: []rules.Param{places}, Rule: order, Means: "the first ball is over the line",
			Wins: func(o *outcome, s selection) bool { return rules.Over(o.First, s.At(0)) }},
		{Name: "last_under", Params: []rules.Param{places}, Rule: order, Means: "the last ball is under the line",
			Wins: func(o *outcome, s selection) bool { return rules.Under(o.Last, s.At(0)) }},
		{Name: "last_over", Params: []rules.Param{places}, Rule: order, Means: "the last ball is over the line",
			Wins: func(o *outcome, s selection) bool { return rules.Over(o.Last, s.At(0)) }},
		{Name: "first_colour", Params: []rules.Param{colour}, Rule: order, Board: always("first_colour"),
			Means: "the first ball has the colour",
			Wins:  func(o *outcome, s selection) bool { return set.colourOf(o.First) == s.At(0) }},
		{Name: "last_colour", Params: []rules.Param{colour}, Rule: order, Board: always("last_colour"),
			Means: "the last ball has the colour",
			Wins:  func(o *outcome, s selection) bool { return set.colourOf(o.Last) == s.At(0) }},
	}
}

// always is the board group of families whose selections are equally likely:
// the colours have as many balls each.
func always(name string) func(selection) string {
	return func(selection) string { return name }
}

func byLine(name string) func(selection) string {
	return func(s selection) string { return name + "/" + strconv.Itoa(s.At(1)) + ".5" }
}

func odd(n int) bool { return n%2 != 0 }
