package rules

import (
	"tally/lib/rulebook/money"
	"tally/lib/strictjson"
)

// Round is a betting round: a window in which bets on a draw are taken.
type Round struct {
	Number int
	When   string // what has happened on the table when it opens
}

// Spec is a game as its package states it. F is its facts, O its outcome.
type Spec[F any, O Outcome] struct {
	ID        string // on the wire, such as live_baccarat
	Title     string
	Prefix    string // of its rule ids, such as LBAC
	Version   int    // of the catalogue; raised when a selection's meaning changes
	Equipment string // for people: what the game is played with
	Decks     int    // decks in the shoe; 0 when it is not played with cards
	Rounds    []Round

	Cancel     CancelKind // the game's reasons to cancel, beside the common ones
	CancelRule string     // the paragraph that voids a cancelled draw's bets
	LateRule   string     // the paragraph by which no bet is taken once betting is closed

	Families []Family[O]
	// Groups lists sets of families of which exactly one selection wins in every
	// resolved draw without refunds. Tests rely on it; a board's reader may.
	Groups [][]string

	// Read reads the facts' form. The result is used only if nothing was reported.
	Read func(strictjson.Object) F
	// Resolve is total: it answers any facts that Read can return.
	Resolve func(F) Resolution[O]

	// ReadVisible reads the cards visible when a betting round opens. Nil when
	// the game has one round.
	ReadVisible func(strictjson.Object) F
	// Decide returns what the visible cards have decided, or why they can't be
	// what is visible at the start of that round.
	Decide func(round int, visible F) (map[string]Mark, []Fault)
	// Enumerates says that Decide goes through all that may still come: what it finds is
	// kept, so that nobody has to find it again.
	Enumerates bool

	Show Show // nil for none
}

// Family is a kind of selection: its name, its parameters and when it wins.
type Family[O any] struct {
	Name   string
	Params []Param
	// Check says why a selection of the right form does not exist, such as two
	// numbers that are no neighbours; nil when all do.
	Check func(Selection) (why string)
	// Board names the group of equally likely selections that a board may give
	// one odds for, such as drawn/4; nil when each has its own.
	Board func(Selection) string
	Odds  money.Odds // of the paytable; zero when the board gives them
	Rule  string     // the paragraph that decides it
	Means string     // for people: it wins when …
	Round int        // the only betting round that takes it; 0 for all
	// Until is the paragraph that says up to when it is taken within its betting
	// round; empty for the game's LateRule.
	Until string
	// Quote returns the paragraph that decides it under an outcome, where that is
	// another than Rule; nil, or an empty one, for what the verdict says.
	Quote func(O, Selection) string

	// Exactly one of the two: Wins for selections that win or lose, Judge for
	// those that may also be refunded or have several odds. Judge need not fill
	// in Rule and Odds where the family's hold.
	Wins  func(O, Selection) bool
	Judge func(O, Selection) Verdict
}

// Mark says that a selection is decided before the draw is over.
type Mark uint8

// The marks, named as on an odds board.
const (
	Open     Mark = iota
	MarkWin       // it can no longer lose
	MarkLose      // it can no longer win
)

// String returns the mark's name on the wire.
func (m Mark) String() string { return [...]string{"open", "win", "lose"}[m] }
