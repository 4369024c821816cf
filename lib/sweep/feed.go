package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"tally/lib/settlement"
	"tally/lib/store"
)

// Entry is an entry of a bookmaker's feed: the report of one draw under one
// state.
type Entry struct {
	Sequence int64           `json:"sequence"`
	Draw     string          `json:"draw"`
	Game     string          `json:"game"`
	State    int             `json:"state"`
	Replaces int             `json:"replaces,omitempty"` // the state reported before; 0 for none
	Shards   []Shard         `json:"shards"`
	Totals   settlement.Book `json:"totals"`           // of all the bookmaker's bets on the draw
	Before   settlement.Book `json:"before,omitempty"` // the same under the state replaced
	At       instant         `json:"at"`
}

// Shard is one shard's part of a report.
type Shard struct {
	Shard int `json:"shard"`
	Pages int `json:"pages"`
	Lines int `json:"lines"`
}

// counter is the number of a feed's newest entry.
type counter struct {
	Newest int64   `json:"newest"`
	At     instant `json:"at,omitempty"` // that entry's time
}

// Newest returns the number of the newest entry of a bookmaker's feed, 0 when it
// has none. Every number up to it was given to an entry.
func Newest(ctx context.Context, table *store.Table, bookmaker string) (int64, error) {
	item, found, err := table.Get(ctx, store.FeedKey(bookmaker), store.CounterKey)
	if err != nil || !found {
		return 0, err
	}
	newest, err := decodeAs[counter](item)
	if err != nil {
		return 0, err
	}
	return newest.Newest, nil
}

// maxFeedTries bounds how often a feed's next number is taken by others.
const maxFeedTries = 20

// feed tells a bookmaker of a draw's state, once. A report without lines, of a
// correction that changes nothing of the bookmaker's, is not told, only marked.
func (s *Sweeper) feed(ctx context.Context, r *records, now status, bookmaker string, shards []*Done) error {
	fed := store.Item{PK: store.DrawKey(r.draw), SK: store.FedKey(now.State, bookmaker), ExpiresAt: r.head.RetainUntil}
	if _, already := r.items[fed.SK]; already {
		return nil
	}
	entry := Entry{Draw: r.draw, Game: r.game.ID, State: now.State, Replaces: now.Base, At: s.Now()}
	lines := 0
	for shard, done := range shards {
		entry.Totals.Merge(done.Totals)
		entry.Before.Merge(done.Before)
		lines += done.Lines
		if done.Lines > 0 {
			entry.Shards = append(entry.Shards, Shard{shard, done.Pages, done.Lines})
		}
	}
	if lines == 0 {
		err := s.Table.Create(ctx, fed)
		if exists := (*store.ExistsError)(nil); errors.As(err, &exists) {
			return nil
		}
		return err
	}
	for try := range maxFeedTries {
		err := s.append(ctx, bookmaker, entry, fed)
		if !errors.Is(err, store.ErrChanged) {
			if err == nil {
				s.told(ctx, r, now, bookmaker, lines, entry)
			}
			return err
		}
		_, already, err := s.Table.Get(ctx, fed.PK, fed.SK)
		if err != nil || already {
			return err // told by another try, or by this one before its answer was lost
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
	return fmt.Errorf("feeding %s: its feed's next number was taken %d times", bookmaker, maxFeedTries)
}

// pause waits with full jitter before the next try: many draws may be feeding one
// bookmaker.
func pause(ctx context.Context, try int) error {
	limit := time.Millisecond << min(try, 7)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rand.N(limit) + 1):
		return nil
	}
}

// append appends the entry and marks the bookmaker as told, in one transaction:
// before it there is neither, after it both.
func (s *Sweeper) append(ctx context.Context, bookmaker string, entry Entry, fed store.Item) error {
	item, found, err := s.Table.Get(ctx, store.FeedKey(bookmaker), store.CounterKey)
	if err != nil {
		return err
	}
	newest := &counter{}
	if found {
		if newest, err = decodeAs[counter](item); err != nil {
			return err
		}
	}
	newest.Newest++
	// Clocks differ a little; times still rise with the numbers, so that the entries
	// of a day are a run.
	newest.At = max(newest.At, entry.At)
	entry.Sequence, entry.At = newest.Newest, newest.At
	body, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("encoding a feed entry: %w", err)
	}
	count, err := json.Marshal(newest)
	if err != nil {
		return fmt.Errorf("encoding a feed's counter: %w", err)
	}
	return s.Table.Transact(ctx,
		store.Replacing(store.Item{PK: store.FeedKey(bookmaker), SK: store.CounterKey, Body: string(count), Version: item.Version + 1}),
		store.Creating(store.Item{PK: store.FeedKey(bookmaker), SK: store.EntryKey(entry.Sequence), Body: string(body), ExpiresAt: fed.ExpiresAt}),
		store.Creating(fed))
}

func (s *Sweeper) told(ctx context.Context, r *records, now status, bookmaker string, lines int, entry Entry) {
	refunded := 0
	for _, t := range entry.Totals {
		refunded += t.Refunded
	}
	s.Record.Settled(r.game.ID, lines, refunded, now.Base > 0, time.Duration(s.Now()-r.head.LastClosing())*time.Millisecond)
	s.Log.LogAttrs(ctx, slog.LevelInfo, "bookmaker told", slog.String("draw", r.draw), slog.Int("state", now.State),
		slog.String("bookmaker", bookmaker), slog.Int("lines", lines))
}
