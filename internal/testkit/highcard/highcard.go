// Package highcard is a game that nobody plays, for tests: one open card each for
// Player and Dealer from one deck, the higher rank wins, equal ranks are a tie and
// return the stakes. All that tally knows of it is in this folder.
package highcard

import (
	"embed"
	"io/fs"
	"strconv"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/show"
	"tally/lib/strictjson"
)

//go:embed messages/*.toml
var messages embed.FS

// Game is high card.
var Game = rules.Define(rules.Spec[facts, *outcome]{
	ID: "highcard", Title: "High card", Prefix: "HIGH", Version: 1, Equipment: "one deck", Decks: 1,
	Rounds: []rules.Round{{Number: 1, When: "before the cards"}},
	Cancel: rules.CardReasons, CancelRule: "HIGH-4", LateRule: "HIGH-3",
	Families: []rules.Family[*outcome]{side("player"), side("dealer"),
		{Name: "tie", Rule: "HIGH-2", Means: "both cards have the same rank", Wins: func(o *outcome, _ rules.Selection) bool { return o.Winner == "tie" }}},
	Groups:  [][]string{{"player", "dealer", "tie"}},
	Read:    func(o strictjson.Object) facts { return facts{Player: o.String("player"), Dealer: o.String("dealer")} },
	Resolve: resolve,
	Show:    presentation{},
})

// side is a bet on one of the two: a tie returns the stake.
func side(name string) rules.Family[*outcome] {
	return rules.Family[*outcome]{Name: name, Rule: "HIGH-1", Means: "that side has the higher card; equal ranks return the stake",
		Judge: func(o *outcome, _ rules.Selection) rules.Verdict {
			switch o.Winner {
			case "tie":
				return rules.Verdict{Result: rules.Refunded, Reason: "tie", Rule: "HIGH-2"}
			case name:
				return rules.Verdict{Result: rules.Won}
			}
			return rules.Verdict{Result: rules.Lost}
		}}
}

type facts struct {
	Player string `json:"player"`
	Dealer string `json:"dealer"`
}

type outcome struct {
	Winner string `json:"winner"`
	Margin int    `json:"margin"` // by how many ranks
}

func resolve(f facts) rules.Resolution[*outcome] {
	deal := rules.NewDeal(1)
	player, dealer := deal.Cards("Player", []string{f.Player}), deal.Cards("Dealer", []string{f.Dealer})
	if faults := deal.Faults(); len(faults) > 0 {
		return rules.Resolution[*outcome]{Faults: faults}
	}
	switch margin := int(player[0].Rank()) - int(dealer[0].Rank()); {
	case margin > 0:
		return rules.Resolution[*outcome]{Outcome: &outcome{Winner: "player", Margin: margin}}
	case margin < 0:
		return rules.Resolution[*outcome]{Outcome: &outcome{Winner: "dealer", Margin: -margin}}
	}
	return rules.Resolution[*outcome]{Outcome: &outcome{Winner: "tie", Margin: 0}}
}

func (o *outcome) AppendJSON(dst []byte) []byte {
	return strictjson.Out(dst).Open().TextMember("winner", o.Winner).IntMember("margin", o.Margin).Close()
}

// presentation is how the game is shown and dealt.
type presentation struct{}

func (presentation) Messages() fs.FS     { return messages }
func (presentation) Draw() show.DrawView { return &shown{} }

func (presentation) Dealing() rules.Dealing {
	return rules.Dealing{Shuffle: rules.Shoe(1), Open: []int{0}, Facts: func(s []string) any { return facts{Player: s[0], Dealer: s[1]} }}
}

func (presentation) Example() *rules.Example {
	return &rules.Example{
		Rounds: []rules.ExampleRound{{Odds: map[string]string{"player": "1.95", "dealer": "1.95", "tie": "15.5"}, Bets: []string{"player", "dealer", "tie"}}},
		Facts:  []string{`{"player":"KS","dealer":"AD"}`, `{"player":"KS","dealer":"KD"}`, `{"player":"9C","dealer":"8H"}`},
		Wrong:  `{"player":"KS","dealer":"KS"}`, Cancel: "card_exposed",
	}
}

// shown is a draw that is shown.
type shown struct{ show.Of[facts, outcome] }

func (d *shown) Places() []show.Place {
	return []show.Place{{Label: show.Text("highcard.player"), Cards: list(d.Facts.Player)}, {Label: show.Text("highcard.dealer"), Cards: list(d.Facts.Dealer)}}
}

// list returns a card, none where there is none.
func list(card string) []string {
	if card == "" {
		return nil
	}
	return []string{card}
}

func (d *shown) Result(w show.Words) []show.Pair {
	return []show.Pair{{Label: w.Text("highcard.winner"), Value: w.Code("highcard", d.Outcome.Winner)},
		{Label: w.Text("aspect.margin"), Value: w.Count("highcard.ranks", d.Outcome.Margin)}}
}

func (d *shown) Line(w show.Words) string {
	return w.Code("highcard", d.Outcome.Winner) + " · " + w.Count("highcard.ranks", d.Outcome.Margin)
}

func (d *shown) Picture(w show.Words) show.Picture {
	side := func(name, card string) show.Side {
		return show.Side{Title: w.Code("highcard", name), Cards: show.Cards(card), Wins: d.Outcome.Winner == name}
	}
	return show.Sides{Sides: []show.Side{side("player", d.Facts.Player), side("dealer", d.Facts.Dealer)}}
}

func (d *shown) Values() map[string][]string {
	return map[string][]string{"winner": {d.Outcome.Winner}, "margin": {strconv.Itoa(d.Outcome.Margin)}}
}

func (presentation) Aspects() []show.Countable {
	return show.Expect(func(way func(show.DrawView, int64)) {
		for player := range cards.Card(cards.Count) {
			for dealer := range cards.Card(cards.Count) {
				if player != dealer {
					f := facts{Player: player.String(), Dealer: dealer.String()}
					way(&shown{Of: show.Of[facts, outcome]{Facts: f, Outcome: *resolve(f).Outcome}}, 1)
				}
			}
		}
	}, []show.Countable{
		{Name: "winner", Values: show.Named("player", "dealer", "tie"), Label: show.Coded("highcard")},
		{Name: "margin", Values: show.Named(show.Range(0, 12)...), Ordered: true},
	})
}
