package events_test

import (
	"testing"
	"time"

	"tally/events"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/settlement"
)

// The samples are taken on their own day, and years from then: whoever tries them
// has another clock.
func TestAdmittedForYears(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for _, game := range games.All() {
		files, err := events.Messages(game)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			m, _, faults := wire.Parse(file.Body)
			if len(faults) > 0 {
				continue // samples of what is refused
			}
			for _, after := range []time.Duration{0, year, 10 * year} {
				if faults := m.Admit(m.At + settlement.Instant(after.Milliseconds())); len(faults) > 0 {
					t.Errorf("%s, %s after it was sent: %v", file.Name, after, faults)
				}
			}
		}
	}
}
