package money_test

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"tally/lib/rulebook/money"
)

// TestSumsTogether merges random sums, compares them and reads them back from JSON, as
// totals are kept, beside math/big.
func TestSumsTogether(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	sum := func() (s money.Sum, want *big.Int) {
		want = new(big.Int)
		for range random.IntN(6) {
			amount := money.Amount(random.Uint64() >> (1 + random.IntN(63)))
			s.Add(amount)
			want.Add(want, big.NewInt(int64(amount)))
		}
		return s, want
	}
	for range 500 {
		a, bigA := sum()
		b, bigB := sum()
		if got, want := a.Compare(b), bigA.Cmp(bigB); got != want || a.Compare(a) != 0 {
			t.Fatalf("%v is compared with %v as %d, want %d", bigA, bigB, got, want)
		}
		a.Merge(b)
		text, err := json.Marshal(a)
		var read money.Sum
		if err != nil || json.Unmarshal(text, &read) != nil || read != a {
			t.Fatalf("%v is written %s and read as %v, %v", a, text, read, err)
		}
		if want := bigA.Add(bigA, bigB).String(); string(text) != `"`+want+`"` {
			t.Fatalf("both are %s, want %s", text, want)
		}
	}
}

// TestNoSums: a stored sum is digits alone, of which 128 bits hold 38.
func TestNoSums(t *testing.T) {
	var sum money.Sum
	nines := strings.Repeat("9", 38)
	if err := sum.UnmarshalText([]byte(nines)); err != nil {
		t.Errorf("38 digits: %v", err)
	}
	if text, err := sum.MarshalText(); string(text) != nines || err != nil {
		t.Errorf("38 nines are written %s, %v", text, err)
	}
	for _, text := range []string{"", "-1", "+1", "1.00", "1e3", " 1", nines + "9"} {
		t.Run(text, func(t *testing.T) {
			if err := sum.UnmarshalText([]byte(text)); err == nil {
				t.Errorf("%q is read as a sum, want an error", text)
			}
		})
	}
}

// TestCurrencyInJSON: what is no currency is refused, and so is gold.
func TestCurrencyInJSON(t *testing.T) {
	want := currency(t, "KWD")
	text, err := json.Marshal(want)
	var read money.Currency
	if err != nil || string(text) != `"KWD"` || json.Unmarshal(text, &read) != nil || read != want {
		t.Errorf("KWD is written %s and read as %v, %v", text, read, err)
	}
	for _, code := range []string{"", "kwd", "XAU", "EURO"} {
		t.Run(code, func(t *testing.T) {
			if err := read.UnmarshalText([]byte(code)); err == nil || read != want {
				t.Errorf("%q is read as %v, %v; want an error", code, read, err)
			}
		})
	}
}

// TestBounds: what a bookmaker sets for a game goes before what it sets for all, each
// bound and each currency on its own, and zero lifts a bound.
func TestBounds(t *testing.T) {
	type amounts = map[string]money.Amount
	terms := money.Terms{MinStake: amounts{"EUR": 100}, MaxStake: amounts{"EUR": 50000, "JPY": 9000},
		Games: map[string]money.Limits{"war": {MinStake: amounts{"EUR": 20}, MaxStake: amounts{"JPY": 700}}, "dice": {MaxStake: amounts{"EUR": 0}}}}
	for _, c := range []struct {
		game, currency string
		least, most    money.Amount
	}{
		{"poker", "EUR", 100, 50000}, {"war", "EUR", 20, 50000}, {"dice", "EUR", 100, 0},
		{"war", "JPY", 0, 700}, {"dice", "JPY", 0, 9000}, {"war", "KWD", 0, 0},
	} {
		t.Run(c.game+" "+c.currency, func(t *testing.T) {
			if least, most := terms.Bounds(c.game, c.currency); least != c.least || most != c.most {
				t.Errorf("a stake is from %d to %d, want %d to %d", least, most, c.least, c.most)
			}
		})
	}
}
