// Package poker holds the rules of Bet on Poker: six open hands of two cards
// share five community cards, and the best five of seven win.
package poker

import (
	"slices"

	"tally/lib/rulebook/pokerhand"
	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

const (
	decks      = 1
	hands      = 6
	handCards  = 2
	boardCards = 5
)

// Game is Bet on Poker.
var Game = rules.Define(rules.Spec[facts, *outcome]{
	ID: "poker", Title: "Bet on Poker", Prefix: "POK", Version: 2, Equipment: "one deck, six open hands", Decks: decks,
	Rounds: []rules.Round{
		{Number: 1, When: "before the cards"},
		{Number: 2, When: "after the six hands"},
		{Number: 3, When: "after the flop"},
		{Number: 4, When: "after the turn"},
	},
	Cancel: rules.CardReasons, CancelRule: "POK-5.1.4", LateRule: "POK-3.2",
	Families: []rules.Family[*outcome]{
		{Name: "hand", Params: []rules.Param{rules.Int{Min: 1, Max: hands}}, Rule: "POK-2.3",
			Means: "the hand is best or equal best; every tied hand wins at full odds",
			Wins:  func(o *outcome, s rules.Selection) bool { return slices.Contains(o.Winners, int64(s.At(0))) },
			Quote: func(o *outcome, _ rules.Selection) string {
				if len(o.Winners) == 1 {
					return "POK-2.2"
				}
				return ""
			}},
		{Name: "combo", Params: []rules.Param{rules.Word(categories())}, Rule: "POK-2.4",
			Means: "the winning hand is of the category",
			Wins:  func(o *outcome, s rules.Selection) bool { return o.Combination == pokerhand.Category(s.At(0)).String() }},
	},
	Groups:      [][]string{{"combo"}},
	Read:        read,
	Resolve:     resolve,
	ReadVisible: readVisible,
	Decide:      decide,
	Enumerates:  true,
	Show:        presentation{},
})

func categories() []string {
	names := make([]string, pokerhand.Categories)
	for i := range names {
		names[i] = pokerhand.Category(i).String()
	}
	return names
}

// facts are the cards on the table. Cards discarded face down are not seen.
type facts struct {
	Hands  [][]string `json:"hands"`
	Board  []string   `json:"board,omitempty"`
	Burned []string   `json:"burned,omitempty"`
}

func read(o strictjson.Object) facts {
	return facts{Hands: o.TextLists("hands"), Board: o.Strings("board"), Burned: o.OptionalTexts("burned")}
}

func readVisible(o strictjson.Object) facts {
	return facts{Hands: o.TextLists("hands"), Board: o.OptionalTexts("board"), Burned: o.OptionalTexts("burned")}
}
