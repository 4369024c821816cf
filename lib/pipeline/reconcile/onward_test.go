package reconcile_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/quarantine"
	"tally/lib/pipeline/reconcile"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
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
				n.settle()
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
		if n.stuck[reconcile.StuckResult] < 8 || n.dueItems() != 1 {
			t.Errorf("the draw was looked at %d times in 10 minutes and is due %d times", n.stuck[reconcile.StuckResult], n.dueItems())
		}
	})
}

// A draw that was looked at but could not be moved is looked at again.
func TestMoveFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.pass(1)
		n.open()
		n.pass(5)
		for _, operation := range []string{"TransactWriteItems", "DeleteItem"} {
			n.db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
				if call.Operation == operation && strings.HasPrefix(call.Keys[0], "DUE#") {
					return fakedynamo.FailBefore
				}
				return fakedynamo.Proceed
			}
			for range 3 {
				time.Sleep(time.Minute)
				if n.run() == nil && operation == "TransactWriteItems" {
					t.Error("it does not say so")
				}
			}
			n.db.Intercept = nil
			clear(n.stuck)
			n.pass(4)
			if got := n.stuck[reconcile.StuckResult]; got < 3 || n.dueItems() != 1 {
				t.Errorf("the draw was looked at %d times and is due %d times", got, n.dueItems())
			}
		}
	})
}

// A settlement run that was stopped since the base comes to something else is asked for again,
// and once it comes to the same again the draw is settled.
func TestStoppedAndMended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.pass(1)
		n.open()
		n.bet("acme", "b1")
		n.say(`"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":17}]}`)
		n.settle()
		stake := func(minor int64) {
			bet, err := n.table.GetBet(t.Context(), store.BetsKey("rou-1.7", "acme", 0), store.BetKey("b1"))
			if err != nil {
				t.Fatal(err)
			}
			bet.Stake = minor
			n.putBet("acme", *bet)
		}
		stake(900)
		n.say(`"type":"draw.resulted","revision":2,"facts":{"spins":[{"revolutions":5,"pocket":34}]},"correction":{"reason":"video_review"}`)
		for range 5 {
			_ = n.settler().Handle(t.Context(), "rou-1.7")
			look := n.runs
			n.pass(2)
			if n.runs == look {
				t.Error("nobody asks for the run again")
			}
		}
		if n.mismatch == 0 || n.stuck[reconcile.StuckStopped] == 0 {
			t.Errorf("mismatches %d, stuck %v", n.mismatch, n.stuck)
		}
		stake(500)
		for range 3 {
			if err := n.settler().Handle(t.Context(), "rou-1.7"); err != nil {
				t.Error(err)
			}
			n.pass(2)
		}
		status, err := n.settler().Status(t.Context(), "rou-1.7")
		if err != nil || !status.Settled || status.State != 3 || n.late > 0 {
			t.Errorf("it stands at %+v, %v; %d late records", status, err, n.late)
		}
	})
}

// A draw of so many bets that one look can't count them is counted in several, and
// what was missed of the last is found.
func TestLargeAudit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.pass(1)
		n.open()
		for bookmaker := range 8 {
			n.bet(fmt.Sprintf("bookmaker-%d", bookmaker), "b1")
		}
		n.say(`"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":17}]}`)
		n.settle()
		n.bet("bookmaker-7", "b2")
		each := 6 * time.Second
		n.db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
			if call.Operation == "Query" && strings.HasPrefix(call.Keys[0], "BETS#") {
				time.Sleep(each)
			}
			return fakedynamo.Proceed
		}
		n.pass(8)
		if n.late > 0 {
			t.Error("it was counted again at once: bets that are later than that are missed")
		}
		n.pass(9)
		if n.late != 1 || n.stuck[reconcile.StuckFault] > 0 {
			t.Errorf("%d late records were found, stuck: %v", n.late, n.stuck)
		}
		each = 16 * time.Second // not one page can be read in the time of a look
		n.settle()
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

// A draw of which the studio has sent everything but its opening is counted, until
// that comes: nobody can bet on it, and nobody would notice.
func TestOpeningMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.pass(1)
		opens, closes := instant.Format(now()), instant.Format(now()+60_000)
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
		if n.stuck[reconcile.StuckOpening] > 0 || n.stuck[reconcile.StuckRun] == 0 {
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
			t.Errorf("%v, want len(n.stuck) = 0", n.stuck)
		}
	})
}

// A draw without a result is not cancelled while one of its messages sits in
// quarantine: that may be the result.
func TestHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.pass(1)
		n.open()
		n.say(`"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":37}]}`)
		held := store.Item{PK: store.QuarantineKey(now())}
		for item, err := range n.table.Query(t.Context(), held.PK, "") {
			if held = item; err != nil {
				t.Fatal(err)
			}
		}
		n.pass(60)
		revision := store.RevisionKey(draw.AutomaticRevision)
		if _, cancelled, err := n.table.Get(t.Context(), store.DrawKey("rou-1.7"), revision); cancelled || err != nil {
			t.Errorf("cancelled %v, %v", cancelled, err)
		}
		q := quarantine.Quarantine{Table: n.table, Log: slog.New(slog.DiscardHandler)}
		m, err := q.Find(t.Context(), held.SK, time.Now(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Drop(t.Context(), m, "there was no such pocket"); err != nil {
			t.Fatal(err)
		}
		n.pass(20)
		if _, cancelled, err := n.table.Get(t.Context(), store.DrawKey("rou-1.7"), revision); !cancelled || err != nil {
			t.Errorf("once it was dropped: cancelled %v, %v", cancelled, err)
		}
	})
}

// What never advances is looked at until its records end.
func TestLooksEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.retain = 9 * 24 * time.Hour
		n.pass(1)
		n.open()
		n.say(`"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":17}]}`)
		for range 10 * 24 {
			time.Sleep(time.Hour)
			if err := n.run(); err != nil {
				t.Fatal(err)
			}
		}
		if got := n.stuck[reconcile.StuckRun]; got < 7*24 || got > 60+7*24*4+10 {
			t.Errorf("it was looked at %d times", got)
		}
		if left := n.dueItems(); left > 0 {
			t.Errorf("it is still due %d times", left)
		}
	})
}

// However many and large messages sit in quarantine, counting them ends.
func TestLargeQuarantine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		for day := range 3 {
			for message := range 30 {
				item := store.Item{PK: store.QuarantineKey(now() - settlement.Instant(day)*24*3600*1000), SK: fmt.Sprint(message), Body: "{}", Binary: make([]byte, 300<<10)}
				if err := n.table.Put(t.Context(), item); err != nil {
					t.Fatal(err)
				}
			}
		}
		n.pass(1)
		if n.held != 55 { // 16 MB
			t.Errorf("%d are counted", n.held)
		}
	})
}
