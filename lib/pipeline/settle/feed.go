package settle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"tally/lib/draw/report"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// counter is the number of a feed's newest entry.
type counter struct {
	Newest int64              `json:"newest"`
	At     settlement.Instant `json:"at,omitempty"` // that entry's time
	// Pushed says that the bookmaker has webhooks: settle reads it with the number,
	// so that knowing it costs nothing.
	Pushed bool `json:"pushed,omitempty"`
}

// write is the write of a counter over a version.
func (c counter) write(bookmaker string, version int64) store.Write {
	return store.Replacing(store.Item{PK: store.FeedKey(bookmaker), SK: store.CounterKey, Body: store.Encode(c), Version: version + 1})
}

// Feed is the end of a bookmaker's feed as it was read.
type Feed struct {
	Newest    int64 // number of the newest entry, 0 for none
	bookmaker string
	counter   counter
	version   int64
}

// ReadFeed reads the end of a bookmaker's feed. Every number up to the newest was given to
// an entry, which may not be to be seen yet: see [Feed.Entries].
func ReadFeed(ctx context.Context, table *store.Table, bookmaker string) (Feed, error) {
	now, item, err := store.Read[counter](ctx, table, store.FeedKey(bookmaker), store.CounterKey)
	return Feed{Newest: now.Newest, bookmaker: bookmaker, counter: now, version: item.Version}, err
}

// SetPushed returns the write that says whether the bookmaker has webhooks, from
// the next entry on. It fails when the feed has changed since it was read.
func (f Feed) SetPushed(pushed bool) store.Write {
	f.counter.Pushed = pushed
	return f.counter.write(f.bookmaker, f.version)
}

// wholeAfter is how long after its time, in milliseconds, an entry is to be seen for
// sure: its transaction takes seconds, and clocks differ a little.
const wholeAfter = 3600 * 1000

// Entries reads the entries of the feed after a number, at most so many. A number that
// was given to an entry may be seen before the entry is, for they are two items of one
// transaction. So this stops before the first that is missing, unless it has expired:
// its time, which is no later than that of those after it, is long enough past by now.
//
// Up to through there is nothing left to be read. gap says that the next one was given
// to an entry and is not to be seen yet.
func (f Feed) Entries(ctx context.Context, table *store.Table, after int64, limit int, now settlement.Instant) (list []report.Entry, through int64, gap bool, err error) {
	if through = after; after >= f.Newest {
		return nil, after, false, nil
	}
	items, err := table.Span(ctx, store.FeedKey(f.bookmaker), store.Span{From: store.EntryKey(after + 1), To: store.EntryKey(f.Newest), Limit: limit})
	if err != nil {
		return nil, after, false, err
	}
	expired := func(at settlement.Instant) bool { return at != 0 && at+wholeAfter <= now }
	for _, item := range items {
		entry, err := store.Decode[report.Entry](item)
		if err != nil {
			return nil, after, false, err
		}
		if entry.Sequence > through+1 && !expired(cmp.Or(entry.PreviousAt, entry.At)) {
			return list, through, true, nil
		}
		list, through = append(list, *entry), entry.Sequence
	}
	if len(items) == limit || through == f.Newest {
		return list, through, false, nil
	}
	if !expired(f.counter.At) {
		return list, through, true, nil
	}
	return list, f.Newest, false, nil
}

// maxFeedTries bounds how often a feed's next number is taken by others.
const maxFeedTries = 20

// feed tells a bookmaker of a draw's state, once. A report without lines, of a
// correction that changes nothing of the bookmaker's, is not reported, only marked.
func (t *try) feed(ctx context.Context, bookmaker string, shards []*record.Done) error {
	fed := store.Item{PK: store.DrawKey(t.ID), SK: store.FedKey(t.now.State, bookmaker), ExpiresAt: t.Head.RetainUntil}
	if t.Fed(t.now.State, bookmaker) {
		return nil
	}
	entry := report.Entry{Draw: t.ID, Game: t.Game.ID, State: t.now.State, At: t.Now()}
	switch before, err := t.Done(t.now.Base, bookmaker, 0); {
	case err != nil:
		return err
	case before != nil: // else its first bets came after the base was planned
		entry.Replaces = t.now.Base
	}
	lines := 0
	for shard, done := range shards {
		entry.Totals.Merge(done.Totals)
		entry.Before.Merge(done.Before)
		lines += done.Lines
		if done.Lines > 0 {
			entry.Shards = append(entry.Shards, report.Shard{Shard: shard, Pages: done.Pages, Lines: done.Lines})
		}
	}
	if lines == 0 {
		err := t.Table.Create(ctx, fed)
		if exists := (*store.ExistsError)(nil); errors.As(err, &exists) {
			return nil
		}
		return err
	}
	for attempt := range maxFeedTries {
		pushed, err := t.append(ctx, bookmaker, entry, fed)
		if !errors.Is(err, store.ErrChanged) {
			if err == nil {
				t.reported(ctx, bookmaker, lines, entry)
			}
			if pushed && err == nil {
				t.push(ctx, bookmaker)
			}
			return err
		}
		_, already, err := t.Table.Get(ctx, fed.PK, fed.SK)
		if err != nil || already {
			return err // reported by another try, or by this one before its response was lost
		}
		if err := store.Pause(ctx, attempt); err != nil {
			return err
		}
	}
	return fmt.Errorf("feeding %s: its feed's next number was taken %d times", bookmaker, maxFeedTries)
}

// append appends the entry and marks the bookmaker as notified, in one transaction:
// before it there is neither, after it both. It reports whether the bookmaker has
// webhooks.
func (s *Settler) append(ctx context.Context, bookmaker string, entry report.Entry, fed store.Item) (pushed bool, err error) {
	feed, err := ReadFeed(ctx, s.Table, bookmaker)
	if err != nil {
		return false, err
	}
	newest := feed.counter
	newest.Newest++
	// Clocks differ a little; times still rise with the numbers, so that the entries
	// of a day are a run.
	entry.PreviousAt, newest.At = newest.At, max(newest.At, entry.At)
	entry.Sequence, entry.At = newest.Newest, newest.At
	return newest.Pushed, s.Table.Transact(ctx, newest.write(bookmaker, feed.version),
		store.Creating(store.Item{PK: store.FeedKey(bookmaker), SK: store.EntryKey(entry.Sequence), Body: store.Encode(entry), ExpiresAt: fed.ExpiresAt}),
		store.Creating(fed))
}

// push asks for the bookmaker's webhooks to be sent what they lack. A message that
// is lost, here or by a crash before it, delays them until reconcile looks: that
// fails no settlement run.
func (s *Settler) push(ctx context.Context, bookmaker string) {
	if s.Webhooks == nil {
		return
	}
	if err := s.Webhooks.Send(ctx, wire.Encode(wire.Push{Bookmaker: bookmaker}), 0); err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "webhooks are told later", slog.String("bookmaker", bookmaker), slog.Any("error", err))
	}
}

func (t *try) reported(ctx context.Context, bookmaker string, lines int, entry report.Entry) {
	refunded := 0
	for _, totals := range entry.Totals {
		refunded += totals.Refunded
	}
	t.Record.Settled(t.Game.ID, lines, refunded, t.now.Base > 0, time.Duration(t.Now()-t.Head.LastClosing())*time.Millisecond)
	t.Log.LogAttrs(ctx, slog.LevelInfo, "bookmaker told", slog.String("draw", t.ID), slog.Int("state", t.now.State),
		slog.String("bookmaker", bookmaker), slog.Int("lines", lines))
}
