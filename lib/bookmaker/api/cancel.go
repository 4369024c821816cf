package api

import (
	"context"

	"tally/lib/draw/wire"
)

// cancelBet takes a bet back before its betting round closes.
func cancelBet(ctx context.Context, r *request) (any, error) {
	answer, err := r.api.placer.Cancel(ctx, r.Bookmaker, r.path["draw"], r.path["reference"])
	if err != nil {
		return nil, err
	}
	bet, err := betOf(answer.Bet, r.path["draw"], r.path["reference"], "")
	if err != nil {
		return nil, err
	}
	bet.Status, bet.Reason = answer.Status, answer.Reason
	if answer.CancelledAt != 0 {
		bet.CancelledAt, bet.Cancellation = wire.FormatTime(answer.CancelledAt), string(answer.Cancellation)
	}
	return bet, nil
}
