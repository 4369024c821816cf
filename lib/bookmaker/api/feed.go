package api

import (
	"context"
	"net/http"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw/report"
	"tally/lib/pipeline/settle"
	"tally/lib/store"
)

const (
	feedLimit = 100
	feedBytes = 4 << 20
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
	now, err := settle.ReadFeed(ctx, r.api.table, r.Bookmaker)
	if err != nil {
		return nil, err
	}
	if after > now.Newest {
		return nil, positionAhead(after, now.Newest)
	}
	entries, through, gap, err := now.Entries(ctx, r.api.table, after, int(r.whole("limit", feedLimit)), r.api.now())
	if err != nil {
		return nil, err
	}
	feed := v1.Feed{Entries: []v1.FeedEntry{}, Next: through, Newest: now.Newest}
	if gap {
		feed.Newest = through // for the moment: the next one comes into sight
	}
	size := 0
	for i, entry := range entries {
		shown := report.FeedEntryOf(entry)
		if size += sizeOf(shown); size > feedBytes && i > 0 {
			feed.Next = entries[i-1].Sequence
			break
		}
		feed.Entries = append(feed.Entries, shown)
	}
	return feed, nil
}

// positionAhead says that the feed ends before a number. No reader of this feed has
// such a one: whatever gave it a number had read a counter that was as high, and the
// counter only grows. It is another feed's, or from before this one was restored.
func positionAhead(sequence, newest int64) error {
	p := newProblem(codePositionAhead, "there is no report %d: the newest is %d", sequence, newest)
	p.Newest = &newest
	return p
}

// sizeOf is about how many bytes a report takes in an answer.
func sizeOf(e v1.FeedEntry) int {
	return 300 + 160*(len(e.Totals)+len(e.Before)) + 160*len(e.Pages)
}

// getPosition answers how far the feed was acknowledged.
func getPosition(ctx context.Context, r *request) (any, error) { return r.position(ctx) }

func (r *request) position(ctx context.Context) (v1.Position, error) {
	position, _, err := store.Read[v1.Position](ctx, r.api.table, store.BookmakerKey(r.Bookmaker), store.PositionKey)
	return position, err
}

// setPosition keeps how far the feed was acknowledged.
func setPosition(ctx context.Context, r *request) (any, error) {
	position := r.body.(*v1.Position)
	now, err := settle.ReadFeed(ctx, r.api.table, r.Bookmaker)
	if err != nil {
		return nil, err
	}
	if position.Sequence > now.Newest {
		return nil, positionAhead(position.Sequence, now.Newest)
	}
	err = r.api.table.Put(ctx, store.Item{PK: store.BookmakerKey(r.Bookmaker), SK: store.PositionKey, Body: store.Encode(position)})
	return response{status: http.StatusOK, body: position}, err
}
