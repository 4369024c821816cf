package lucky

import (
	"strconv"
	"testing"

	"tally/lib/rulebook/show"
)

// TestBallsOneByOne goes through all draws of small lotteries.
func TestBallsOneByOne(t *testing.T) {
	for _, lottery := range []struct{ balls, drawn int }{{9, 1}, {9, 3}, {12, 5}, {36, 5}, {15, 7}} {
		sums, odds := map[string]int64{}, map[string]int64{}
		least, most := lottery.drawn*(lottery.drawn+1)/2, lottery.drawn*(2*lottery.balls-lottery.drawn+1)/2
		var draw func(from, left, sum, odd int)
		draw = func(from, left, sum, odd int) {
			if left == 0 {
				first := sum - (sum+9)%10 // the sum's ten runs from here
				sums[strconv.Itoa(max(first, least))+"-"+strconv.Itoa(min(first+9, most))]++
				odds[strconv.Itoa(odd)]++
				return
			}
			for ball := from; ball <= lottery.balls; ball++ {
				draw(ball+1, left-1, sum+ball, odd+ball%2)
			}
		}
		draw(1, lottery.drawn, 0, 0)
		compare(t, sumsOfBalls(lottery.balls, lottery.drawn), sums)
		compare(t, oddBalls(lottery.balls, lottery.drawn), odds)
	}
}

// compare compares groups with counts; groups that can't come may be left out.
func compare(t *testing.T, got []show.Group, want map[string]int64) {
	t.Helper()
	for _, g := range got {
		if g.Count != want[g.Name] {
			t.Errorf("%s: %d instead of %d", g.Name, g.Count, want[g.Name])
		}
		delete(want, g.Name)
	}
	for name, count := range want {
		t.Errorf("%s is missing, with %d", name, count)
	}
}
