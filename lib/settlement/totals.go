package settlement

import (
	"slices"

	"tally/lib/money"
	"tally/lib/rules"
)

// Totals adds up settlements of one currency. Stakes equal the stakes won, lost
// and refunded; payouts equal the sum of the lines.
type Totals struct {
	Currency            money.Currency
	Bets                int
	Stake, Payout       money.Sum
	Won, Lost, Refunded int
}

// Add adds one settled bet.
func (t *Totals) Add(stake money.Amount, s Settlement) {
	t.Bets++
	t.Stake.Add(stake)
	t.Payout.Add(s.Payout)
	switch s.Result {
	case rules.Won:
		t.Won++
	case rules.Lost:
		t.Lost++
	case rules.Refunded:
		t.Refunded++
	}
}

// Book is the totals of a draw by currency, ordered by code.
type Book []Totals

// Of returns the totals of a currency to add to.
func (b *Book) Of(c money.Currency) *Totals {
	at, found := slices.BinarySearchFunc(*b, c, func(t Totals, c money.Currency) int { return t.Currency.Compare(c) })
	if !found {
		*b = slices.Insert(*b, at, Totals{Currency: c})
	}
	return &(*b)[at]
}
