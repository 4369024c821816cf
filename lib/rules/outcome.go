package rules

import "tally/lib/money"

// Outcome is what the rules make of the facts of one draw.
type Outcome interface {
	// AppendJSON appends the outcome in the format of the contract. The same
	// outcome gives the same bytes for ever.
	AppendJSON(dst []byte) []byte
}

// Fault is one thing that makes facts impossible by the rules of the game.
type Fault struct {
	Code    string // of the contract, such as third_card_missing
	Rule    string // the paragraph broken; empty where none says it
	Message string // a sentence for the studio's operator
}

// Void says that valid facts make the draw void.
type Void struct {
	Reason string
	Rule   string
}

// Resolution is the answer of a game's total function: an outcome, or a void
// draw, or everything that is wrong with the facts.
type Resolution[O any] struct {
	Outcome O
	Void    Void // void when Reason is set
	Faults  []Fault
}

// Result is what becomes of a bet by the rules of the game.
type Result uint8

// The results.
const (
	Lost Result = iota
	Won
	Refunded
)

// String returns the result's name on the wire.
func (r Result) String() string {
	return [...]string{"lost", "won", "refunded"}[r]
}

// Verdict is a game's word on one selection.
type Verdict struct {
	Result Result
	Odds   money.Odds // of the paytable; zero where the bet has its own
	Reason string     // of a refund
	Rule   string     // the paragraph that decided
}
