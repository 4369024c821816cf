package api

import (
	"context"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/rulebook/catalogue"
	"tally/lib/rulebook/games"
)

// listGames lists the games.
func listGames(context.Context, *request) (any, error) {
	list := v1.Games{Games: []v1.GameSummary{}}
	for _, game := range games.All() {
		odds := "board"
		if game.Paytable() {
			odds = "paytable"
		}
		list.Games = append(list.Games, v1.GameSummary{Game: game.ID, Title: game.Title, Version: game.Version, Odds: odds, Rounds: len(game.Rounds)})
	}
	return list, nil
}

// getGame answers the catalogue of a game.
func getGame(_ context.Context, r *request) (any, error) {
	game, known := games.Find(r.path["game"])
	if !known {
		return nil, newProblem(codeUnknownGame, "there is no game %s", r.path["game"])
	}
	return catalogue.New(game), nil
}
