package api

import (
	"context"
	"net/http"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/pipeline/placing"
)

// placeBet places a bet.
func placeBet(ctx context.Context, r *request) (any, error) {
	body := r.body.(*v1.BetRequest)
	return r.place(ctx, placing.Request{Bookmaker: r.Bookmaker, Draw: r.path["draw"], Reference: r.path["reference"],
		Selection: body.Selection, Odds: body.Odds, Stake: body.Stake, Currency: body.Currency, Shop: body.Shop})
}

// placeWager places a double, split or insurance on a bet.
func placeWager(ctx context.Context, r *request) (any, error) {
	body := r.body.(*v1.WagerRequest)
	return r.place(ctx, placing.Request{Bookmaker: r.Bookmaker, Draw: r.path["draw"], Base: r.path["reference"],
		Selection: r.path["selection"], Stake: body.Stake, Currency: body.Currency, Shop: body.Shop})
}

// place places a bet or a side wager: 201 when it was stored just now, 200 when
// it was there.
func (r *request) place(ctx context.Context, request placing.Request) (answered, error) {
	answer, err := r.api.placer.Place(ctx, request)
	if err != nil {
		return answered{}, err
	}
	reference, wager := request.Reference, ""
	if request.Base != "" {
		reference, wager = request.Base, request.Selection
	}
	bet, err := betOf(answer.Bet, request.Draw, reference, wager)
	if err != nil {
		return answered{}, err
	}
	bet.Status, bet.Reason = answer.Status, answer.Reason
	status := http.StatusCreated
	if answer.Replay {
		status = http.StatusOK
	}
	return answered{status: status, body: bet}, nil
}
