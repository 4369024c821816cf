package reconcile_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tally/lib/fakedynamo"
	"tally/lib/reconcile"
	"tally/lib/store"
	"tally/lib/wire"
)

// A draw that can't be looked at, for whatever reason, is reported in every look
// and keeps nobody from the others, however long it lasts.
func TestOneDrawsFault(t *testing.T) {
	for _, broken := range []string{store.HeadKey, store.SweepKey, store.StateKey(1)} {
		t.Run(broken, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNight(t)
				n.pass(1)
				n.open()
				n.say(`"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":17}]}`)
				n.sweep()
				if err := n.table.Put(t.Context(), store.Item{PK: store.DrawKey("rou-1.7"), SK: broken, Body: "{", Version: 9}); err != nil {
					t.Fatal(err)
				}
				failed := 0
				for range 300 {
					time.Sleep(time.Minute)
					if n.run() != nil {
						failed++
					}
				}
				if failed < 60 || failed > 80 && broken != store.HeadKey { // which would tell since when
					t.Errorf("the fault was reported %d times in 5 hours", failed)
				}
				n.other()
				clear(n.stuck)
				for range 20 {
					time.Sleep(time.Minute)
					_ = n.run()
				}
				if n.stuck[reconcile.StuckResult] == 0 {
					t.Error("nobody looks at the other draw")
				}
			})
		})
	}
}

// Of two runs that overlap the slow one may move a draw into a minute that the fast
// one has worked off already.
func TestSlowRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.pass(1)
		n.open()
		overlapped := false
		n.db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
			if !overlapped && n.stuck[reconcile.StuckResult] > 0 && call.Operation == "TransactWriteItems" && strings.HasPrefix(call.Keys[0], "DUE#") {
				overlapped = true
				time.Sleep(50 * time.Second)
				if err := n.run(); err != nil {
					t.Error(err)
				}
			}
			return fakedynamo.Proceed
		}
		time.Sleep(30 * time.Second)
		n.pass(10)
		if !overlapped {
			t.Fatal("no run overlapped")
		}
		clear(n.stuck)
		n.pass(10)
		if n.stuck[reconcile.StuckResult] < 8 {
			t.Errorf("the draw was looked at %d times in 10 minutes", n.stuck[reconcile.StuckResult])
		}
	})
}

// A draw of so many bets that one look can't count them is counted in several, and
// what was missed of the last is found.
func TestLargeRecount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.pass(1)
		n.open()
		for bookmaker := range 8 {
			n.bet(fmt.Sprintf("bookmaker-%d", bookmaker), "b1")
		}
		n.say(`"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":17}]}`)
		n.sweep()
		n.bet("bookmaker-7", "b2")
		each := 6 * time.Second
		n.db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
			if call.Operation == "Query" && strings.HasPrefix(call.Keys[0], "BETS#") {
				time.Sleep(each)
			}
			return fakedynamo.Proceed
		}
		n.pass(17)
		if n.straggled != 1 || n.stuck[reconcile.StuckFault] > 0 {
			t.Errorf("%d stragglers were found, stuck: %v", n.straggled, n.stuck)
		}
		each = 16 * time.Second // one partition is too large
		n.sweep()
		n.other()
		failed := 0
		for range 30 {
			time.Sleep(time.Minute)
			if n.run() != nil {
				failed++
			}
		}
		if failed < 10 || n.stuck[reconcile.StuckFault] != failed || n.stuck[reconcile.StuckResult] < 20 {
			t.Errorf("%d runs failed, stuck: %v", failed, n.stuck)
		}
	})
}

// A draw of which the studio has told everything but its opening is counted, until
// that comes: nobody can bet on it, and nobody would notice.
func TestOpeningMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.pass(1)
		opens, closes := wire.FormatTime(now()), wire.FormatTime(now()+60_000)
		n.say(`"type":"betting.opened","round":1,"opens_at":%q,"closes_at":%q`, opens, closes)
		n.pass(2)
		n.say(`"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":17}]}`)
		n.pass(2)
		if len(n.stuck) > 0 {
			t.Errorf("%v before anything is missed", n.stuck)
		}
		n.pass(10)
		if got := n.stuck[reconcile.StuckOpening]; got < 7 || len(n.stuck) > 1 {
			t.Errorf("%v in 10 minutes", n.stuck)
		}
		n.say(`"type":"draw.opened","sequence":7,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, opens, closes)
		n.pass(1)
		clear(n.stuck)
		n.pass(5)
		if n.stuck[reconcile.StuckOpening] > 0 || n.stuck[reconcile.StuckSweep] == 0 {
			t.Errorf("%v after it has come", n.stuck)
		}
	})
}

// An order for a draw that there is not is nobody's draw to wait for.
func TestOrderForNoDraw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.pass(1)
		n.order(`"order":"ord-1","scope":{"round":1},"reason":"x","evidence":"y","type":"bets.voided"`)
		n.pass(30)
		if len(n.stuck) > 0 {
			t.Errorf("%v", n.stuck)
		}
	})
}
