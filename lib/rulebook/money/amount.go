package money

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// Amount is a sum of money in the minor unit of its currency.
type Amount int64

// The limits of a stake, in minor units.
const (
	MinStake Amount = 1
	MaxStake Amount = 1_000_000_000_000
)

// Errors of parsing and adding amounts.
var (
	ErrForm     = errors.New("not a decimal number with the decimals of its currency")
	ErrOverflow = errors.New("amount is too large to be represented")
	ErrStake    = errors.New("a stake is at least one minor unit and at most 10^12")
)

// ParseAmount reads a decimal with exactly the currency's decimals, without
// sign, leading zeros, spaces or separators.
func ParseAmount[T string | []byte](text T, c Currency) (Amount, error) {
	whole := len(text)
	if c.digits > 0 {
		whole -= int(c.digits) + 1
		if whole < 1 || text[whole] != '.' {
			return 0, ErrForm
		}
	}
	if whole < 1 || (text[0] == '0' && whole > 1) {
		return 0, ErrForm
	}
	var n uint64
	for i := range len(text) {
		if i == whole {
			continue
		}
		digit := text[i] - '0'
		if digit > 9 {
			return 0, ErrForm
		}
		if n > (math.MaxInt64-uint64(digit))/10 {
			return 0, ErrOverflow
		}
		n = n*10 + uint64(digit)
	}
	return Amount(n), nil
}

// ParseStake reads an amount within the limits of a stake.
func ParseStake[T string | []byte](text T, c Currency) (Amount, error) {
	amount, err := ParseAmount(text, c)
	if err != nil {
		return 0, err
	}
	if amount < MinStake || amount > MaxStake {
		return 0, ErrStake
	}
	return amount, nil
}

// StakeForm tells people how a stake in the currency is written, and its limits.
func StakeForm(c Currency) string {
	return fmt.Sprintf("write a decimal with exactly %d decimals, from %s to %s", c.Digits(), AppendAmount(nil, MinStake, c), AppendAmount(nil, MaxStake, c))
}

// AppendAmount appends the amount as a decimal with the currency's decimals.
func AppendAmount(dst []byte, a Amount, c Currency) []byte {
	if a < 0 {
		dst = append(dst, '-')
		return appendDecimal(dst, 0, uint64(-(a+1))+1, c.digits)
	}
	return appendDecimal(dst, 0, uint64(a), c.digits)
}

// Sum adds amounts of one currency. A hundred payouts of the largest size pass
// 64 bits, so it holds 128.
type Sum struct{ high, low uint64 }

// Add adds an amount that is not negative.
func (s *Sum) Add(a Amount) {
	var carry uint64
	s.low, carry = bits.Add64(s.low, uint64(a), 0)
	s.high += carry
}

// Merge adds another sum.
func (s *Sum) Merge(other Sum) {
	var carry uint64
	s.low, carry = bits.Add64(s.low, other.low, 0)
	s.high += other.high + carry
}

// Amount returns the sum as an amount, or ErrOverflow when it needs more bits.
func (s Sum) Amount() (Amount, error) {
	if s.high != 0 || s.low > math.MaxInt64 {
		return 0, ErrOverflow
	}
	return Amount(s.low), nil
}

// Compare compares two sums of one currency, as cmp.Compare does.
func (s Sum) Compare(other Sum) int {
	return cmp.Or(cmp.Compare(s.high, other.high), cmp.Compare(s.low, other.low))
}

// AppendTo appends the sum as a decimal with the currency's decimals.
func (s Sum) AppendTo(dst []byte, c Currency) []byte {
	return appendDecimal(dst, s.high, s.low, c.digits)
}

// appendDecimal appends a number of 128 bits with a point before its last
// digits.
func appendDecimal(dst []byte, high, low uint64, digits uint8) []byte {
	var reversed [48]byte
	n := 0
	for high != 0 || low != 0 || n <= int(digits) {
		rest := high % 10
		high /= 10
		low, rest = bits.Div64(rest, low, 10)
		reversed[n] = byte('0' + rest)
		n++
	}
	for i := n - 1; i >= 0; i-- {
		dst = append(dst, reversed[i])
		if i == int(digits) && digits > 0 {
			dst = append(dst, '.')
		}
	}
	return dst
}

// MarshalText returns the sum in minor units.
func (s Sum) MarshalText() ([]byte, error) { return appendDecimal(nil, s.high, s.low, 0), nil }

// UnmarshalText reads a sum in minor units.
func (s *Sum) UnmarshalText(text []byte) error {
	*s = Sum{}
	if len(text) == 0 || len(text) > 38 { // 10^38 fits in 128 bits
		return ErrForm
	}
	for _, c := range text {
		digit := c - '0'
		if digit > 9 {
			return ErrForm
		}
		carry, low := bits.Mul64(s.low, 10)
		low, over := bits.Add64(low, uint64(digit), 0)
		s.high, s.low = s.high*10+carry+over, low
	}
	return nil
}
