package intake

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/store"
	"tally/lib/store/record"
)

// maxHeld is how much of a message quarantine keeps, in bytes.
const maxHeld = 300 << 10

// The limits of what is said about a message.
const (
	maxFaults       = 100
	maxFaultMessage = 500      // bytes
	maxSaid         = 60 << 10 // bytes of all faults as JSON, which may take six for one
)

// trim cuts what is said about a message to the limits: with the message itself it
// has to fit into an item, and without it into a reply.
func trim(faults []wire.Fault) []wire.Fault {
	kept := make([]wire.Fault, 0, min(len(faults), maxFaults))
	said := 0
	for _, f := range faults[:min(len(faults), maxFaults)] {
		if len(f.Message) > maxFaultMessage {
			f.Message = strings.ToValidUTF8(f.Message[:maxFaultMessage], "") + "…"
		}
		if said += len(store.Encode(f)); said > maxSaid {
			break
		}
		kept = append(kept, f)
	}
	return kept
}

// gameOf returns the game of a message, or of its draw; empty when neither is known.
func gameOf(m *wire.Message, head *draw.Head) string {
	switch {
	case m != nil && m.Game != nil:
		return m.Game.ID
	case head != nil:
		return head.Game
	}
	return ""
}

// quarantine files a message that can never become valid, with every reason,
// and answers the studio. The same message again is filed once.
func (in *Intake) quarantine(ctx context.Context, d Delivery, partial wire.Partial, m *wire.Message, r result) error {
	faults := trim(r.faults)
	held := record.Quarantined{ID: partial.ID, Type: partial.Type, Draw: partial.Draw, Queue: "studio", SentAt: d.SentAt, Faults: faults}
	if d.From == Operator {
		held.Queue = "orders"
	}
	hash := wire.HashOf(string(d.Body))
	now := in.Now()
	item := store.Item{PK: store.QuarantineKey(d.SentAt), SK: hash, Body: store.Encode(held),
		Binary: d.Body[:min(len(d.Body), maxHeld)], StoredAt: now, Hash: hash, ExpiresAt: now + in.Settings.Retain()}
	writes := []store.Write{store.Creating(item)}
	if held.Draw != "" {
		// While this marker is there the draw is not cancelled by itself.
		writes = append(writes, store.Putting(store.Item{PK: store.DrawKey(held.Draw), SK: store.HeldKey(item.PK, hash), StoredAt: now, ExpiresAt: item.ExpiresAt}))
	}
	fresh, err := in.file(ctx, item, writes)
	if err != nil {
		return fmt.Errorf("quarantining a message: %w", err)
	}
	if fresh {
		in.Record.Quarantined(gameOf(m, r.head))
		in.Log.LogAttrs(ctx, slog.LevelWarn, "message quarantined", slog.String("draw", held.Draw),
			slog.String("type", string(held.Type)), slog.String("message_id", held.ID), slog.String("code", faults[0].Code), slog.Int("faults", len(faults)))
	}
	if d.From == Own {
		return nil // tally does not answer itself
	}
	reply := wire.Reply{ID: partial.ID, Draw: partial.Draw, Status: wire.Quarantined, Errors: faults, Type: partial.Type, Holds: r.holds}
	if m != nil {
		reply.Table, reply.Round, reply.Revision, reply.Order = m.Table, m.Round, m.Revision, m.Order
	}
	reply.Say("")
	return in.reply(ctx, reply)
}

// file makes the writes that put an item into quarantine, the first of which creates
// it. It is not fresh when it was filed already: its new time then tells whoever is
// releasing it just now that it came back.
func (in *Intake) file(ctx context.Context, item store.Item, writes []store.Write) (fresh bool, err error) {
	fresh = true
	for try := range maxTries {
		if err = in.Table.Transact(ctx, writes...); !errors.Is(err, store.ErrChanged) {
			return fresh && err == nil, err
		}
		if _, filed, err := in.Table.Get(ctx, item.PK, item.SK); err != nil {
			return false, err
		} else if filed {
			fresh, writes[0] = false, store.Putting(item)
		}
		if err := store.Pause(ctx, try); err != nil {
			return false, err
		}
	}
	return false, err
}
