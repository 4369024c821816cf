package reconcile_test

import (
	"testing"
	"testing/synctest"

	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// corrected is a correction: its revision and pocket.
const corrected = `"type":"draw.resulted","revision":%d,"facts":{"spins":[{"revolutions":5,"pocket":%d}]},"correction":{"reason":"video_review"}`

// A correction that is held is counted as one that waits, not as stuck, and nothing is
// sent for it; once an operator has released it, or a newer state is there, settle is
// asked to go on.
func TestHeldCorrectionWaits(t *testing.T) {
	for _, test := range []struct {
		name string
		then func(n *night)
	}{
		{"released", func(n *night) {
			if err := n.table.Put(n.Context(), store.Item{PK: store.DrawKey("rou-1.7"), SK: store.ReleasedKey(store.StateKey(2))}); err != nil {
				n.Fatal(err)
			}
		}},
		{"replaced", func(n *night) { n.say(corrected, 3, 34) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNight(t)
				n.open()
				n.bet("acme", "b1")
				n.pass(2)
				n.say(`"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":34}]}`)
				n.pass(1)
				limits, err := settlement.ParseLimits("EUR=0.00")
				if err != nil {
					t.Fatal(err)
				}
				n.limits = limits
				n.settle()
				n.say(corrected, 2, 17)
				n.settle()
				n.pass(2)
				n.stuck, n.runs, n.waits = map[string]int{}, 0, 0
				n.pass(30)
				if n.waits < 20 || n.runs > 0 || len(n.stuck) > 0 {
					t.Errorf("it waits %d times; %d messages were sent, stuck %v", n.waits, n.runs, n.stuck)
				}
				n.waits = 0
				test.then(n)
				n.pass(3)
				if n.waits > 0 || n.runs == 0 {
					t.Errorf("then it waits %d times, and %d messages were sent", n.waits, n.runs)
				}
			})
		})
	}
}
