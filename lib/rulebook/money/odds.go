package money

import (
	"errors"
	"math/bits"
	"strconv"
)

// Odds are decimal odds in ten-thousandths: 1.95 is 19500. What is returned is
// stake × odds, so "35 to 1" is 36.00. Zero means that there are none.
type Odds uint32

const (
	oddsUnit = 10_000

	// Even is what a refund pays: the stake and no more.
	Even Odds = oddsUnit
	// MaxOdds are the highest odds, 100,000.
	MaxOdds Odds = 100_000 * oddsUnit
)

// ErrOdds says that a text is not odds of 1 to 100,000 with at most four
// decimals.
var ErrOdds = errors.New("odds must be a decimal from 1 to 100000 with at most four decimals")

// ToOne returns the odds of a paytable that says "n to 1".
func ToOne(n int) Odds { return Odds(n+1) * oddsUnit }

// ParseOdds reads [1-9][0-9]*(\.[0-9]{1,4})? within the limits.
func ParseOdds[T string | []byte](text T) (Odds, error) {
	if len(text) == 0 || text[0] == '0' || len(text) > len("100000.0000") {
		return 0, ErrOdds
	}
	var n uint64
	decimals := -1
	for i := range len(text) {
		if text[i] == '.' && decimals < 0 && i > 0 {
			decimals = 0
			continue
		}
		digit := text[i] - '0'
		if digit > 9 {
			return 0, ErrOdds
		}
		n = n*10 + uint64(digit)
		if decimals >= 0 {
			decimals++
		}
	}
	if decimals == 0 || decimals > 4 {
		return 0, ErrOdds
	}
	for range 4 - max(decimals, 0) {
		n *= 10
	}
	if n < uint64(Even) || n > uint64(MaxOdds) {
		return 0, ErrOdds
	}
	return Odds(n), nil
}

// AppendTo appends the odds with two decimals, or more where they have more.
func (o Odds) AppendTo(dst []byte) []byte {
	dst = strconv.AppendUint(dst, uint64(o)/oddsUnit, 10)
	part := uint64(o) % oddsUnit
	dst = append(dst, '.', byte('0'+part/1000), byte('0'+part/100%10))
	if part%100 != 0 {
		dst = append(dst, byte('0'+part/10%10))
	}
	if part%10 != 0 {
		dst = append(dst, byte('0'+part%10))
	}
	return dst
}

// String returns the odds as AppendTo writes them.
func (o Odds) String() string { return string(o.AppendTo(nil)) }

// Rounding is how a payout is brought to whole minor units.
type Rounding uint8

// The rounding modes; HalfUp is the default.
const (
	HalfUp   Rounding = iota // a half goes up
	HalfEven                 // a half goes to the even neighbour
	Down                     // what is not whole is dropped
)

var roundingNames = [...]string{"half_up", "half_even", "down"}

// String returns the mode's name on the wire.
func (r Rounding) String() string { return roundingNames[r] }

// ParseRounding reads a mode's name.
func ParseRounding(name string) (Rounding, bool) {
	for i, known := range roundingNames {
		if name == known {
			return Rounding(i), true
		}
	}
	return 0, false
}

// Payout returns stake × odds, computed exactly and rounded once.
func Payout(stake Amount, odds Odds, mode Rounding) (Amount, error) {
	if stake < 0 {
		return 0, ErrOverflow
	}
	high, low := bits.Mul64(uint64(stake), uint64(odds))
	if high >= oddsUnit {
		return 0, ErrOverflow
	}
	whole, part := bits.Div64(high, low, oddsUnit)
	if whole > maxAmount { // before rounding: one more could pass 64 bits
		return 0, ErrOverflow
	}
	const half = oddsUnit / 2
	if (mode == HalfUp && part >= half) || (mode == HalfEven && (part > half || part == half && whole&1 == 1)) {
		whole++
	}
	if whole > maxAmount {
		return 0, ErrOverflow
	}
	return Amount(whole), nil
}

const maxAmount = 1<<63 - 1
