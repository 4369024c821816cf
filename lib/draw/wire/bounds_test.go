package wire_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
)

// Whatever has a bound in a message is taken at it, and refused above.
func TestBounds(t *testing.T) {
	texts := func(prefix string, n int) string {
		var list []string
		for i := range n {
			list = append(list, strconv.Quote(fmt.Sprintf("%s%d", prefix, i)))
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	text := func(n int) string { return strconv.Quote(strings.Repeat("x", n)) }
	same := func(n int) string {
		return "[" + strings.Join(slices.Repeat([]string{`"player"`}, n), ",") + "]"
	}
	number := func(n int) string { return strconv.Itoa(n) }
	// A board has at most one entry for each selection and group of its game.
	war, _ := games.Find("war")
	offered := war.BoardGroups()
	for s := range war.Selections {
		offered = append(offered, war.Text(s))
	}
	board := func(n int) string {
		var odds []string
		for i := range n {
			odds = append(odds, fmt.Sprintf(`%q:"2.00"`, append(offered, "another")[i]))
		}
		return "{" + strings.Join(odds, ",") + "}"
	}
	rounds := func(n int) string { // war has two
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"round":%d,"opens_at":"2026-11-30T12:%02d:00.000Z","closes_at":"2026-11-30T12:%02d:30.000Z"}`, min(i+1, 2), i, i))
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	cards := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, strconv.Quote(string("23456789"[i])+"D"))
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	within := func(object string, value func(int) string) func(int) string {
		return func(n int) string { return strings.Replace(object, "VALUE", value(n), 1) }
	}
	hands := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, `["`+string("23456789"[i])+`S","`+string("23456789"[i])+`H"]`)
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	seats := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"seat":%d,"split":false,"hands":[{"cards":["KS","9D"],"doubled":false}]}`, i+1))
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	kings := func(n int) string { return "[" + strings.Join(slices.Repeat([]string{`"KS"`}, n), ",") + "]" }
	for _, test := range []struct {
		kind, field string
		bound       int
		value       func(int) string
		code        string
	}{
		{"draw.opened", "sequence", wire.MaxSequence, number, wire.CodeBadNumber},
		{"draw.opened", "id", 64, text, wire.CodeBadID},
		{"draw.opened", "table", 64, text, wire.CodeBadID},
		{"draw.opened", "draw", 64, text, wire.CodeBadID},
		{"draw.opened", "rounds", 2, rounds, wire.CodeBadTime},
		{"draw.opened", "odds", len(offered), board, wire.CodeBadOdds},
		{"betting.opened", "odds", len(offered), board, wire.CodeBadOdds},
		{"betting.opened", "visible", 5, within(`{"player":"KS","burned":VALUE}`, kings), wire.CodeBadVisible}, // of six decks
		{"betting.opened", `-odds; game="baccarat"; visible`, 1, within(`{"player":VALUE}`, cards), wire.CodeBadVisible},
		{"betting.opened", `-odds; game="baccarat"; round=3; visible`, 1, within(`{"player":["KS"],"banker":VALUE}`, cards), wire.CodeBadVisible},
		{"betting.opened", `-odds; game="poker"; round=3; visible`, 6, within(`{"hands":VALUE,"board":["KC","QC","AC"]}`, hands), wire.CodeBadVisible},
		{"betting.opened", `-odds; game="poker"; round=3; visible`, 3, within(`{"hands":`+hands(6)+`,"board":VALUE}`, func(n int) string { return `["TS","JS","QS","KS"]`[:5*n] + "]" }), wire.CodeBadVisible},
		{"betting.opened", `-odds; game="blackjack"; visible`, 1, within(`{"dealer":VALUE,"seats":`+seats(1)+`}`, cards), wire.CodeBadVisible},
		{"betting.opened", `-odds; game="blackjack"; visible`, 7, within(`{"dealer":["AS"],"seats":VALUE}`, seats), wire.CodeBadVisible},
		{"draw.resulted", "revision=2; correction", wire.MaxNote, within(`{"reason":"r","note":VALUE}`, text), wire.CodeTooLarge},
		{"draw.resulted", "revision=2; correction", wire.MaxNote, within(`{"reason":VALUE,"note":"n"}`, text), wire.CodeTooLarge},
		{"betting.closed", "round", 2, number, wire.CodeUnknownRound},
		{"betting.closed", "selections", wire.MaxClosed, same, wire.CodeTooManyEntries},
		{"draw.cancelled", "revision", wire.MaxRevision, number, wire.CodeBadNumber},
		{"bets.voided", "order", 64, text, wire.CodeBadID},
		{"bets.voided", "reason", wire.MaxNote, text, wire.CodeTooLarge},
		{"bets.voided", "evidence", wire.MaxNote, text, wire.CodeTooLarge},
		{"bets.voided", "scope.shop", 64, text, wire.CodeBadID},
		{"bets.voided", "scope.round", 2, number, wire.CodeUnknownRound},
		{"bets.voided", "scope.bets", wire.MaxScopeBets, func(n int) string { return texts("b", n) }, wire.CodeTooManyEntries},
		{"bets.found", "records", wire.MaxLate, func(n int) string { return texts("b", n) }, wire.CodeTooManyEntries},
		{"order.revoked", "revokes", 64, text, wire.CodeBadID},
	} {
		t.Run(test.kind+" "+test.field, func(t *testing.T) {
			if m, _, faults := wire.Parse(build(t, test.kind, test.field+"="+test.value(test.bound))); m == nil {
				t.Errorf("at its bound %d: %v", test.bound, faults)
			}
			_, _, faults := wire.Parse(build(t, test.kind, test.field+"="+test.value(test.bound+1)))
			if len(faults) != 1 || faults[0].Code != test.code {
				t.Errorf("above %d: %v instead of %s", test.bound, faults, test.code)
			}
		})
	}
	// Numbers that no integer holds are refused like others that are too large.
	for _, huge := range []string{"9223372036854775808", "99999999999999999999999999", "-99999999999999999999999999"} {
		t.Run(huge, func(t *testing.T) {
			for kind, field := range map[string]string{"draw.opened": "sequence", "draw.cancelled": "revision"} {
				t.Run(kind, func(t *testing.T) {
					if _, _, faults := wire.Parse(build(t, kind, field+"="+huge)); len(faults) != 1 || faults[0].Code != wire.CodeBadNumber {
						t.Errorf("%s %s: %v instead of %s", field, huge, faults, wire.CodeBadNumber)
					}
				})
			}
		})
	}
}
