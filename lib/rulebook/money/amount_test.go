package money_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/money"
)

func TestParseAmount(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		currency | text                      | minor units
		EUR      | 10.00                     | 1000
		EUR      | 0.00                      | 0
		EUR      | 0.01                      | 1
		EUR      | 92233720368547758.07      | 9223372036854775807
		EUR      | 92233720368547758.08      | overflow
		EUR      | 100000000000000000000.00  | overflow
		EUR      | 10                        | form
		EUR      | 10.0                      | form
		EUR      | 10.000                    | form
		EUR      | 10,00                     | form
		EUR      | .00                       | form
		EUR      | .10                       | form
		EUR      | 10.                       | form
		EUR      | 00.10                     | form
		EUR      | 01.00                     | form
		EUR      | -1.00                     | form
		EUR      | +1.00                     | form
		EUR      | 1 000.00                  | form
		EUR      | 1_000.00                  | form
		EUR      | 1.0.0                     | form
		EUR      | 1e3.00                    | form
		EUR      | 1.e3                      | form
		EUR      | ١.٠٠                      | form
		EUR      |                           | form
		JPY      | 10                        | 10
		JPY      | 0                         | 0
		JPY      | 9223372036854775807       | 9223372036854775807
		JPY      | 9223372036854775808       | overflow
		JPY      | 10.0                      | form
		JPY      | 10.00                     | form
		JPY      | 10.                       | form
		JPY      | 00                        | form
		JPY      | -0                        | form
		JPY      |                           | form
		KWD      | 10.000                    | 10000
		KWD      | 10.00                     | form
		KWD      | 10.0000                   | form
		CLF      | 0.0001                    | 1
		CLF      | 0.001                     | form
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			c, text, want := currency(t, row[0]), row[1], row[2]
			amount, err := money.ParseAmount(text, c)
			if got := parsed(amount, err); got != want {
				t.Errorf("%s %q: %s, want %s", row[0], text, got, want)
			}
			if fromBytes, bytesErr := money.ParseAmount([]byte(text), c); fromBytes != amount || bytesErr != err {
				t.Errorf("%s %q: %d, %v from bytes", row[0], text, fromBytes, bytesErr)
			}
			if err == nil {
				if back := string(money.AppendAmount(nil, amount, c)); back != text {
					t.Errorf("%s %q is written %q", row[0], text, back)
				}
			}
		})
	}
	for _, text := range []string{" 10.00", "10.00 ", "10.00\n", "\x0010.00", strings.Repeat("9", 1<<16) + ".00"} {
		t.Run(fmt.Sprintf("%.40q", text), func(t *testing.T) {
			if amount, err := money.ParseAmount(text, currency(t, "EUR")); err == nil {
				t.Errorf("%.12q is read as %d", text, amount)
			}
		})
	}
}

func parsed(amount money.Amount, err error) string {
	switch {
	case errors.Is(err, money.ErrForm):
		return "form"
	case errors.Is(err, money.ErrOverflow):
		return "overflow"
	case errors.Is(err, money.ErrStake):
		return "stake"
	case err != nil:
		return err.Error()
	}
	return strconv.FormatInt(int64(amount), 10)
}

func TestParseStake(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		currency | text             | minor units
		EUR      | 0.01             | 1
		EUR      | 0.00             | stake
		EUR      | 10000000000.00   | 1000000000000
		EUR      | 10000000000.01   | stake
		EUR      | 10               | form
		JPY      | 1                | 1
		JPY      | 0                | stake
		JPY      | 1000000000000    | 1000000000000
		JPY      | 1000000000001    | stake
		KWD      | 1000000000.000   | 1000000000000
		KWD      | 1000000000.001   | stake
		UYW      | 100000000.0000   | 1000000000000
		UYW      | 100000000.0001   | stake
		JPY      | 99999999999999999999 | overflow
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			amount, err := money.ParseStake(row[1], currency(t, row[0]))
			if got := parsed(amount, err); got != row[2] {
				t.Errorf("%s %q: %s, want %s", row[0], row[1], got, row[2])
			}
		})
	}
}

func TestAppendAmount(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		currency | minor units          | text
		EUR      | 0                    | 0.00
		EUR      | 5                    | 0.05
		EUR      | 50                   | 0.50
		EUR      | 1234567              | 12345.67
		EUR      | -5                   | -0.05
		EUR      | -9223372036854775808 | -92233720368547758.08
		JPY      | 0                    | 0
		JPY      | -10                  | -10
		KWD      | 7                    | 0.007
		CLF      | 12345                | 1.2345
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			n, err := strconv.ParseInt(row[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(money.AppendAmount([]byte("x"), money.Amount(n), currency(t, row[0]))); got != "x"+row[2] {
				t.Errorf("%s %d: %s, want x%s", row[0], n, got, row[2])
			}
		})
	}
}

// TestSum adds random amounts, large ones too, beside math/big.
func TestSum(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	eur, jpy := currency(t, "EUR"), currency(t, "JPY")
	for range 200 {
		var sum money.Sum
		want := new(big.Int)
		for range 1 + random.IntN(40) {
			amount := money.Amount(random.Uint64() >> (1 + random.IntN(63)))
			sum.Add(amount)
			want.Add(want, big.NewInt(int64(amount)))
		}
		if got := string(sum.AppendTo(nil, jpy)); got != want.String() {
			t.Fatalf("the sum is %s, want %v", got, want)
		}
		if got, plain := string(sum.AppendTo(nil, eur)), cents(want); got != plain {
			t.Fatalf("the sum is %s, want %s", got, plain)
		}
		amount, err := sum.Amount()
		if want.IsInt64() != (err == nil) || err == nil && int64(amount) != want.Int64() {
			t.Fatalf("the sum %v as an amount is %d, %v", want, amount, err)
		}
	}
}

// cents writes a number of cents the slow way.
func cents(n *big.Int) string {
	text := n.String()
	if len(text) < 3 {
		text = strings.Repeat("0", 3-len(text)) + text
	}
	return text[:len(text)-2] + "." + text[len(text)-2:]
}

func TestSumAtItsEdges(t *testing.T) {
	var sum money.Sum
	sum.Add(math.MaxInt64)
	if amount, err := sum.Amount(); amount != math.MaxInt64 || err != nil {
		t.Errorf("the largest amount is %d, %v", amount, err)
	}
	sum.Add(1)
	if _, err := sum.Amount(); !errors.Is(err, money.ErrOverflow) {
		t.Errorf("one more than the largest amount: %v", err)
	}
	if got := string(sum.AppendTo(nil, currency(t, "JPY"))); got != "9223372036854775808" {
		t.Errorf("one more than the largest amount is written %s", got)
	}
}

// FuzzParseAmount compares the parser with the format as a regular expression.
func FuzzParseAmount(f *testing.F) {
	for _, text := range []string{"10.00", "10", "10.000", "0.0001", "-1.00", "01.00", "92233720368547758.07", "1.", ".5", "", "1e5"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for code, decimals := range map[string]int{"JPY": 0, "EUR": 2, "KWD": 3, "CLF": 4} {
			form := regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]{` + strconv.Itoa(decimals) + `})$`)
			if decimals == 0 {
				form = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)
			}
			c := currency(t, code)
			amount, err := money.ParseAmount(text, c)
			matches := form.MatchString(text)
			if errors.Is(err, money.ErrForm) && matches || err == nil && !matches {
				t.Fatalf("%s %q: %d, %v", code, text, amount, err)
			}
			if err == nil && string(money.AppendAmount(nil, amount, c)) != text {
				t.Fatalf("%s %q is written %s", code, text, money.AppendAmount(nil, amount, c))
			}
			if stake, err := money.ParseStake(text, c); err == nil && (stake < 1 || stake > 1e12) {
				t.Fatalf("%s %q is a stake of %d", code, text, stake)
			}
		}
	})
}

func TestStakeForm(t *testing.T) {
	for code, want := range map[string]string{
		"EUR": "write a decimal with exactly 2 decimals, from 0.01 to 10000000000.00",
		"JPY": "write a decimal with exactly 0 decimals, from 1 to 1000000000000",
		"BHD": "write a decimal with exactly 3 decimals, from 0.001 to 1000000000.000",
	} {
		t.Run(code, func(t *testing.T) {
			currency, known := money.ParseCurrency(code)
			if got := money.StakeForm(currency); !known || got != want {
				t.Errorf("%s: %s, want known and %v", code, got, want)
			}
		})
	}
}
