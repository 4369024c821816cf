package webhook

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"tally/lib/draw/report"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// noon is 2026-11-30T12:00:00.000Z.
const noon settlement.Instant = 1_796_040_000_000

// bench is a table with bookmakers' feeds and all that pushes them, with a clock of
// its own.
type bench struct {
	t      *testing.T
	table  *store.Table
	now    settlement.Instant
	hints  []string // bodies on the queue webhooks
	counts map[string]int
	// answer is what receivers make of a report.
	answer func(e *Endpoint, sequence int64) Outcome
	taken  map[string][]int64 // by endpoint, in the order in which they were
	bodies map[string]string  // by webhook-id
	mutex  sync.Mutex         // of what workers change, which send to endpoints side by side
}

func newBench(t *testing.T, client store.DynamoDB, table string) *bench {
	return &bench{t: t, table: store.New(client, table), now: noon, counts: map[string]int{}, taken: map[string][]int64{}, bodies: map[string]string{},
		answer: func(*Endpoint, int64) Outcome { return Outcome{Status: 204} }}
}

func (b *bench) clock() settlement.Instant { return b.now }

func (b *bench) pass(d time.Duration) { b.now += settlement.Instant(d.Milliseconds()) }

func (b *bench) worker() *Worker {
	return &Worker{Table: b.table, Sender: fakeSender{b}, Record: b, Now: b.clock, Log: slog.New(slog.DiscardHandler)}
}

func (b *bench) dispatcher() *Dispatcher { return &Dispatcher{Table: b.table, Queue: b, Now: b.clock} }

func (b *bench) store() *Store { return &Store{Table: b.table, Now: b.clock} }

func (b *bench) Delivered(reports int)         { b.count("delivered", reports) }
func (b *bench) NotDelivered(kind string)      { b.count(kind, 1) }
func (b *bench) WebhookDisabled(reason string) { b.count("disabled "+reason, 1) }

func (b *bench) count(what string, n int) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.counts[what] += n
}

// set sets an endpoint that is notified of the reports that come.
func (b *bench) set(bookmaker, url string) (id string) { return b.setAfter(bookmaker, url, -1) }

// Send takes a hint.
func (b *bench) Send(_ context.Context, body string, _ time.Duration) error {
	asked, err := wire.ParsePush(body)
	if err != nil {
		b.t.Error(err)
	}
	b.hints = append(b.hints, asked.Bookmaker)
	return nil
}

// fakeSender hands messages to a bench.
type fakeSender struct{ *bench }

func (f fakeSender) Send(_ context.Context, e *Endpoint, m Message, _ time.Time) (Outcome, error) {
	return f.receive(e, m), nil
}

// receive is the receiver: it holds every message against what it got before under
// the same id.
func (b *bench) receive(e *Endpoint, m Message) Outcome {
	b.t.Helper()
	var got struct {
		Type, Timestamp, Bookmaker string
		Data                       struct{ Sequence int64 }
	}
	if err := json.Unmarshal(m.Body, &got); err != nil {
		b.t.Fatal(err)
	}
	b.mutex.Lock()
	if before, known := b.bodies[m.ID]; known && before != string(m.Body) || got.Type != ReportCreated || got.Bookmaker != e.Bookmaker || m.ID != reportID(e.ID, got.Data.Sequence) {
		b.t.Errorf("message %s: %s, before %s", m.ID, m.Body, before)
	}
	b.bodies[m.ID] = string(m.Body)
	b.mutex.Unlock()
	came := b.answer(e, got.Data.Sequence)
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if came.Failed == "" {
		b.taken[e.ID] = append(b.taken[e.ID], got.Data.Sequence)
	}
	return came
}

// setAfter sets an endpoint that is notified of the reports after one.
func (b *bench) setAfter(bookmaker, url string, after int64) (id string) {
	b.t.Helper()
	e, _, err := b.store().Set(b.t.Context(), Params{Bookmaker: bookmaker, URL: url, After: after})
	if err != nil {
		b.t.Fatal(err)
	}
	return e.ID
}

// report appends reports to a bookmaker's feed, as settle would: the counter keeps
// what it says of webhooks.
func (b *bench) report(bookmaker string, reports int) {
	b.t.Helper()
	for range reports {
		if err := b.append(bookmaker); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) append(bookmaker string) error {
	item, _, err := b.table.Get(b.t.Context(), store.FeedKey(bookmaker), store.CounterKey)
	if err != nil {
		return err
	}
	counter := struct {
		Newest int64              `json:"newest"`
		At     settlement.Instant `json:"at,omitempty"`
		Pushed bool               `json:"pushed,omitempty"`
	}{}
	if item.Version > 0 {
		if err := json.Unmarshal([]byte(item.Body), &counter); err != nil {
			return err
		}
	}
	counter.Newest++
	entry := report.Entry{Sequence: counter.Newest, Draw: "war-1.7", Game: "war", State: 1, At: b.now, PreviousAt: counter.At, Shards: []report.Shard{{Pages: 1, Lines: 3}}}
	body, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	counter.At = b.now
	counted, err := json.Marshal(counter)
	if err != nil {
		return err
	}
	return b.table.Transact(b.t.Context(),
		store.Replacing(store.Item{PK: store.FeedKey(bookmaker), SK: store.CounterKey, Body: string(counted), Version: item.Version + 1}),
		store.Creating(store.Item{PK: store.FeedKey(bookmaker), SK: store.EntryKey(counter.Newest), Body: string(body)}))
}

// deliver has a worker deliver and wants no error.
func (b *bench) deliver(bookmaker string) (again settlement.Instant) {
	b.t.Helper()
	again, err := b.worker().Deliver(b.t.Context(), bookmaker)
	if err != nil {
		b.t.Fatal(err)
	}
	return again
}

func (b *bench) status(bookmaker, id string) *Status {
	b.t.Helper()
	status, err := b.store().Get(b.t.Context(), bookmaker, id)
	if err != nil {
		b.t.Fatal(err)
	}
	return status
}
