package money_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	iso "github.com/bojanz/currency"

	"tally/lib/rulebook/money"
)

// testdata/currencies.txt holds every currency that a bet may ever have been accepted
// in. A line never changes and never goes: bets, log entries and pages have its amounts.
func TestReadableForEver(t *testing.T) {
	text, err := os.ReadFile("testdata/currencies.txt")
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		code, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		held[code] = true
		if c, ok := money.ParseCurrency(code); !ok || strconv.Itoa(c.Digits()) != digits {
			t.Errorf("%s is read: %t, with %d decimals; its bets have %s", code, ok, c.Digits(), digits)
		}
		var read money.Currency
		if err := read.UnmarshalText([]byte(code)); err != nil {
			t.Errorf("totals in %s are unreadable: %v", code, err)
		}
	}
	for code := range held {
		digits, listed := iso.GetDigits(code)
		c, active := money.ParseActive(code)
		if active != listed || active && c.Digits() != int(digits) {
			t.Errorf("%s is active: %t, with %d decimals; in ISO 4217: %t, with %d", code, active, c.Digits(), listed, digits)
		}
	}
	for _, code := range iso.GetCurrencyCodes() {
		if digits, ok := iso.GetDigits(code); ok && !held[code] {
			t.Errorf("%s with %d decimals is new in ISO 4217: add it to decimals and to testdata/currencies.txt", code, digits)
		}
	}
}
