package pokerhand

// Strength is the strength of a poker hand: of two hands the one with the higher Strength
// wins, equal Ranks tie. All five cards of the hand are compared. The top four
// bits are the category, below is the index within it, the weakest being one; so
// there are 7,462 Ranks and zero is none of them.
type Strength uint16

const categoryShift = 12

// Category returns what kind of hand it is.
func (r Strength) Category() Category { return Category(r >> categoryShift) }

// index is the hand's number within its category, from one.
func (r Strength) index() int { return int(r & (1<<categoryShift - 1)) }

// Category is one of the ten kinds of poker hand, from weak to strong.
type Category uint8

// The categories in ascending order. A straight runs from five, four, three, two,
// ace up to ace, king, queen, jack, ten, and does not go round the corner.
const (
	HighCard Category = iota
	Pair
	TwoPairs
	ThreeOfAKind
	Straight
	Flush
	FullHouse
	FourOfAKind
	StraightFlush
	RoyalFlush
)

// Categories is the number of categories.
const Categories = 10

var categoryNames = [Categories]string{
	"high_card", "pair", "two_pairs", "three_of_a_kind", "straight",
	"flush", "full_house", "four_of_a_kind", "straight_flush", "royal_flush",
}

// String returns the category's name in selections, such as two_pairs.
func (c Category) String() string {
	if c >= Categories {
		return "no category"
	}
	return categoryNames[c]
}
