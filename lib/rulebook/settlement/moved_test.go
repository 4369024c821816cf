package settlement_test

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
)

// digits are the decimals of the currencies that are moved here, by ISO 4217.
var digits = map[string]int{"EUR": 2, "JPY": 0, "KWD": 3}

// plain writes minor units with the decimals of a currency.
func plain(minor *big.Int, code string) string {
	decimals := digits[code]
	text := minor.String()
	if decimals == 0 {
		return text
	}
	text = strings.Repeat("0", max(0, decimals+1-len(text))) + text
	return text[:len(text)-decimals] + "." + text[len(text)-decimals:]
}

// TestMovedIsTheDifference settles random bets under two states: what moves is, currency by
// currency, by how much each payout differs, added up in numbers of any size. In parts, and
// read from its JSON, it is the same.
func TestMovedIsTheDifference(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 32))
	codes := []string{"EUR", "JPY", "KWD"}
	for n := range 300 {
		var whole settlement.Moved
		parts := make([]settlement.Moved, 3)
		want := map[string]*big.Int{}
		for range random.IntN(20) {
			b, before := world(t, random.Uint64N(5000))
			_, after := world(t, random.Uint64N(5000))
			old, err := settlement.Settle(b, before)
			if err != nil {
				t.Fatal(err)
			}
			now, err := settlement.Settle(b, after)
			if err != nil {
				t.Fatal(err)
			}
			code := codes[random.IntN(len(codes))]
			by := max(now.Payout, old.Payout) - min(now.Payout, old.Payout)
			if want[code] == nil {
				want[code] = new(big.Int)
			}
			want[code].Add(want[code], new(big.Int).Abs(new(big.Int).Sub(big.NewInt(int64(now.Payout)), big.NewInt(int64(old.Payout)))))
			whole.Add(currency(t, code), by)
			parts[random.IntN(len(parts))].Add(currency(t, code), by)
		}
		var texts []string
		for _, code := range codes {
			if sum := want[code]; sum != nil {
				texts = append(texts, code+" "+plain(sum, code))
			}
		}
		expected := strings.Join(texts, ", ")
		if got := whole.String(); got != expected {
			t.Fatalf("%d: %s is moved, want %s", n, got, expected)
		}
		var merged settlement.Moved
		for _, part := range parts {
			merged.Merge(part)
		}
		text, err := json.Marshal(whole)
		var read settlement.Moved
		if err != nil || json.Unmarshal(text, &read) != nil {
			t.Fatalf("%s can't be written or read: %v", text, err)
		}
		if merged.String() != expected || read.String() != expected {
			t.Fatalf("%d: %s in parts, %s from %s; want %s", n, merged, read, text, expected)
		}
	}
}

// TestGainsDoNotMakeUp: ten for one bet and ten from another are twenty; a hundred payouts
// of the largest size are more than 64 bits hold.
func TestGainsDoNotMakeUp(t *testing.T) {
	var moved settlement.Moved
	if moved.String() != "" || (settlement.Limits{currency(t, "EUR"): 0}).Exceeded(moved) {
		t.Errorf("nothing is moved, and it is %q and above a limit of 0.00", moved)
	}
	moved.Merge(nil)
	if moved != nil {
		t.Errorf("nothing and nothing is %v, want nil", moved)
	}
	moved.Add(currency(t, "EUR"), 1000)
	moved.Add(currency(t, "EUR"), 1000)
	if got := moved.String(); got != "EUR 20.00" {
		t.Errorf("%s is moved, want EUR 20.00", got)
	}
	for range 100 {
		moved.Add(currency(t, "JPY"), math.MaxInt64)
	}
	want := "EUR 20.00, JPY " + new(big.Int).Mul(big.NewInt(math.MaxInt64), big.NewInt(100)).String()
	if got := moved.String(); got != want {
		t.Errorf("%s is moved, want %s", got, want)
	}
	if !(settlement.Limits{currency(t, "JPY"): math.MaxInt64}).Exceeded(moved) {
		t.Errorf("%s is not above JPY %d, want it to be", moved, math.MaxInt64)
	}
}

// TestLimits: a correction may move as much as the limit, and one unit more is held;
// a currency without a limit may move anything.
func TestLimits(t *testing.T) {
	limits, err := settlement.ParseLimits("EUR=100.00,JPY=5")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		moved    map[string]money.Amount
		exceeded bool
	}{
		{nil, false}, {map[string]money.Amount{"EUR": 10000}, false}, {map[string]money.Amount{"EUR": 10001}, true},
		{map[string]money.Amount{"JPY": 5, "EUR": 9999}, false}, {map[string]money.Amount{"JPY": 6, "EUR": 1}, true},
		{map[string]money.Amount{"KWD": math.MaxInt64}, false},
	} {
		var moved settlement.Moved
		for code, amount := range c.moved {
			moved.Add(currency(t, code), amount)
		}
		t.Run(moved.String(), func(t *testing.T) {
			if limits.Exceeded(moved) != c.exceeded {
				t.Errorf("moving %s exceeds EUR 100.00 and JPY 5: %t, want %t", moved, !c.exceeded, c.exceeded)
			}
			if settlement.Limits(nil).Exceeded(moved) {
				t.Errorf("moving %s exceeds no limit, want never", moved)
			}
		})
	}
}

// TestLimitsAreRead: each currency once, with its decimals; DEM is no more.
func TestLimitsAreRead(t *testing.T) {
	if limits, err := settlement.ParseLimits(""); limits != nil || err != nil {
		t.Errorf("an empty text is %v, %v; want no limits", limits, err)
	}
	limits, err := settlement.ParseLimits("KWD=1.500,JPY=1000000,EUR=0.00")
	want := map[string]money.Amount{"KWD": 1500, "JPY": 1000000, "EUR": 0}
	for code, amount := range want {
		t.Run(code, func(t *testing.T) {
			if got, set := limits[currency(t, code)]; !set || got != amount {
				t.Errorf("the limit in %s is %d, %t; want %d", code, got, set, amount)
			}
		})
	}
	if err != nil || len(limits) != len(want) {
		t.Errorf("%d limits, %v; want %d", len(limits), err, len(want))
	}
	wrong := []string{"EUR", "EUR=", "=1.00", "EUR=1", "EUR=1.0", "JPY=1.00", "EUR=-1.00", "eur=1.00", "EUR=1.00,", "EUR=1.00;JPY=5", "DEM=1.00", "EUR=1.00,EUR=1.00"}
	for _, text := range slices.Sorted(slices.Values(wrong)) {
		t.Run(text, func(t *testing.T) {
			if limits, err := settlement.ParseLimits(text); err == nil {
				t.Errorf("%q is read as %v, want an error", text, limits)
			}
		})
	}
}
