package reconcile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

const (
	// lookAgain is how long a request to look waits for the draw to be settled, or for what
	// it has found to be.
	lookAgain = time.Second
	// lookFor is how long a request is kept. What it was to find then, Run finds later.
	lookFor = 2 * time.Minute
)

// LaterError says that a request to look has to come again.
type LaterError struct{ After time.Duration }

// Error says when.
func (e *LaterError) Error() string { return "the look is not over; again after " + e.After.String() }

// Looker looks through what is settled for records that were stored too late for it.
type Looker struct {
	Table   *store.Table
	Intake  *intake.Intake
	Settler *settle.Settler
	// LateRecords counts bets that a settlement run had missed.
	LateRecords func(game string, bets int)
	Now         func() settlement.Instant
	Log         *slog.Logger
}

// Look looks through a partition of a draw, or all of them, for records that were stored
// when its settlement may have read all, and has an order of tally's own name them. First it
// settles the draw, as for any message that names it. A request is done with only when
// the draw was settled under its newest state when the counting began, and nothing was
// missed: until then it comes again, since what is counted under an older state says nothing
// of what a newer one has read. Requests are never dropped as repetitions of others:
// another one's counting may have begun before this one's record was there.
func (l *Looker) Look(ctx context.Context, look wire.Run, age time.Duration) error {
	if err := l.Settler.Handle(ctx, look.Draw); err != nil {
		return err
	}
	head, _, err := record.LoadHead(ctx, l.Table, look.Draw)
	if err != nil {
		return err
	}
	missed, current, err := l.Settler.Look(ctx, look.Draw, *look.Look)
	mismatch := (*settle.MismatchError)(nil)
	if err != nil && !errors.As(err, &mismatch) {
		return err
	}
	for _, m := range missed {
		if err := l.repair(ctx, head, m, l.Now()); err != nil {
			return err
		}
	}
	switch {
	case mismatch != nil:
		l.Log.LogAttrs(ctx, slog.LevelError, "draw mismatch", slog.String("draw", look.Draw), slog.String("reason", mismatch.Reason))
		return nil // Run counts it
	case current && len(missed) == 0:
		return nil
	case age > lookFor:
		l.Log.LogAttrs(ctx, slog.LevelWarn, "a look is given up", slog.String("draw", look.Draw), slog.String("bookmaker", look.Look.Bookmaker))
		return nil
	}
	return &LaterError{After: lookAgain}
}

// repair makes an order of tally's own.
func (l *Looker) repair(ctx context.Context, head *draw.Head, m settle.LateRecords, now settlement.Instant) error {
	reason := "missed_by_sweep"
	if found := max(1, len(m.Records)); m.Stale {
		reason = "stale_pages"
		l.Log.LogAttrs(ctx, slog.LevelWarn, "a stopped settlement run is given up", slog.String("draw", head.Draw), slog.String("bookmaker", m.Bookmaker))
	} else { // at least one, of a bookmaker that had none before
		l.LateRecords(head.Game, found)
		l.Log.LogAttrs(ctx, slog.LevelError, "bets were missed by a settlement run", slog.String("draw", head.Draw), slog.String("bookmaker", m.Bookmaker), slog.Int("records", found))
	}
	body, err := order(head, m, reason, now)
	if err != nil {
		return err
	}
	return l.Intake.Handle(ctx, intake.Delivery{Body: body, SentAt: now, From: intake.Own})
}

// order is tally's own order that names what a settlement run has missed. Its id follows
// from what it says, so that the same audit again gives the same order.
func order(head *draw.Head, m settle.LateRecords, reason string, now settlement.Instant) ([]byte, error) {
	named := store.Encode(m)
	id := intake.OwnOrder + strconv.Itoa(head.State) + "-" + wire.HashOf(named)[:16]
	body, err := json.Marshal(map[string]any{
		"schema": wire.Schema, "id": id, "type": wire.BetsFound, "game": head.Game, "table": head.Table, "draw": head.Draw,
		"at": instant.Format(now), "order": id, "reason": reason, "evidence": "recount",
		"bookmaker": m.Bookmaker, "records": append([]string{}, m.Records...),
	})
	if err != nil {
		return nil, fmt.Errorf("encoding an order: %w", err)
	}
	return body, nil
}
