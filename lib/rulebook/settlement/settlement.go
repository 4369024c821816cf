// Package settlement holds tally's one idea of settling: a pure function of a
// stored bet and an immutable state of its draw. There is no clock, no
// randomness and no I/O in it; the same inputs give the same bytes on a server,
// in a test and on an auditor's laptop.
package settlement

import (
	"fmt"

	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
)

// Instant is a time in milliseconds since 1970 UTC.
type Instant int64

// Bet is what is stored of a bet, or a side wager of one: everything that settling needs.
type Bet struct {
	Reference string // of a side wager: its bet's
	Wager     string // the selection of a side wager; empty for the bet itself
	Selection rules.Selection
	Odds      money.Odds // zero in a game with a paytable
	Stake     money.Amount
	Currency  money.Currency
	Rounding  money.Rounding

	Bookmaker  string
	Shop       string // empty where the bookmaker names none
	Round      int    // the betting round it was accepted in
	AcceptedAt Instant
	// CancelledAt is when the bookmaker cancelled it, zero when never. Whether
	// that counts is decided like a bet's own time.
	CancelledAt Instant
	// Base is the bet that a double, split or insurance belongs to; it shares its
	// base's cancellation, lateness and orders.
	Base *Bet
}

// Basis is what holds about a draw at one point of its history. It is never
// changed: a correction is another state with a higher number.
type Basis struct {
	Game   *rules.Game
	Number int

	// Exactly one of the three: an outcome, facts that void the draw, or the
	// studio's cancellation.
	Outcome   rules.Outcome
	Void      rules.Void
	Cancelled string

	// Rounds are the betting rounds, from 1 on. Nil when the bets are known to be
	// placed rightly, as in a replay from the command line.
	Rounds []Round
	Orders []Order // the orders to void that hold
}

// Round is a betting round with its closing final.
type Round struct {
	OpensAt Instant
	Closing Instant
	Decided map[rules.Selection]rules.Mark // when it opened
	Stops   []Stop                         // what was closed before the round
}

// Stop is a selection, or several, that took no bets any more from some moment on.
type Stop struct {
	Pattern rules.Pattern
	Closing Instant
}

// covers reports whether something at that time counts in the round.
func (r Round) covers(at Instant) bool { return r.OpensAt <= at && at < r.Closing }

// stopped reports whether a selection was closed at a time, though the round was not.
func (r Round) stopped(s rules.Selection, at Instant) bool {
	for _, stop := range r.Stops {
		if at >= stop.Closing && stop.Pattern.Covers(s) {
			return true
		}
	}
	return false
}

// BetResult is what becomes of one bet under one state.
type BetResult struct {
	Result rules.Result
	Payout money.Amount // returned in all
	Reason string       // of a refund
	Rule   string       // the paragraph that decided
}

// The reasons of refunds that do not come from a game's own rules, in their
// order of precedence: what depends on the bet alone comes before what a later
// state may change, so that a correction changes as few lines as it can.
const (
	LateBet              = "late_bet"
	CancelledByBookmaker = "cancelled_by_bookmaker"
	DecidedSelection     = "decided_selection"
	Voided               = "voided"
	DrawCancelled        = "draw_cancelled"
)

// Settle returns what becomes of a bet under a state. It fails only when the
// payout can't be represented, which no bet within the limits can reach.
func Settle(bet *Bet, state *Basis) (BetResult, error) {
	if reason, rule := state.refund(bet); reason != "" {
		return BetResult{Result: rules.Refunded, Payout: bet.Stake, Reason: reason, Rule: rule}, nil
	}
	verdict := state.Game.Judge(state.Outcome, bet.Selection)
	settled := BetResult{Result: verdict.Result, Reason: verdict.Reason, Rule: verdict.Rule}
	switch verdict.Result {
	case rules.Refunded:
		settled.Payout = bet.Stake
	case rules.Won:
		odds := verdict.Odds
		if odds == 0 {
			odds = bet.Odds
		}
		payout, err := money.Payout(bet.Stake, odds, bet.Rounding)
		if err != nil {
			return BetResult{}, fmt.Errorf("paying bet %s: %w", bet.Reference, err)
		}
		settled.Payout = payout
	}
	return settled, nil
}

// refund returns why a bet's stake comes back whatever the game's rules say of
// its selection, and the paragraph; an empty reason when it does not.
func (s *Basis) refund(bet *Bet) (reason, rule string) {
	if s.Rounds != nil {
		if reason, rule := s.placed(bet); reason != "" {
			return reason, rule
		}
	}
	for i := range s.Orders {
		if s.Orders[i].Scope.Covers(bet) || bet.Base != nil && s.Orders[i].Scope.Covers(bet.Base) {
			return Voided, s.Game.VoidedRule()
		}
	}
	switch {
	case s.Cancelled != "":
		return DrawCancelled, s.Game.CancelRule
	case s.Void.Reason != "":
		return s.Void.Reason, s.Void.Rule
	}
	return "", ""
}

// placed returns why a bet does not count, by its own times and its round, and the
// paragraph. What a bookmaker does by itself has none.
func (s *Basis) placed(bet *Bet) (reason, rule string) {
	if bet.Base != nil {
		if reason, rule := s.placed(bet.Base); reason == LateBet || reason == CancelledByBookmaker {
			return reason, rule
		}
	}
	if bet.Round < 1 || bet.Round > len(s.Rounds) {
		return LateBet, s.Game.LateRule(bet.Selection)
	}
	switch round := s.Rounds[bet.Round-1]; {
	case !round.covers(bet.AcceptedAt):
		return LateBet, s.Game.LateRule(bet.Selection)
	case round.stopped(bet.Selection, bet.AcceptedAt):
		return LateBet, s.Game.Family(bet.Selection).Until
	case bet.CancelledAt != 0 && round.covers(bet.CancelledAt) && !round.stopped(bet.Selection, bet.CancelledAt):
		return CancelledByBookmaker, ""
	case round.Decided[bet.Selection] != rules.Open:
		return DecidedSelection, s.Game.DecidedRule()
	}
	return "", ""
}
