package show

import "slices"

// Picture is what a draw looks like: one of the forms below, with its texts.
type Picture interface {
	// Form names the form.
	Form() string
}

// Sides are the hands of two sides that play against each other.
type Sides struct {
	Sides   []Side
	Middle  bool   // something may be said between the sides
	Between string // what is said there
	Burned  []OpenCard
}

// Side is one of two sides, or one of several hands.
type Side struct {
	Title  string
	Cards  []OpenCard
	Wins   bool
	Points string // what the cards count or make; empty where that is not said
	Unit   string // of the points
	Tag    string
	Best   []OpenCard // those that count
}

// Board are hands that share the cards of a board.
type Board struct {
	Title  string
	Cards  []OpenCard
	Best   string // what stands before the cards that count
	Hands  []Side
	Burned []OpenCard
}

// Seats are the hands of a dealer and of seats that play against him.
type Seats struct {
	Dealer Side
	Seats  []Seat
	Burned []OpenCard
}

// Seat is a seat with its hands.
type Seat struct {
	Title, Tag string
	Hands      []Hand
}

// Hand is a hand of a seat and what became of it.
type Hand struct {
	Cards  []OpenCard
	Points string
	Result *Result // nil while it is not known
	Tag    string
}

// Result is what became of a hand.
type Result struct{ Code, Name string }

// Rolls are rolls of dice, and how the last one is arranged.
type Rolls struct {
	Rolls    []Roll
	Arranged Roll // without dice where there is none
}

// Roll is a roll of dice.
type Roll struct {
	Title  string
	Dice   []int64
	Faulty bool
	Fault  string
}

// Balls are balls in their order.
type Balls struct {
	Balls []Ball
	Label string // of the sum
	Sum   int    // 0 where the balls have none
}

// Ball is a ball.
type Ball struct {
	Number       int64
	Colour, Name string // as a code, as a text
	Label        string
	Ignored      bool // beyond those that count
}

// Wheel is a wheel where it stopped.
type Wheel struct {
	Ring *Ring
	Hit  int // the sector, -1 for none
	// Turned is by how many sectors the wheel was turned to its pointer.
	Turned int
	Label  string
	Spins  []Spin
	More   string // says that there are more spins
}

// Ring are the sectors of a wheel, clockwise from the top.
type Ring struct {
	Kind    string // fortune: the wheel turns to a pointer; roulette: a ball falls into it
	Sectors []Sector
}

// Sector is a sector or pocket.
type Sector struct{ Name, Colour string }

// Spin is a spin of the wheel or of the ball.
type Spin struct {
	Title, Text string
	Faulty      bool
}

// MaxTries is how many faulty tries are drawn: a ball may be spun again as often as
// needed.
const MaxTries = 20

// The names of the forms.

func (Sides) Form() string   { return "sides" }
func (Board) Form() string   { return "board" }
func (Seats) Form() string   { return "seats" }
func (Rolls) Form() string   { return "rolls" }
func (Balls) Form() string   { return "balls" }
func (w Wheel) Form() string { return w.Ring.Kind }

// Find returns the place of the sector of a name, -1 for none.
func (r *Ring) Find(name string) int {
	return slices.IndexFunc(r.Sectors, func(s Sector) bool { return s.Name == name })
}
