package api

import "context"

// cancelBet takes a bet back before its betting round closes.
func cancelBet(ctx context.Context, r *request) (any, error) {
	account, err := r.api.acceptor.Cancel(ctx, r.Bookmaker, r.path["draw"], r.path["reference"])
	if err != nil {
		return nil, err
	}
	return betOf(r.path["draw"], account)
}
