package baccarat

import (
	"embed"
	"io/fs"
	"math/big"
	"strconv"

	"tally/lib/rulebook/show"
)

//go:embed messages/*.toml
var messages embed.FS

// presentation is how coups from a shoe of so many decks are shown and dealt.
type presentation struct{ decks int64 }

func (presentation) Messages() fs.FS     { return messages }
func (presentation) Draw() show.DrawView { return &shown{} }

// shown is a coup that is shown.
type shown struct{ show.Of[facts, outcome] }

func (d *shown) Places() []show.Place {
	return []show.Place{{Label: show.Text("baccarat.player"), Cards: d.Facts.Player}, {Label: show.Text("baccarat.banker"), Cards: d.Facts.Banker}, show.Burned(d.Facts.Burned)}
}

func (d *shown) Result(w show.Words) []show.Pair {
	natural := w.Text("table.no")
	if d.Outcome.Natural {
		natural = w.Text("table.yes")
	}
	return []show.Pair{
		{Label: w.Text("baccarat.winner"), Value: w.Code("baccarat", d.Outcome.Winner)},
		{Label: w.Text("baccarat.points"), Value: w.Text("baccarat.points_of_both", "Player", d.Outcome.PlayerPoints, "Banker", d.Outcome.BankerPoints)},
		{Label: w.Text("baccarat.natural"), Value: natural},
		{Label: w.Text("baccarat.cards"), Value: w.Text("baccarat.cards_and_size", "Cards", d.Outcome.Cards, "Size", w.Code("baccarat", d.Outcome.Size))},
		{Label: w.Text("baccarat.pairs"), Value: d.Outcome.pairs(w)},
	}
}

func (o *outcome) pairs(w show.Words) string {
	var texts []string
	for _, pair := range []struct {
		is  bool
		key string
	}{{o.PlayerPair, "baccarat.player_pair"}, {o.BankerPair, "baccarat.banker_pair"}, {o.PerfectPair, "baccarat.perfect_pair"}} {
		if pair.is {
			texts = append(texts, w.Text(pair.key))
		}
	}
	if texts == nil {
		return w.Text("baccarat.no_pair")
	}
	return show.Join(", ", texts...)
}

func (d *shown) Line(w show.Words) string {
	text := w.Code("baccarat", d.Outcome.Winner) + " " + strconv.Itoa(d.Outcome.PlayerPoints) + " : " + strconv.Itoa(d.Outcome.BankerPoints)
	if d.Outcome.Natural {
		text += " · " + w.Text("baccarat.natural")
	}
	return text
}

func (d *shown) Picture(w show.Words) show.Picture {
	side := func(name string, hand []string, points int, pair bool) show.Side {
		s := show.Side{Title: w.Code("baccarat", name), Cards: show.Across(hand), Wins: d.Outcome.Winner == name}
		if d.Outcome.Winner != "" {
			s.Points, s.Unit = strconv.Itoa(points), w.Count("baccarat.points_word", points)
		}
		if pair {
			s.Tag = w.Text("baccarat.pair")
		}
		return s
	}
	return show.Sides{Burned: show.Cards(d.Facts.Burned...), Sides: []show.Side{
		side(player, d.Facts.Player, d.Outcome.PlayerPoints, d.Outcome.PlayerPair), side(banker, d.Facts.Banker, d.Outcome.BankerPoints, d.Outcome.BankerPair)}}
}

// Aspects are worked out from a full shoe.
func (p presentation) Aspects() []show.Countable {
	of := sharesOf[p.decks]
	return []show.Countable{
		{Name: "winner", Values: show.Shares([]show.Group{{Name: player, Count: of.player}, {Name: banker, Count: of.banker}, {Name: tie, Count: of.tie}}), Label: show.Coded("baccarat")},
		{Name: "cards", Values: show.Shares([]show.Group{{Name: "4", Count: of.cards[0]}, {Name: "5", Count: of.cards[1]}, {Name: "6", Count: of.cards[2]}}), Ordered: true},
		{Name: "natural", Values: show.YesOrNo(big.NewRat(of.natural, of.player+of.banker+of.tie)), Label: show.Coded("table")},
		{Name: "pairs", Values: show.Shares(pairs(p.decks)), Label: show.Coded("pairs_of")},
		{Name: "perfect_pair", Values: show.YesOrNo(perfectPair(p.decks)), Label: show.Coded("table")},
	}
}

func (d *shown) Values() map[string][]string {
	sides := "none"
	switch {
	case d.Outcome.PlayerPair && d.Outcome.BankerPair:
		sides = "both"
	case d.Outcome.PlayerPair:
		sides = player
	case d.Outcome.BankerPair:
		sides = banker
	}
	return map[string][]string{"winner": {d.Outcome.Winner}, "cards": {strconv.Itoa(d.Outcome.Cards)}, "natural": show.Yes(d.Outcome.Natural),
		"pairs": {sides}, "perfect_pair": show.Yes(d.Outcome.PerfectPair)}
}
