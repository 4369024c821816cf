package api

import (
	"context"
	"net/http"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/store/record"
)

// placeBet places a bet.
func placeBet(ctx context.Context, r *request) (any, error) {
	bet := *r.body.(*v1.BatchBet)
	bet.Draw, bet.Reference, bet.Base = r.path["draw"], r.path["reference"], ""
	return r.place(ctx, bet)
}

// placeWager places a double, split or insurance on a bet.
func placeWager(ctx context.Context, r *request) (any, error) {
	wager := *r.body.(*v1.BatchBet)
	wager.Draw, wager.Reference, wager.Base = r.path["draw"], "", r.path["reference"]
	wager.Selection, wager.Odds = r.path["selection"], ""
	return r.place(ctx, wager)
}

// place places a bet or a side wager: 201 when it was stored just now, 200 when
// it was there.
func (r *request) place(ctx context.Context, bet v1.BatchBet) (response, error) {
	bet.Bookmaker = r.Bookmaker
	account, err := r.api.acceptor.Place(ctx, bet)
	if err != nil {
		return response{}, err
	}
	placed, err := betOf(bet.Draw, account)
	return response{status: statusOf(account), body: placed}, err
}

// statusOf is that of the answer to what is stored.
func statusOf(account *record.Account) int {
	if account.Replay {
		return http.StatusOK
	}
	return http.StatusCreated
}
