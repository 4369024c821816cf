package rules

import "tally/lib/rulebook/cards"

// Deal reads the cards of one draw and counts the copies of each, burned ones
// too.
type Deal struct {
	decks  int
	copies [cards.Count]int
	faults Faults
}

// NewDeal returns a deal from a shoe of that many decks.
func NewDeal(decks int) *Deal { return &Deal{decks: decks} }

// Cards reads the cards of one place on the table ("Player", "seat 3"),
// leaving out codes that name no card.
func (d *Deal) Cards(place string, codes []string) []cards.Card {
	dealt := make([]cards.Card, 0, len(codes))
	for i, code := range codes {
		card, ok := cards.Parse(code)
		if !ok {
			d.faults.Add("unknown_card", "", "%s: card %d, %q, is no card; write a rank of A23456789TJQK and a suit of SHDC", place, i+1, code)
			continue
		}
		d.copies[card]++
		if d.copies[card] == d.decks+1 {
			d.tooMany(place, card)
		}
		dealt = append(dealt, card)
	}
	return dealt
}

func (d *Deal) tooMany(place string, card cards.Card) {
	if d.decks == 1 {
		d.faults.Add("duplicate_card", "", "%s: %v appears more than once; there is one deck", place, card)
		return
	}
	d.faults.Add("too_many_copies", "", "%s: %v appears more than %d times; there are %d decks", place, card, d.decks, d.decks)
}

// Count faults a place that got fewer or more cards than the game allows.
func (d *Deal) Count(place string, codes []string, least, most int, rule string) {
	switch n := len(codes); {
	case n >= least && n <= most:
	case least == most:
		d.faults.Add("wrong_card_count", rule, "%s has %s instead of %d", place, plural(n, "card"), least)
	case n < least:
		d.faults.Add("wrong_card_count", rule, "%s has %s, fewer than %d", place, plural(n, "card"), least)
	default:
		d.faults.Add("wrong_card_count", rule, "%s has %s, more than %d", place, plural(n, "card"), most)
	}
}

// Fault adds a fault.
func (d *Deal) Fault(code, rule, message string) {
	d.faults.Add(code, rule, "%s", message)
}

// Faults returns what is wrong with the cards.
func (d *Deal) Faults() []Fault { return d.faults }

// Left returns how many copies of a card the shoe still holds.
func (d *Deal) Left(card cards.Card) int { return d.decks - d.copies[card] }

// Take takes a card out of the shoe; Return puts it back.
func (d *Deal) Take(card cards.Card) { d.copies[card]++ }

// Return puts a card back that Take took.
func (d *Deal) Return(card cards.Card) { d.copies[card]-- }
