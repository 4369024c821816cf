package pokerhand

// Counts says what the boards that can still come bring to six open hands. Hands
// are indexed from zero.
type Counts struct {
	// Boards is the number of boards that can come.
	Boards uint32
	// WinOrTie is, per hand, the boards on which it is best or equal best, and
	// SoleWin those on which no other hand equals it.
	WinOrTie, SoleWin [Hands]uint32
	// Category is, per category, the boards on which the best hand has it.
	Category [Categories]uint32
	// Winners is, per number of winning hands, the boards with so many.
	Winners [Hands + 1]uint32
}

// CanWin reports whether a hand is best or equal best on some board.
func (c *Counts) CanWin(hand int) bool { return c.WinOrTie[hand] > 0 }

// CanLose reports whether a hand is beaten on some board.
func (c *Counts) CanLose(hand int) bool { return c.WinOrTie[hand] < c.Boards }

// CategoryCanWin reports whether the best hand has a category on some board.
func (c *Counts) CategoryCanWin(category Category) bool { return c.Category[category] > 0 }

// CategoryCanLose reports whether the best hand has another category on some board.
func (c *Counts) CategoryCanLose(category Category) bool { return c.Category[category] < c.Boards }

// tally counts boards by which hands win, one bit each, and by category. It is
// all that has to be kept while boards are gone through.
type tally struct {
	winners  [1 << Hands]uint32
	category [1 << (16 - categoryShift)]uint32
}

func (t *tally) counts() (c Counts) {
	copy(c.Category[:], t.category[:])
	for set, boards := range t.winners {
		c.Boards += boards
		winners, last := 0, 0
		for hand := range Hands {
			if set>>hand&1 == 1 {
				c.WinOrTie[hand] += boards
				winners, last = winners+1, hand
			}
		}
		if winners == 1 {
			c.SoleWin[last] += boards
		}
		c.Winners[winners] += boards
	}
	return c
}
