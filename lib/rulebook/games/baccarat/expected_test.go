package baccarat

import "fmt"
import "testing"

// TestTwoPairsOneByOne deals all orders of four cards from small shoes.
func TestTwoPairsOneByOne(t *testing.T) {
	for _, shoe := range []struct{ kinds, each int }{{1, 4}, {2, 2}, {5, 3}, {4, 5}, {13, 1}} {
		t.Run(fmt.Sprint(shoe.kinds), func(t *testing.T) {
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
		})
	}
}
