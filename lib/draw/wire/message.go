// Package wire reads and writes what crosses tally's edges on queues: studio
// messages, operator orders and the studio's replies. It is strict about form
// and says everything that is wrong with a message, so that one look at the
// quarantine says what to fix.
package wire

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-json-experiment/json/jsontext"

	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
)

// MaxBody is the largest message, in bytes; the queues enforce the same.
const MaxBody = 256 << 10

// Type is what a message says.
type Type string

// The types of the contract. The first five are the studio's to send, the last
// two an operator's.
const (
	DrawOpened    Type = "draw.opened"
	BettingOpened Type = "betting.opened"
	BettingClosed Type = "betting.closed"
	DrawResulted  Type = "draw.resulted"
	DrawCancelled Type = "draw.cancelled"
	BetsVoided    Type = "bets.voided"
	OrderRevoked  Type = "order.revoked"
	// BetsFound is tally's own: it names records of bets, side wagers and
	// cancellations, that a settlement run missed because they were written after all bets had
	// been read. The next settlement run takes them in; it voids nothing. It names none where a
	// newer state is all that is needed. No queue takes it from others.
	BetsFound Type = "bets.found"
)

// IsOrder reports whether the type is an operator's to send.
func (t Type) IsOrder() bool { return t == BetsVoided || t == OrderRevoked }

// IsOwn reports whether only tally itself may say it.
func (t Type) IsOwn() bool { return t == BetsFound }

// Fault is one thing wrong with a message, or with the facts in it, as replied and as
// kept with it in quarantine: the rules' own.
type Fault = rules.Fault

// The codes of messages that are well-formed and still can't be taken.
const (
	CodeConflict       = "conflict"          // same identity, other content
	CodeTooLate        = "too_late"          // the draw's records are about to expire
	CodeHeld           = "held_for_release"  // a late correction, which an operator has to release
	CodeUnknownType    = "unknown_type"      // no such type of message
	CodeUnknownSchema  = "unknown_schema"    // another version of the format
	CodeBadID          = "bad_identifier"    // not 1 to 64 of A-Z a-z 0-9 . _ -
	CodeBadTime        = "bad_time"          // not RFC 3339, UTC, milliseconds; or not after another
	CodeUnknownRound   = "unknown_round"     // the game has no such betting round
	CodeBadNumber      = "bad_number"        // a revision or sequence out of range
	CodeBadOdds        = "bad_odds"          // an odds board that can't be used
	CodeBadVisible     = "bad_visible_cards" // not what is visible when that round opens
	CodeNoCorrection   = "correction_missing"
	CodeEmptyScope     = "empty_scope" // an order that names no bets
	CodeNotAllowed     = "not_allowed" // an order on the studio's queue, or the reverse
	CodeTooLarge       = "too_large"
	CodeTooMany        = "too_many" // revisions or orders of a draw
	CodeUnknownReason  = "unknown_reason"
	CodeTooManyEntries = "too_many_entries"
	CodeBadReference   = "bad_reference" // the address or the hash of a video
)

// The limits of a message.
const (
	MaxRevision  = 1000
	MaxAhead     = 5 // how far a revision may be above the highest stored
	MaxOrders    = 1000
	MaxScopeBets = 100
	MaxClosed    = 100  // selections that a betting.closed names
	MaxLate      = 1000 // records that a bets.found names
	MaxNote      = 1000 // bytes of a note, a reason or an evidence
	// MaxSequence is the largest number that canonical JSON keeps apart from the
	// next.
	MaxSequence = 1<<53 - 1
)

// Message is a message whose form and rules are right. Which of the fields
// after Content are set depends on Type.
type Message struct {
	ID    string
	Type  Type
	Game  *rules.Game
	Table string
	Draw  string
	At    settlement.Instant
	// Content is the canonical JSON of the message without its id and time: two
	// messages of one identity say the same when their contents are equal.
	Content  string
	StoredAt settlement.Instant // of one that is read back

	Sequence int64              // draw.opened
	Rounds   []RoundTimes       // draw.opened
	Round    int                // betting.opened, betting.closed
	Times    RoundTimes         // betting.opened
	Board    OddsBoard          // betting.opened; draw.opened for round 1; nil when it has none
	Decided  DecidedMarks       // betting.opened: what the visible cards decide
	ClosedAt settlement.Instant // betting.closed
	// Selections are what a betting.closed closes within its round, sorted, each once;
	// nil for the whole round.
	Selections []string

	Video     *Video    // draw.resulted: where its recording is; nil for none
	equipment []namedID // draw.resulted: what it was played with

	Revision   int                             // draw.resulted, draw.cancelled
	Resolution rules.Resolution[rules.Outcome] // draw.resulted
	Reason     string                          // draw.cancelled, orders
	Corrects   bool                            // draw.resulted, draw.cancelled
	Correction string                          // why
	Note       *string                         // on the correction, nil for none

	// Odds, Visible and Facts are as they were sent, nil for none.
	Odds, Visible, Facts jsontext.Value

	Late     Late             // bets.found
	Order    string           // orders
	Scope    settlement.Scope // bets.voided
	Revokes  string           // order.revoked
	Evidence string           // orders

	spelled []string // where times stand that are written in another form than that of all
}

// Hash identifies the message's content.
func (m *Message) Hash() string { return HashOf(m.Content) }

// HashOf identifies a content.
func HashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// Late names records of one bookmaker's bets on a draw.
type Late struct {
	Bookmaker string
	// Records are named as they are stored: b1 for a bet, b1#cancel for its
	// cancellation, b1#double:1:1 for a side wager of it. None when the bookmaker's
	// first bets came after the run was planned.
	Records []string
}

// DecidedMarks are the selections that are decided when a betting round opens.
type DecidedMarks map[rules.Selection]rules.Mark

// RoundTimes is when a betting round takes bets by the studio's plan.
type RoundTimes struct {
	Round    int
	OpensAt  settlement.Instant
	ClosesAt settlement.Instant
}
