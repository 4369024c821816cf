package settlement

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tally/lib/rulebook/money"
)

// Moved is what a correction moves by currency: for each bet that is settled anew, how
// much its payout differs. What one bet gains does not make up for what another loses.
type Moved map[money.Currency]money.Sum

// Add adds what one bet moves.
func (m *Moved) Add(c money.Currency, a money.Amount) {
	var sum money.Sum
	sum.Add(a)
	m.Merge(Moved{c: sum})
}

// Merge adds what others move.
func (m *Moved) Merge(other Moved) {
	if *m == nil && len(other) > 0 {
		*m = Moved{}
	}
	for c, sum := range other {
		sum.Merge((*m)[c])
		(*m)[c] = sum
	}
}

// String returns the money as people read it, such as EUR 10.00, JPY 1000.
func (m Moved) String() string {
	var said []string
	for _, c := range slices.SortedFunc(maps.Keys(m), money.Currency.Compare) {
		said = append(said, c.Code()+" "+string(m[c].AppendTo(nil, c)))
	}
	return strings.Join(said, ", ")
}

// Limits are amounts by currency that a correction may move. A currency without one has
// no limit.
type Limits map[money.Currency]money.Amount

// ParseLimits reads limits such as EUR=10000.00,JPY=1000000; nil for an empty text.
func ParseLimits(text string) (Limits, error) {
	if text == "" {
		return nil, nil
	}
	limits := Limits{}
	for pair := range strings.SplitSeq(text, ",") {
		code, decimal, _ := strings.Cut(pair, "=")
		currency, known := money.ParseActive(code)
		amount, err := money.ParseAmount(decimal, currency)
		if _, twice := limits[currency]; !known || err != nil || twice {
			return nil, fmt.Errorf("%q: write each currency once, with an amount in its decimals, such as EUR=10000.00,JPY=1000000", pair)
		}
		limits[currency] = amount
	}
	return limits, nil
}

// Exceeded reports whether money that is moved is more than allowed.
func (l Limits) Exceeded(moved Moved) bool {
	for currency, most := range l {
		var limit money.Sum
		if limit.Add(most); moved[currency].Compare(limit) > 0 {
			return true
		}
	}
	return false
}
