package roulette_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games/roulette"
	"tally/lib/rulebook/money"
)

// layout is the table as it is printed: three numbers a row, zero above them.
const layout = `
	 1  2  3
	 4  5  6
	 7  8  9
	10 11 12
	13 14 15
	16 17 18
	19 20 21
	22 23 24
	25 26 27
	28 29 30
	31 32 33
	34 35 36`

const redNumbers = "1 3 5 7 9 12 14 16 18 19 21 23 25 27 30 32 34 36"

// bets returns what each bet on the layout covers, read off the layout.
func bets() map[string][]int {
	var rows [][]int
	for line := range strings.Lines(strings.TrimSpace(layout)) {
		var a, b, c int
		fmt.Sscan(line, &a, &b, &c)
		rows = append(rows, []int{a, b, c})
	}
	covers := map[string][]int{
		"street:0-1-2": {0, 1, 2}, "street:0-2-3": {0, 2, 3}, "corner:0-1-2-3": {0, 1, 2, 3},
		"split:0-1": {0, 1}, "split:0-2": {0, 2}, "split:0-3": {0, 3}, "straight:0": {0},
	}
	add := func(family string, numbers ...int) {
		covers[family+":"+strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", "-")] = numbers
	}
	for r, row := range rows {
		add("street", row...)
		for c, n := range row {
			add("straight", n)
			if c < 2 {
				add("split", n, row[c+1])
			}
			if r < 11 {
				below := rows[r+1]
				add("split", n, below[c])
				if c < 2 {
					add("corner", n, row[c+1], below[c], below[c+1])
				}
			}
			column, dozen := fmt.Sprintf("column:%d", c+1), fmt.Sprintf("dozen:%d", r/4+1)
			covers[column] = append(covers[column], n)
			covers[dozen] = append(covers[dozen], n)
			colour, parity, half := "black", "even", "low"
			if slices.Contains(strings.Fields(redNumbers), fmt.Sprint(n)) {
				colour = "red"
			}
			if n%2 == 1 {
				parity = "odd"
			}
			if n > 18 {
				half = "high"
			}
			for _, name := range []string{colour, parity, half} {
				covers[name] = append(covers[name], n)
			}
		}
		if r < 11 {
			covers[fmt.Sprintf("line:%d-%d", row[0], rows[r+1][2])] = append(slices.Clone(row), rows[r+1]...)
		}
	}
	return covers
}

// TestEveryPocketAndBet spins the whole wheel: each bet wins on what it covers,
// pays as the rulebook says, and returns 36/37.
func TestEveryPocketAndBet(t *testing.T) {
	game, covers := roulette.Game, bets()
	toOne := map[string]int{"straight": 35, "split": 17, "street": 11, "corner": 8, "line": 5, "column": 2, "dozen": 2}
	found := map[string]int{}
	for s := range game.Selections {
		text := game.Text(s)
		numbers, onLayout := covers[text]
		if !onLayout {
			t.Errorf("%s is not on the layout", text)
		}
		family, _, _ := strings.Cut(text, ":")
		found[family]++
		pays := toOne[family]
		if pays == 0 {
			pays = 1
		}
		returned := money.Amount(0)
		for pocket := range 37 {
			o := ruletest.Outcome(t, game, fmt.Sprintf(`{"spins":[{"revolutions":3,"pocket":%d}]}`, pocket))
			want := "lost"
			if slices.Contains(numbers, pocket) {
				want = fmt.Sprintf("won %d.00", pays+1)
			}
			if got := ruletest.Verdict(game, o, s); got != want {
				t.Errorf("%s on %d: %s, want %s", text, pocket, got, want)
			}
			if ruletest.Wins(game, o, s) {
				payout, err := money.Payout(1, game.Odds(s), money.HalfUp)
				if err != nil {
					t.Fatal(err)
				}
				returned += payout
			}
		}
		if returned != 36 {
			t.Errorf("%s returns %d/37", text, returned)
		}
		delete(covers, text)
	}
	for text := range covers {
		t.Errorf("%s is missing", text)
	}

	var exact map[string]int
	ruletest.Exact(t, "roulette_counts", &exact)
	for family, want := range map[string]int{
		"straight": 37, "split": exact["splits_non_zero"] + exact["zero_splits"], "street": exact["streets"] + 2,
		"corner": exact["corners_non_zero"] + 1, "line": exact["lines"], "column": 3, "dozen": 3,
		"red": 1, "black": 1, "odd": 1, "even": 1, "low": 1, "high": 1,
	} {
		t.Run(family, func(t *testing.T) {
			if found[family] != want {
				t.Errorf("%d bets on %s, want %d", found[family], family, want)
			}
		})
	}
	for key, both := range map[string][2]string{"red_odd": {"red", "odd"}, "red_even": {"red", "even"}, "black_odd": {"black", "odd"}, "black_even": {"black", "even"}} {
		t.Run(key, func(t *testing.T) {
			count := 0
			for _, n := range bets()[both[0]] {
				if slices.Contains(bets()[both[1]], n) {
					count++
				}
			}
			if count != exact[key] {
				t.Errorf("%d numbers are %s, want %d", count, key, exact[key])
			}
		})
	}
}

// TestShapesOffTheLayout tries every two, three and four of the numbers 0 to 36
// that could be a bet, and the shapes that people write by mistake.
func TestShapesOffTheLayout(t *testing.T) {
	covers := bets()
	for a := range 37 {
		for b := range 37 {
			for _, family := range []string{"split", "line"} {
				text := fmt.Sprintf("%s:%d-%d", family, a, b)
				_, err := roulette.Game.Parse(text)
				if _, exists := covers[text]; exists != (err == nil) {
					t.Errorf("%s: %v, want exists = %v", text, err, (err == nil))
				}
			}
			for c := range 37 {
				text := fmt.Sprintf("street:%d-%d-%d", a, b, c)
				_, err := roulette.Game.Parse(text)
				if _, exists := covers[text]; exists != (err == nil) {
					t.Errorf("%s: %v, want exists = %v", text, err, (err == nil))
				}
				for d := c; d < min(c+4, 37); d++ {
					text := fmt.Sprintf("corner:%d-%d-%d-%d", a, b, c, d)
					_, err := roulette.Game.Parse(text)
					if _, exists := covers[text]; exists != (err == nil) {
						t.Errorf("%s: %v, want exists = %v", text, err, (err == nil))
					}
				}
			}
		}
	}
}

func TestOutcome(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		pocket | outcome
		0      | {"pocket":0,"colour":"green"}
		1      | {"pocket":1,"colour":"red","parity":"odd","half":"low","dozen":1,"column":1}
		17     | {"pocket":17,"colour":"black","parity":"odd","half":"low","dozen":2,"column":2}
		18     | {"pocket":18,"colour":"red","parity":"even","half":"low","dozen":2,"column":3}
		19     | {"pocket":19,"colour":"red","parity":"odd","half":"high","dozen":2,"column":1}
		24     | {"pocket":24,"colour":"black","parity":"even","half":"high","dozen":2,"column":3}
		25     | {"pocket":25,"colour":"red","parity":"odd","half":"high","dozen":3,"column":1}
		36     | {"pocket":36,"colour":"red","parity":"even","half":"high","dozen":3,"column":3}
	`) {
		t.Run(row[0], func(t *testing.T) {
			facts := fmt.Sprintf(`{"spins":[{"revolutions":6,"pocket":%s}]}`, row[0])
			if got := ruletest.Answer(roulette.Game, facts); got != row[1] {
				t.Errorf("%s: %s, want %s", row[0], got, row[1])
			}
		})
	}
}

// TestSpunAgainAsOftenAsNeeded: only the last spin counts.
func TestSpunAgainAsOftenAsNeeded(t *testing.T) {
	spins := strings.Repeat(`{"revolutions":2,"pocket":5},`, 50) + `{"revolutions":3,"pocket":0}`
	if got := ruletest.Answer(roulette.Game, `{"spins":[`+spins+`]}`); got != `{"pocket":0,"colour":"green"}` {
		t.Errorf("%s, want pocket 0", got)
	}
}
