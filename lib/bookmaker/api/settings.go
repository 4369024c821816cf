package api

import (
	"context"

	v1 "tally/lib/bookmaker/apitype"
)

// maxBatch is how many bets one request places; the document checks it.
const maxBatch = 100

// getSettings answers what holds for the bookmaker and its key.
func getSettings(_ context.Context, r *request) (any, error) {
	games := map[string]v1.Limits{}
	for id, limits := range r.Settings.Games {
		games[id] = v1.Limits(limits)
	}
	return v1.Settings{Bookmaker: r.Bookmaker, Key: r.KeyID, Scopes: r.Scopes, Rounding: r.Settings.Rounding,
		MinStake: r.Settings.MinStake, MaxStake: r.Settings.MaxStake, Games: games,
		RequestsPerSecond: r.Settings.RequestsPerSecond, BetsPerRequest: maxBatch}, nil
}
