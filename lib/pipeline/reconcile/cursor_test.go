package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tally/internal/testkit/duequeue"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/reconcile"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// opened opens draws for a second, of which no result will come: each is looked at from two
// minutes after that on, and is counted as stuck in each look.
func (n *night) opened(draws int) {
	n.Helper()
	for number := range draws {
		n.sayOf(fmt.Sprintf("rou-1.%d", number), `"type":"draw.opened","sequence":8,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, instant.Format(now()), instant.Format(now()+1000))
	}
}

// looked passes minutes and says how often draws were looked at meanwhile.
func (n *night) looked(minutes int) int {
	n.Helper()
	clear(n.stuck)
	n.pass(minutes)
	return n.stuck[reconcile.StuckResult]
}

// dueInAll holds draws to one item each.
func (n *night) dueInAll(want int) {
	n.Helper()
	if due := n.dueItems(); due != want {
		n.Errorf("%d items are due, want %d, one of each draw", due, want)
	}
}

// Messages that come twice, in any order and long after others, make no look of their own.
func TestRepeatedLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const draws = 30
		n := newNight(t)
		n.pass(1)
		n.opened(draws)
		n.pass(4)
		clear(n.stuck)
		random := rand.New(rand.NewPCG(1, 2))
		var old []string
		for range 10 {
			time.Sleep(time.Minute)
			if err := n.cursor().Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			sent := n.looks.Take()
			old = append(old, sent...)
			again := append(append(append([]string{}, sent...), sent...), old...)
			random.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
			for _, body := range again {
				n.looks.Put(body)
			}
			if err := n.looks.Work(t.Context(), n.looker()); err != nil {
				t.Fatal(err)
			}
		}
		if got := n.stuck[reconcile.StuckResult]; got != 10*draws {
			t.Errorf("%d looks in 10 minutes at %d draws, want %d", got, draws, 10*draws)
		}
		n.dueInAll(draws)
	})
}

// Two cursors and two looks at once, request by request in any order, look at each draw and
// move it once.
func TestTwoAtOnce(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const draws = 6
				n := newNight(t)
				n.pass(1)
				n.opened(draws)
				n.pass(4)
				var mutex sync.Mutex // of the source of numbers: requests are made side by side
				random := rand.New(rand.NewPCG(seed, 3))
				n.db.Intercept = func(context.Context, fakedynamo.Call) fakedynamo.Verdict {
					mutex.Lock()
					wait := time.Duration(random.IntN(900)) * time.Millisecond
					mutex.Unlock()
					time.Sleep(wait)
					return fakedynamo.Proceed
				}
				for range 10 {
					time.Sleep(time.Minute)
					ended := make(chan error, 2)
					for range 2 {
						go func() { ended <- errors.Join(n.cursor().Run(t.Context()), n.looks.Work(t.Context(), n.looker())) }()
					}
					if err := errors.Join(<-ended, <-ended); err != nil {
						t.Fatal(err)
					}
				}
				n.db.Intercept = nil
				n.pass(1)
				n.dueInAll(draws)
				if got := n.looked(6); got < 2*draws || got > 6*draws { // late in a minute one is left out
					t.Errorf("%d looks in 6 minutes at %d draws", got, draws)
				}
			})
		})
	}
}

// A message that is lost is sent again after five minutes, then after ten, twenty and so on;
// not while the queue is so full that it may be in it. Meanwhile the run says how far it is
// behind.
func TestLostLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.cancelAfter = 0
		n.pass(1)
		n.opened(1)
		n.pass(3)
		if n.behind > 0 {
			t.Errorf("it is %d minutes behind", n.behind)
		}
		run := func(minutes int) (sent []int) {
			for minute := range minutes {
				time.Sleep(time.Minute)
				if err := n.cursor().Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				if len(n.looks.Take()) > 0 {
					sent = append(sent, minute)
				}
			}
			return sent
		}
		if got := fmt.Sprint(run(60)); got != "[0 6 12 24 48]" && got != "[0 5 11 23 47]" {
			t.Errorf("a lost look was sent in the minutes %s, want one more after 6, 12, 24 and 48", got)
		}
		if n.behind < 59 {
			t.Errorf("it says that it is %d minutes behind, want an hour", n.behind)
		}
		for range 200 { // as if others waited
			n.looks.Put(wire.Encode(wire.Due{Minute: store.DueKey(now(), 0), Draw: "rou-9.9#1"}))
		}
		before := n.looks.Sent
		for range 120 {
			time.Sleep(time.Minute)
			if err := n.cursor().Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if n.looks.Sent != before {
			t.Errorf("%d looks were sent again into a queue that is full", n.looks.Sent-before)
		}
		if n.looks.Take(); len(run(1)) != 1 {
			t.Error("it is not sent again when the queue is empty")
		}
		if n.pass(130); n.behind > 0 { // twice as long as it has waited
			t.Errorf("it is %d minutes behind", n.behind)
		}
		n.dueInAll(1)
		if got := n.looked(30); got < 2 {
			t.Errorf("%d looks in half an hour", got)
		}
	})
}

// Wherever a run or a look ends, between any two requests, and whether the last one was carried
// out or not: the draws are looked at by the next, and each is due once.
func TestCrashes(t *testing.T) {
	for _, verdict := range []fakedynamo.Verdict{fakedynamo.FailBefore, fakedynamo.FailAfter} {
		t.Run(verdict.String(), func(t *testing.T) {
			for last := 0; ; last++ {
				ended := false
				synctest.Test(t, func(t *testing.T) {
					const draws = 3
					n := newNight(t)
					n.pass(1)
					n.opened(draws)
					n.pass(3)
					time.Sleep(time.Minute)
					var requests atomic.Int64 // made side by side
					n.db.Intercept = func(context.Context, fakedynamo.Call) fakedynamo.Verdict {
						switch of := int(requests.Add(1)); {
						case of == last+1:
							return verdict
						case of > last+1:
							return fakedynamo.FailBefore
						}
						return fakedynamo.Proceed
					}
					n.looks.Fails = last%2 == 1 && verdict == fakedynamo.FailAfter
					_ = n.run()
					n.db.Intercept, n.looks.Fails = nil, false
					ended = int(requests.Load()) <= last
					n.looks.Take() // what was sent is lost as well
					n.pass(8)
					n.dueInAll(draws)
					if got := n.looked(5); got != 5*draws {
						t.Errorf("after %d requests: %d looks in 5 minutes at %d draws", last, got, draws)
					}
				})
				if ended {
					if last < 20 {
						t.Errorf("a run takes %d requests: it looked at nothing", last)
					}
					return
				}
			}
		})
	}
}

// A look that can't move its draw's item, or that breaks down, leaves it where it was: the message
// comes again, and after it has died another one.
func TestPoisonousLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.pass(1)
		n.opened(2)
		n.pass(3)
		n.db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
			if call.Write && strings.Contains(call.String(), "rou-1.1#0") {
				return fakedynamo.FailBefore
			}
			return fakedynamo.Proceed
		}
		failed := 0
		clear(n.stuck)
		for range 20 {
			time.Sleep(time.Minute)
			if err := n.cursor().Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, body := range n.looks.Take() {
				asked, err := wire.ParseDue(body)
				if err != nil {
					t.Fatal(err)
				}
				if n.looker().Look(t.Context(), asked) != nil {
					failed++
				}
			}
		}
		if got := n.stuck[reconcile.StuckResult]; got < 20 || failed != 3 {
			t.Errorf("%d looks of two draws in 20 minutes, %d failed; want one a minute of the other and 3", got, failed)
		}
		n.db.Intercept = nil
		n.pass(30)
		n.dueInAll(2)
		if n.behind > 0 {
			t.Errorf("it is %d minutes behind", n.behind)
		}
	})
}

// A message that names anything but a draw that is due touches nothing: a look that is done with a
// draw deletes its item.
func TestForeignKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.pass(1)
		n.opened(1)
		other := store.Item{PK: store.DueKey(now(), 0), SK: "a key of another version"}
		if err := n.table.Put(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		writes := 0
		n.db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
			if call.Write {
				writes++
			}
			return fakedynamo.Proceed
		}
		for _, asked := range []wire.Due{
			{Minute: store.DrawKey("rou-1.0"), Draw: store.HeadKey},
			{Minute: store.DrawKey("rou-1.0"), Draw: "rou-1.0#9"},
			{Minute: other.PK, Draw: other.SK},
		} {
			if err := n.looker().Look(t.Context(), asked); err == nil || writes > 0 {
				t.Errorf("%+v: %v, %d writes; want an error, and nothing written", asked, err, writes)
			}
		}
	})
}

// before is how a version looks that does so by itself: at the first part of each minute.
func (n *night) before() error {
	at := struct {
		Minute settlement.Instant `json:"minute"`
	}{}
	at, item, err := store.Read[struct {
		Minute settlement.Instant `json:"minute"`
	}](n.Context(), n.table, store.ReconcileKey, store.ReconcileKey)
	if err != nil {
		return err
	}
	if at.Minute == 0 {
		at.Minute = now() / 60_000 * 60_000
	}
	for ; at.Minute+60_000 <= now(); at.Minute += 60_000 {
		for due, err := range n.table.Query(n.Context(), store.DueKey(at.Minute, 0), "") {
			if err == nil {
				err = n.looker().Look(n.Context(), wire.Due{Minute: due.PK, Draw: due.SK})
			}
			if err != nil {
				return err
			}
		}
	}
	return n.table.Replace(n.Context(), store.Item{PK: store.ReconcileKey, SK: store.ReconcileKey, Body: store.Encode(at), Version: item.Version + 1})
}

// A version that looks by itself, before this one, beside it or in its place for a while, makes it
// pass over nothing, whatever has stored what is due.
func TestVersions(t *testing.T) {
	const draws = 24
	for _, test := range []struct {
		name string
		pass func(n *night) error // that both get in a minute
	}{
		{"the one before goes on for an hour", func(n *night) error {
			for range 60 {
				time.Sleep(time.Minute)
				if err := n.before(); err != nil {
					return err
				}
			}
			return nil
		}},
		{"both at once", func(n *night) error {
			for range 10 {
				time.Sleep(time.Minute)
				if err := errors.Join(n.before(), n.run()); err != nil {
					return err
				}
			}
			return nil
		}},
		{"back, for a day", func(n *night) error {
			for range 24 {
				time.Sleep(time.Hour)
				if err := n.before(); err != nil {
					return err
				}
			}
			return n.before()
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNight(t)
				n.cancelAfter = 0
				if err := n.before(); err != nil {
					t.Fatal(err)
				}
				if test.name[0] == 'b' {
					n.pass(1)
				}
				n.opened(draws)
				if err := test.pass(n); err != nil {
					t.Fatal(err)
				}
				for range 12 { // until it is there
					time.Sleep(time.Minute)
					_ = n.run()
				}
				n.dueInAll(draws)
				clear(n.stuck)
				n.pass(16)
				if got := n.stuck[reconcile.StuckResult]; got < draws {
					t.Errorf("%d looks in a quarter of an hour at %d draws", got, draws)
				}
			})
		})
	}
}

// What was stored before minutes had parts is found in the first, and moved to its own.
func TestPartsOfMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const draws = 400
		n := newNight(t)
		n.pass(1)
		n.opened(draws)
		for part := 1; part < store.DueParts; part++ {
			for minute := range settlement.Instant(5) {
				pk := store.DueKey(now()+minute*60_000, part)
				for item, err := range n.table.Query(t.Context(), pk, "") {
					if err != nil {
						t.Fatal(err)
					}
					first := item
					first.PK = store.DueKey(now()+minute*60_000, 0)
					if err := errors.Join(n.table.Put(t.Context(), first), n.table.Delete(t.Context(), pk, item.SK)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		n.pass(5)
		n.dueInAll(draws)
		for part := range store.DueParts {
			found := 0
			for minute := range settlement.Instant(3) {
				for _, err := range n.table.Query(t.Context(), store.DueKey(now()+(minute-1)*60_000, part), "") {
					if found++; err != nil {
						t.Fatal(err)
					}
				}
			}
			if found < draws/store.DueParts/2 || found > draws/store.DueParts*2 {
				t.Errorf("%d of %d draws are in part %d, want about an eighth", found, draws, part)
			}
		}
	})
}

// A run that can't send all that is due says so when that is long ago, leaves time for the
// queues, and the next goes on where it was.
func TestShortOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.pass(1)
		n.opened(4)
		time.Sleep(30 * time.Minute)
		n.db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
			if call.Operation == "Query" && strings.HasPrefix(call.Keys[0], "DUE#") {
				time.Sleep(3 * time.Second)
			}
			return fakedynamo.Proceed
		}
		for run := range 6 {
			began := time.Now()
			ctx, stop := context.WithTimeout(t.Context(), 50*time.Second)
			n.depths = nil
			if err := n.cursor().Run(ctx); run == 0 && (err == nil || !strings.Contains(err.Error(), "minutes ago") || n.behind < 15) {
				t.Errorf("it does not say that it is behind: %v, %d minutes", err, n.behind)
			}
			stop()
			if took := time.Since(began); took > 50*time.Second || len(n.depths) != 1 || n.depths[0] != nil {
				t.Errorf("it took %s, the queues were looked at: %v", took, n.depths)
			}
		}
		if got := len(n.looks.Take()); got < 4 {
			t.Errorf("%d looks were sent at 4 draws", got)
		}
	})
}

// The log of what is sent again says of how many draws.
func TestSaysWhatIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		n.pass(1)
		n.opened(2)
		var said strings.Builder
		cursor := n.cursor()
		cursor.Log, cursor.Looks = slog.New(slog.NewTextHandler(&said, nil)), &duequeue.Queue{}
		for range 12 {
			time.Sleep(time.Minute)
			if err := cursor.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if !strings.Contains(said.String(), `"looks are sent again" draws=2`) {
			t.Errorf("the log says %q", said.String())
		}
	})
}
