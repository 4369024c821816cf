package money_test

import (
	"fmt"
	"strings"
	"testing"

	"tally/lib/rulebook/money"
)

// active are the codes of ISO 4217 list one as of 2026-01-01 by their exponent:
// the euro has replaced the lev (BGN), the Caribbean guilder (XCG) the
// Antillean one.
var active = map[int]string{
	0: `BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF`,
	2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF
		CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL
		HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU
		MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR
		SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED
		VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
	3: `BHD IQD JOD KWD LYD OMR TND`,
	4: `CLF UYW`,
}

// withdrawn are codes that list one of ISO 4217 had until lately.
var withdrawn = map[int]string{2: `ANG BGN CUC HRK SLL ZWL`}

// TestCurrencies tries every code of three capitals: a new bet may be in those that are
// active, and those that once were are read for ever.
func TestCurrencies(t *testing.T) {
	exponents := map[string]int{}
	for exponent, codes := range active {
		for _, code := range strings.Fields(codes) {
			exponents[code] = exponent
		}
	}
	for i := range 26 * 26 * 26 {
		code := string([]byte{byte('A' + i/676), byte('A' + i/26%26), byte('A' + i%26)})
		exponent, isActive := exponents[code]
		if _, ok := money.ParseActive(code); ok != isActive {
			t.Errorf("%s: active is %t, want %t", code, ok, isActive)
		}
		c, ok := money.ParseCurrency(code)
		if isActive && (c.Code() != code || c.Digits() != exponent) {
			t.Errorf("%s reads as %s with %d decimals, want %d", code, c.Code(), c.Digits(), exponent)
		}
		if once := strings.Contains(withdrawn[2], code); ok != (isActive || once) || once && c.Digits() != 2 {
			t.Errorf("%s is read: %t, with %d decimals", code, ok, c.Digits())
		}
	}
}

func TestNoCurrency(t *testing.T) {
	for _, code := range []string{
		"DEM", "VEF", // were gone before tally took bets
		"XAU", "XAG", "XDR", "XSU", "XUA", "XTS", "XXX", // without a minor unit
		"", "EU", "EURO", "eur", "Eur", " EUR", "EUR ", "978", "€", "\xff\xfe\xfd", strings.Repeat("E", 1<<16),
	} {
		t.Run(fmt.Sprintf("%.40q", code), func(t *testing.T) {
			if c, ok := money.ParseCurrency(code); ok {
				t.Errorf("%.10q is read as %s", code, c.Code())
			}
		})
	}
}

func TestCurrenciesAreOrderedByCode(t *testing.T) {
	eur, usd := currency(t, "EUR"), currency(t, "USD")
	if eur.Compare(usd) >= 0 || usd.Compare(eur) <= 0 || eur.Compare(eur) != 0 {
		t.Error("EUR does not come before USD")
	}
}

func currency(t testing.TB, code string) money.Currency {
	t.Helper()
	c, ok := money.ParseCurrency(code)
	if !ok {
		t.Fatalf("no currency %s", code)
	}
	return c
}
