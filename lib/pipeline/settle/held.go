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
// nobody is told. Before this transaction the next try comes to the same; after it SWEEP
// and quarantine have it. Where a newer state is there already, it takes the place.
func (s *Settler) hold(ctx context.Context, r *record.Draw, now record.Run, version int64, moved settlement.Moved) (finished bool, err error) {
	now.Stopped, now.Stale, now.Unexplained = "", "", false
	now.Held = &record.Waiting{Moved: moved, At: s.Now()}
	if err := s.Table.Transact(ctx, store.Replacing(runItem(r, now, version)), store.Putting(aside(r, now))); err != nil {
		return false, err
	}
	s.Log.LogAttrs(ctx, slog.LevelWarn, "settlement held", slog.String("draw", r.ID), slog.Int("state", now.State), slog.String("moved", moved.String()))
	return false, nil // a newer state, or the operator, may have come meanwhile
}

// aside is what an operator finds in quarantine of a held settlement: the message that
// goes on with it, and why it waits.
func aside(r *record.Draw, now record.Run) store.Item {
	message := wire.Encode(wire.Run{Draw: r.ID})
	held := record.Quarantined{Type: record.HeldSettlement, Draw: r.ID, Queue: "sweeps", State: now.State, Faults: []wire.Fault{{Code: wire.CodeHeld,
		Message: fmt.Sprintf("state %d moves %s of %d bookmakers, more than is allowed: nobody is told of it until an operator releases it; what was settled under state %d holds; a newer state takes its place",
			now.State, now.Held.Moved, len(now.Bookmakers), now.Base)}}}
	return store.Item{PK: store.QuarantineKey(now.Held.At), SK: wire.HashOf(fmt.Sprintf("%s#%d", r.ID, now.State)), Body: store.Encode(held),
		Binary: []byte(message), StoredAt: now.Held.At, Hash: wire.HashOf(message), ExpiresAt: r.Head.RetainUntil}
}

// held sees to a settlement that waits. Whether it is told or a newer state takes its
// place is decided by one write of SWEEP: nobody is told of it before SWEEP says that it
// is released, and one that is released is told to all.
func (s *Settler) held(ctx context.Context, r *record.Draw, now record.Run, version int64) (finished bool, err error) {
	switch {
	case r.Head.State > now.State:
		s.Log.LogAttrs(ctx, slog.LevelInfo, "held settlement replaced", slog.String("draw", r.ID), slog.Int("state", now.State), slog.Int("by", r.Head.State))
		now.Held = nil
		return s.plan(ctx, r, now, version)
	case !released(r, now.State):
		return true, nil
	}
	now.Held, now.Released = nil, true
	return false, s.put(ctx, r, now, version)
}

// released reports whether an operator has released a state.
func released(r *record.Draw, state int) bool {
	_, marked := r.Item(store.ReleasedKey(store.StateKey(state)))
	return marked
}
