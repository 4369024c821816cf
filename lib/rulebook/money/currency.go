// Package money holds amounts as whole minor units, odds as exact decimals and
// the one multiplication that tally does with them. There is no float in it.
//
// An amount on the wire is a decimal string with exactly the decimals of its
// currency ("10.00" EUR, "10" JPY, "10.000" KWD), so that no reader has to guess
// what was meant.
package money

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
)

// Currency is an ISO 4217 code, active now or once, and its number of decimals.
type Currency struct {
	code   [3]byte
	digits uint8
}

// Code returns the ISO 4217 code.
func (c Currency) Code() string { return string(c.code[:]) }

// Digits returns the number of decimals, the exponent of ISO 4217.
func (c Currency) Digits() int { return int(c.digits) }

// Compare orders currencies by code.
func (c Currency) Compare(other Currency) int { return bytes.Compare(c.code[:], other.code[:]) }

// MarshalText returns the code.
func (c Currency) MarshalText() ([]byte, error) { return c.code[:], nil }

// UnmarshalText reads a code.
func (c *Currency) UnmarshalText(text []byte) error {
	known, ok := ParseCurrency(text)
	if !ok {
		return fmt.Errorf("%.10q is no ISO 4217 currency with a minor unit", text)
	}
	*c = known
	return nil
}

// Active reports whether the code is active: only then may a new bet be in it.
func (c Currency) Active() bool { return !strings.Contains(withdrawn, c.Code()) }

// currencies is the table of decimals in the form that ParseCurrency reads.
var currencies = sync.OnceValue(func() map[[3]byte]Currency {
	table := map[[3]byte]Currency{}
	for digits, codes := range decimals {
		for code := range strings.FieldsSeq(codes) {
			key := [3]byte([]byte(code))
			table[key] = Currency{code: key, digits: digits}
		}
	}
	return table
})

// ParseCurrency reads the code of a currency that bets are, or once were, accepted in.
// What is stored is read by it, for ever. ok is false for a code that never was one, or
// has no minor unit (gold, testing codes).
func ParseCurrency[T string | []byte](code T) (c Currency, ok bool) {
	if len(code) != 3 {
		return Currency{}, false
	}
	c, ok = currencies()[[3]byte{code[0], code[1], code[2]}]
	return c, ok
}

// ParseActive reads the code of a currency for something new: a bet, a limit. ok is
// false for one that ISO 4217 has withdrawn, too.
func ParseActive[T string | []byte](code T) (c Currency, ok bool) {
	c, ok = ParseCurrency(code)
	return c, ok && c.Active()
}
