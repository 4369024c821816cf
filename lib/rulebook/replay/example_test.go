package replay_test

import (
	"fmt"
	"os"
	"strings"

	"tally/lib/rulebook/replay"
)

func ExampleStream() {
	lines := strings.NewReader(`{"game":"war","facts":{"player":"KS","dealer":"AD"},"bets":[{"bet":"b1","selection":"dealer","odds":"1.95","stake":"10.00","currency":"EUR"}]}` + "\n")
	settler := func() replay.Responder { return new(replay.Settler) }
	if err := replay.Stream(os.Stdout, lines, 1, settler, nil); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"status":"resolved","game":"war","outcome":{"winner":"dealer"},"settlements":[{"bet":"b1","status":"won","payout":"19.50","rule":"WAR-2.3.1"}],"totals":{"EUR":{"bets":1,"stake":"10.00","payout":"19.50","won":1,"lost":0,"refunded":0}}}
}

func ExampleResolver() {
	var resolver replay.Resolver
	fmt.Println(string(resolver.Respond(nil, []byte(`{"game":"dice","facts":{"rolls":[{"dice":[1,2,3,4,7]}]}}`))))
	// Output:
	// {"status":"invalid","game":"dice","errors":[{"code":"unknown_face","rule":"DICE-2.2","message":"roll 1: die 5 shows 7; faces are 1 to 6"}]}
}
