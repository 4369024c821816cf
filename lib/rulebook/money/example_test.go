package money_test

import (
	"fmt"

	"tally/lib/rulebook/money"
)

func ExamplePayout() {
	euro, _ := money.ParseActive("EUR")
	stake, err := money.ParseStake("1.10", euro)
	if err != nil {
		fmt.Println(err)
		return
	}
	odds, err := money.ParseOdds("1.95")
	if err != nil {
		fmt.Println(err)
		return
	}
	// 1.10 × 1.95 is 2.145 exactly: a half, which each rounding takes its way.
	for _, name := range []string{"half_up", "half_even", "down"} {
		mode, _ := money.ParseRounding(name)
		payout, err := money.Payout(stake, odds, mode)
		fmt.Println(name, string(money.AppendAmount(nil, payout, euro)), err)
	}
	// Output:
	// half_up 2.15 <nil>
	// half_even 2.14 <nil>
	// down 2.14 <nil>
}
