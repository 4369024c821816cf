// Package baccarat holds the rules of baccarat and of live baccarat: the same
// drawing rules under two catalogues. Player and Banker get two cards each and,
// by a fixed table, a third; the side closer to nine wins.
package baccarat

import (
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
)

const (
	decks     = 6
	liveDecks = 8
)

// Game is baccarat: six decks, three betting rounds, odds from the board.
var Game *rules.Game

func init() { Game = rules.Define(spec) } // decide names Game: a plain initialiser would be a cycle

var spec = rules.Spec[facts, *outcome]{
	ID: "baccarat", Title: "Baccarat", Prefix: "BAC", Version: 2,
	Equipment: "six decks", Decks: decks,
	Rounds: []rules.Round{
		{Number: 1, When: "before any card"},
		{Number: 2, When: "after the Player's first card"},
		{Number: 3, When: "after the Banker's first card"},
	},
	Cancel: rules.CardReasons, CancelRule: "BAC-5.1.4", LateRule: "BAC-3.2",
	Families: []rules.Family[*outcome]{
		side(player, "BAC-2.3", "BAC-2.3.1", 0),
		side(banker, "BAC-2.3", "BAC-2.3.1", 0),
		{Name: "tie", Rule: "BAC-2.3.1", Means: "Player and Banker have equal points",
			Wins: func(o *outcome, _ rules.Selection) bool { return o.Winner == tie }},
		{Name: "player_pair", Rule: "BAC-2.5.3.2", Means: "the Player's first two cards have the same rank",
			Wins: func(o *outcome, _ rules.Selection) bool { return o.PlayerPair }},
		{Name: "banker_pair", Rule: "BAC-2.5.3.2", Means: "the Banker's first two cards have the same rank",
			Wins: func(o *outcome, _ rules.Selection) bool { return o.BankerPair }},
		{Name: "either_pair", Rule: "BAC-2.5.3.2", Means: "the first two cards of at least one side have the same rank",
			Wins: func(o *outcome, _ rules.Selection) bool { return o.PlayerPair || o.BankerPair }},
		{Name: "perfect_pair", Rule: "BAC-1.18", Means: "the first two cards of at least one side have the same rank and suit",
			Wins: func(o *outcome, _ rules.Selection) bool { return o.PerfectPair }},
		{Name: "small", Rule: "BAC-2.5.3.3", Means: "four cards are dealt in all",
			Wins: func(o *outcome, _ rules.Selection) bool { return o.Size == "small" }},
		{Name: "big", Rule: "BAC-2.5.3.3", Means: "five or six cards are dealt in all",
			Wins: func(o *outcome, _ rules.Selection) bool { return o.Size == "big" }},
	},
	Groups: [][]string{{"player", "banker", "tie"}, {"small", "big"}},
	Read:   read,
	Resolve: resolver(decks, paragraphs{deal: "BAC-2.1", natural: "BAC-2.7.1", player: "BAC-2.6.1", playerStands: "BAC-2.6.1",
		banker: "BAC-2.6.2", bankerAlone: "BAC-2.7.2"}),
	ReadVisible: readVisible,
	Decide:      decide,
	Show:        presentation{decks: decks},
}

// Live is live baccarat: eight decks, one betting round, a paytable. The
// commission of 5% on a Banker win is part of its odds.
var Live = rules.Define(rules.Spec[facts, *outcome]{
	ID: "live_baccarat", Title: "Live baccarat", Prefix: "LBAC", Version: 2,
	Equipment: "eight decks", Decks: liveDecks,
	Rounds: []rules.Round{{Number: 1, When: "before any card"}},
	Cancel: rules.CardReasons, CancelRule: "LBAC-2.1.8", LateRule: "LBAC-2.1.6",
	Families: []rules.Family[*outcome]{
		side(player, "LBAC-2.1.3", "LBAC-2.1.5", money.ToOne(1)),
		side(banker, "LBAC-2.1.2", "LBAC-2.1.5", 1_9500),
		{Name: "tie", Rule: "LBAC-2.1.4", Means: "Player and Banker have equal points", Odds: money.ToOne(8),
			Wins: func(o *outcome, _ rules.Selection) bool { return o.Winner == tie }},
	},
	Groups: [][]string{{"player", "banker", "tie"}},
	Read:   read,
	Resolve: resolver(liveDecks, paragraphs{deal: "LBAC-3.4.3", natural: "LBAC-3.5.1.1", player: "LBAC-3.5.1.4", playerStands: "LBAC-3.5.1.2",
		banker: "LBAC-3.5.1.5", bankerAlone: "LBAC-3.5.1.3"}),
	Show: presentation{decks: liveDecks},
})

// side is a bet on Player or Banker: a tie returns the stake.
func side(backed, rule, tieRule string, odds money.Odds) rules.Family[*outcome] {
	return rules.Family[*outcome]{
		Name: backed, Rule: rule, Odds: odds, Means: "that side is closer to nine; equal points return the stake",
		Judge: func(o *outcome, _ rules.Selection) rules.Verdict {
			switch o.Winner {
			case tie:
				return rules.Verdict{Result: rules.Refunded, Reason: "tie", Rule: tieRule}
			case backed:
				return rules.Verdict{Result: rules.Won}
			}
			return rules.Verdict{Result: rules.Lost}
		},
	}
}
