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

// LaterError is no failure: the draw is being settled, or what was found is, and the
// request has to come again to see whether anything is left.
type LaterError struct{ After time.Duration }

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
	found, cut, err := l.count(ctx, head, *look.Look, settle.Position{})
	mismatch := (*settle.MismatchError)(nil)
	switch finished := found.Current && len(found.Missed) == 0; {
	case errors.As(err, &mismatch):
		l.Log.LogAttrs(ctx, slog.LevelError, "draw mismatch", slog.String("draw", look.Draw), slog.String("reason", mismatch.Reason))
		return nil // Run counts it
	case err != nil:
		return err
	case finished && !cut:
		return nil
	case finished && found.At.State == head.State:
		return l.handOver(ctx, head, found.At)
	case cut && !found.Current && len(found.Missed) == 0:
		return nil // Run counts a draw that was stopped in every minute, and goes on where it was
	case age > lookFor:
		l.Log.LogAttrs(ctx, slog.LevelWarn, "a look is given up", slog.String("draw", look.Draw), slog.String("bookmaker", look.Look.Bookmaker))
		return nil
	}
	return &LaterError{After: lookAgain}
}

// auditWithin is how long one look may count bets: the rest of a large draw, or of a large
// partition of one, is counted in the next.
const auditWithin = 15 * time.Second

// count counts bets of a draw again, as long as one look may, and has what was missed
// settled: by orders of tally's own, which make a newer state. cut says that there are more
// bets, which are counted from found.At on.
func (l *Looker) count(ctx context.Context, head *draw.Head, part wire.Look, from settle.Position) (found settle.Audited, cut bool, err error) {
	within, stop := context.WithTimeout(ctx, auditWithin)
	defer stop()
	found, err = l.Settler.Audit(within, head.Draw, part, from)
	for _, m := range found.Missed {
		if err := l.repair(ctx, head, m, l.Now()); err != nil {
			return found, false, err
		}
	}
	mismatch := (*settle.MismatchError)(nil)
	if cut = err != nil && within.Err() != nil && found.At != from && !errors.As(err, &mismatch); cut {
		err = nil
	}
	return found, cut, err
}

// handOver leaves the rest of a look to reconcile: an item of its own is due, with what was
// counted so far. (A message that settle sends to settle again and again would be taken for
// a loop, and dropped.) The counting goes on where it was, so it still finds whatever was
// there when it began. A newer state makes the item void, and is looked through itself.
func (l *Looker) handOver(ctx context.Context, head *draw.Head, counted settle.Position) error {
	at := l.Now() + visibleWithin
	for range maxItems {
		item := intake.Due(head, at)
		item.Body = store.Encode(counted)
		err := l.Table.Create(ctx, item)
		if exists := (*store.ExistsError)(nil); !errors.As(err, &exists) || exists.Item.Body == item.Body {
			return err
		}
		at += minute
	}
	return &LaterError{After: lookAgain}
}

// maxItems bounds in how many minutes one after the other a draw has items.
const maxItems = 10

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
