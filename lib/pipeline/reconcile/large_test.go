package reconcile_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/store"
)

// slow makes each page of bets, of a few bets, take that long, and counts them.
func (n *night) slow(each time.Duration) (pages *int) {
	pages = new(int)
	n.db.PageBytes = 1000
	n.db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if call.Operation == "Query" && strings.HasPrefix(call.Keys[0], "BETS#") {
			time.Sleep(each)
			*pages++
		}
		return fakedynamo.Proceed
	}
	return pages
}

// settles runs reconcile and settle until the draw is settled under a state.
func (n *night) settles(state, minutes int) {
	n.Helper()
	for range minutes {
		time.Sleep(time.Minute)
		if err := n.run(); err != nil {
			n.Error(err)
		}
		within, stop := context.WithTimeout(n.Context(), 55*time.Second)
		settler := n.settler()
		settler.PageLines = 20
		_ = settler.Handle(within, "rou-1.7")
		stop()
	}
	status, err := n.settler().Status(n.Context(), "rou-1.7")
	if err != nil || !status.Settled || status.State != state {
		n.Errorf("it stands at %+v instead of state %d settled, %v", status, state, err)
	}
}

// large is a draw with a partition that takes 20 s to read, settled under one state.
func large(t *testing.T) *night {
	n := newNight(t)
	n.pass(1)
	n.open()
	for b := range 240 {
		n.bet("acme", fmt.Sprintf("b%03d", b))
	}
	n.say(`"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":17}]}`)
	n.settle()
	return n
}

// Late records in a partition that no look can count as a whole are found: at its
// beginning, in its middle and at its end.
func TestLateRecordsInALargePartition(t *testing.T) {
	for _, reference := range []string{"a", "b120x", "late"} {
		t.Run(reference, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := large(t)
				n.bet("acme", reference)
				pages := n.slow(time.Second)
				n.settles(2, 30)
				if n.late != 1 || n.mismatch > 0 {
					t.Errorf("%d late records were found, %d mismatches", n.late, n.mismatch)
				}
				if *pages > 150 { // 25 each for counting, comparing, settling and counting again
					t.Errorf("%d pages of bets were read", *pages)
				}
			})
		})
	}
}

// A correction that meets late records in such a partition, which a settlement run has no time to
// find, is settled as well.
func TestCorrectionOfALargePartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := large(t)
		n.bet("acme", "b120x")
		n.slow(5 * time.Second) // minutes for all: longer than a settlement run may take
		n.say(`"type":"draw.resulted","revision":2,"facts":{"spins":[{"revolutions":5,"pocket":34}]},"correction":{"reason":"video_review"}`)
		n.settles(3, 90)
		if n.late != 1 || n.mismatch > 0 {
			t.Errorf("%d late records were found, %d mismatches", n.late, n.mismatch)
		}
	})
}

// Pages of a correction that other data has made are given up, though a settlement run has no
// time to tell that nothing else is wrong.
func TestStalePagesOfALargePartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := large(t)
		right, err := n.table.GetBet(t.Context(), store.BetsKey("rou-1.7", "acme", 0), store.BetKey("b000"))
		if err != nil {
			t.Fatal(err)
		}
		wrong := *right
		wrong.Stake = 900
		n.putBet("acme", wrong)
		n.say(`"type":"draw.resulted","revision":2,"facts":{"spins":[{"revolutions":5,"pocket":34}]},"correction":{"reason":"video_review"}`)
		if err := n.settler().Handle(t.Context(), "rou-1.7"); err == nil {
			t.Error("it goes on with other data")
		}
		n.putBet("acme", *right)
		n.slow(5 * time.Second) // minutes for all: longer than a settlement run may take
		n.mismatch = 0
		n.settles(3, 90)
		if n.late > 0 || n.mismatch > 0 {
			t.Errorf("%d late records were found, %d mismatches", n.late, n.mismatch)
		}
	})
}
