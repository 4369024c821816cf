package webhook

import (
	"context"
	"slices"

	"tally/lib/store"
)

// keepFor is how long tries are kept, in milliseconds.
const keepFor = 30 * 24 * 3600 * 1000

// pushes are the tries that a worker made in a row.
type pushes struct {
	Tries []Try `json:"tries"`
}

// note keeps the tries of a batch for people to look at. It is written before the
// position: a batch that is sent again was sent twice, and is in the list twice.
func (w *Worker) note(ctx context.Context, e *stored, o *outcome) error {
	if len(o.tries) == 0 {
		return nil
	}
	return w.Table.Put(ctx, store.Item{PK: store.PushesKey(e.Bookmaker, e.ID), SK: store.PushKey(o.began, o.worker), Body: store.Encode(pushes{
		Tries: o.tries,
	}),
		ExpiresAt: o.began + keepFor})
}

// readTries reads an endpoint's tries, the newest first.
func readTries(ctx context.Context, table *store.Table, bookmaker, id string, limit int) ([]Try, error) {
	var tries []Try
	for item, err := range table.Backward(ctx, store.PushesKey(bookmaker, id)) {
		if err != nil {
			return nil, err
		}
		some, err := store.Decode[pushes](item)
		if err != nil {
			return nil, err
		}
		slices.Reverse(some.Tries)
		if tries = append(tries, some.Tries...); len(tries) >= limit {
			return tries[:limit], nil
		}
	}
	return tries, nil
}
