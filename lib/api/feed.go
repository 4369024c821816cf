package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	v1 "tally/lib/api/v1"
	"tally/lib/store"
	"tally/lib/sweep"
)

const (
	feedLimit = 100
	feedBytes = 4 << 20
	maxEntry  = 999_999_999_999
)

// readFeed answers the reports after a sequence number.
func readFeed(ctx context.Context, r *request) (any, error) {
	after := r.whole("after", -1)
	if after < 0 {
		position, err := r.position(ctx)
		if err != nil {
			return nil, err
		}
		after = position.Sequence
	}
	newest, err := r.newest(ctx)
	if err != nil {
		return nil, err
	}
	if after > newest {
		return nil, positionAhead(after, newest)
	}
	feed := v1.Feed{Entries: []v1.FeedEntry{}, Next: after, Newest: newest}
	if after == newest {
		return feed, nil
	}
	entries, err := readEntries(ctx, r.api.table, r.Bookmaker, after, newest, int(r.whole("limit", feedLimit)))
	if err != nil {
		return nil, err
	}
	size := 0
	for _, entry := range entries {
		told := v1.FeedEntryOf(entry)
		if size += sizeOf(told); size > feedBytes && len(feed.Entries) > 0 {
			break
		}
		feed.Entries = append(feed.Entries, told)
		feed.Next = entry.Sequence
	}
	return feed, nil
}

// positionAhead says that the feed ends before a number. No reader of this feed has
// such a one: whatever told it a number had read a counter that was as high, and the
// counter only grows. It is another feed's, or from before this one was restored.
func positionAhead(sequence, newest int64) error {
	p := newProblem(codePositionAhead, "there is no report %d: the newest is %d", sequence, newest)
	p.Newest = &newest
	return p
}

// newest returns the number of the newest report. Every number up to it was given
// to a report, by one transaction each: the counter is read before the reports, so
// that whatever is missing among them has expired.
func (r *request) newest(ctx context.Context) (int64, error) {
	return sweep.Newest(ctx, r.api.table, r.Bookmaker)
}

// readEntries reads reports after a number, up to one that is known to exist.
func readEntries(ctx context.Context, table *store.Table, bookmaker string, after, upTo int64, limit int) ([]sweep.Entry, error) {
	items, err := table.Span(ctx, store.FeedKey(bookmaker), store.Span{From: store.EntryKey(min(after+1, maxEntry)), To: store.EntryKey(upTo), Limit: limit})
	if err != nil {
		return nil, err
	}
	entries := make([]sweep.Entry, len(items))
	for i, item := range items {
		if err := json.Unmarshal([]byte(item.Body), &entries[i]); err != nil {
			return nil, fmt.Errorf("reading %s / %s: %w", item.PK, item.SK, err)
		}
	}
	return entries, nil
}

// sizeOf is about how many bytes a report takes in an answer.
func sizeOf(e v1.FeedEntry) int {
	return 300 + 160*(len(e.Totals)+len(e.Before)) + 160*len(e.Pages)
}

// getPosition answers how far the feed was acknowledged.
func getPosition(ctx context.Context, r *request) (any, error) { return r.position(ctx) }

func (r *request) position(ctx context.Context) (v1.Position, error) {
	item, found, err := r.api.table.Get(ctx, store.BookmakerKey(r.Bookmaker), store.PositionKey)
	if err != nil || !found {
		return v1.Position{}, err
	}
	var position v1.Position
	if err := json.Unmarshal([]byte(item.Body), &position); err != nil {
		return v1.Position{}, fmt.Errorf("reading %s / %s: %w", item.PK, item.SK, err)
	}
	return position, nil
}

// setPosition keeps how far the feed was acknowledged.
func setPosition(ctx context.Context, r *request) (any, error) {
	position := r.body.(*v1.Position)
	newest, err := r.newest(ctx)
	if err != nil {
		return nil, err
	}
	if position.Sequence > newest {
		return nil, positionAhead(position.Sequence, newest)
	}
	body, err := json.Marshal(position)
	if err != nil {
		return nil, fmt.Errorf("encoding a position: %w", err)
	}
	err = r.api.table.Put(ctx, store.Item{PK: store.BookmakerKey(r.Bookmaker), SK: store.PositionKey, Body: string(body)})
	return answered{status: http.StatusOK, body: position}, err
}
