package draw_test

import (
	"fmt"
	"testing"

	"tally/lib/draw"
	"tally/lib/rulebook/settlement"
)

// TestLooks: who stores something of a bet looks again from a time on, or after more than
// the two seconds that a bet's writes may take; in a round where nobody looks, never.
func TestLooks(t *testing.T) {
	head := &draw.Head{Rounds: []draw.Round{{Number: 1, LookFrom: 10_000}, {Number: 2}}}
	for _, c := range []struct {
		round    int
		at, took settlement.Instant
		want     bool
	}{
		{1, 9_999, 0, false}, {1, 10_000, 0, true}, {1, 9_999, 2_000, false}, {1, 9_999, 2_001, true},
		{2, 10_000, 2_001, false}, {3, 10_000, 2_001, false},
	} {
		t.Run(fmt.Sprint(c.round, c.at, c.took), func(t *testing.T) {
			if got := head.Looks(c.round, c.at, c.took); got != c.want {
				t.Errorf("in round %d at %d after %d ms it looks: %t, want %t", c.round, c.at, c.took, got, c.want)
			}
		})
	}
}

// TestErrorsSay: what is refused says until when it would have been taken.
func TestErrorsSay(t *testing.T) {
	late := &draw.TooLate{Until: 1_700_000_000_000}
	if want := "the draw's records are kept until 2023-11-14T22:13:20.000Z and take no revision in the seven days before"; late.Error() != want {
		t.Errorf("it says %q, want %q", late.Error(), want)
	}
}
