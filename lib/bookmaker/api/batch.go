package api

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	v1 "tally/lib/bookmaker/apitype"
)

// batchParallel is how many bets of a batch are placed at once.
const batchParallel = 16

// placeBets places up to 100 bets and answers each as if it had come alone. Side
// wagers come after the bets: those that they are made on may be among them.
func placeBets(ctx context.Context, r *request) (any, error) {
	bets := r.body.(*v1.BatchRequest).Bets
	if err := repeated(bets); err != nil {
		return nil, err
	}
	response := v1.BatchResponse{Results: make([]v1.BatchResult, len(bets))}
	for _, wagers := range []bool{false, true} {
		slots := make(chan struct{}, batchParallel)
		var running sync.WaitGroup
		for i := range bets {
			if (bets[i].Base != "") != wagers {
				continue
			}
			slots <- struct{}{}
			running.Go(func() {
				defer func() { <-slots }()
				response.Results[i] = r.placeOne(ctx, bets[i])
			})
		}
		running.Wait()
	}
	return response, nil
}

// repeated refuses a batch that has an identity twice, even with the same bet: bets
// are placed side by side, so that which of two took it would be chance.
func repeated(bets []v1.BatchBet) error {
	type identity struct{ draw, reference, base, selection string }
	first := make(map[identity]int, len(bets))
	var wrong problems
	for i, bet := range bets {
		id, field := identity{draw: bet.Draw, reference: bet.Reference}, "reference"
		if bet.Base != "" {
			id, field = identity{draw: bet.Draw, base: bet.Base, selection: bet.Selection}, "selection"
		}
		if before, twice := first[id]; twice {
			wrong.add(problemIdentity, fmt.Sprintf("/bets/%d/%s", i, field), fmt.Sprintf("it has the identity of /bets/%d, on the draw %s: send each bet once", before, bet.Draw))
			continue
		}
		first[id] = i
	}
	return wrong.problem()
}

// placeOne places a bet of a batch.
func (r *request) placeOne(ctx context.Context, bet v1.BatchBet) v1.BatchResult {
	placed, err := r.placeSafely(ctx, bet)
	if err != nil {
		p := r.api.problemOf(ctx, err, r.trail)
		if p.Status >= http.StatusInternalServerError {
			r.api.record.Failed(p.Code)
		}
		p.RequestID = r.trail.id
		return v1.BatchResult{Status: p.Status, Problem: &p.Problem}
	}
	stored := placed.body.(v1.Bet)
	return v1.BatchResult{Status: placed.status, Bet: &stored}
}

// placeSafely is place in a goroutine of its own, where a panic would end the
// process.
func (r *request) placeSafely(ctx context.Context, bet v1.BatchBet) (placed response, err error) {
	defer recovered(&err)
	return r.place(ctx, bet)
}
