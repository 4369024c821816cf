package client

import (
	"context"
	"fmt"
	"iter"
	"net/http"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/rulebook/catalogue"
)

// MaxBatch is how many bets PlaceBets takes.
const MaxBatch = 100

// Games returns all games.
func (c *Client) Games(ctx context.Context) ([]v1.GameSummary, error) {
	games, err := get[v1.Games](ctx, c, at("games"))
	if err != nil {
		return nil, err
	}
	return games.Games, nil
}

// Tables returns the studio's tables, and whether they take bets.
func (c *Client) Tables(ctx context.Context) ([]v1.Table, error) {
	tables, err := get[v1.Tables](ctx, c, at("tables"))
	if err != nil {
		return nil, err
	}
	return tables.Tables, nil
}

// Game returns the catalogue of a game.
func (c *Client) Game(ctx context.Context, game string) (*catalogue.Catalogue, error) {
	return get[catalogue.Catalogue](ctx, c, at("games", game))
}

// Filter says which draws to list; what is empty does not matter.
type Filter struct {
	From, To    string // times at which the draws open: from a day ago to a day ahead
	Game, Table string
	Status      string // upcoming, open, closed or resulted
	Boards      bool   // each draw that takes bets comes with its current odds board
}

// Draws yields draws by the time at which they open.
func (c *Client) Draws(ctx context.Context, f Filter) iter.Seq2[v1.Draw, error] {
	board := ""
	if f.Boards {
		board = "current"
	}
	return pages(func(cursor string) ([]v1.Draw, string, error) {
		list, err := get[v1.Draws](ctx, c, at("draws"), "from", f.From, "to", f.To, "game", f.Game, "table", f.Table, "status", f.Status, "board", board, "cursor", cursor)
		if err != nil {
			return nil, "", err
		}
		return list.Draws, list.Next, nil
	})
}

// pages yields the entries of all pages of a list.
func pages[T any](read func(cursor string) ([]T, string, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for cursor := ""; ; {
			list, next, err := read(cursor)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, each := range list {
				if !yield(each, nil) {
					return
				}
			}
			if next == cursor && next != "" {
				var none T
				yield(none, fmt.Errorf("the list does not go on after the page of the cursor %.80q", next))
				return
			}
			if cursor = next; cursor == "" {
				return
			}
		}
	}
}

// Draw returns all that is known of a draw.
func (c *Client) Draw(ctx context.Context, draw string) (*v1.DrawDetail, error) {
	return get[v1.DrawDetail](ctx, c, at("draws", draw))
}

// PlaceBet places a bet under a reference. Where an error leaves it [Undecided]
// whether the bet is stored, call it again with the same.
func (c *Client) PlaceBet(ctx context.Context, draw, reference string, bet v1.BetRequest) (*v1.Bet, error) {
	return put[v1.Bet](ctx, c, at("draws", draw, "bets", reference), bet)
}

// PlaceWager places a double, split or insurance on a bet.
func (c *Client) PlaceWager(ctx context.Context, draw, reference, selection string, wager v1.WagerRequest) (*v1.Bet, error) {
	return put[v1.Bet](ctx, c, at("draws", draw, "bets", reference, "wagers", selection), wager)
}

// PlaceBets places up to MaxBatch bets and returns an answer for each, in their
// order.
func (c *Client) PlaceBets(ctx context.Context, bets []v1.BatchBet) ([]v1.BatchResult, error) {
	response := new(v1.BatchResponse)
	if _, err := c.do(ctx, http.MethodPost, at("bets"), v1.BatchRequest{Bets: bets}, response); err != nil {
		return nil, err
	}
	return response.Results, nil
}

// CancelBet takes a bet back before its betting round closes.
func (c *Client) CancelBet(ctx context.Context, draw, reference string) (*v1.Bet, error) {
	return put[v1.Bet](ctx, c, at("draws", draw, "bets", reference, "cancellation"), nil)
}

// Bet returns a bet with its settlements.
func (c *Client) Bet(ctx context.Context, draw, reference string) (*v1.BetDetail, error) {
	return get[v1.BetDetail](ctx, c, at("draws", draw, "bets", reference))
}

// Bets yields the bets on a draw, in no order that means anything.
func (c *Client) Bets(ctx context.Context, draw string) iter.Seq2[v1.BetDetail, error] {
	return pages(func(cursor string) ([]v1.BetDetail, string, error) {
		list, err := get[v1.Bets](ctx, c, at("draws", draw, "bets"), "cursor", cursor)
		if err != nil {
			return nil, "", err
		}
		return list.Bets, list.Next, nil
	})
}

// Settings returns what holds for the bookmaker and the key.
func (c *Client) Settings(ctx context.Context) (*v1.Settings, error) {
	return get[v1.Settings](ctx, c, at("settings"))
}

// OpenDispute asks for bets to be voided.
func (c *Client) OpenDispute(ctx context.Context, dispute string, request v1.DisputeRequest) (*v1.Dispute, error) {
	return put[v1.Dispute](ctx, c, at("disputes", dispute), request)
}

// Dispute returns a dispute.
func (c *Client) Dispute(ctx context.Context, dispute string) (*v1.Dispute, error) {
	return get[v1.Dispute](ctx, c, at("disputes", dispute))
}

// Disputes yields the bookmaker's disputes by their ids.
func (c *Client) Disputes(ctx context.Context) iter.Seq2[v1.Dispute, error] {
	return pages(func(cursor string) ([]v1.Dispute, string, error) {
		list, err := get[v1.Disputes](ctx, c, at("disputes"), "cursor", cursor)
		if err != nil {
			return nil, "", err
		}
		return list.Disputes, list.Next, nil
	})
}
