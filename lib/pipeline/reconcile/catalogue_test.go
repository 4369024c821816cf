package reconcile_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"tally/lib/draw/instant"
	"tally/lib/pipeline/reconcile"
	"tally/lib/rulebook/games"
)

// A draw of rules that the program does not have waits, is counted as stuck and keeps
// nobody from the others; once the program has them it is settled.
func TestUnknownRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.pass(1)
		n.open()
		first, _ := games.Find("roulette")
		second := *first
		second.Version = 99
		withdraw := games.Release(&second)
		opened := fmt.Sprintf(`"type":"draw.opened","sequence":9,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, instant.Format(now()), instant.Format(now()+60_000))
		result := `"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":17}]}`
		n.sayOf("rou-9.1", "%s", opened) // has a result
		n.sayOf("rou-9.1", "%s", result)
		n.sayOf("rou-9.2", "%s", opened) // has none
		n.say("%s", result)
		withdraw()
		time.Sleep(time.Minute)
		for range 45 {
			time.Sleep(time.Minute)
			if err := n.run(); err != nil {
				t.Errorf("the run fails: %v", err)
			}
			if status, err := n.settler().Status(t.Context(), "rou-1.7"); err != nil || !status.Settled {
				_ = n.settler().Handle(t.Context(), "rou-1.7")
			}
		}
		if status, err := n.settler().Status(t.Context(), "rou-1.7"); err != nil || !status.Settled {
			t.Errorf("the other draw stands at %+v, %v", status, err)
		}
		if n.stuck[reconcile.StuckRules] < 60 || n.stuck[reconcile.StuckResult] > 0 {
			t.Errorf("stuck: %v", n.stuck)
		}
		t.Cleanup(games.Release(&second))
		if err := n.settler().Handle(t.Context(), "rou-9.1"); err != nil {
			t.Error(err)
		}
		clear(n.stuck)
		n.pass(20)
		if n.stuck[reconcile.StuckRules] > 0 {
			t.Errorf("stuck: %v", n.stuck)
		}
	})
}
