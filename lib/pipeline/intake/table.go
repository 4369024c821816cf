package intake

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"tally/lib/draw/wire"
	"tally/lib/pipeline/tables"
	"tally/lib/store"
)

// takeTable takes what the studio says of a table. It costs a read and a write, a message
// that says what is known already too: that the table was heard of is what counts.
func (in *Intake) takeTable(ctx context.Context, m *wire.Message, d Delivery, partial wire.Partial) error {
	now := in.Now()
	if faults := m.Admit(now); len(faults) > 0 {
		return in.quarantine(ctx, d, partial, m, result{faults: faults})
	}
	switch r, err := in.admit(ctx, m, d, m.Hash()); {
	case err != nil:
		return fmt.Errorf("taking up %s of table %s: %w", m.Type, m.Table, err)
	case r.status != "":
		return in.quarantine(ctx, d, partial, m, r)
	}
	for try := range maxTries {
		state, version, err := tables.Read(ctx, in.Table, m.Table)
		if err != nil {
			return fmt.Errorf("taking up %s of table %s: %w", m.Type, m.Table, err)
		}
		known, holds := state.Apply(m, min(d.SentAt, now))
		// Before this write bets are taken as before; after it, until who takes them has
		// read it, which is within a second.
		err = tables.Save(ctx, in.Table, state, version, now+in.Settings.Retain())
		if err == nil && m.Type != wire.TableAlive && holds == "" {
			err = in.tellBookmakers(ctx, m.Table) // of what is known, too: the message before may have ended in between
		}
		if err == nil {
			return in.replyToTable(ctx, m, d, state, known, holds)
		}
		if !errors.Is(err, store.ErrChanged) {
			return fmt.Errorf("taking up %s of table %s: %w", m.Type, m.Table, err)
		}
		if err := store.Pause(ctx, try); err != nil {
			return err
		}
	}
	return fmt.Errorf("taking up %s of table %s: other writers came first %d times", m.Type, m.Table, maxTries)
}

// toldDraws is how many of a table's newest draws are looked at for bookmakers with bets.
const toldDraws = 3

// tellBookmakers asks for those with bets on the newest draws of a table to be told how it
// stands. It costs a read.
func (in *Intake) tellBookmakers(ctx context.Context, table string) error {
	held, _, err := store.Read[Numbers](ctx, in.Table, store.TableKey(table), store.SequenceKey)
	if err != nil {
		return fmt.Errorf("looking for the draws of table %s: %w", table, err)
	}
	for _, draw := range held[max(0, len(held)-toldDraws):] {
		if err := in.Sweeps.Send(ctx, wire.Encode(wire.Run{Draw: draw.Draw, Table: table}), 0); err != nil {
			return err
		}
	}
	return nil
}

// replyToTable answers what was said of a table with what holds of it.
func (in *Intake) replyToTable(ctx context.Context, m *wire.Message, d Delivery, state tables.State, known bool, holds string) error {
	if m.Type != wire.TableAlive {
		in.Log.LogAttrs(ctx, slog.LevelWarn, "table is suspended or resumed", slog.String("table", m.Table), slog.String("type", string(m.Type)),
			slog.Bool("suspended", state.Suspended), slog.String("message_id", m.ID))
	}
	if d.From == Own {
		return nil
	}
	reply := wire.Reply{ID: m.ID, Status: wire.Stored, Type: m.Type, Table: m.Table, Message: state.InWords()}
	if known {
		reply.Status = wire.Replay
	}
	if holds != "" {
		reply.Holds = &wire.Holds{ID: holds}
	}
	return in.reply(ctx, reply)
}
