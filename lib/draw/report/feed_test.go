package report_test

import (
	"encoding/json"
	"testing"

	"tally/lib/draw/report"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
)

func currency(t *testing.T, code string) money.Currency {
	t.Helper()
	c, known := money.ParseCurrency(code)
	if !known {
		t.Fatalf("%s is no currency, want one", code)
	}
	return c
}

// TestFeedEntry: a report of two shards, of one and of two pages, that replaces another. It
// counts its lines, links each page once, and has money in the currency's decimals.
func TestFeedEntry(t *testing.T) {
	var now, before settlement.Totals
	now.In(currency(t, "KWD")).Add(1500, settlement.BetResult{Result: rules.Lost})
	now.In(currency(t, "EUR")).Add(1000, settlement.BetResult{Result: rules.Won, Payout: 1950})
	before.In(currency(t, "EUR")).Add(1000, settlement.BetResult{Result: rules.Refunded, Payout: 1000})
	entry := report.Entry{Sequence: 7, Draw: "war-t1-9", Game: "war", State: 3, Replaces: 2, Totals: now, Before: before,
		Shards: []report.Shard{{Shard: 0, Pages: 1, Lines: 12}, {Shard: 4, Pages: 2, Lines: 1001}}, At: 1_700_000_000_123}
	const want = `{"sequence":7,"draw":"war-t1-9","game":"war","state":3,"replaces":2,"at":"2023-11-14T22:13:20.123Z","lines":1013,` +
		`"totals":[{"currency":"EUR","bets":1,"stake":"10.00","payout":"19.50","won":1,"lost":0,"refunded":0},` +
		`{"currency":"KWD","bets":1,"stake":"1.500","payout":"0.000","won":0,"lost":1,"refunded":0}],` +
		`"before":[{"currency":"EUR","bets":1,"stake":"10.00","payout":"10.00","won":0,"lost":0,"refunded":1}],` +
		`"pages":[{"shard":0,"page":1,"href":"/v1/draws/war-t1-9/reports/3/0/1"},{"shard":4,"page":1,"href":"/v1/draws/war-t1-9/reports/3/4/1"},` +
		`{"shard":4,"page":2,"href":"/v1/draws/war-t1-9/reports/3/4/2"}]}`
	got, err := json.Marshal(report.FeedEntryOf(entry))
	if err != nil || string(got) != want {
		t.Errorf("the entry is %s, %v; want %s", got, err, want)
	}
	got, err = json.Marshal(report.FeedEntryOf(report.Entry{Sequence: 1, Draw: "war-t1-1", Game: "war", State: 1}))
	if empty := `{"sequence":1,"draw":"war-t1-1","game":"war","state":1,"at":"1970-01-01T00:00:00.000Z","lines":0,"totals":[],"pages":[]}`; err != nil || string(got) != empty {
		t.Errorf("a report without bets is %s, %v; want %s", got, err, empty)
	}
}

// TestLine: a line has the bet's stake and what is paid, in the decimals of its currency.
func TestLine(t *testing.T) {
	bet := &settlement.Bet{Reference: "b-1", Wager: "double:1:1", Stake: 1500, Currency: currency(t, "KWD")}
	got := report.LineOf(bet, settlement.BetResult{Result: rules.Refunded, Payout: 1500, Reason: "late_bet", Rule: "BJ-2.1.3"}, 4, 3)
	want := report.Line{Bet: "b-1", Wager: "double:1:1", Status: "refunded", Stake: "1.500", Payout: "1.500", Currency: "KWD",
		Reason: "late_bet", Rule: "BJ-2.1.3", State: 4, Replaces: 3}
	if got != want {
		t.Errorf("the line is %+v, want %+v", got, want)
	}
}
