package statistics

import (
	"strconv"
	"testing"
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
func compare(t *testing.T, got []group, want map[string]int64) {
	t.Helper()
	for _, g := range got {
		if g.count != want[g.name] {
			t.Errorf("%s: %d instead of %d", g.name, g.count, want[g.name])
		}
		delete(want, g.name)
	}
	for name, count := range want {
		t.Errorf("%s is missing, with %d", name, count)
	}
}

// TestTwoPairsOneByOne deals all orders of four cards from small shoes.
func TestTwoPairsOneByOne(t *testing.T) {
	for _, shoe := range []struct{ kinds, each int }{{1, 4}, {2, 2}, {5, 3}, {4, 5}, {13, 1}} {
		var first, both, all int64
		cards := shoe.kinds * shoe.each
		for a := range cards {
			for b := range cards {
				for c := range cards {
					for d := range cards {
						if a == b || a == c || a == d || b == c || b == d || c == d {
							continue
						}
						all++
						if a%shoe.kinds == b%shoe.kinds {
							first++
							if c%shoe.kinds == d%shoe.kinds {
								both++
							}
						}
					}
				}
			}
		}
		gotFirst, gotBoth, gotAll := twoPairs(int64(shoe.kinds), int64(shoe.each))
		if gotFirst != first || gotBoth != both || gotAll != all {
			t.Errorf("%d kinds, %d each: %d, %d of %d instead of %d, %d of %d", shoe.kinds, shoe.each, gotFirst, gotBoth, gotAll, first, both, all)
		}
	}
}
