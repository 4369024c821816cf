package rules

import (
	"fmt"
	"math"
	"strconv"

	"tally/lib/rulebook/money"
)

// Outcome is what the rules make of the facts of one draw.
type Outcome interface {
	// AppendJSON appends the outcome in the format of the contract. The same
	// outcome gives the same bytes for ever.
	AppendJSON(dst []byte) []byte
}

// Fault is one thing that makes facts impossible by the rules of the game, or that is
// wrong with the message that carries them. Its JSON is what is replied, and stored.
type Fault struct {
	Code    string `json:"code"`           // of the contract, such as third_card_missing
	Rule    string `json:"rule,omitempty"` // the paragraph broken; empty where none says it
	Message string `json:"message"`        // a sentence for the studio's operator
}

// MaxFaults bounds what is said of one draw's facts: whoever named a thousand
// wrong cards has one cause for all of them.
const MaxFaults = 1000

// Faults gathers faults, up to MaxFaults.
type Faults []Fault

// Add adds a fault with a formatted message.
func (f *Faults) Add(code, rule, format string, args ...any) {
	if len(*f) < MaxFaults {
		*f = append(*f, Fault{Code: code, Rule: rule, Message: fmt.Sprintf(format, args...)})
	}
}

// Number writes a whole number of the facts for a message. One that passed 64
// bits was cut to the largest or smallest that does not.
func Number(n int64) string {
	switch n {
	case math.MaxInt64:
		return "2^63-1 or more"
	case math.MinInt64:
		return "-2^63 or less"
	}
	return strconv.FormatInt(n, 10)
}

// Void says that valid facts make the draw void.
type Void struct {
	Reason string
	Rule   string
	Seen   string // what was seen, for people: "6 of 7 balls"
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
