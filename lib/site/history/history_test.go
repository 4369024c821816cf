package history_test

import (
	"fmt"
	"testing"

	"tally/internal/testkit/archivetest"
	"tally/lib/rulebook/games"
	"tally/lib/site/history"
)

// TestHistory reads the histories of the sample draws of all games.
func TestHistory(t *testing.T) {
	for _, game := range games.All() {
		histories := archivetest.Histories(t, game)
		if len(histories) == 0 {
			t.Errorf("%s has no sample draw", game.ID)
		}
		for _, d := range histories {
			row := d.Row()
			state, index := d.State()
			if state == nil || row.State != state.State || row.Draw != d.Opening.Draw || len(row.Leaves) != len(d.Leaves) {
				t.Errorf("%s: %+v, want state other than nil and row.State = %v and row.Draw = %v and len(row.Leaves) = %v",
					d.Opening.Draw, row, state.State, d.Opening.Draw, len(d.Leaves))
			}
			if d.Day() != "2026-11-30" || d.Closings() == nil || d.Settlement() == nil || index < 0 {
				t.Errorf("%s: day %s, closings %v, settlement %v, state at %d", d.Opening.Draw, d.Day(), d.Closings(), d.Settlement(), index)
			}
		}
	}
}

// TestNotOpened refuses a history that does not begin with the opening.
func TestNotOpened(t *testing.T) {
	d := archivetest.Histories(t, games.All()[0])[0]
	for _, leaves := range [][]history.Leaf{nil, d.Leaves[1:]} {
		t.Run(fmt.Sprint(leaves), func(t *testing.T) {
			if _, err := history.New(leaves); err == nil {
				t.Errorf("%d leaves without the opening were taken", len(leaves))
			}
		})
	}
}
