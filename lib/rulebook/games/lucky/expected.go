package lucky

import (
	"strconv"

	"tally/lib/rulebook/show"
)

// extremes returns the least and the greatest sum of some of the balls from one up.
func extremes(balls, drawn int) (least, most int) {
	for i := range drawn {
		least, most = least+i+1, most+balls-i
	}
	return least, most
}

// tens names the group of ten sums to which one belongs, such as 21-30. The first
// and the last group name only sums that there are; any other sum is in no group.
func tens(sum, least, most int) string {
	if sum < least || sum > most {
		return strconv.Itoa(sum)
	}
	from := (sum-1)/10*10 + 1
	return strconv.Itoa(max(from, least)) + "-" + strconv.Itoa(min(from+9, most))
}

// countSums counts the draws by their sum: taking up the balls one by one, a ball joins each
// draw that lacks one.
func countSums(balls, drawn, most int) []int64 {
	ways := make([][]int64, drawn+1) // by the number of balls, then by their sum
	for i := range ways {
		ways[i] = make([]int64, most+1)
	}
	ways[0][0] = 1
	for ball := 1; ball <= balls; ball++ {
		for n := drawn; n > 0; n-- {
			for sum := most; sum >= ball; sum-- {
				ways[n][sum] += ways[n-1][sum-ball]
			}
		}
	}
	return ways[drawn]
}

// sumsOfBalls counts the draws by their sum, ten sums to a group.
func sumsOfBalls(balls, drawn int) (groups []show.Group) {
	least, most := extremes(balls, drawn)
	ways := countSums(balls, drawn, most)
	for sum := least; sum <= most; sum++ {
		name := tens(sum, least, most)
		if len(groups) == 0 || groups[len(groups)-1].Name != name {
			groups = append(groups, show.Group{Name: name})
		}
		groups[len(groups)-1].Count += ways[sum]
	}
	return groups
}

// oddBalls counts the draws by how many of their balls are odd.
func oddBalls(balls, drawn int) (groups []show.Group) {
	odd := (balls + 1) / 2
	for n := range drawn + 1 {
		groups = append(groups, show.Group{Name: strconv.Itoa(n), Count: choose(odd, n) * choose(balls-odd, drawn-n)})
	}
	return groups
}

// choose returns how many ways there are to choose k of n.
func choose(n, k int) int64 {
	ways := int64(1)
	for i := range k {
		ways = ways * int64(n-i) / int64(i+1)
	}
	return ways
}
