package pages

import (
	"encoding/json"
	"fmt"
	"strings"

	"tally/lib/rulebook/cards"
)

// table is what happened in a draw, ready to be drawn and told. The pages know no
// game but by this.
type table interface {
	// template names the template that draws it: picture-<template>.
	template() string
	// seen are the facts in words, for comparing two states.
	seen(w *words) []pair
	// result is what the rules make of the facts.
	result(w *words) []pair
	// line is the result in one line.
	line(w *words) string
}

// pair is a value with its label.
type pair struct{ Label, Value string }

// kind is how the facts and outcomes of a game are read.
type kind struct {
	// table reads facts and outcome. Either may be empty: facts that are too large
	// are not in the log, and a void draw has no outcome.
	table func(facts, outcome []byte) (table, error)
	// visible reads the cards that lay open when a betting round opened.
	visible func(visible []byte) (shown, error)
}

// kinds are those of all games. What is drawn of a game is all that is known of
// it here: its rules are elsewhere.
var kinds = map[string]kind{
	"baccarat":      {reads[baccaratTable], readsCards[baccaratCards]},
	"live_baccarat": {reads[baccaratTable], readsCards[baccaratCards]},
	"dice":          {reads[diceTable], nil},
	"lucky5":        {reads[lucky5Table], nil},
	"lucky7":        {reads[lucky7Table], nil},
	"poker":         {reads[pokerTable], readsCards[pokerCards]},
	"war":           {reads[warTable], readsCards[warCards]},
	"wheel":         {reads[wheelTable], nil},
	"blackjack":     {reads[blackjackTable], readsCards[blackjackCards]},
	"roulette":      {reads[rouletteTable], nil},
}

// reads reads facts and outcome into a table of type T.
func reads[T any, P interface {
	*T
	table
	parts() (facts, outcome any)
}](facts, outcome []byte) (table, error) {
	t := P(new(T))
	f, o := t.parts()
	for _, part := range []struct {
		data []byte
		into any
	}{{facts, f}, {outcome, o}} {
		if len(part.data) == 0 {
			continue
		}
		if err := json.Unmarshal(part.data, part.into); err != nil {
			return nil, fmt.Errorf("reading what happened in a draw: %w", err)
		}
	}
	if checked, is := any(t).(interface{ check() error }); is {
		if err := checked.check(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// readsCards reads the cards that lie open.
func readsCards[T any, P interface {
	*T
	shown
}](visible []byte) (shown, error) {
	s := P(new(T))
	if err := json.Unmarshal(visible, s); err != nil {
		return nil, fmt.Errorf("reading the visible cards: %w", err)
	}
	return s, nil
}

// shown are cards by the place where they lie.
type shown interface{ groups(w *words) []group }

// group is the cards of one place.
type group struct {
	Label string
	Cards []face
}

// pairs tell the groups in words.
func pairs(groups []group) (list []pair) {
	for _, g := range groups {
		list = append(list, pair{g.Label, short(g.Cards)})
	}
	return list
}

// withBurned adds the burned cards, if there are any.
func withBurned(w *words, groups []group, burned []face) []group {
	if len(burned) == 0 {
		return groups
	}
	return append(groups, group{w.text("table.burned"), burned})
}

// filled leaves out the groups without cards.
func filled(groups ...group) (list []group) {
	for _, g := range groups {
		if len(g.Cards) > 0 {
			list = append(list, g)
		}
	}
	return list
}

// face is a card, face up.
type face struct {
	cards.Card
	Sideways bool // laid across, as a third card is
	Marked   bool // one of the winner's best five
}

// UnmarshalText reads a card's code.
func (f *face) UnmarshalText(text []byte) error {
	card, is := cards.Parse(string(text))
	if !is {
		return fmt.Errorf("%.10q is no card", text)
	}
	f.Card = card
	return nil
}

// Letter is the suit's letter, such as S.
func (f face) Letter() string { return f.String()[1:] }

// Figure is what is written in the corner of the card.
func (f face) Figure() string {
	if f.Rank() == cards.Ten {
		return "10"
	}
	return f.Rank().String()
}

// IsFigure reports whether the card is a jack, a queen or a king.
func (f face) IsFigure() bool { return f.Rank() >= cards.Jack && f.Rank() <= cards.King }

// Symbol is the suit as a character.
func (f face) Symbol() string { return [...]string{"♠", "♥", "♦", "♣"}[f.Suit()] }

// Pips are the places of the suit on the face of the card.
func (f face) Pips() []pip { return pips[f.Rank()] }

// pip is a place on a card that is 100 wide and 140 high.
type pip struct {
	X, Y int
	Turn bool // upside down
}

// pips are the places as playing cards have them.
var pips = func() (places [13][]pip) {
	const left, middle, right = 35, 50, 65
	columns := func(ys ...int) (list []pip) {
		for _, y := range ys {
			list = append(list, pip{left, y, y > 70}, pip{right, y, y > 70})
		}
		return list
	}
	at := func(list []pip, ys ...int) []pip {
		for _, y := range ys {
			list = append(list, pip{middle, y, y > 70})
		}
		return list
	}
	places[cards.Two] = at(nil, 32, 108)
	places[cards.Three] = at(nil, 32, 70, 108)
	places[cards.Four] = columns(32, 108)
	places[cards.Five] = at(columns(32, 108), 70)
	places[cards.Six] = columns(32, 70, 108)
	places[cards.Seven] = at(columns(32, 70, 108), 51)
	places[cards.Eight] = at(columns(32, 70, 108), 51, 89)
	places[cards.Nine] = at(columns(30, 57, 83, 110), 70)
	places[cards.Ten] = at(columns(30, 57, 83, 110), 43, 97)
	return places
}()

// short writes cards as people do: K♠ 3♦ 7♣.
func short(list []face) string {
	texts := make([]string, 0, len(list))
	for _, f := range list {
		texts = append(texts, f.Figure()+f.Symbol())
	}
	return strings.Join(texts, " ")
}

// with returns the cards after a change to each.
func with(list []face, change func(at int, f *face)) []face {
	changed := make([]face, len(list))
	for i, f := range list {
		change(i, &f)
		changed[i] = f
	}
	return changed
}

// joined joins the texts that are not empty.
func joined(by string, texts ...string) string {
	var list []string
	for _, text := range texts {
		if text != "" {
			list = append(list, text)
		}
	}
	return strings.Join(list, by)
}

// maxTries is how many faulty tries are drawn: a ball may be spun again as often
// as needed.
const maxTries = 20

// paint is a colour as it is drawn, by the name that the rules give it. Drawings
// carry their colours themselves, so that they need no style sheet.
func paint(colour string) string {
	if paint, known := paints[colour]; known {
		return paint
	}
	return "#5c6670"
}

var paints = map[string]string{
	"red": "#bd1f27", "black": "#15181b", "grey": "#6d757c", "green": "#12804d", "gold": "#f2c14e",
	"white": "#f3f1ea", "blue": "#2563c9", "yellow": "#f4c430",
}
