package gen

// How many ranks there are, how many cards of one rank, and how many cards the
// largest hand has.
const (
	ranks    = 13
	copies   = 4
	maxCards = 7
)

// Sums of keys are reckoned modulo 1<<keyBits. 25 is the fewest bits for which
// the search ends soon.
const keyBits = 25

// seed is where the search begins: any other number finds other keys.
const seed = 0x9e3779b97f4a7c15

// hand is one choice of ranks: the sum of its keys, the number of its cards and
// how many there are of each rank.
type hand struct {
	sum    uint32
	cards  int
	counts [ranks]uint8
}

// findKeys searches a key for every rank so that the sum of at most seven keys,
// at most four of them equal, tells which they are. Candidates come from a fixed
// pseudo-random sequence, for sums that are spread evenly. hands are all the
// choices of at most seven cards.
func findKeys() (keys [ranks]uint32, hands []hand) {
	hands = []hand{{}}
	state := uint64(seed)
	for rank := range keys {
		taken := newSums(hands)
		for !apart(hands, taken, keys[rank]) {
			state = xorshift(state)
			keys[rank] = uint32(state >> (64 - keyBits))
		}
		hands = extend(hands, rank, keys[rank])
	}
	return keys, hands
}

func xorshift(state uint64) uint64 {
	state ^= state << 13
	state ^= state >> 7
	return state ^ state<<17
}

// apart reports whether one to four of a new key lead from no hand to the sum of
// another. That is enough: two hands that both have the new rank differ as they
// do with the smaller number of it taken out of both.
func apart(hands []hand, taken *sums, key uint32) bool {
	for _, h := range hands {
		for n := 1; n <= min(copies, maxCards-h.cards); n++ {
			if taken.has(times(h.sum, n, key)) {
				return false
			}
		}
	}
	return true
}

// extend adds to the hands those with one to four cards of a further rank.
func extend(hands []hand, rank int, key uint32) []hand {
	for _, h := range hands {
		for n := 1; n <= min(copies, maxCards-h.cards); n++ {
			more := h
			more.sum = times(h.sum, n, key)
			more.cards += n
			more.counts[rank] = uint8(n)
			hands = append(hands, more)
		}
	}
	return hands
}

// times adds a key n times to a sum.
func times(sum uint32, n int, key uint32) uint32 {
	return (sum + uint32(n)*key) % (1 << keyBits)
}

// sums is a set of sums of keys, one bit each.
type sums [1 << keyBits / 64]uint64

func newSums(hands []hand) *sums {
	set := new(sums)
	for _, h := range hands {
		set[h.sum/64] |= 1 << (h.sum % 64)
	}
	return set
}

func (s *sums) has(sum uint32) bool { return s[sum/64]>>(sum%64)&1 == 1 }
