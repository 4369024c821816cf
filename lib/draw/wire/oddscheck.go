package wire

// OddsCheck is what a look at an odds board came to. Nothing is refused for it.
type OddsCheck struct {
	// Groups are sets of families of which exactly one selection wins, where the board has all.
	Groups     []OddsGroup     `json:"groups,omitempty"`
	Selections []OddsSelection `json:"selections,omitempty"`
	More       int             `json:"more,omitempty"` // selections that are not listed
	Warnings   []OddsWarning   `json:"warnings,omitempty"`
}

// OddsGroup is a set of families with its overround: what one over the odds adds up to.
type OddsGroup struct {
	Families  []string `json:"families"`
	Overround string   `json:"overround"`
}

// OddsSelection is a selection of a board, or a group of equally likely ones.
type OddsSelection struct {
	Selection string `json:"selection"`
	Odds      string `json:"odds"` // or win, or lose
	// Probability, Fair and Margin are absent where what may still come is beyond counting.
	Probability string `json:"probability,omitempty"`
	Fair        string `json:"fair,omitempty"`   // the odds that would leave no margin; absent where it can't win
	Margin      string `json:"margin,omitempty"` // what part of its stakes is kept in the long run
}

// OddsWarning is what looks like a mistake.
type OddsWarning struct {
	Code      string `json:"code"`
	Selection string `json:"selection,omitempty"`
	Message   string `json:"message"`
}
