package api

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/pipeline/placing"
)

// batchParallel is how many bets of a batch are placed at once.
const batchParallel = 16

// placeBets places up to 100 bets and answers each as if it had come alone. Side
// wagers come after the bets: those that they are made on may be among them. Draws are
// looked at when all is stored, each once.
func placeBets(ctx context.Context, r *request) (any, error) {
	bets := r.body.(*v1.BatchRequest).Bets
	if err := repeated(bets); err != nil {
		return nil, err
	}
	results := make([]v1.BatchResult, len(bets))
	stored := make([]*placing.Stored, len(bets))
	for _, wagers := range []bool{false, true} {
		var some []int
		for i := range bets {
			if (bets[i].Base != "") == wagers {
				some = append(some, i)
			}
		}
		sideBySide(some, func(i int) {
			var err error
			if stored[i], err = r.storeSafely(ctx, bets[i]); err != nil {
				results[i] = r.notPlaced(ctx, err)
			}
		})
	}
	byDraw := map[string][]int{}
	for i := range bets {
		if stored[i] != nil {
			byDraw[bets[i].Draw] = append(byDraw[bets[i].Draw], i)
		}
	}
	sideBySide(slices.Collect(maps.Values(byDraw)), func(some []int) { r.answerSome(ctx, stored, some, results) })
	return v1.BatchResponse{Results: results}, nil
}

// sideBySide does the same with all of a list, several at once.
func sideBySide[T any](list []T, do func(T)) {
	slots := make(chan struct{}, batchParallel)
	var running sync.WaitGroup
	for _, each := range list {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			do(each)
		})
	}
	running.Wait()
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

// storeSafely stores a bet of a batch, in a goroutine of its own, where a panic would end
// the process.
func (r *request) storeSafely(ctx context.Context, bet v1.BatchBet) (stored *placing.Stored, err error) {
	defer recovered(&err)
	bet.Bookmaker = r.Bookmaker
	return r.api.acceptor.Store(ctx, bet)
}

// answerSome answers those of a batch that are stored and of one draw.
func (r *request) answerSome(ctx context.Context, stored []*placing.Stored, some []int, results []v1.BatchResult) {
	answers, err := r.answerSafely(ctx, stored, some)
	for n, i := range some {
		if err != nil {
			results[i] = r.notPlaced(ctx, err)
			continue
		}
		results[i] = answers[n]
	}
}

func (r *request) answerSafely(ctx context.Context, stored []*placing.Stored, some []int) (answers []v1.BatchResult, err error) {
	defer recovered(&err)
	of := make([]*placing.Stored, len(some))
	for n, i := range some {
		of[n] = stored[i]
	}
	accounts, err := r.api.acceptor.Answer(ctx, of)
	if err != nil {
		return nil, err
	}
	for n, account := range accounts {
		bet, err := betOf(of[n].Draw, account)
		if err != nil {
			return nil, err
		}
		answers = append(answers, v1.BatchResult{Status: statusOf(account), Bet: &bet})
	}
	return answers, nil
}

// notPlaced is what a bet of a batch is answered that is not known to be stored.
func (r *request) notPlaced(ctx context.Context, err error) v1.BatchResult {
	p := r.api.problemOf(ctx, err, r.trail)
	if p.Status >= http.StatusInternalServerError {
		r.api.record.Failed(p.Code)
	}
	p.RequestID = r.trail.id
	return v1.BatchResult{Status: p.Status, Problem: &p.Problem}
}
