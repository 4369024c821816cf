package pokerhand

import (
	"math/bits"
	"sync"

	"tally/lib/rulebook/cards"
)

// ranks is how many ranks there are.
const ranks = 13

// The tables of strengths: of hands without a flush by the place of the sum of their keys, of
// flushes by the set of their ranks. Zero is what is no hand of five to seven cards.
var (
	sums    [slots]Strength
	flushes [1 << ranks]Strength
)

// prepare fills the tables, once.
var prepare = sync.OnceFunc(fill)

// fill fills the tables: five cards first, from weak to strong, then six and seven,
// which are as strong as the strongest that remains when one card is taken away.
func fill() {
	var f filler
	for category, sizes := range groupSizes {
		if sizes[0] > 0 {
			f.groups(Category(category), sizes, 0, choice{})
		}
	}
	f.runs()
	for size := 6; size <= 7; size++ {
		choice{}.larger(0, size)
	}
	for set := range flushes {
		if size := bits.OnesCount(uint(set)); size == 6 || size == 7 {
			for rest := set; rest != 0; rest &= rest - 1 {
				flushes[set] = max(flushes[set], flushes[set&^(rest&-rest)])
			}
		}
	}
}

// choice are some ranks, of one or more cards each.
type choice struct {
	key   uint64 // the sum of the cards' keys
	set   uint16
	list  [7]int
	count int // of the list
}

// with returns the choice with so many cards of a further rank.
func (c choice) with(rank, cards int) choice {
	c.key += uint64(cards) * rankKey(rank)
	c.set |= 1 << rank
	c.list[c.count] = rank
	c.count++
	return c
}

// rankKey is what a card of a rank adds to a sum.
func rankKey(rank int) uint64 {
	return cardKeys[cards.New(cards.Rank(rank), cards.Spades)] &^ (1<<suitBits - 1)
}

// filler numbers what five cards can be, within each category from one.
type filler struct{ index [Categories]Strength }

func (f *filler) next(category Category) Strength {
	f.index[category]++
	return Strength(category)<<categoryShift | f.index[category]
}

// groups goes through the ranks that groups of some sizes can have, from weak to strong: the
// larger group counts first, and of groups of one size the higher rank.
func (f *filler) groups(category Category, sizes [5]int, at int, c choice) {
	switch {
	case at == len(sizes) || sizes[at] == 0:
		f.five(category, c)
		return
	case at == 0 || sizes[at] != sizes[at-1]:
		f.group(category, sizes, at, c, ranks)
	default:
		f.group(category, sizes, at, c, c.list[at-1])
	}
}

// group goes through the ranks below one.
func (f *filler) group(category Category, sizes [5]int, at int, c choice, below int) {
	for rank := range below {
		if c.set>>rank&1 == 0 {
			f.groups(category, sizes, at+1, c.with(rank, sizes[at]))
		}
	}
}

// five numbers five cards that are no straight, and the flush of their ranks.
func (f *filler) five(category Category, c choice) {
	if category == HighCard {
		if isRun(c.set) {
			return
		}
		flushes[c.set] = f.next(Flush)
	}
	sums[place(c.key)] = f.next(category)
}

// run is the set of ranks of a straight, by that of its highest card.
func run(high cards.Rank) (set uint16) {
	for i := range cards.Rank(5) {
		set |= 1 << ((high + ranks - i) % ranks)
	}
	return set
}

func isRun(set uint16) bool {
	for high := cards.Five; high <= cards.Ace; high++ {
		if set == run(high) {
			return true
		}
	}
	return false
}

// runs numbers the straights, with and without a flush.
func (f *filler) runs() {
	for high := cards.Five; high <= cards.Ace; high++ {
		var c choice
		for rest := run(high); rest != 0; rest &= rest - 1 {
			c = c.with(bits.TrailingZeros16(rest), 1)
		}
		sums[place(c.key)] = f.next(Straight)
		category := StraightFlush
		if high == cards.Ace {
			category = RoyalFlush
		}
		flushes[c.set] = f.next(category)
	}
}

// larger goes through the choices that have so many cards more, of the ranks from one on.
func (c choice) larger(from, more int) {
	if more == 0 {
		best := Strength(0)
		for _, rank := range c.list[:c.count] {
			best = max(best, sums[place(c.key-rankKey(rank))])
		}
		sums[place(c.key)] = best
		return
	}
	if from == ranks {
		return
	}
	c.larger(from+1, more)
	for n := 1; n <= min(4, more); n++ {
		c.with(from, n).larger(from+1, more-n)
	}
}
