package intake

import (
	"context"
	"log/slog"

	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/store"
)

// boardBefore returns the message that has the odds of the first betting round of the draw
// before at the table, nil for none: only with the odds of the same round of this draw.
// Where it can't be read the reply goes without.
func (in *Intake) boardBefore(ctx context.Context, m *wire.Message, head *draw.Head) *wire.Message {
	if m.Round > 1 || head.Sequence == 0 {
		return nil
	}
	held, _, err := store.Read[Numbers](ctx, in.Table, store.TableKey(head.Table), store.SequenceKey)
	before := held.before(head.Sequence)
	for _, key := range []string{store.RoundKey(1), store.OpenedKey} {
		if err != nil || before == "" {
			break
		}
		item, found, wrong := in.Table.Get(ctx, store.DrawKey(before), key)
		if err = wrong; !found {
			continue
		}
		if last, _, _ := wire.ParseUnder([]byte(item.Body), m.Game); last != nil && len(last.Board) > 0 {
			return last
		}
	}
	if err != nil {
		in.Log.LogAttrs(ctx, slog.LevelWarn, "odds are not compared with those of the draw before", slog.String("draw", m.Draw), slog.Any("error", err))
	}
	return nil
}

// before returns the draw with the highest number below one; empty for none that is held.
func (n Numbers) before(sequence int64) (draw string) {
	highest := int64(0)
	for _, held := range n {
		if held.Sequence < sequence && held.Sequence > highest {
			highest, draw = held.Sequence, held.Draw
		}
	}
	return draw
}
