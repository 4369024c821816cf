package pokerhand

import (
	"math/bits"

	"tally/lib/rulebook/cards"
)

// groupSizes says for each category that is not a straight or a flush how many
// cards of one rank stand together, in the order in which the hand is listed.
// Zeros end the list.
var groupSizes = [Categories][5]int{
	HighCard:     {1, 1, 1, 1, 1},
	Pair:         {2, 1, 1, 1},
	TwoPairs:     {2, 2, 1},
	ThreeOfAKind: {3, 1, 1},
	FullHouse:    {3, 2},
	FourOfAKind:  {4, 1},
}

// BestFive returns the five of five to seven different cards that make the best
// hand, and its strength. They are listed by the size of their groups, then by
// rank, highest first; a straight from its highest card down, so that the ace
// comes last after five, four, three, two. Equal ranks stand in suit order; of
// equally good fives it is the one listed first in that order. The strength is
// zero when the list is not of five to seven different cards.
func BestFive(list []cards.Card) (five [5]cards.Card, rank Strength) {
	var seen deck
	var hand Hand
	if len(list) < 5 || len(list) > 7 || seen.take(list, &hand) != nil {
		return five, 0
	}
	rank = hand.Rank()
	mask := hand.mask
	if full := (hand.key + fiveSuited) & flushBits; full != 0 {
		mask &= (1<<suitBits - 1) << (suitBits * flushSuit(full))
	}
	p := picker{mask: mask}
	switch category := rank.Category(); category {
	case Straight, StraightFlush, RoyalFlush:
		p.takeRun(highestOfRun(rank))
	case Flush:
		category = HighCard // of the cards of its suit
		fallthrough
	default:
		for _, size := range groupSizes[category] {
			p.takeGroup(size)
		}
	}
	return p.five, rank
}

// highestOfRun returns the rank of the highest card of a straight: they are
// numbered from the one up to the five.
func highestOfRun(rank Strength) cards.Rank {
	if rank.Category() == RoyalFlush {
		return cards.Ace
	}
	return cards.Five + cards.Rank(rank.index()-1)
}

// picker moves cards one after the other from a set to a list.
type picker struct {
	mask  uint64 // the cards that can be taken, per suit the set of ranks
	five  [5]cards.Card
	taken int
}

// takeRun takes five cards of consecutive ranks, downwards. Below the two is the ace.
func (p *picker) takeRun(highest cards.Rank) {
	for i := range cards.Rank(5) {
		p.take((highest+13-i)%13, 1)
	}
}

// takeGroup takes so many cards of the highest rank that has them, and leaves the
// rank's other cards out.
func (p *picker) takeGroup(size int) {
	for rank := cards.Ace; size > 0; rank-- {
		if of := p.mask & everySuit(rank); bits.OnesCount64(of) >= size {
			p.take(rank, size)
			p.mask &^= of
			return
		}
	}
}

// take takes n cards of a rank, in suit order.
func (p *picker) take(rank cards.Rank, n int) {
	for suit := cards.Spades; n > 0; suit++ {
		if card := cards.New(rank, suit); p.mask&cardMask(card) != 0 {
			p.five[p.taken] = card
			p.taken++
			n--
		}
	}
}

// everySuit is the mask of the four cards of a rank.
func everySuit(rank cards.Rank) uint64 {
	return (1 | 1<<suitBits | 1<<(2*suitBits) | 1<<(3*suitBits)) << rank
}
