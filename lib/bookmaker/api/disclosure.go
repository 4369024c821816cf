package api

import (
	"context"
	"errors"

	"tally/lib/archive/commitment"
	"tally/lib/archive/disclosure"
	"tally/lib/store"
)

// getDisclosure answers what a bookmaker needs to prove lines of a report to
// others. It is the bookmaker's secret: with it every line of its report can be
// opened, and no other bookmaker's.
func getDisclosure(ctx context.Context, r *request) (any, error) {
	id, state := r.path["draw"], r.pathWhole("state")
	unknown := newProblem(codeUnknownReport, "there is no report on draw %s under state %d", id, state)
	_, fed, err := r.api.table.Sure(ctx, store.DrawKey(id), store.FedKey(state, r.Bookmaker))
	if err != nil {
		return nil, err
	}
	if !fed {
		return nil, unknown
	}
	disclosed, err := disclosure.Load(ctx, r.api.table, id, state, r.Bookmaker)
	switch {
	case errors.Is(err, disclosure.ErrNotLogged):
		return nil, newProblem(codeNotLogged, "the settlement of draw %s under state %d is not in the public log yet", id, state)
	case errors.Is(err, commitment.ErrUnknown):
		return nil, unknown
	}
	return disclosed, err
}
