package dice_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"tally/internal/testkit/showtest"
	"tally/lib/rulebook/games/dice"
)

func TestShownByTheLaws(t *testing.T) { showtest.Laws(t, dice.Game, 200) }

// TestShown: the equal dice lie first, the higher pair first, the three before the two,
// and then the rest ascending.
func TestShown(t *testing.T) {
	showtest.Tell(t, dice.Game, []showtest.Case{
		{`{"rolls":[{"dice":[6,1,1,2,5],"faults":["die_on_edge","die_unclear"]},{"dice":[6,1,4,2,1]}]}`, "1 1 2 4 6 · pair · 14",
			"combination pair, arranged 1 1 2 4 6, sum 14",
			"roll 1 6 1 1 2 5 faulty die_on_edge. die_unclear; roll 2 6 1 4 2 1; arranged 1 1 2 4 6",
			"combination pair, face 1 1 2 4 6, sum 14"},
		{`{"rolls":[{"dice":[3,5,3,5,5]}]}`, "5 5 5 3 3 · full_house · 21",
			"combination full_house, arranged 5 5 5 3 3, sum 21", "roll 1 3 5 3 5 5; arranged 5 5 5 3 3",
			"combination full_house, face 5 5 5 3 3, sum 21"},
		{`{"rolls":[{"dice":[2,6,4,2,6]}]}`, "6 6 2 2 4 · two_pairs · 20",
			"combination two_pairs, arranged 6 6 2 2 4, sum 20", "roll 1 2 6 4 2 6; arranged 6 6 2 2 4",
			"combination two_pairs, face 6 6 2 2 4, sum 20"},
	})
	d := showtest.Draw(t, dice.Game, `{"rolls":[{"dice":[6,1,1,2,5],"faults":["die_on_edge"]},{"dice":[6,1,4,2,1]}]}`)
	if got, want := showtest.Pairs(d.Seen(showtest.Words{})), "roll 1 6 1 1 2 5 · die_on_edge, roll 2 6 1 4 2 1"; got != want {
		t.Errorf("the facts are told as %s, want %s", got, want)
	}
}

// TestExpected counts all 7,776 rolls; how many of them make each combination is known.
func TestExpected(t *testing.T) {
	var sums [31]int64
	for a := 1; a <= 6; a++ {
		for b := 1; b <= 6; b++ {
			for c := 1; c <= 6; c++ {
				for d := 1; d <= 6; d++ {
					for e := 1; e <= 6; e++ {
						sums[a+b+c+d+e]++
					}
				}
			}
		}
	}
	var texts []string
	for sum := 5; sum <= 30; sum++ {
		texts = append(texts, fmt.Sprintf("%d %s", sum, big.NewRat(sums[sum], 7776).RatString()))
	}
	if got, want := showtest.Shares(t, dice.Game, "sum"), strings.Join(texts, ", "); got != want {
		t.Errorf("sums are expected as %s, want %s", got, want)
	}
	combinations := map[string]int64{"pair": 3600, "two_pairs": 1800, "three_of_a_kind": 1200, "all_different": 480, "low_line": 120,
		"high_line": 120, "full_house": 300, "four_of_a_kind": 150, "five_of_a_kind": 6}
	got := strings.Split(showtest.Shares(t, dice.Game, "combination"), ", ")
	for _, share := range got {
		name, _, _ := strings.Cut(share, " ")
		if want := name + " " + big.NewRat(combinations[name], 7776).RatString(); share != want || len(got) != len(combinations) {
			t.Errorf("of %d combinations one is expected as %s, want %s", len(got), share, want)
		}
	}
	if got, want := showtest.Shares(t, dice.Game, "face"), "1 1/6, 2 1/6, 3 1/6, 4 1/6, 5 1/6, 6 1/6"; got != want {
		t.Errorf("faces are expected as %s, want %s", got, want)
	}
}
