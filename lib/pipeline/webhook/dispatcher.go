package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tally/lib/draw/wire"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// Queue sends messages to one queue. When Send returns nil the message is
// durable.
type Queue interface {
	Send(ctx context.Context, body string, delay time.Duration) error
}

// Dispatcher finds the endpoints that are due: whose wait after a failure is over, whose
// message was lost, whose worker died. It only asks; a worker looks again.
type Dispatcher struct {
	Table *store.Table
	Queue Queue
	Now   func() settlement.Instant
}

// Wake asks for each bookmaker with an endpoint that is due. One that can't be
// looked at leaves the others alone.
func (w *Dispatcher) Wake(ctx context.Context) error {
	var failed error
	for item, err := range w.Table.Query(ctx, store.HooksKey, "") {
		if err != nil {
			return errors.Join(failed, err)
		}
		if err := w.wake(ctx, item.SK); err != nil {
			failed = errors.Join(failed, fmt.Errorf("looking at the webhooks of %s: %w", item.SK, err))
		}
	}
	return failed
}

func (w *Dispatcher) wake(ctx context.Context, bookmaker string) error {
	endpoints, err := load(ctx, w.Table, bookmaker)
	if err != nil {
		return err
	}
	feed, err := settle.ReadFeed(ctx, w.Table, bookmaker)
	if err != nil {
		return err
	}
	for _, e := range endpoints {
		if e.Position.due(feed.Newest, w.Now()) {
			return w.Queue.Send(ctx, wire.Encode(wire.Push{Bookmaker: bookmaker}), 0)
		}
	}
	return nil
}
