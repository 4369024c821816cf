// Package quarantine works on the messages that intake has quarantined because
// they can never become valid: malformed, impossible or conflicting ones. An
// operator looks at one, and releases it when the reason that it was refused is fixed (a
// rule, a limit, a conflict that a newer version decides otherwise), or drops it
// when the studio has sent a right one.
//
// A message is filed under the day on which it was sent and the hash of its
// bytes, so that the same message again is filed once. While one of a draw's
// messages sits here, to which a marker in the draw's partition points, the draw is not
// cancelled by itself.
package quarantine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"time"

	"tally/lib/draw/ids"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// Day is how long a day is; the partitions are those of UTC.
const Day = 24 * time.Hour

// MinID is the shortest beginning of an id that names a message.
const MinID = 4

// Errors that a person can do something about.
var (
	ErrNotFound  = errors.New("there is no such message in quarantine")
	ErrAmbiguous = errors.New("several messages in quarantine have ids that begin so")
	ErrCutOff    = errors.New("quarantine kept only the beginning of this message: it can't be sent again")
	// ErrNotHeld says that nothing comes of releasing a settlement.
	ErrNotHeld = errors.New("this settlement is not held any more: it was released, or a newer state has taken its place. Drop it")
	// ErrStillHeld says that a settlement can't be dropped: its draw would wait for ever.
	ErrStillHeld = errors.New("this settlement is held: release it, or have a newer revision take its place, and drop it then")
	ErrCameBack  = errors.New("tally has refused it again meanwhile: it is still in quarantine")
)

// Message is a message in quarantine.
type Message struct {
	record.Quarantined
	Body     []byte // as it was sent, at most 300 KB of it
	StoredAt settlement.Instant

	item store.Item
}

// ID identifies the message: the SHA-256 of its bytes in hexadecimal digits.
func (m *Message) ID() string { return m.item.SK }

// ShortID is enough of the ID for people.
func (m *Message) ShortID() string { return m.item.SK[:min(12, len(m.item.SK))] }

// Whole reports that Body is the whole message.
func (m *Message) Whole() bool { return wire.HashOf(string(m.Body)) == m.item.Hash }

// Sender sends a message to one queue again, with when it was sent first. When it
// returns nil the message is durable.
type Sender interface {
	SendAgain(ctx context.Context, body string, first settlement.Instant) error
}

// Quarantine is the quarantined messages in one table.
type Quarantine struct {
	Table  *store.Table
	Studio Sender       // the queue studio-messages
	Orders Sender       // the queue operator-orders
	Sweeps Sender       // the queue sweeps, for settlements that were held
	Log    *slog.Logger // gets what is released and dropped
}

// Days yields the messages sent on the day of a time and on so many days before
// it, newest day first, within a day by id.
func (q *Quarantine) Days(ctx context.Context, last time.Time, days int) iter.Seq2[*Message, error] {
	return func(yield func(*Message, error) bool) {
		for day := range days {
			at := settlement.Instant(last.Add(-time.Duration(day) * Day).UnixMilli())
			for item, err := range q.Table.Query(ctx, store.QuarantineKey(at), "") {
				var m *Message
				if err == nil {
					m, err = read(item)
				}
				if !yield(m, err) || err != nil {
					return
				}
			}
		}
	}
}

func read(item store.Item) (*Message, error) {
	m := &Message{Body: item.Binary, StoredAt: item.StoredAt, item: item}
	if err := json.Unmarshal([]byte(item.Body), &m.Quarantined); err != nil {
		return nil, fmt.Errorf("reading %s / %s: %w", item.PK, item.SK, err)
	}
	return m, nil
}

// Find returns the one message among those of Days whose ID begins so.
func (q *Quarantine) Find(ctx context.Context, id string, last time.Time, days int) (*Message, error) {
	if len(id) < MinID {
		return nil, fmt.Errorf("%q: an id is named by its first %d digits or more", id, MinID)
	}
	var found *Message
	for m, err := range q.Days(ctx, last, days) {
		switch {
		case err != nil:
			return nil, err
		case !strings.HasPrefix(m.ID(), id):
		case found != nil && found.ID() != m.ID():
			return nil, fmt.Errorf("%s: %w", id, ErrAmbiguous)
		case found == nil:
			found = m
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%s: %w", id, ErrNotFound)
	}
	return found, nil
}

// Release sends the message to its queue again and takes it out of quarantine.
// When intake refuses it again, it is there again. ErrCameBack says that it was
// sent and intake was faster, so that it is still there.
func (q *Quarantine) Release(ctx context.Context, m *Message) error {
	if !m.Whole() {
		return fmt.Errorf("releasing %s: %w", m.ShortID(), ErrCutOff)
	}
	if err := q.mark(ctx, m); err != nil {
		return fmt.Errorf("releasing %s: %w", m.ShortID(), err)
	}
	queue := q.Studio
	switch m.Queue {
	case "orders":
		queue = q.Orders
	case "sweeps":
		queue = q.Sweeps
	}
	if err := queue.SendAgain(ctx, string(m.Body), cmp.Or(m.SentAt, m.StoredAt)); err != nil {
		return fmt.Errorf("releasing %s: %w", m.ShortID(), err)
	}
	// Before the send the message is in quarantine only. After a crash here it is
	// there and on its queue: released again it is a replay, dropped it is handled
	// all the same. The other order could lose it.
	if err := q.remove(ctx, m); err != nil {
		return fmt.Errorf("taking %s, which was sent, out of quarantine: %w", m.ShortID(), err)
	}
	q.log(ctx, m, "message released", "")
	return nil
}

// studio is the queue of what the studio sent.
const studio = "studio"

// mark lets intake take a message of the studio's, also as a late correction and from
// whoever releases it, who need not be a sender for its table; or settle tell a settlement. The
// mark is there before the message is sent: without the message it lets nothing else
// through.
func (q *Quarantine) mark(ctx context.Context, m *Message) error {
	if m.Type == record.HeldSettlement {
		run, err := record.LoadRun(ctx, q.Table, m.Draw)
		if err != nil {
			return err
		}
		if run.HeldState() != m.State {
			return ErrNotHeld
		}
		return q.Table.Put(ctx, store.Item{PK: store.ReleasedIn(m.Draw), SK: store.ReleasedKey(store.StateKey(m.State)), ExpiresAt: m.item.ExpiresAt})
	}
	held := slices.ContainsFunc(m.Faults, func(f wire.Fault) bool { return f.Code == wire.CodeHeld })
	content, err := wire.Content(m.Body)
	switch {
	case held && err != nil:
		return err
	case !held && (m.Queue != studio || err != nil || !ids.Valid(m.Draw)):
		return nil
	}
	return q.Table.Put(ctx, store.Item{PK: store.ReleasedIn(m.Draw), SK: store.ReleasedKey(wire.HashOf(content)), ExpiresAt: m.item.ExpiresAt})
}

// Drop takes the message out of quarantine for good. The reason goes to the log.
func (q *Quarantine) Drop(ctx context.Context, m *Message, reason string) error {
	if m.Type == record.HeldSettlement {
		run, err := record.LoadRun(ctx, q.Table, m.Draw)
		if err == nil && run.HeldState() == m.State {
			err = ErrStillHeld
		}
		if err != nil {
			return fmt.Errorf("dropping %s: %w", m.ShortID(), err)
		}
	}
	if err := q.remove(ctx, m); err != nil {
		return fmt.Errorf("dropping %s: %w", m.ShortID(), err)
	}
	q.log(ctx, m, "message dropped", reason)
	return nil
}

// remove deletes the message. The draw's marker stays, and says nothing without it: an
// operator must not write in the draw's partition. The message must still be as it was
// read: one that intake filed again since has another time, and stays.
func (q *Quarantine) remove(ctx context.Context, m *Message) error {
	err := q.Table.Transact(ctx, store.DeletingAsRead(m.item))
	if !errors.Is(err, store.ErrChanged) {
		return err
	}
	// Perhaps it was this very transaction, whose answer was lost.
	if _, found, readErr := q.Table.Get(ctx, m.item.PK, m.item.SK); readErr != nil || !found {
		return readErr
	}
	return ErrCameBack
}

func (q *Quarantine) log(ctx context.Context, m *Message, what, reason string) {
	attributes := []slog.Attr{slog.String("id", m.ShortID()), slog.String("draw", m.Draw), slog.String("type", string(m.Type))}
	if reason != "" {
		attributes = append(attributes, slog.String("reason", reason))
	}
	q.Log.LogAttrs(ctx, slog.LevelInfo, what, attributes...)
}
