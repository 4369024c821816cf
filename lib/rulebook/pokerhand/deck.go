package pokerhand

import "tally/lib/rulebook/cards"

// deck is the set of cards already taken from it.
type deck uint64

func (d *deck) has(card cards.Card) bool { return *d>>card&1 == 1 }

// take moves cards into a hand.
func (d *deck) take(list []cards.Card, to *Hand) error {
	for _, card := range list {
		if card >= cards.Count {
			return ErrNoCard
		}
		if d.has(card) {
			return ErrDuplicate
		}
		*d |= 1 << card
		to.Add(card)
	}
	return nil
}
