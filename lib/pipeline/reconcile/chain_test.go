package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tally/lib/draw/wire"
	"tally/lib/pipeline/reconcile"
	"tally/lib/pipeline/settle"
)

// maxHops is how often a message may have come from settle to settle. Lambda takes what
// comes to a function for the 16th time for a loop, and drops it. Look gets messages from the
// cursor alone, which a schedule runs: no message leads to it.
const maxHops = 4

// message is one of the queue of settlements.
type message struct {
	body       string
	sent, due  time.Time
	hops       int // how often its chain has come to settle, with this time
	deliveries int
}

// line is a night on which settle is at work, too: it gets its messages.
type line struct {
	*night
	messages []*message
	handling *message
	most     int // hops
}

func newLine(t *testing.T) *line {
	l := &line{night: newNight(t)}
	l.sent = func(body string, delay time.Duration) {
		m := &message{body: body, sent: time.Now(), due: time.Now().Add(delay), hops: 1}
		if l.handling != nil {
			m.hops += l.handling.hops
		}
		l.messages, l.most = append(l.messages, m), max(l.most, m.hops)
	}
	return l
}

// run runs the cursor and has the looks made: what they send begins no chain that leads back.
func (l *line) run() error {
	l.Helper()
	err := l.cursor().Run(l.Context())
	sent := l.looks.Sent
	err = errors.Join(err, l.looks.Work(l.Context(), l.looker()))
	if l.looks.Sent != sent {
		l.Error("a look has sent a look")
	}
	return err
}

// deliver hands a message to settle. One that comes too early, or has not ended in its
// time, comes again: that is no hop.
func (l *line) deliver(m *message) {
	l.handling = m
	defer func() { l.handling = nil }()
	within, stop := context.WithTimeout(l.Context(), 55*time.Second)
	defer stop()
	sent := l.looks.Sent
	defer func() {
		if l.looks.Sent != sent {
			l.Error("settle has sent a look")
		}
	}()
	asked, err := wire.ParseRun(m.body)
	if err != nil {
		l.Fatal(err)
	}
	settler := l.settler()
	settler.Looks, settler.PageLines = l.night, 20
	if asked.Look == nil {
		err = settler.Handle(within, asked.Draw)
	} else {
		looker := &reconcile.Looker{Table: l.table, Intake: l.intake(), Settler: settler, LateRecords: l.LateRecords, Now: now, Log: slog.New(slog.DiscardHandler)}
		err = looker.Look(within, asked, time.Since(m.sent))
	}
	var later *reconcile.LaterError
	var notYet *settle.NotYetError
	switch m.deliveries++; {
	case err == nil:
		l.messages = slices.DeleteFunc(l.messages, func(other *message) bool { return other == m })
	case errors.As(err, &later):
		m.due = time.Now().Add(later.After)
	case errors.As(err, &notYet):
		m.due = time.Now().Add(notYet.After)
	case within.Err() != nil:
		m.due = time.Now().Add(time.Second)
	default:
		l.Errorf("settle: %v", err)
	}
}

// live delivers what is due and runs reconcile every minute, until something is so.
func (l *line) live(minutes int, until func() bool) {
	l.Helper()
	for minute := time.Now().Truncate(time.Minute); minutes > 0; minutes-- {
		minute = minute.Add(time.Minute)
		for !until() {
			next := slices.MinFunc(append(l.messages, &message{due: minute}), func(a, b *message) int { return a.due.Compare(b.due) })
			time.Sleep(time.Until(next.due))
			if next.body == "" {
				break
			}
			l.deliver(next)
		}
		if until() {
			return
		}
		if err := l.run(); err != nil {
			l.Error(err)
		}
	}
}

// settled tells whether a state is settled.
func (l *line) settled(state int) func() bool {
	return func() bool {
		status, err := l.settler().Status(l.Context(), "rou-1.7")
		return err == nil && status.Settled && status.State == state
	}
}

func never() bool { return false }

// Late records are found long before the ten minutes are over, also where a partition is
// too large for one look; and no message leads from settle to settle more than a few times.
func TestChainsOfMessages(t *testing.T) {
	for _, test := range []struct {
		name   string
		each   time.Duration // that a page of bets takes
		late   []string      // bookmakers with a late record
		asked  bool          // whoever took them asks for looks, and the second look is lost
		state  int           // that is settled in the end
		within int           // minutes
	}{
		{"nothing is late", 0, nil, false, 1, 9},
		{"a small partition", 0, []string{"acme"}, false, 2, 9},
		{"small partitions, asked for", 0, []string{"acme", "borealis"}, true, 3, 9},
		{"nothing is late in large partitions", time.Second, nil, false, 1, 9},
		{"a large partition", time.Second, []string{"acme"}, false, 2, 9},
		{"the last of large partitions", time.Second, []string{"cosmos"}, false, 2, 9},
		{"a large partition, asked for", time.Second, []string{"borealis"}, true, 2, 9},
		{"large partitions, asked for", time.Second, []string{"acme", "borealis", "cosmos"}, true, 0, 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLine(t)
				time.Sleep(time.Minute)
				if err := l.run(); err != nil {
					t.Fatal(err)
				}
				l.open()
				for b := range 240 {
					l.bet([]string{"acme", "borealis", "cosmos"}[b%3], fmt.Sprintf("b%03d", b))
				}
				l.say(`"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":17}]}`)
				l.live(5, l.settled(1))
				l.db.PageBytes = 1000
				if test.each > 0 {
					l.slow(2 * test.each)
				}
				if test.asked {
					l.messages = nil
				}
				for _, bookmaker := range test.late {
					l.bet(bookmaker, "b120x")
					if test.asked {
						l.sent(wire.Encode(wire.Run{Draw: "rou-1.7", Look: &wire.Look{Bookmaker: bookmaker}}), time.Second)
					}
				}
				l.live(test.within, never)
				if l.late != len(test.late) || test.state > 0 && !l.settled(test.state)() || len(l.messages) > 0 || l.mismatch > 0 {
					t.Errorf("after %d minutes %d late records were found, %d messages are left, %d mismatches", test.within, l.late, len(l.messages), l.mismatch)
				}
				if l.most > maxHops {
					t.Errorf("a message came from settle to settle %d times", l.most)
				}
				if l.live(30, never); l.dueItems() > 0 || l.late != len(test.late) || l.mismatch > 0 {
					t.Errorf("in the end it is due %d times, %d late records were found, %d mismatches", l.dueItems(), l.late, l.mismatch)
				}
			})
		})
	}
}
