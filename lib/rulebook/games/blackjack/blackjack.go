// Package blackjack holds the rules of blackjack: up to seven seats against a
// dealer who draws to 16 and stands on every 17.
package blackjack

import (
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
)

const (
	decks = 8
	seats = 7
)

// blackjackOdds is what a blackjack pays: 3 to 2.
const blackjackOdds money.Odds = 2_5000

// Game is blackjack.
var Game = rules.Define(rules.Spec[facts, *outcome]{
	ID: "blackjack", Title: "Blackjack", Prefix: "BJ", Version: 2, Equipment: "eight decks, seven seats", Decks: decks,
	Rounds: []rules.Round{
		{Number: 1, When: "before the cards"},
		{Number: 2, When: "while the hands are played: double, split, insurance"},
	},
	Cancel: rules.CardReasons, CancelRule: "BJ-2.1.5", LateRule: "BJ-2.1.2",
	Families:    families(),
	Read:        read,
	Resolve:     resolve,
	ReadVisible: read,
	Decide:      decide,
	Show:        presentation{},
})

func families() []rules.Family[*outcome] {
	type selection = rules.Selection
	type family = rules.Family[*outcome]
	number := rules.Int{Min: 1, Max: seats}
	// on is a family of wagers on a hand, which a seat may not have.
	on := func(f family, of func(*seat) *hand) family {
		made := func(o *outcome, s selection) *hand {
			if seat := o.seat(s.At(0)); seat != nil {
				return of(seat)
			}
			return nil
		}
		f.Odds = money.ToOne(1)
		f.Judge = func(o *outcome, s selection) rules.Verdict {
			if h := made(o, s); h != nil {
				return h.verdict()
			}
			return noSuchWager
		}
		f.Quote = func(o *outcome, s selection) string {
			if h := made(o, s); h != nil && h.Result == lose {
				return o.Dealer.beats(h)
			}
			return ""
		}
		return f
	}
	return []family{
		on(family{Name: "seat", Params: []rules.Param{number}, Rule: "BJ-2.3.1", Round: 1,
			Means: "the seat's first hand beats the dealer; a blackjack pays 3 to 2; equal totals return the stake"},
			func(s *seat) *hand { return &s.Hands[0] }),
		on(family{Name: "split", Params: []rules.Param{number}, Rule: "BJ-2.7", Round: 2, Until: "BJ-2.7",
			Means: "the second hand of a split beats the dealer; equal totals return the stake"},
			func(s *seat) *hand {
				if len(s.Hands) == 1 {
					return nil
				}
				return &s.Hands[1]
			}),
		on(family{Name: "double", Params: []rules.Param{number, rules.Int{Min: 1, Max: 1}}, Rule: "BJ-2.6", Round: 2, Until: "BJ-2.6",
			Means: "the doubled hand beats the dealer; equal totals return the stake"},
			func(s *seat) *hand {
				if !s.Hands[0].doubled {
					return nil
				}
				return &s.Hands[0]
			}),
		{Name: "insurance", Params: []rules.Param{number}, Odds: money.ToOne(2), Rule: "BJ-2.5.1", Round: 2, Until: "BJ-2.5.2",
			Means: "the dealer shows an ace and the hole card counts ten",
			Judge: func(o *outcome, s selection) rules.Verdict {
				if o.seat(s.At(0)) == nil || !o.aceUp {
					return noSuchWager
				}
				if o.Dealer.Blackjack {
					return rules.Verdict{Result: rules.Won, Rule: "BJ-2.5.3"}
				}
				return rules.Verdict{Result: rules.Lost}
			}},
	}
}

// noSuchWager is the verdict on a wager that the facts don't show.
var noSuchWager = rules.Verdict{Result: rules.Refunded, Reason: "no_such_wager"}

// verdict is what a wager on the hand gets.
func (h *hand) verdict() rules.Verdict {
	switch {
	case h.Result == lose:
		return rules.Verdict{Result: rules.Lost}
	case h.Result == push:
		return rules.Verdict{Result: rules.Refunded, Reason: "push", Rule: "BJ-2.2"}
	case h.Blackjack:
		return rules.Verdict{Result: rules.Won, Odds: blackjackOdds}
	}
	return rules.Verdict{Result: rules.Won}
}

// beats returns the paragraph by which a hand lost; empty where it only had less.
func (d *hand) beats(h *hand) string {
	switch {
	case h.Bust:
		return "BJ-2.3.3"
	case d.Blackjack:
		return "BJ-2.2"
	}
	return ""
}
