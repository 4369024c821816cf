// Package pokerhand tells how strong a poker hand is, which five of seven cards
// make it, and what the boards still to come can bring to six open hands.
//
// # How a hand is ranked
//
// Every rank has a 25-bit key such that the sum of the keys of up to seven cards
// tells which ranks they are, in whatever order they come. A card adds its rank's
// key to the top of one 64-bit number and one to its suit's 4-bit counter at the
// bottom. One test of the counters finds a flush: it decides alone, since five
// suited cards among seven leave no room for a full house or four of a kind, and
// its strength is looked up by the set of its ranks. Without a flush the strength
// is looked up by the sum. The table of sums is sparse; its 8,192 rows are laid
// over each other where they don't meet, so that a look-up is one load for where
// the row was laid and one for the strength.
//
// Keys, and where the rows are laid, were searched by internal/gen, and a test searches
// them again. They are part of the program's read-only data. The strengths are not: they
// would be a fiftieth of each function. They are worked out when the first hand is ranked,
// in some milliseconds.
package pokerhand

import (
	_ "embed"
	"math/bits"

	"tally/lib/rulebook/cards"
)

//go:generate go run generate.go

// rows has where each row of sums was laid: what to add to a sum, modulo 2^32.
//
//go:embed rows.bin
var rows string

// The suits' counters are the lowest bits of a key. Adding three to each sets
// its highest bit when it counts five or more.
const (
	fiveSuited = 0x3333
	flushBits  = 0x8888
)

// suitBits is the width of one suit's set of ranks in a mask.
const suitBits = 16

// Hand gathers cards to rank them. The zero value has no cards.
type Hand struct {
	key  uint64 // the sum of the cards' keys
	mask uint64 // per suit, the set of ranks
}

// Add puts a card into the hand. A hand has at most seven cards, all different.
func (h *Hand) Add(card cards.Card) {
	h.key += cardKeys[card]
	h.mask |= cardMask(card)
}

// Rank returns the strength of the best five cards, zero for fewer than five.
func (h *Hand) Rank() Strength {
	prepare()
	return h.rank()
}

// rank is Rank, once the tables are prepared.
func (h *Hand) rank() Strength {
	if full := (h.key + fiveSuited) & flushBits; full != 0 {
		return flushes[suited(h.mask, flushSuit(full))%(1<<ranks)]
	}
	return sums[place(h.key)]
}

// place tells where the strength of a hand without a flush is.
func place(key uint64) uint32 {
	row := key >> (64 - rowBits) * 4
	offset := rows[row : row+4]
	return uint32(key>>(64-keyBits)) +
		(uint32(offset[0]) | uint32(offset[1])<<8 | uint32(offset[2])<<16 | uint32(offset[3])<<24)
}

// flushSuit tells the suit of the only counter whose top bit is set.
func flushSuit(full uint64) cards.Suit { return cards.Suit(bits.TrailingZeros64(full) / 4) }

// suited returns the set of ranks of one suit.
func suited(mask uint64, suit cards.Suit) uint16 { return uint16(mask >> (suitBits * suit)) }

func cardMask(card cards.Card) uint64 {
	return 1 << (suitBits*uint64(card.Suit()) + uint64(card.Rank()))
}
