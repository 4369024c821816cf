package lucky_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games/lucky"
	"tally/lib/rulebook/rules"
)

// colourOf is the rulebook's ball sets.
func colourOf(game string, ball int) string {
	if game == "lucky7" {
		if ball%4 == 0 || ball%4 == 1 {
			return "yellow"
		}
		return "black"
	}
	switch {
	case ball <= 9:
		return "white"
	case ball <= 18:
		return "green"
	case ball <= 27:
		return "red"
	}
	return "blue"
}

// wins decides a selection by its text, in the rulebook's words. Halves are
// avoided by doubling.
func wins(game, selection string, balls []int) bool {
	family, rest, _ := strings.Cut(selection, ":")
	parts := strings.Split(rest, ":")
	sum, odd := 0, 0
	for _, ball := range balls {
		sum += ball
		odd += ball % 2
	}
	even := len(balls) - odd
	count := func(colour string) (n int) {
		for _, ball := range balls {
			if colourOf(game, ball) == colour {
				n++
			}
		}
		return n
	}
	twice := func(line string) int { // 125.5 is 251 halves
		n, _ := strconv.Atoi(strings.TrimSuffix(line, ".5"))
		return 2*n + 1
	}
	first, last := balls[0], balls[len(balls)-1]
	switch family {
	case "drawn":
		for part := range strings.SplitSeq(rest, "-") {
			if n, _ := strconv.Atoi(part); !slices.Contains(balls, n) {
				return false
			}
		}
		return true
	case "not_drawn":
		n, _ := strconv.Atoi(rest)
		return !slices.Contains(balls, n)
	case "sum_under":
		return 2*sum < twice(rest)
	case "sum_over":
		return 2*sum > twice(rest)
	case "sum_odd":
		return sum%2 == 1
	case "sum_even":
		return sum%2 == 0
	case "more_odd":
		return odd > even
	case "more_even":
		return even > odd
	case "colour_any":
		return count(rest) >= 1
	case "colour_none":
		return count(rest) == 0
	case "colour_under":
		return 2*count(parts[0]) < twice(parts[1])
	case "colour_over":
		return 2*count(parts[0]) > twice(parts[1])
	case "colour_exactly":
		return strconv.Itoa(count(parts[0])) == parts[1]
	case "colour_more":
		a, b, _ := strings.Cut(rest, "-")
		return count(a) > count(b)
	case "colour_equal":
		a, b, _ := strings.Cut(rest, "-")
		return count(a) == count(b)
	case "first_odd":
		return first%2 == 1
	case "first_even":
		return first%2 == 0
	case "last_odd":
		return last%2 == 1
	case "last_even":
		return last%2 == 0
	case "first_under":
		return 2*first < twice(rest)
	case "first_over":
		return 2*first > twice(rest)
	case "last_under":
		return 2*last < twice(rest)
	case "last_over":
		return 2*last > twice(rest)
	case "first_colour":
		return colourOf(game, first) == rest
	case "last_colour":
		return colourOf(game, last) == rest
	}
	panic("no rule for " + selection)
}

// TestRandomDraws judges every selection on random draws in random order.
func TestRandomDraws(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, game := range []*rules.Game{lucky.Five, lucky.Seven} {
		balls, counting, every := 36, 5, 20
		if game == lucky.Seven {
			balls, counting, every = 42, 7, 2
		}
		for draw := range 150 {
			dealt := make([]int, balls)
			for i, ball := range random.Perm(balls) {
				dealt[i] = ball + 1
			}
			named := counting
			if game == lucky.Seven {
				named += random.IntN(4) // those after the seventh don't count
			}
			text, _ := json.Marshal(dealt[:named])
			o := ruletest.Outcome(t, game, `{"balls":`+string(text)+`}`)
			for i, family := range game.Families {
				if family.Name == "drawn" && draw >= every {
					continue // many, and the same for every draw
				}
				for s := range game.SelectionsOf(game.Families[i].Name) {
					if got, want := ruletest.Wins(game, o, s), wins(game.ID, game.Text(s), dealt[:counting]); got != want {
						t.Fatalf("%s on %s: won is %t", game.Text(s), text, got)
					}
				}
			}
		}
	}
}

// TestSumsOfLucky7 takes one draw for each sum and weighs it with the number of
// draws that have it, counted here and in the exact figures.
func TestSumsOfLucky7(t *testing.T) {
	var named map[string]json.RawMessage
	ruletest.Exact(t, "lucky7", &named)
	exact, game := read(t, "lucky7"), lucky.Seven

	var ways [8][274]int // of choosing so many balls with that sum
	ways[0][0] = 1
	for ball := 1; ball <= 42; ball++ {
		for k := 7; k > 0; k-- {
			for sum := 273; sum >= ball; sum-- {
				ways[k][sum] += ways[k-1][sum-ball]
			}
		}
	}
	total, odd := 0, 0
	underAt := map[string]int{}
	for sum := 28; sum <= 273; sum++ {
		count := ways[7][sum]
		if count != exact.Sum[strconv.Itoa(sum)] {
			t.Errorf("%d draws have the sum %d, the exact figures say %d", count, sum, exact.Sum[strconv.Itoa(sum)])
		}
		total += count
		odd += count * (sum % 2)
		text, _ := json.Marshal(drawOfSum(sum))
		o := ruletest.Outcome(t, game, `{"balls":`+string(text)+`}`)
		if got := ruletest.JSON(o); !strings.HasPrefix(got, fmt.Sprintf(`{"sum":%d,`, sum)) {
			t.Fatalf("%s: %s, want got to begin with fmt.Sprintf(`{\"sum\":%%d,`, sum)", text, got)
		}
		for line := 28; line <= 272; line++ {
			under := ruletest.Selection(t, game, fmt.Sprintf("sum_under:%d.5", line))
			over := ruletest.Selection(t, game, fmt.Sprintf("sum_over:%d.5", line))
			if ruletest.Wins(game, o, under) == ruletest.Wins(game, o, over) {
				t.Errorf("both or none of %s and %s win on %d", game.Text(under), game.Text(over), sum)
			}
			if ruletest.Wins(game, o, under) {
				underAt[fmt.Sprintf("sum_under_%d_5", line)] += count
			} else {
				underAt[fmt.Sprintf("sum_over_%d_5", line)] += count
			}
		}
	}
	if total != exact.Total || odd != exact.SumOdd {
		t.Errorf("%d draws, %d of them odd, want %d and %d", total, odd, exact.Total, exact.SumOdd)
	}
	checked := 0
	for name, figure := range named {
		if strings.HasPrefix(name, "sum_under_") || strings.HasPrefix(name, "sum_over_") {
			checked++
			if strconv.Itoa(underAt[name]) != string(figure) {
				t.Errorf("%s wins %d times, want %s", name, underAt[name], figure)
			}
		}
	}
	if checked != 7 {
		t.Errorf("%d lines were compared", checked)
	}
}

// drawOfSum returns seven different balls of that sum: the lowest seven, from
// the highest on pushed up as far as needed.
func drawOfSum(sum int) []int {
	draw := []int{1, 2, 3, 4, 5, 6, 7}
	rest := sum - 28
	for i := 6; i >= 0; i-- {
		up := min(rest, 35)
		draw[i] += up
		rest -= up
	}
	return draw
}

// TestParitiesAndColoursOfLucky7 takes one draw for each number of odd and of
// yellow balls and weighs it with the exact figures.
func TestParitiesAndColoursOfLucky7(t *testing.T) {
	exact, game := read(t, "lucky7"), lucky.Seven
	groups := func(holds func(int) bool) (yes, no []int) {
		for ball := 1; ball <= 42; ball++ {
			if holds(ball) {
				yes = append(yes, ball)
			} else {
				no = append(no, ball)
			}
		}
		return yes, no
	}
	weigh := func(holds func(int) bool, figures map[string]int) map[string]int {
		won := map[string]int{}
		yes, no := groups(holds)
		for k := range 8 {
			text, _ := json.Marshal(slices.Concat(yes[:k], no[:7-k]))
			o := ruletest.Outcome(t, game, `{"balls":`+string(text)+`}`)
			for s := range game.Selections {
				if game.Family(s).Name == "drawn" {
					continue
				}
				if ruletest.Wins(game, o, s) {
					won[game.Text(s)] += figures[strconv.Itoa(k)]
				}
			}
		}
		return won
	}
	half := exact.Total / 2
	odd := weigh(func(ball int) bool { return ball%2 == 1 }, exact.OddCount)
	if odd["more_odd"] != half || odd["more_even"] != half {
		t.Errorf("more_odd wins %d times, more_even %d, want %d", odd["more_odd"], odd["more_even"], half)
	}
	yellow := weigh(func(ball int) bool { return colourOf("lucky7", ball) == "yellow" }, exact.YellowCount)
	for text, want := range map[string]int{
		"colour_more:yellow-black": half, "colour_more:black-yellow": half, "colour_equal:yellow-black": 0,
		"colour_none:yellow": exact.YellowCount["0"], "colour_any:yellow": exact.Total - exact.YellowCount["0"],
		"colour_none:black": exact.YellowCount["7"], "colour_exactly:yellow:3": exact.YellowCount["3"],
		"colour_exactly:black:3": exact.YellowCount["4"], "colour_under:yellow:2.5": below(exact.YellowCount, 2),
		"colour_over:yellow:2.5": exact.Total - below(exact.YellowCount, 2), "colour_over:black:6.5": exact.YellowCount["0"],
	} {
		t.Run(text, func(t *testing.T) {
			if yellow[text] != want {
				t.Errorf("%s wins %d times, want %d", text, yellow[text], want)
			}
		})
	}
}

// TestBallSets compares with the sizes and sums of the colours in the rulebook.
func TestBallSets(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		game   | balls | colour | size | sum
		lucky5 | 36    | white  | 9    | 45
		lucky5 | 36    | green  | 9    | 126
		lucky5 | 36    | red    | 9    | 207
		lucky5 | 36    | blue   | 9    | 288
		lucky7 | 42    | yellow | 21   | 451
		lucky7 | 42    | black  | 21   | 452
	`) {
		t.Run(row[0]+" "+row[1]+" "+row[2], func(t *testing.T) {
			game := lucky.Five
			if row[0] == "lucky7" {
				game = lucky.Seven
			}
			balls, _ := strconv.Atoi(row[1])
			first := ruletest.Selection(t, game, "first_colour:"+row[2])
			size, sum := 0, 0
			for ball := 1; ball <= balls; ball++ {
				draw := []int{ball}
				for other := 1; len(draw) < 7; other++ {
					if other != ball {
						draw = append(draw, other)
					}
				}
				if game == lucky.Five {
					draw = draw[:5]
				}
				text, _ := json.Marshal(draw)
				if ruletest.Wins(game, ruletest.Outcome(t, game, `{"balls":`+string(text)+`}`), first) {
					size, sum = size+1, sum+ball
				}
			}
			if got := fmt.Sprint(size, " ", sum); got != row[3]+" "+row[4] {
				t.Errorf("%s %s: size and sum %s, want %s %s", row[0], row[2], got, row[3], row[4])
			}
		})
	}
}

func TestOutcome(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		game   | balls                  | answer
		lucky5 | 36,1,17,9,22           | {"sum":85,"odd":3,"even":2,"colours":{"white":2,"green":1,"red":1,"blue":1},"first":36,"last":22}
		lucky5 |                        | void: wrong_ball_count LUCKY5-2.2
		lucky5 | 1,2,3,4                | void: wrong_ball_count LUCKY5-2.2
		lucky5 | 1,2,3,4,5,6            | void: wrong_ball_count LUCKY5-2.2
		lucky5 | 1,2,3,4,5,37           | invalid: unknown_ball LUCKY5-1.2
		lucky7 | 42,7,1,30,12,5,19,33   | {"sum":116,"odd":4,"even":3,"colours":{"yellow":3,"black":4},"first":42,"last":19}
		lucky7 | 42,7,1,30,12,5,19      | {"sum":116,"odd":4,"even":3,"colours":{"yellow":3,"black":4},"first":42,"last":19}
		lucky7 |                        | void: wrong_ball_count LUCKY7-2.2
		lucky7 | 42,7,1,30,12,5         | void: wrong_ball_count LUCKY7-2.2
		lucky7 | 42,7,1,30,12,5,19,43   | invalid: unknown_ball LUCKY7-1.2
		lucky7 | 42,7,1,30,12,5,19,42   | invalid: duplicate_ball LUCKY7-1.2
		# beyond 64 bits: out of range, and equal when they are
		lucky5 | 9223372036854775807,9223372036854775807  | invalid: duplicate_ball LUCKY5-1.2, unknown_ball LUCKY5-1.2, unknown_ball LUCKY5-1.2
		lucky5 | 9223372036854775807,9223372036854775808  | invalid: unknown_ball LUCKY5-1.2, unknown_ball LUCKY5-1.2
		lucky5 | 99999999999999999999,99999999999999999999 | invalid: duplicate_ball LUCKY5-1.2, unknown_ball LUCKY5-1.2, unknown_ball LUCKY5-1.2
		lucky7 | 99999999999999999999,99999999999999999998 | invalid: unknown_ball LUCKY7-1.2, unknown_ball LUCKY7-1.2
		lucky7 | -9223372036854775808,-9223372036854775808 | invalid: duplicate_ball LUCKY7-1.2, unknown_ball LUCKY7-1.2, unknown_ball LUCKY7-1.2
		lucky7 | -9223372036854775808,-9223372036854775809 | invalid: unknown_ball LUCKY7-1.2, unknown_ball LUCKY7-1.2
		lucky5 | 0,-0                                      | invalid: duplicate_ball LUCKY5-1.2, unknown_ball LUCKY5-1.2, unknown_ball LUCKY5-1.2
	`) {
		t.Run(row[0], func(t *testing.T) {
			game := lucky.Five
			if row[0] == "lucky7" {
				game = lucky.Seven
			}
			if got := ruletest.Answer(game, `{"balls":[`+row[1]+`]}`); got != row[2] {
				t.Errorf("%s %s: %s, want %s", row[0], row[1], got, row[2])
			}
		})
	}
}
