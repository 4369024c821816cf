package quarantine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/dynamotest"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/quarantine"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// sender notes what is sent. before is called first, if set.
type sender struct {
	sent   []string
	first  []settlement.Instant
	err    error
	before func()
}

// SendAgain implements quarantine.Sender: with when the message was sent first.
func (s *sender) SendAgain(ctx context.Context, body string, first settlement.Instant) error {
	s.first = append(s.first, first)
	return s.Send(ctx, body, 0)
}

func (s *sender) Send(_ context.Context, body string, _ time.Duration) error {
	if s.err != nil {
		return s.err
	}
	s.sent = append(s.sent, body)
	if s.before != nil {
		s.before()
	}
	return nil
}

type unrecorded struct{}

func (unrecorded) Quarantined(string) {}

func (unrecorded) Stored(string, time.Duration, string) {}

// world is a table with an intake that puts messages into quarantine.
type world struct {
	*quarantine.Quarantine
	studio, orders *sender
	intake         *intake.Intake
	now            settlement.Instant
	log            *strings.Builder
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func newWorld(t *testing.T, db dynamotest.DB) *world {
	w := &world{studio: &sender{}, orders: &sender{}, now: settlement.Instant(noon.UnixMilli()), log: &strings.Builder{}}
	table := store.New(db.Client, db.Table(t))
	log := slog.New(slog.NewTextHandler(w.log, nil))
	w.Quarantine = &quarantine.Quarantine{Table: table, Studio: w.studio, Orders: w.orders, Log: log}
	w.intake = &intake.Intake{Table: table, Replies: &sender{}, Sweeps: &sender{}, Archive: &sender{}, Record: unrecorded{},
		Now: func() settlement.Instant { w.now++; return w.now }, Log: slog.New(slog.DiscardHandler)}
	return w
}

// refuse has intake refuse a message that was sent a time after noon.
func (w *world) refuse(t *testing.T, body string, from intake.Source, after time.Duration) {
	t.Helper()
	sent := settlement.Instant(noon.Add(after).UnixMilli())
	if err := w.intake.Handle(t.Context(), intake.Delivery{Body: []byte(body), SentAt: sent, From: from}); err != nil {
		t.Fatal(err)
	}
}

func (w *world) all(t *testing.T) (messages []*quarantine.Message) {
	t.Helper()
	for m, err := range w.Days(t.Context(), noon, 3) {
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, m)
	}
	return messages
}

// held tells whether the draw is held by a message in quarantine: a marker that points to one.
func (w *world) held(t *testing.T) bool {
	t.Helper()
	r, err := record.Load(t.Context(), w.Table, "d1")
	if err != nil {
		t.Fatal(err)
	}
	held, err := r.Quarantined(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return held
}

const (
	impossible = `{"schema":1,"id":"m1","type":"draw.resulted","game":"war","table":"war-1","draw":"d1","at":"2026-11-30T12:00:00.000Z","revision":1,"facts":{"player":"ZZ","dealer":"AD"}}`
	badOrder   = `{"schema":1,"id":"m2","type":"bets.voided","game":"war","table":"war-1","draw":"d2","at":"2026-11-30T12:00:00.000Z","order":"o1","scope":{},"reason":"r","evidence":"e"}`
)

func TestReleaseAndDrop(t *testing.T) {
	dynamotest.Each(t, func(t *testing.T, db dynamotest.DB) {
		w := newWorld(t, db)
		w.refuse(t, impossible, intake.Studio, 0)
		w.refuse(t, badOrder, intake.Operator, -24*time.Hour)
		w.refuse(t, "no JSON", intake.Studio, -5*24*time.Hour) // too long ago to be listed
		messages := w.all(t)
		if len(messages) != 2 || messages[0].Quarantined.ID != "m1" || messages[1].Quarantined.ID != "m2" || string(messages[0].Body) != impossible || messages[0].Faults[0].Code != "unknown_card" {
			t.Fatalf("%+v", messages)
		}
		if !w.held(t) {
			t.Error("the draw is not marked")
		}
		first, err := w.Find(t.Context(), messages[0].ShortID(), noon, 3)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Release(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(w.studio.sent, []string{impossible}) || len(w.orders.sent) > 0 {
			t.Errorf("sent %q and %q", w.studio.sent, w.orders.sent)
		}
		if len(w.all(t)) != 1 || w.held(t) {
			t.Error("it is still in quarantine, or its draw is marked")
		}
		// Both tries of two people that release the same message succeed.
		if err := w.Release(t.Context(), first); err != nil {
			t.Error(err)
		}
		second := w.all(t)[0]
		if err := w.Release(t.Context(), second); err != nil || !slices.Equal(w.orders.sent, []string{badOrder}) {
			t.Errorf("%q %v, want no error and w.orders.sent = badOrder", w.orders.sent, err)
		}
		w.refuse(t, badOrder, intake.Operator, 0)
		if err := w.Drop(t.Context(), w.all(t)[0], "sent right as o2"); err != nil {
			t.Fatal(err)
		}
		if len(w.all(t)) > 0 || len(w.orders.sent) != 1 {
			t.Error("it was not dropped, or it was sent")
		}
		for _, want := range []string{"message released", "message dropped", "sent right as o2", "d2"} {
			t.Run(want, func(t *testing.T) {
				if !strings.Contains(w.log.String(), want) {
					t.Errorf("the log has no %q:\n%s", want, w.log)
				}
			})
		}
		if strings.Contains(w.log.String(), "ZZ") {
			t.Error("the log has what a message said")
		}
	})
}

// A message that is refused again, before release has taken it out, stays.
func TestReleasedAndRefusedAgain(t *testing.T) {
	dynamotest.Each(t, func(t *testing.T, db dynamotest.DB) {
		w := newWorld(t, db)
		w.refuse(t, impossible, intake.Studio, 0)
		w.studio.before = func() { w.refuse(t, impossible, intake.Studio, time.Hour) }
		if err := w.Release(t.Context(), w.all(t)[0]); !errors.Is(err, quarantine.ErrCameBack) {
			t.Error(err)
		}
		if len(w.all(t)) != 1 || !w.held(t) {
			t.Error("it is lost")
		}
		// On another day it is another item, with a marker of its own: whichever of the
		// two is taken out first, the draw stays marked for the other.
		w.studio.before = func() { w.refuse(t, impossible, intake.Studio, -24*time.Hour) }
		if err := w.Release(t.Context(), w.all(t)[0]); err != nil {
			t.Error(err)
		}
		if len(w.all(t)) != 1 || !w.held(t) {
			t.Error("it is lost, or its draw not marked")
		}
		w.studio.before = nil
		for _, newest := range []bool{true, false} {
			t.Run(fmt.Sprint(newest), func(t *testing.T) {
				w.refuse(t, impossible, intake.Studio, 0)
				w.refuse(t, impossible, intake.Studio, -24*time.Hour)
				messages := w.all(t)
				if !newest {
					slices.Reverse(messages)
				}
				for i, m := range messages {
					if err := w.Drop(t.Context(), m, "twice"); err != nil || w.held(t) != (i == 0) {
						t.Errorf("%d of %d dropped: marked %v, %v", i+1, len(messages), w.held(t), err)
					}
				}
			})
		}
	})
}

func TestReleaseThatCannotSend(t *testing.T) {
	w := newWorld(t, dynamotest.Kumo(t))
	w.refuse(t, impossible, intake.Studio, 0)
	w.studio.err = errors.New("no queue")
	if err := w.Release(t.Context(), w.all(t)[0]); !errors.Is(err, w.studio.err) {
		t.Error(err)
	}
	if len(w.all(t)) != 1 || !w.held(t) {
		t.Error("it is no longer in quarantine")
	}
}

func TestCutOffMessage(t *testing.T) {
	w := newWorld(t, dynamotest.Kumo(t))
	w.refuse(t, strings.Repeat("x", 310<<10), intake.Studio, 0)
	m := w.all(t)[0]
	if m.Whole() || len(m.Body) >= 310<<10 {
		t.Errorf("%d bytes are taken for the whole", len(m.Body))
	}
	if err := w.Release(t.Context(), m); !errors.Is(err, quarantine.ErrCutOff) || len(w.studio.sent) > 0 {
		t.Error(err)
	}
	if err := w.Drop(t.Context(), m, "too large"); err != nil || len(w.all(t)) > 0 {
		t.Error(err)
	}
}

// alike returns two texts whose hashes begin alike.
func alike() (one, two string) {
	seen := map[string]string{}
	for i := 0; ; i++ {
		text := strings.Repeat("x", i+1)
		start := wire.HashOf(text)[:quarantine.MinID]
		if other, has := seen[start]; has {
			return other, text
		}
		seen[start] = text
	}
}

func TestFind(t *testing.T) {
	w := newWorld(t, dynamotest.Kumo(t))
	one, two := alike()
	w.refuse(t, one, intake.Studio, 0)
	w.refuse(t, two, intake.Studio, -24*time.Hour)
	w.refuse(t, one, intake.Studio, -24*time.Hour) // the same message again is no other
	id := wire.HashOf(one)
	for _, test := range []struct {
		id   string
		want error
	}{{id[:quarantine.MinID], quarantine.ErrAmbiguous}, {"nosuch", quarantine.ErrNotFound}, {id, nil}, {id[:12], nil}} {
		t.Run(test.id, func(t *testing.T) {
			found, err := w.Find(t.Context(), test.id, noon, 3)
			if !errors.Is(err, test.want) || err == nil && string(found.Body) != one {
				t.Errorf("%s: %v", test.id, err)
			}
		})
	}
	if _, err := w.Find(t.Context(), id[:3], noon, 1); err == nil {
		t.Error("three digits name a message")
	}
}
