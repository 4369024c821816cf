package exploration

import (
	"flag"
	"testing"
)

var large = flag.Bool("large", false, "go through the large scopes, which take some minutes, instead of the small ones")

// The requests of the scopes. What is stored before makes its bookmaker known to the
// registry.
var (
	stored = op{bookmaker: "acme", reference: "0", selection: "red"}
	bet    = op{bookmaker: "acme", reference: "a", selection: "red"}
	second = op{bookmaker: "acme", reference: "b", selection: "red"}
	first  = op{bookmaker: "borealis", reference: "c", selection: "red"} // of its bookmaker
	cancel = op{bookmaker: "acme", reference: "a"}
	seat   = op{bookmaker: "acme", reference: "a", selection: "seat:1"}
	wager  = op{bookmaker: "acme", reference: "a", selection: "double:1:1", wager: true}
)

// each is an API process for each request.
func each(ops ...op) (list []process) {
	for i, o := range ops {
		list = append(list, process{[]string{"p1", "p2", "p3", "p4"}[i], inTime, []op{o}})
	}
	return list
}

// late are processes whose clock is after the result.
func late(list []process) []process {
	for i := range list {
		list[i].clock = tooLate
	}
	return list
}

// small are gone through in each test.
var small = []scope{
	{name: "a first bet, settled at any time, with crashes", before: []op{stored}, processes: each(first), revisions: 1, workers: 1, waiting: []string{run}, budget: budget{writers: 1, workers: 1}},
	{name: "a bet and its retry, a put that is lost, crashes", before: []op{stored}, processes: each(bet, bet), revisions: 1, workers: 1, budget: budget{writers: 1, workers: 1, lost: 1}},
	{name: "a bet and its retry, a put that is lost, a correction", before: []op{stored}, processes: each(bet, bet), revisions: 2, workers: 1, budget: budget{lost: 1}},
	{name: "a bet and a first bet, crashes", before: []op{stored}, processes: each(bet, first), revisions: 1, workers: 1, budget: budget{writers: 1, workers: 1}},
	{name: "late clocks, crashes", before: []op{stored}, processes: late(each(bet, first)), revisions: 1, workers: 1, budget: budget{writers: 1}},
	{name: "a cancellation and its retry, crashes", before: []op{bet}, processes: each(cancel, cancel), revisions: 1, workers: 1, budget: budget{writers: 1, workers: 1, lost: 1}},
	{name: "a cancellation, a correction, a crash", before: []op{bet}, processes: each(cancel), revisions: 2, workers: 1, budget: budget{workers: 1}},
	{name: "a bet that is cancelled by the process that took it", before: []op{stored}, processes: []process{{"p1", inTime, []op{bet, cancel}}}, revisions: 1, workers: 1, budget: budget{writers: 1, workers: 1}},
	{name: "a side wager, a correction", blackjack: true, before: []op{seat}, processes: each(wager), revisions: 2, workers: 1, budget: budget{writers: 1}},
	{name: "a side wager and a cancellation", blackjack: true, before: []op{seat}, processes: each(wager, cancel), revisions: 1, workers: 1, budget: budget{writers: 1}},
	{name: "a bet, two tries", before: []op{stored}, processes: each(bet), revisions: 1, workers: 2, budget: budget{twice: 1}},
	{name: "a first bet, two tries", processes: each(first), revisions: 1, workers: 2, budget: budget{twice: 1}},
	{name: "a bet and a first bet, a correction, crashes", before: []op{stored}, processes: each(bet, first), settled: true, revisions: 2, workers: 1, budget: budget{writers: 1, workers: 1}},
	{name: "a bet, a request that fails", before: []op{stored}, processes: each(bet), revisions: 1, workers: 1, budget: budget{faults: 1}},
	{name: "a bet, transactions that become visible item by item", before: []op{stored}, processes: each(bet), revisions: 2, workers: 1, torn: true},
	{name: "a first bet, queries of the draw item by item", before: []op{stored}, processes: each(first), revisions: 2, workers: 1, items: true},
}

// vast are the large ones. Not among them, since they did not come to an end, are two tries with two
// bets, with a first bet and a correction; and a first bet beside a bet with a correction and crashes.
var vast = []scope{
	{name: "F3 a bet and its retry, a put that is lost, a correction, crashes", before: []op{stored}, processes: each(bet, bet), revisions: 2, workers: 1, budget: budget{writers: 1, workers: 1, lost: 1}},
	{name: "F4 a cancellation and a side wager, a correction, crashes", blackjack: true, before: []op{seat}, processes: each(cancel, wager), revisions: 2, workers: 1, budget: budget{writers: 1, workers: 1}},
	{name: "F5 a bet, a cancellation, a retry of that, crashes", processes: each(bet, cancel, cancel), revisions: 1, workers: 1, budget: budget{writers: 1, workers: 1}},
	{name: "F7 a bet, two tries, a correction", before: []op{stored}, processes: each(bet), revisions: 2, workers: 2},
	{name: "G1 a cancellation, two tries, a correction", before: []op{bet}, processes: each(cancel), revisions: 2, workers: 2},
	{name: "G3 a bet, two tries of a correction", before: []op{stored}, processes: each(bet), settled: true, revisions: 2, workers: 2, budget: budget{twice: 1}},
	{name: "H1 a bet, two tries, torn transactions", before: []op{stored}, processes: each(bet), revisions: 1, workers: 2, torn: true, budget: budget{twice: 1}},
	{name: "H2 a bet, a correction, a request that fails", before: []op{stored}, processes: each(bet), revisions: 2, workers: 1, budget: budget{faults: 1}},
}

// Each scope is gone through to its end, and all is as it should be everywhere.
func TestScopes(t *testing.T) {
	scopes := small
	switch {
	case *large:
		scopes = vast
	case testing.Short():
		scopes = small[:3]
	}
	for _, s := range scopes {
		if *large {
			s.most = 40_000_000
		}
		explored(t, s)
	}
}
