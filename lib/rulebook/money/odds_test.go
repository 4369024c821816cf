package money_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/money"
)

func TestParseOdds(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		text        | written
		1           | 1.00
		1.0         | 1.00
		1.00        | 1.00
		1.0001      | 1.0001
		1.5         | 1.50
		1.95        | 1.95
		2.00        | 2.00
		2.5         | 2.50
		2.050       | 2.05
		2.005       | 2.005
		21          | 21.00
		100000      | 100000.00
		100000.0000 | 100000.00
		99999.9999  | 99999.9999
		100000.0001 | none
		100001      | none
		1000000     | none
		0           | none
		0.99        | none
		0.5         | none
		00          | none
		01.5        | none
		.5          | none
		1.          | none
		1.00000     | none
		1.0.0       | none
		1..0        | none
		-1.5        | none
		+1.5        | none
		1,5         | none
		1e1         | none
		0x2         | none
		1_0         | none
		7/2         | none
		NaN         | none
		Inf         | none
		evens       | none
		٢           | none
		            | none
	`) {
		t.Run(row[0], func(t *testing.T) {
			odds, err := money.ParseOdds(row[0])
			if got := written(odds, err); got != row[1] {
				t.Errorf("%q: %s, want %s", row[0], got, row[1])
			}
			if fromBytes, bytesErr := money.ParseOdds([]byte(row[0])); fromBytes != odds || bytesErr != err {
				t.Errorf("%q: %v, %v from bytes", row[0], fromBytes, bytesErr)
			}
		})
	}
	for _, text := range []string{" 1.5", "1.5 ", "1.5\n", "1.5\x00", "100000.00000000000000000"} {
		t.Run(text, func(t *testing.T) {
			if odds, err := money.ParseOdds(text); err == nil {
				t.Errorf("%q is read as %v", text, odds)
			}
		})
	}
}

func written(odds money.Odds, err error) string {
	if errors.Is(err, money.ErrOdds) {
		return "none"
	}
	return odds.String()
}

func TestToOne(t *testing.T) {
	for toOne, want := range map[int]string{1: "2.00", 2: "3.00", 5: "6.00", 8: "9.00", 11: "12.00", 17: "18.00", 35: "36.00"} {
		t.Run(fmt.Sprint(toOne), func(t *testing.T) {
			if got := money.ToOne(toOne).String(); got != want {
				t.Errorf("%d to 1 is %s, want %s", toOne, got, want)
			}
		})
	}
}

// FuzzParseOdds compares the parser with the format as the contract gives it.
func FuzzParseOdds(f *testing.F) {
	form := regexp.MustCompile(`^[1-9][0-9]*(\.[0-9]{1,4})?$`)
	for _, text := range []string{"1", "1.95", "100000", "100000.0001", "0.5", "1.", "1.00000", "99999999999999999999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		odds, err := money.ParseOdds(text)
		value, isNumber := new(big.Rat).SetString(text)
		valid := form.MatchString(text) && isNumber && value.Cmp(big.NewRat(100_000, 1)) <= 0
		if valid != (err == nil) {
			t.Fatalf("%q: %v, %v, want valid = %v", text, odds, err, (err == nil))
		}
		if err != nil {
			return
		}
		if value.Cmp(big.NewRat(int64(odds), 10_000)) != 0 {
			t.Fatalf("%q is read as %d ten-thousandths", text, odds)
		}
		if back, err := money.ParseOdds(odds.String()); back != odds || err != nil {
			t.Fatalf("%q is written %v, which reads as %v, %v", text, odds, back, err)
		}
	})
}

func TestRoundingNames(t *testing.T) {
	for name, mode := range map[string]money.Rounding{"half_up": money.HalfUp, "half_even": money.HalfEven, "down": money.Down} {
		t.Run(name, func(t *testing.T) {
			if got, ok := money.ParseRounding(name); got != mode || !ok || mode.String() != name {
				t.Errorf("%s reads as %v, %t", name, got, ok)
			}
		})
	}
	var byDefault money.Rounding
	if byDefault.String() != "half_up" {
		t.Errorf("the default is %v", byDefault)
	}
	for _, name := range []string{"", "up", "HALF_UP", "half-up", "half_up ", "bankers"} {
		t.Run(name, func(t *testing.T) {
			if mode, ok := money.ParseRounding(name); ok {
				t.Errorf("%q is read as %v", name, mode)
			}
		})
	}
}

func TestPayout(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		stake               | odds        | half_up             | half_even           | down
		1000                | 1.95        | 1950                | 1950                | 1950
		1                   | 1.95        | 2                   | 2                   | 1
		3                   | 1.95        | 6                   | 6                   | 5
		1                   | 1.5         | 2                   | 2                   | 1
		3                   | 1.5         | 5                   | 4                   | 4
		1                   | 2.5         | 3                   | 2                   | 2
		1                   | 1.4999      | 1                   | 1                   | 1
		1                   | 1.5001      | 2                   | 2                   | 1
		5000                | 1.0001      | 5001                | 5000                | 5000
		15000               | 1.0001      | 15002               | 15002               | 15001
		7                   | 1           | 7                   | 7                   | 7
		0                   | 100000      | 0                   | 0                   | 0
		1000000000000       | 100000      | 100000000000000000  | 100000000000000000  | 100000000000000000
		9223372036854775807 | 1           | 9223372036854775807 | 9223372036854775807 | 9223372036854775807
		9223372036854775807 | 1.0001      | overflow            | overflow            | overflow
		92233720368547      | 100000      | 9223372036854700000 | 9223372036854700000 | 9223372036854700000
		92233720368548      | 100000      | overflow            | overflow            | overflow
		9222449791875588249 | 2.0002      | overflow            | overflow            | overflow
		9223372036854775807 | 100000      | overflow            | overflow            | overflow
		6148914691236517205 | 1.5         | overflow            | overflow            | 9223372036854775807
		-1                  | 2           | overflow            | overflow            | overflow
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			stake, err := strconv.ParseInt(row[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			odds, err := money.ParseOdds(row[1])
			if err != nil {
				t.Fatal(err)
			}
			for i, mode := range []money.Rounding{money.HalfUp, money.HalfEven, money.Down} {
				if got := parsed(money.Payout(money.Amount(stake), odds, mode)); got != row[2+i] {
					t.Errorf("%d × %s, %v: %s, want %s", stake, row[1], mode, got, row[2+i])
				}
			}
		})
	}
}

// exactPayout rounds stake × odds with math/big; ok is false when it is no amount.
func exactPayout(stake money.Amount, odds money.Odds, mode money.Rounding) (payout int64, ok bool) {
	product := new(big.Int).Mul(big.NewInt(int64(stake)), big.NewInt(int64(odds)))
	whole, part := new(big.Int).QuoRem(product, big.NewInt(10_000), new(big.Int))
	half := part.Cmp(big.NewInt(5_000))
	up := mode == money.HalfUp && half >= 0 || mode == money.HalfEven && (half > 0 || half == 0 && whole.Bit(0) == 1)
	if up {
		whole.Add(whole, big.NewInt(1))
	}
	return whole.Int64(), whole.IsInt64()
}

func checkPayout(t *testing.T, stake money.Amount, odds money.Odds) {
	t.Helper()
	for _, mode := range []money.Rounding{money.HalfUp, money.HalfEven, money.Down} {
		want, ok := exactPayout(stake, odds, mode)
		got, err := money.Payout(stake, odds, mode)
		if ok != (err == nil) || ok && int64(got) != want {
			t.Fatalf("%d × %v, %v: %d, %v; want %d, %t", stake, odds, mode, got, err, want, ok)
		}
	}
}

// TestPayoutAgainstBig tries random stakes and odds of all sizes, those around
// the largest amount, and those around the end of 64 bits.
func TestPayoutAgainstBig(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	edges := []money.Amount{0, 1, 2, 4_999, 5_000, 5_001, 9_999, 10_000, money.MaxStake, math.MaxInt64 / 2, math.MaxInt64}
	multiples := []money.Odds{money.Even, money.Even + 1, 15_000, 19_500, 20_002, money.MaxOdds - 1, money.MaxOdds}
	for _, stake := range edges {
		for _, odds := range multiples {
			checkPayout(t, stake, odds)
		}
	}
	for range 20_000 {
		odds := money.Even + money.Odds(random.Uint64N(uint64(money.MaxOdds-money.Even)+1)>>random.IntN(30))
		checkPayout(t, money.Amount(random.Uint64()>>(1+random.IntN(60))), odds)
		for _, bits := range []uint{63, 64} {
			limit := new(big.Int).Lsh(big.NewInt(10_000), bits)
			edge := limit.Quo(limit, big.NewInt(int64(odds)))
			if edge.IsInt64() {
				for stake := edge.Int64() - 1; stake <= edge.Int64() && stake >= 0; stake++ {
					checkPayout(t, money.Amount(stake), odds)
				}
			}
		}
	}
}

func FuzzPayout(f *testing.F) {
	f.Add(int64(1), uint32(19_500))
	f.Add(int64(9222449791875588249), uint32(20_002))
	f.Add(int64(math.MaxInt64), uint32(math.MaxUint32))
	f.Fuzz(func(t *testing.T, stake int64, odds uint32) {
		if stake < 0 {
			stake = ^stake
		}
		checkPayout(t, money.Amount(stake), money.Odds(odds))
	})
}

func TestMoneyTakesNoMemory(t *testing.T) {
	eur, buffer := currency(t, "EUR"), make([]byte, 0, 64)
	stake, odds := []byte("10.00"), []byte("1.95")
	allocs := testing.AllocsPerRun(100, func() {
		amount, _ := money.ParseStake(stake, eur)
		o, _ := money.ParseOdds(odds)
		payout, _ := money.Payout(amount, o, money.HalfUp)
		buffer = money.AppendAmount(buffer[:0], payout, eur)
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
