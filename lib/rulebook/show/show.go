// Package show is what games show of their draws, in pieces: texts, cards, dice, balls
// and wheels, and what is counted of many draws. Where and how the pieces are drawn is
// for those who show them, such as package site/pages.
package show

import (
	"strconv"
	"strings"

	"tally/lib/rulebook/cards"
)

// Words are the texts of one language, by their keys.
type Words interface {
	// Text returns a message; args are the names and values of its placeholders.
	Text(key string, args ...any) string
	// Count returns a message about so many things.
	Count(key string, n int, args ...any) string
	// Code returns the text of a code, or a code that has none as it is.
	Code(family, code string) string
}

// Label names something in a language.
type Label func(Words) string

// Text is a label that is a message.
func Text(key string, args ...any) Label {
	return func(w Words) string { return w.Text(key, args...) }
}

// Pair is a value with its label.
type Pair struct{ Label, Value string }

// Place is a place on the table and the codes of the cards that lie there.
type Place struct {
	Label Label
	Cards []string
}

// Burned is the place of the burned cards.
func Burned(codes []string) Place { return Place{Label: Text("table.burned"), Cards: codes} }

// OpenCard is a card, face up.
type OpenCard struct {
	cards.Card
	Sideways bool // laid across, as a third card is
	Marked   bool // one of the winner's best five
}

// Cards are the cards of these codes. Codes that name no card are left out.
func Cards(codes ...string) []OpenCard {
	list := make([]OpenCard, 0, len(codes))
	for _, code := range codes {
		if card, is := cards.Parse(code); is {
			list = append(list, OpenCard{Card: card})
		}
	}
	return list
}

// Across are these cards with the third one laid across.
func Across(codes []string) []OpenCard {
	list := Cards(codes...)
	if len(list) > 2 {
		list[2].Sideways = true
	}
	return list
}

// Figure is what is written in the corner of the card.
func (c OpenCard) Figure() string {
	if c.Rank() == cards.Ten {
		return "10"
	}
	return c.Rank().String()
}

// Symbol is the suit as a character.
func (c OpenCard) Symbol() string { return [...]string{"♠", "♥", "♦", "♣"}[c.Suit()] }

// Short writes cards as people do: K♠ 3♦ 7♣.
func Short(list []OpenCard) string {
	texts := make([]string, 0, len(list))
	for _, c := range list {
		texts = append(texts, c.Figure()+c.Symbol())
	}
	return strings.Join(texts, " ")
}

// Texts writes each number.
func Texts(list []int64) []string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return texts
}

// Numbers writes numbers with spaces between them.
func Numbers(list []int64) string { return strings.Join(Texts(list), " ") }

// Join joins the texts that are not empty.
func Join(between string, texts ...string) string {
	var list []string
	for _, text := range texts {
		if text != "" {
			list = append(list, text)
		}
	}
	return strings.Join(list, between)
}

// Pair tells the place and its cards.
func (p Place) Pair(w Words) Pair { return Pair{Label: p.Label(w), Value: Short(Cards(p.Cards...))} }
