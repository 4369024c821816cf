package odds_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tally/lib/draw/odds"
	"tally/lib/draw/wire"
)

// message is one with a board.
func message(t *testing.T, game string, round int, rest string) *wire.Message {
	t.Helper()
	m, _, faults := wire.Parse(fmt.Appendf(nil, `{"schema":1,"id":"m","type":"betting.opened","game":%q,"table":"t","draw":"d","at":"2026-11-30T12:00:00.000Z",`+
		`"round":%d,"opens_at":"2026-11-30T12:00:00.000Z","closes_at":"2026-11-30T12:00:30.000Z",%s}`, game, round, rest))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return m
}

const war = `"odds":{"player":"2.08","war":"12.60","dealer":"2.08"}`

// What looks like a mistake is named, once, and nothing else is.
func TestWarnings(t *testing.T) {
	for _, row := range []struct {
		name, game string
		round      int
		rest, last string
		want       []string
	}{
		{"a right board", "war", 1, war, war, nil},
		// Of 311 cards 144 lose to the Player's: odds of 311/144 = 2.1597 are fair.
		{"fair to the last ways", "war", 1, `"odds":{"player":"2.1597","war":"12.60","dealer":"2.08"}`, "", nil},
		{"above fair", "war", 1, `"odds":{"player":"2.1598","war":"12.60","dealer":"2.08"}`, "", []string{"odds_above_fair player"}},
		{"one forgotten", "war", 1, `"odds":{"player":"2.08","dealer":"2.08"}`, "", []string{"selection_forgotten war"}},
		{"a hand forgotten", "poker", 1, `"odds":{"hand:1":"5.20","hand:2":"5.20","hand:3":"5.20","hand:4":"5.20","hand:5":"5.20"}`, "", []string{"selection_forgotten hand:6"}},
		// 1/1.30 + 1/1.30 + 1/12.60 = 1.6178
		{"a large overround", "war", 1, `"odds":{"player":"1.30","war":"12.60","dealer":"1.30"}`, "", []string{"overround_outside_band "}},
		{"none at all", "war", 1, `"odds":{"player":"2.50","war":"20","dealer":"2.50"}`, "",
			[]string{"odds_above_fair dealer", "odds_above_fair player", "odds_above_fair war", "overround_outside_band "}},
		{"a jump", "war", 1, `"odds":{"player":"2.08","war":"8","dealer":"2.08"}`, war, []string{"odds_jump war"}},
		{"no jump by half", "war", 1, `"odds":{"player":"2.08","war":"8.40","dealer":"2.08"}`, war, nil},
		{"decided, with odds", "war", 2, `"visible":{"player":"AS"},"odds":{"player":"1.05","war":"12.60","dealer":"90"}`, "", []string{"mark_missing dealer"}},
		{"marks that are right", "war", 2, `"visible":{"player":"AS"},"odds":{"player":"1.05","war":"12.60","dealer":"lose"}`, "", nil},
		{"marks that are wrong", "war", 2, `"visible":{"player":"KS"},"odds":{"player":"win","war":"lose","dealer":"12.00"}`, "", []string{"mark_wrong player", "mark_wrong war"}},
		{"a group of balls", "lucky5", 1, `"odds":{"drawn/1":"7.20","drawn/2":"62"}`, "", nil},
		{"a group above fair", "lucky5", 1, `"odds":{"drawn/1":"7.21"}`, "", []string{"odds_above_fair drawn/1"}}, // fair is 36/5
	} {
		t.Run(row.name, func(t *testing.T) {
			var last *wire.Message
			if row.last != "" {
				last = message(t, row.game, 1, row.last)
			}
			var got []string
			for _, w := range odds.Check(message(t, row.game, row.round, row.rest), last).Warnings {
				got = append(got, w.Code+" "+w.Selection)
			}
			slices.Sort(got)
			if !slices.Equal(got, row.want) {
				t.Errorf("warned of %q, want %q", got, row.want)
			}
		})
	}
}

// Probability, fair odds and margin of each selection, the overround of the board.
func TestFigures(t *testing.T) {
	check := odds.Check(message(t, "war", 1, war), nil)
	want := []wire.OddsSelection{ // 144/311, 23/311
		{Selection: "dealer", Odds: "2.0800", Probability: "0.463023", Fair: "2.1597", Margin: "0.0369"},
		{Selection: "player", Odds: "2.0800", Probability: "0.463023", Fair: "2.1597", Margin: "0.0369"},
		{Selection: "war", Odds: "12.6000", Probability: "0.073955", Fair: "13.5217", Margin: "0.0682"},
	}
	if !slices.Equal(check.Selections, want) {
		t.Errorf("the selections are %+v, want %+v", check.Selections, want)
	}
	// 2/2.08 + 1/12.6 = 1.0409
	if len(check.Groups) != 1 || check.Groups[0].Overround != "1.0409" {
		t.Errorf("the groups are %+v, want an overround of 1.0409", check.Groups)
	}
	unknown := odds.Check(message(t, "poker", 1, `"odds":{"combo:pair":"5.80"}`), nil)
	if len(unknown.Selections) != 1 || unknown.Selections[0].Probability != "" {
		t.Errorf("of six hands that nobody has seen it says %+v, want no probability", unknown.Selections)
	}
	if none := odds.Check(message(t, "war", 1, `"odds":{}`), nil); none != nil {
		t.Errorf("of an empty board it says %+v, want nothing", none)
	}
}

// A large board is cut.
func TestLargeBoard(t *testing.T) {
	var list strings.Builder
	for n := 1; n <= 36; n++ {
		for m := n + 1; m <= min(36, n+4); m++ {
			_, _ = fmt.Fprintf(&list, `,"drawn:%d-%d":"60"`, n, m)
		}
	}
	check := odds.Check(message(t, "lucky5", 1, `"odds":{`+list.String()[1:]+`}`), nil)
	if len(check.Selections) != 100 || check.More != 34 {
		t.Errorf("%d are listed and %d more, want 100 and 34", len(check.Selections), check.More)
	}
}
