// Package war holds the rules of War of Bets: one open card each for Player and
// Dealer, the higher rank wins, equal ranks are war.
package war

import (
	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

const decks = 6

// Game is War of Bets.
var Game *rules.Game

func init() { Game = rules.Define(spec) } // decide names Game: a plain initialiser would be a cycle

type family = rules.Family[*outcome]

var spec = rules.Spec[facts, *outcome]{
	ID: "war", Title: "War of Bets", Prefix: "WAR", Version: 2, Equipment: "six decks", Decks: decks,
	Rounds: []rules.Round{
		{Number: 1, When: "before any card"},
		{Number: 2, When: "after the Player's card"},
	},
	Cancel: rules.CardReasons, CancelRule: "WAR-5.1.4", LateRule: "WAR-3.2",
	Families: append([]family{
		{Name: player, Rule: "WAR-2.3.1", Means: "the Player's card is higher; war loses", Wins: wins(player)},
		{Name: war, Rule: "WAR-2.3.2", Means: "both cards have the same rank", Wins: wins(war)},
		{Name: dealer, Rule: "WAR-2.3.1", Means: "the Dealer's card is higher; war loses", Wins: wins(dealer)},
	}, append(
		onCard("player_", "Player's", "; decided when betting round 2 opens", func(o *outcome) cards.Card { return o.player }),
		onCard("dealer_", "Dealer's", "", func(o *outcome) cards.Card { return o.dealer })...)...),
	Groups: append([][]string{{"player", "war", "dealer"}},
		append(groups("player_"), groups("dealer_")...)...),
	Read:        read,
	Resolve:     resolve,
	ReadVisible: readVisible,
	Decide:      decide,
	Show:        presentation{},
}

func wins(w string) func(*outcome, rules.Selection) bool {
	return func(o *outcome, _ rules.Selection) bool { return o.Winner == w }
}

// onCard returns the selections on one side's card. An ace is over eight and a
// number card.
func onCard(prefix, whose, remark string, card func(*outcome) cards.Card) []family {
	figure := func(c cards.Card) bool {
		return c.Rank() == cards.Jack || c.Rank() == cards.Queen || c.Rank() == cards.King
	}
	on := func(name, means string, holds func(cards.Card) bool) family {
		return family{Name: prefix + name, Rule: "WAR-1.8", Means: "the " + whose + " card is " + means + remark,
			Wins: func(o *outcome, _ rules.Selection) bool { return holds(card(o)) }}
	}
	return []family{
		on("red", "red", cards.Card.Red),
		on("black", "black", func(c cards.Card) bool { return !c.Red() }),
		on("spades", "a spade", func(c cards.Card) bool { return c.Suit() == cards.Spades }),
		on("hearts", "a heart", func(c cards.Card) bool { return c.Suit() == cards.Hearts }),
		on("clubs", "a club", func(c cards.Card) bool { return c.Suit() == cards.Clubs }),
		on("diamonds", "a diamond", func(c cards.Card) bool { return c.Suit() == cards.Diamonds }),
		on("under_8", "a two to a seven", func(c cards.Card) bool { return c.Rank() < cards.Eight }),
		on("8", "an eight", func(c cards.Card) bool { return c.Rank() == cards.Eight }),
		on("over_8", "a nine or higher, ace included", func(c cards.Card) bool { return c.Rank() > cards.Eight }),
		on("figure", "a jack, queen or king", figure),
		on("number", "an ace or a two to a ten", func(c cards.Card) bool { return !figure(c) }),
	}
}

func groups(prefix string) [][]string {
	return [][]string{
		{prefix + "red", prefix + "black"},
		{prefix + "spades", prefix + "hearts", prefix + "clubs", prefix + "diamonds"},
		{prefix + "under_8", prefix + "8", prefix + "over_8"},
		{prefix + "figure", prefix + "number"},
	}
}

// facts are the one card of each side, and burned ones.
type facts struct {
	Player *string  `json:"player"` // nil when not yet visible
	Dealer *string  `json:"dealer,omitempty"`
	Burned []string `json:"burned,omitempty"`
}

func read(o strictjson.Object) facts {
	player, dealer := o.String("player"), o.String("dealer")
	return facts{Player: &player, Dealer: &dealer, Burned: o.OptionalTexts("burned")}
}

func readVisible(o strictjson.Object) (f facts) {
	if v, present := o.Optional("player"); present {
		text, _ := v.String()
		card := string(text)
		f.Player = &card
	}
	f.Burned = o.OptionalTexts("burned")
	return f
}

// list returns the one card, or none.
func list(card *string) []string {
	if card == nil {
		return nil
	}
	return []string{*card}
}

func resolve(f facts) rules.Resolution[*outcome] {
	deal := rules.NewDeal(decks)
	p, d := deal.Cards("Player", list(f.Player)), deal.Cards("Dealer", list(f.Dealer))
	deal.Cards("burned", f.Burned)
	if faults := deal.Faults(); len(faults) > 0 {
		return rules.Resolution[*outcome]{Faults: faults}
	}
	return rules.Resolution[*outcome]{Outcome: newOutcome(p[0], d[0])}
}

// decide marks what the Player's card decides, by trying every card that the
// Dealer may still get.
func decide(round int, visible facts) (map[string]rules.Mark, []rules.Fault) {
	deal := rules.NewDeal(decks)
	p := deal.Cards("Player", list(visible.Player))
	deal.Cards("burned", visible.Burned)
	deal.Count("Player", list(visible.Player), round-1, round-1, "WAR-2.2")
	if faults := deal.Faults(); len(faults) > 0 {
		return nil, faults
	}
	seen, possible := rules.NewTally(Game), false
	for first := range cards.Card(cards.Count) {
		if len(p) == 1 && first != p[0] || len(p) == 0 && deal.Left(first) < 1 {
			continue
		}
		for second := range cards.Card(cards.Count) {
			left := deal.Left(second)
			if len(p) == 0 && second == first {
				left--
			}
			if left > 0 {
				seen.Add(newOutcome(first, second))
				possible = true
			}
		}
	}
	if !possible {
		return nil, []rules.Fault{{Code: "wrong_card_count", Rule: "WAR-2.2", Message: "too few cards are left in the shoe to finish the draw"}}
	}
	return seen.Marks(), nil
}

// The winners.
const (
	player = "player"
	dealer = "dealer"
	war    = "war"
)

// outcome is a resolved draw.
type outcome struct {
	Winner         string `json:"winner"`
	player, dealer cards.Card
}

func newOutcome(p, d cards.Card) *outcome {
	o := &outcome{Winner: war, player: p, dealer: d}
	switch {
	case p.Rank() > d.Rank():
		o.Winner = player
	case p.Rank() < d.Rank():
		o.Winner = dealer
	}
	return o
}

// AppendJSON implements rules.Outcome.
func (o *outcome) AppendJSON(dst []byte) []byte {
	return strictjson.Out(dst).Open().TextMember("winner", o.Winner).Close()
}
