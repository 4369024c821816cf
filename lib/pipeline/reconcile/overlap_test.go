package reconcile_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/pipeline/reconcile"
)

// A run moves a draw near the end of a minute. Another that overlaps works that minute
// off while the move is being committed, when the draw's item can be seen nowhere: the
// draw is moved so far ahead that it is not lost.
func TestMovedWhileMinutesPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		time.Sleep(57 * time.Second)
		n.pass(1)
		n.open()
		n.pass(4)
		if n.stuck[reconcile.StuckResult] == 0 {
			t.Fatal("the draw is not looked at")
		}
		moving, overlapped := false, false
		n.db.Torn = func(_ context.Context, call fakedynamo.Call, left []string) int {
			switch {
			case !strings.HasPrefix(call.Keys[0], "DUE#"):
			case !moving:
				moving = true
				return 1 // where it was: it can be seen there no more
			case !overlapped:
				overlapped = true
				time.Sleep(5 * time.Second) // into the next minute
				if err := n.run(); err != nil {
					t.Error(err)
				}
			}
			return 0
		}
		n.pass(2) // it is looked at by one of them
		if n.db.Torn = nil; !overlapped {
			t.Fatal("no run overlapped")
		}
		clear(n.stuck)
		n.pass(10)
		if n.stuck[reconcile.StuckResult] < 8 || n.dueItems() != 1 {
			t.Errorf("the draw was looked at %d times in 10 minutes and is due %d times", n.stuck[reconcile.StuckResult], n.dueItems())
		}
	})
}
