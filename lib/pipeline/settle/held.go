package settle

import (
	"context"
	"fmt"
	"log/slog"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// movedBy returns what a state moves of all bookmakers.
func movedBy(done map[string][]*record.Done) (moved settlement.Moved) {
	for _, shards := range done {
		for _, d := range shards {
			moved.Merge(d.Moved)
		}
	}
	return moved
}

// hold puts a settlement aside that moves more than is allowed: its pages are there, and
// nobody is notified. Before this transaction the next try comes to the same; after it SWEEP
// and quarantine have it. Where a newer state is there already, it takes the place.
func (t *try) hold(ctx context.Context, moved settlement.Moved) error {
	next := t.now
	next.Stopped, next.Stale, next.Unexplained = "", "", false
	next.Held = &record.Waiting{Moved: moved, At: t.Now()}
	if err := t.Table.Transact(ctx, store.Replacing(t.item(next)), store.Putting(aside(t.Draw, next))); err != nil {
		return err
	}
	t.Log.LogAttrs(ctx, slog.LevelWarn, "settlement held", slog.String("draw", t.ID), slog.Int("state", next.State), slog.String("moved", moved.String()))
	return nil
}

// aside is what an operator finds in quarantine of a held settlement: the message that
// goes on with it, and why it waits.
func aside(r *record.Draw, now record.RunState) store.Item {
	message := wire.Encode(wire.Run{Draw: r.ID})
	held := record.Quarantined{Type: record.HeldSettlement, Draw: r.ID, Queue: "sweeps", State: now.State, Faults: []wire.Fault{{Code: wire.CodeHeld,
		Message: fmt.Sprintf("state %d moves %s of %d bookmakers, more than is allowed: nobody is told of it until an operator releases it; what was settled under state %d holds; a newer state takes its place",
			now.State, now.Held.Moved, len(now.Bookmakers), now.Base)}}}
	return store.Item{PK: store.QuarantineKey(now.Held.At), SK: wire.HashOf(fmt.Sprintf("%s#%d", r.ID, now.State)), Body: store.Encode(held),
		Binary: []byte(message), StoredAt: now.Held.At, Hash: wire.HashOf(message), ExpiresAt: r.Head.RetainUntil}
}

// release reports a settlement that an operator has released.
func (t *try) release(ctx context.Context) error {
	next := t.now
	next.Held, next.Released = nil, true
	return t.put(ctx, next)
}

// released reports whether an operator has released a state.
func (s *Settler) released(ctx context.Context, draw string, state int) (bool, error) {
	return record.Released(ctx, s.Table, draw, store.StateKey(state))
}
