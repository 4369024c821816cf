package wheel_test

import (
	"fmt"
	"strconv"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games/wheel"
	"tally/lib/rulebook/money"
)

// wins says of every selection whether it wins on a number, by the rulebook.
var wins = map[string]func(n int) bool{
	"under:9.5": func(n int) bool { return n < 10 }, "over:9.5": func(n int) bool { return n > 9 },
	"even": func(n int) bool { return n%2 == 0 }, "odd": func(n int) bool { return n%2 == 1 },
	"black": isBlack, "grey": isGrey, "red": isRed,
	"range:1-6": func(n int) bool { return n < 7 }, "range:7-12": func(n int) bool { return n > 6 && n < 13 },
	"range:13-18": func(n int) bool { return n > 12 },
	"red_odd":     func(n int) bool { return isRed(n) && n%2 == 1 }, "red_even": func(n int) bool { return isRed(n) && n%2 == 0 },
	"black_odd": func(n int) bool { return isBlack(n) && n%2 == 1 }, "black_even": func(n int) bool { return isBlack(n) && n%2 == 0 },
	"grey_odd": func(n int) bool { return isGrey(n) && n%2 == 1 }, "grey_even": func(n int) bool { return isGrey(n) && n%2 == 0 },
	"fortune": func(int) bool { return false },
}

func isBlack(n int) bool { return n%3 == 1 }
func isGrey(n int) bool  { return n%3 == 2 }
func isRed(n int) bool   { return n%3 == 0 }

// odds are the paytable, by how many sectors a selection covers.
var odds = map[int]string{9: "2.00", 6: "3.00", 3: "6.00", 1: "18.00"}

// TestEverySectorAndSelection turns the wheel to all 19 sectors: each selection
// wins where the rulebook says and returns 18/19.
func TestEverySectorAndSelection(t *testing.T) {
	for n := 1; n <= 18; n++ {
		wins[fmt.Sprintf("number:%d", n)] = func(drawn int) bool { return drawn == n }
	}
	game, found := wheel.Game, 0
	for s := range game.Selections {
		text := game.Text(s)
		holds, known := wins[text]
		if !known {
			t.Errorf("%s is not in the rulebook", text)
			continue
		}
		found++
		covered, returned := 0, money.Amount(0)
		for n := range 19 {
			sector := strconv.Itoa(n)
			want := n != 0 && holds(n)
			if n == 0 {
				sector, want = "cup", text == "fortune"
			}
			o := ruletest.Outcome(t, game, fmt.Sprintf(`{"spins":[{"turns":3,"sector":%q}]}`, sector))
			if got := ruletest.Wins(game, o, s); got != want {
				t.Errorf("%s on %s: won is %t", text, sector, got)
			}
			if want {
				payout, err := money.Payout(1, game.Odds(s), money.HalfUp)
				if err != nil {
					t.Fatal(err)
				}
				covered, returned = covered+1, returned+payout
			}
		}
		if returned != 18 || game.Odds(s).String() != odds[covered] {
			t.Errorf("%s returns %d/19 at %v", text, returned, game.Odds(s))
		}
	}
	if found != len(wins) {
		t.Errorf("%d selections, want %d", found, len(wins))
	}
}

// TestAgainstTheExactFigures compares wins and odds with those of the vectors.
func TestAgainstTheExactFigures(t *testing.T) {
	var exact map[string]struct {
		Wins   int
		Odds   int
		Return string
	}
	ruletest.Exact(t, "wheel", &exact)
	names := map[string]string{"UNDER_9_5": "under:9.5", "OVER_9_5": "over:9.5", "GREY": "grey", "RED": "red", "BLACK": "black",
		"EVEN": "even", "ODD": "odd", "N1_6": "range:1-6", "N7_12": "range:7-12", "FORTUNE": "fortune"}
	if len(exact) != len(names) {
		t.Errorf("there are figures for %d selections", len(exact))
	}
	for name, want := range exact {
		s := ruletest.Selection(t, wheel.Game, names[name])
		count := 0
		for n := range 19 {
			sector := strconv.Itoa(n)
			if n == 0 {
				sector = "cup"
			}
			if ruletest.Wins(wheel.Game, ruletest.Outcome(t, wheel.Game, fmt.Sprintf(`{"spins":[{"turns":9,"sector":%q}]}`, sector)), s) {
				count++
			}
		}
		if got := fmt.Sprintf("%d at %v, %d/19", count, wheel.Game.Odds(s), count*want.Odds); got != fmt.Sprintf("%d at %d.00, %s", want.Wins, want.Odds, want.Return) {
			t.Errorf("%s: %s, want %+v", name, got, want)
		}
	}
}

func TestOutcome(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		spins                                                   | outcome
		{"turns":5,"sector":"cup"}                              | {"sector":"cup"}
		{"turns":3,"sector":"1"}                                | {"sector":"1","colour":"black","parity":"odd"}
		{"turns":3,"sector":"2"}                                | {"sector":"2","colour":"grey","parity":"even"}
		{"turns":3,"sector":"3"}                                | {"sector":"3","colour":"red","parity":"odd"}
		{"turns":3,"sector":"7"}                                | {"sector":"7","colour":"black","parity":"odd"}
		{"turns":3,"sector":"18"}                               | {"sector":"18","colour":"red","parity":"even"}
		{"turns":2,"sector":"4"}, {"turns":5,"sector":"cup"}    | {"sector":"cup"}
		{"turns":9,"sector":null}, {"turns":4,"sector":"10"}    | {"sector":"10","colour":"black","parity":"even"}
		{"turns":0,"sector":null}, {"turns":4,"sector":"10"}    | {"sector":"10","colour":"black","parity":"even"}
	`) {
		t.Run(row[0], func(t *testing.T) {
			if got := ruletest.Answer(wheel.Game, `{"spins":[`+row[0]+`]}`); got != row[1] {
				t.Errorf("%s: %s, want %s", row[0], got, row[1])
			}
		})
	}
}
