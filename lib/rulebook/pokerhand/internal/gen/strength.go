package gen

import (
	"cmp"
	"math/bits"
	"slices"
)

// The categories, with the numbers of pokerhand.Category. They stand here again
// because that package does not build before its tables are made.
const (
	highCard = iota
	pair
	twoPairs
	threeOfAKind
	straight
	flush
	fullHouse
	fourOfAKind
	straightFlush
	royalFlush
)

// categoryShift is where a strength holds its category; below it is the index
// within the category, from one.
const categoryShift = 12

// five is what is compared of five cards: the category, then the ranks, the
// larger group first, within groups of one size the higher rank first. Ranks
// count from one, so that none can be told from two.
type five struct {
	category int
	order    [5]int
}

func compare(a, b five) int {
	return cmp.Or(cmp.Compare(a.category, b.category), slices.Compare(a.order[:], b.order[:]))
}

// classify tells what five cards are, given how many there are of each rank.
func classify(counts [ranks]uint8, suited bool) five {
	var f five
	groups := 0
	for size := uint8(copies); size > 0; size-- {
		for rank := ranks - 1; rank >= 0; rank-- {
			if counts[rank] == size {
				f.order[groups] = rank + 1
				groups++
			}
		}
	}
	f.category = category(counts, groups)
	if groups == 5 {
		f.run(suited)
	}
	return f
}

// category tells pairs, threes and fours apart by the number of different ranks
// and the largest group.
func category(counts [ranks]uint8, groups int) int {
	largest := slices.Max(counts[:])
	switch {
	case groups == 2 && largest == 4:
		return fourOfAKind
	case groups == 2:
		return fullHouse
	case groups == 3 && largest == 3:
		return threeOfAKind
	case groups == 3:
		return twoPairs
	case groups == 4:
		return pair
	}
	return highCard
}

// run finds straights and flushes among five different ranks. A straight is
// compared by its highest card alone, which is the five in five to ace.
func (f *five) run(suited bool) {
	const ace, fiveRank = ranks, 4
	high := 0
	switch {
	case f.order[0]-f.order[4] == 4:
		high = f.order[0]
	case f.order[0] == ace && f.order[1] == fiveRank:
		high = fiveRank
	}
	switch {
	case high == ace && suited:
		f.category, f.order = royalFlush, [5]int{ace}
	case high > 0 && suited:
		f.category, f.order = straightFlush, [5]int{high}
	case high > 0:
		f.category, f.order = straight, [5]int{high}
	case suited:
		f.category = flush
	}
}

// strengths numbers what five cards can be, from weak to strong.
func strengths(hands []hand) map[five]uint16 {
	var all []five
	for _, h := range hands {
		if h.cards == 5 {
			all = append(all, classify(h.counts, false))
		}
	}
	for set := range 1 << ranks {
		if bits.OnesCount(uint(set)) == 5 {
			all = append(all, classify(suitedCounts(set), true))
		}
	}
	slices.SortFunc(all, compare)
	numbers := make(map[five]uint16)
	category, index := -1, uint16(0)
	for _, f := range slices.Compact(all) {
		if f.category != category {
			category, index = f.category, 0
		}
		index++
		numbers[f] = uint16(f.category)<<categoryShift | index
	}
	return numbers
}

func suitedCounts(set int) (counts [ranks]uint8) {
	for rank := range counts {
		counts[rank] = uint8(set >> rank & 1)
	}
	return counts
}

// rankStrengths gives every sum of keys its strength, suits left aside: none for
// fewer than five cards; six and seven cards are as strong as the strongest that
// remains when one card is taken away.
func rankStrengths(keys [ranks]uint32, hands []hand, numbers map[five]uint16) map[uint32]uint16 {
	bySum := make(map[uint32]uint16, len(hands))
	byCards := slices.Clone(hands)
	slices.SortStableFunc(byCards, func(a, b hand) int { return cmp.Compare(a.cards, b.cards) })
	for _, h := range byCards {
		strength := uint16(0)
		switch {
		case h.cards == 5:
			strength = numbers[classify(h.counts, false)]
		case h.cards > 5:
			for rank, n := range h.counts {
				if n > 0 {
					strength = max(strength, bySum[times(h.sum, -1, keys[rank])])
				}
			}
		}
		bySum[h.sum] = strength
	}
	return bySum
}

// flushStrengths gives every set of five to seven ranks of one suit its strength.
func flushStrengths(numbers map[five]uint16) []uint16 {
	table := make([]uint16, 1<<ranks)
	for set := range table {
		switch size := bits.OnesCount(uint(set)); {
		case size == 5:
			table[set] = numbers[classify(suitedCounts(set), true)]
		case size > 5 && size <= maxCards:
			for rank := range ranks {
				if set>>rank&1 == 1 {
					table[set] = max(table[set], table[set&^(1<<rank)])
				}
			}
		}
	}
	return table
}
