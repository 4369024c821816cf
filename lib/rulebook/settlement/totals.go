package settlement

import (
	"slices"

	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
)

// Total adds up settlements of one currency. Stakes equal the stakes won, lost
// and refunded; payouts equal the sum of the lines.
type Total struct {
	Currency money.Currency `json:"currency"`
	Bets     int            `json:"bets"`
	Stake    money.Sum      `json:"stake"` // in minor units, as JSON
	Payout   money.Sum      `json:"payout"`
	Won      int            `json:"won"`
	Lost     int            `json:"lost"`
	Refunded int            `json:"refunded"`
}

// Add adds one settled bet.
func (t *Total) Add(stake money.Amount, s BetResult) {
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

// Totals is the totals of a draw by currency, ordered by code.
type Totals []Total

// In returns the totals of a currency to add to.
func (b *Totals) In(c money.Currency) *Total {
	at, found := slices.BinarySearchFunc(*b, c, func(t Total, c money.Currency) int { return t.Currency.Compare(c) })
	if !found {
		*b = slices.Insert(*b, at, Total{Currency: c})
	}
	return &(*b)[at]
}

// Merge adds the totals of another book.
func (b *Totals) Merge(other Totals) {
	for _, t := range other {
		mine := b.In(t.Currency)
		mine.Bets += t.Bets
		mine.Stake.Merge(t.Stake)
		mine.Payout.Merge(t.Payout)
		mine.Won, mine.Lost, mine.Refunded = mine.Won+t.Won, mine.Lost+t.Lost, mine.Refunded+t.Refunded
	}
}
