package record

import (
	"tally/lib/draw"
	"tally/lib/draw/report"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// Cancellation says whether a stored cancellation counts.
type Cancellation string

// A round may still turn out to have closed a few seconds ago: the studio's message
// that says so is on its way. So a cancellation is stored and answered as one that
// counts if it came before the closing, until the closing can't move any more.
const (
	CancellationPending Cancellation = "counts_if_before_closing"
	CancellationCounts  Cancellation = "counts"
	CancellationTooLate Cancellation = "too_late"
)

// Account is a stored bet, or a side wager, and what is known of it.
type Account struct {
	Bet       store.StoredBet
	Reference string // of a side wager: its bet's
	Wager     string // the selection of a side wager; empty for the bet itself
	Replay    bool   // in the answer to a request: it was stored before
	BetStatus
	CancelledAt settlement.Instant // by its bookmaker; zero when never
	Lines       []report.Line      // in the order in which they were reported
}

// BetStatus is what is known of a stored bet before its draw is settled.
type BetStatus struct {
	Status       string // accepted or refunded
	Reason       string // of a refund
	Cancellation Cancellation
}

// BetStatusOf computes how a bet stands at a time, by its draw's head as it was read
// a second ago or less, so that no settlement contradicts it. cancelledAt is when its
// bookmaker cancelled it, zero when it did not. Closings only move to earlier times:
// what is late already stays late, what is not yet may still be.
func BetStatusOf(head *draw.Head, game *rules.Game, bet *store.StoredBet, cancelledAt, at settlement.Instant) (s BetStatus) {
	round, acceptedAt := int(bet.Round), bet.AcceptedAt
	closing := head.ClosingOf(round, game, bet.Selection)
	s.Status = "accepted"
	if closing == 0 { // the head is from before the round was known, and the bet from after
		closing = max(acceptedAt, cancelledAt) + 1
	}
	switch {
	case cancelledAt == 0:
	case cancelledAt >= closing:
		s.Cancellation = CancellationTooLate
	case head.Closing(round) != 0 && head.Final(round, at):
		s.Cancellation = CancellationCounts
	default:
		s.Cancellation = CancellationPending
	}
	switch {
	case acceptedAt >= closing:
		s.Status, s.Reason = "refunded", settlement.LateBet
	case s.Cancellation == CancellationCounts:
		s.Status, s.Reason = "refunded", settlement.CancelledByBookmaker
	}
	return s
}
