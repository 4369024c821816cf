package wire_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tally/lib/draw/wire"
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
		{"betting.closed", "round", 2, number, wire.CodeUnknownRound},
		{"betting.closed", "selections", wire.MaxClosed, same, wire.CodeTooManyEntries},
		{"draw.cancelled", "revision", wire.MaxRevision, number, wire.CodeBadNumber},
		{"bets.voided", "order", 64, text, wire.CodeBadID},
		{"bets.voided", "reason", wire.MaxNote, text, wire.CodeTooLarge},
		{"bets.voided", "evidence", wire.MaxNote, text, wire.CodeTooLarge},
		{"bets.voided", "scope.shop", 64, text, wire.CodeBadID},
		{"bets.voided", "scope.round", 2, number, wire.CodeUnknownRound},
		{"bets.voided", "scope.bets", wire.MaxScopeBets, func(n int) string { return texts("b", n) }, wire.CodeTooManyEntries},
		{"bets.found", "records", wire.MaxFound, func(n int) string { return texts("b", n) }, wire.CodeTooManyEntries},
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
		for kind, field := range map[string]string{"draw.opened": "sequence", "draw.cancelled": "revision"} {
			if _, _, faults := wire.Parse(build(t, kind, field+"="+huge)); len(faults) != 1 || faults[0].Code != wire.CodeBadNumber {
				t.Errorf("%s %s: %v instead of %s", field, huge, faults, wire.CodeBadNumber)
			}
		}
	}
}
