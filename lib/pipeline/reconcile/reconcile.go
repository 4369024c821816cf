// Package reconcile looks for what is stuck or missing, or does not match. It repairs by sending
// the same message again, or by an order of tally's own that names what was missed, and
// raises an alarm on the rest.
//
// Every draw has a DUE item from its opening until it is settled and counted again. A
// [Cursor] goes through the minutes, and sends a message for each item that is due; any
// number of [Reconciler]s take them, look at the draws, and move each item to the next minute
// to look, in one transaction: of two looks at the same one moves it. So no process is on the
// way of all draws. A new state of the draw has an item of its own, written with it; the one
// before is dropped when it comes up, so that a draw is looked at once however many messages
// it gets.
package reconcile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/clock"
	"tally/lib/store/record"
)

// Recorder is notified of what was found, for metrics and alarms.
type Recorder interface {
	// Stuck counts a draw that does not advance: no result, or a settlement run that does
	// not end.
	Stuck(game, why string)
	// Mismatch counts a draw whose bets come to something else than was reported.
	Mismatch(game string)
	// Waiting counts a correction that waits for an operator.
	Waiting(game string)
	// LateRecords counts bets that a settlement run had missed.
	LateRecords(game string, bets int)
}

// Reconciler looks at draws that are due. It may be used by several goroutines.
type Reconciler struct {
	Table   *store.Table
	Intake  *intake.Intake
	Settler *settle.Settler
	Sweeps  intake.Sender
	// Studio counts the studio's messages that intake has not taken up: on their queue,
	// visible, held back or being worked on, and among its dead letters. While there are
	// any, or it can't be told, no draw is cancelled.
	Studio Depths
	Record Recorder
	Now    func() settlement.Instant
	// Clock tells whether Now can be trusted; nil for always.
	Clock clock.Check
	Log   *slog.Logger
	// ResultWithin is how long after its last closing a draw's result is missed.
	ResultWithin time.Duration
	// CancelAfter is how long after its last closing a draw without a result is
	// cancelled; zero for never.
	CancelAfter time.Duration
	// Watch begins a look at the public log, for one draw; nil where nobody looks after it here.
	Watch func(ctx context.Context) (PublicLog, error)
}

// PublicLog is one look at the public log.
type PublicLog interface {
	// Logged reports whether the log has the newest state of a draw, which was settled,
	// and its settlement. A draw of which it is false is to be looked at again.
	Logged(ctx context.Context, draw string, state int) (bool, error)
	End()
}

const (
	minute     = 60_000
	day        = 24 * 60 * minute
	auditAfter = 10 * minute
	// visibleWithin is how long before it is due, at least, an item is moved: until then
	// its transaction is over, and all of it can be seen.
	visibleWithin = 10_000
)

// The reasons of a draw being stuck.
const (
	StuckOpening = "opening_missing"
	StuckResult  = "result_missing"
	StuckRun     = "sweep_not_ending"
	StuckStopped = "sweep_stopped"
	StuckFault   = "look_failed"
	// StuckRules is a draw of rules that this program does not have.
	StuckRules = "rules_unknown"
)

// LookTakes is how long a look may take in all. One that begins with less time than that before its
// context ends is cut short, and is taken for one that failed.
const LookTakes = auditWithin + restFor

// Look looks at a draw that is due, if it still is: one whose item was moved was looked at
// already. Its error says that the look failed, that the item could not be moved, or both;
// what could not be moved is to be looked at by the same message again, and what was moved
// is not.
//
// A message that is lost is sent again, by the item; one that comes twice finds the item moved,
// and of two at the same time one moves it.
func (r *Reconciler) Look(ctx context.Context, asked wire.Due) error {
	if err := r.Clock.Passed(ctx); err != nil {
		return err
	}
	if !store.IsDue(asked.Minute) { // a look deletes the item that it is done with
		return fmt.Errorf("looking at %.80q: %.80q is no partition of draws that are due", asked.Draw, asked.Minute)
	}
	item, found, err := r.Table.Get(ctx, asked.Minute, asked.Draw)
	if err != nil || !found {
		return err
	}
	within, stop := before(ctx, restFor)
	defer stop()
	if err := r.due(ctx, within, item); err != nil {
		return fmt.Errorf("looking at draw %s: %w", item.SK, err)
	}
	return nil
}

// logged reports whether the public log has what holds of a settled draw.
func (r *Reconciler) logged(ctx context.Context, head *draw.Head) bool {
	if r.Watch == nil {
		return true
	}
	log, err := r.Watch(ctx)
	is := false
	if log != nil {
		defer log.End()
	}
	if err == nil {
		is, err = log.Logged(ctx, head.Draw, head.State)
	}
	if err != nil {
		r.Log.LogAttrs(ctx, slog.LevelWarn, "the public log can't be read", slog.String("draw", head.Draw), slog.String("reason", err.Error()))
	}
	return is && err == nil
}

// due looks at a draw and moves its item to when it is next due, if ever.
func (r *Reconciler) due(ctx, within context.Context, item store.Item) error {
	id, stage, err := store.DueOf(item.SK)
	if err != nil {
		return err // the item stays: another version may know what it says
	}
	next, failed := r.lookAt(within, item, id, stage)
	if next.at == 0 {
		return errors.Join(failed, r.Table.Delete(ctx, item.PK, item.SK))
	}
	// The cursor may be about to go through this minute, and would go past an item that it
	// can't see yet.
	next.at = max(next.at, r.Now()+visibleWithin)
	again := item // looking may have made a new state, which has an item of its own
	again.Body = ""
	if next.counted != (settle.Position{}) {
		again.Body = store.Encode(next.counted)
	}
	for range maxItems {
		again.PK, again.StoredAt = store.DueKey(next.at, store.DuePart(id)), next.at
		// Before this transaction the same message, or another one, looks again; after it, one
		// of the minute that it is moved to.
		err = r.Table.Transact(ctx, store.Creating(again), store.DeletingAsRead(item))
		if !errors.Is(err, store.ErrChanged) {
			return errors.Join(failed, err)
		}
		// Another look has moved it, or this one before its answer was lost; or the minute
		// has another item of the draw, which stays; else it is looked at again.
		_, still, readErr := r.Table.Get(ctx, item.PK, item.SK)
		if readErr != nil || !still {
			return errors.Join(failed, readErr)
		}
		if _, taken, readErr := r.Table.Get(ctx, again.PK, again.SK); readErr != nil || !taken {
			return errors.Join(failed, err, readErr)
		}
		next.at += minute
	}
	return errors.Join(failed, err)
}

// again is when to look at a draw again, zero for never, and how far its bets were
// counted until then.
type again struct {
	at      settlement.Instant
	counted settle.Position
}

// lookAt looks at the draw of an item. A draw that can't be looked at is looked at
// again; it keeps nobody from the others.
func (r *Reconciler) lookAt(ctx context.Context, item store.Item, id string, stage int) (again, error) {
	head, version, err := record.LoadHead(ctx, r.Table, id)
	if err != nil {
		r.Record.Stuck("", StuckFault)
		return again{at: r.Now()}, err
	}
	if version == 0 || intake.Stage(head) != stage {
		return again{}, nil // the newer stage has an item of its own
	}
	var counted settle.Position
	if item.Body != "" {
		stored, err := store.Decode[settle.Position](item)
		if err != nil {
			return again{at: r.Now()}, err
		}
		counted = *stored
	}
	next, err := r.look(ctx, head, version, counted)
	if err != nil {
		r.stuck(ctx, head, StuckFault)
		return again{at: later(head, r.Now())}, err
	}
	return next, nil
}

// look does what a draw needs and returns when to look again.
func (r *Reconciler) look(ctx context.Context, head *draw.Head, version int64, counted settle.Position) (again, error) {
	now := r.Now()
	status, err := r.Settler.Status(ctx, head.Draw)
	if err != nil {
		return again{}, err
	}
	switch {
	case status.Unknown != nil:
		return r.unknown(ctx, head, now, status.Unknown), nil
	case status.State == 0:
		at, err := r.missing(ctx, head, version, status, now)
		return again{at: at}, err
	case status.Stopped != "":
		r.stuck(ctx, head, StuckStopped)
		next, err := r.audit(ctx, head, now, counted)
		if err != nil {
			return again{}, err
		}
		if next.at == 0 {
			next.at = later(head, now)
		}
		return next, intake.SendRun(ctx, r.Sweeps, head, now)
	case status.Waits != nil:
		r.Record.Waiting(head.Game)
		r.Log.LogAttrs(ctx, slog.LevelWarn, "correction waits for an operator", slog.String("draw", head.Draw), slog.Int("state", head.State), slog.String("moves", status.Waits.String()))
		return again{at: later(head, now)}, nil
	case !status.Settled:
		r.stuck(ctx, head, StuckRun)
		return again{at: later(head, now)}, intake.SendRun(ctx, r.Sweeps, head, now)
	}
	at := max(head.StateAt, head.SettleFrom()) + auditAfter
	handedOver := now < at && counted.State == head.State // the rest of a look of settle's
	if now < at && !handedOver {
		return again{at: at}, nil
	}
	next, err := r.audit(ctx, head, now, counted)
	if err != nil || next.at > 0 || handedOver || r.logged(ctx, head) {
		return next, err
	}
	return again{at: later(head, now), counted: next.counted}, nil
}

// later spaces the looks at a draw that does not advance: every minute in the
// first hour, every quarter of an hour in the first week, then every day, until its
// records end. What is due in this minute is looked at by the next run, when the
// minute has passed. The alarms count on three looks in an hour.
func later(head *draw.Head, now settlement.Instant) settlement.Instant {
	next := now
	switch waiting := now - max(over(head), head.StateAt); {
	case waiting > 7*day:
		next += day
	case waiting > 60*minute:
		next += 15 * minute
	}
	if head.RetainUntil != 0 && next >= head.RetainUntil {
		return 0
	}
	return next
}

func (r *Reconciler) stuck(ctx context.Context, head *draw.Head, why string) {
	r.Record.Stuck(head.Game, why)
	r.Log.LogAttrs(ctx, slog.LevelWarn, "draw stuck", slog.String("draw", head.Draw), slog.String("why", why), slog.Int("state", head.State))
}

// unknown reports a draw of rules that this program does not have. It waits.
func (r *Reconciler) unknown(ctx context.Context, head *draw.Head, now settlement.Instant, err error) again {
	r.stuck(ctx, head, StuckRules)
	r.Log.LogAttrs(ctx, slog.LevelError, "draw waits for its rules", slog.String("draw", head.Draw), slog.String("reason", err.Error()))
	return again{at: later(head, now)}
}

// over is when a draw without a state should have been: its last closing. Of one
// whose opening is missing not all closings are known; so it is no earlier than the
// newest message.
func over(head *draw.Head) settlement.Instant {
	if !head.Opened {
		return max(head.LastClosing(), head.StoredAt)
	}
	return head.LastClosing()
}

// missing handles a draw without a state: its result is missing, or, when it was
// never opened, its opening.
func (r *Reconciler) missing(ctx context.Context, head *draw.Head, version int64, status settle.Status, now settlement.Instant) (settlement.Instant, error) {
	closed := over(head)
	if now < closed+settlement.Instant(r.ResultWithin.Milliseconds()) {
		return max(closed+settlement.Instant(r.ResultWithin.Milliseconds()), now+minute), nil
	}
	if !head.Opened {
		r.stuck(ctx, head, StuckOpening)
		return later(head, now), nil
	}
	r.stuck(ctx, head, StuckResult)
	if r.CancelAfter <= 0 || now < closed+settlement.Instant(r.CancelAfter.Milliseconds()) {
		return later(head, now), nil
	}
	why := "a message of the draw sits in quarantine"
	if !status.Quarantined {
		why = r.studioWaits(ctx)
	}
	if why != "" {
		r.Log.LogAttrs(ctx, slog.LevelWarn, "draw not cancelled", slog.String("draw", head.Draw), slog.String("reason", why))
		return later(head, now), nil
	}
	return later(head, now), r.cancel(ctx, head, version, head.Clock(now))
}

// studioWaits returns why the result of a draw may still be under way, empty when it is
// not: messages of the studio wait, whatever draws they are about, or lie among dead
// letters. What can't be counted may be there.
func (r *Reconciler) studioWaits(ctx context.Context) string {
	depths, err := r.Studio.Depths(ctx)
	if err != nil {
		return "the studio's messages can't be counted: " + err.Error()
	}
	for _, queue := range slices.Sorted(maps.Keys(depths)) {
		if messages := depths[queue]; messages > 0 {
			return fmt.Sprintf("%d messages of %s are not taken up yet", messages, queue)
		}
	}
	return ""
}

// cancel cancels a draw that got no result in time. It ranks below any revision
// of the studio's: one that comes later corrects it. That no message of the draw sits
// in quarantine was read before; one that is put there between that and this
// transaction is as one that came a moment later, and nothing is lost by it: sent
// right, it corrects the cancellation as well.
func (r *Reconciler) cancel(ctx context.Context, head *draw.Head, version int64, now settlement.Instant) error {
	game, err := head.Rules()
	if err != nil {
		return err
	}
	if !head.Cancel(now) {
		return nil
	}
	within, stop := context.WithTimeout(ctx, intake.StoreWithin)
	defer stop()
	state, err := intake.NextState(within, r.Table, head, game, now)
	if err != nil {
		return err
	}
	revision := store.Item{PK: store.DrawKey(head.Draw), SK: store.RevisionKey(draw.AutomaticRevision), StoredAt: now, ExpiresAt: head.RetainUntil}
	err = r.Table.Transact(within, append(intake.HeadWrites(head, version, state), store.Creating(revision), store.Putting(intake.DueItem(head, now)))...)
	if errors.Is(err, store.ErrChanged) {
		return nil // something came in: the next look decides again
	}
	if err != nil {
		return err
	}
	r.Log.LogAttrs(ctx, slog.LevelWarn, "draw cancelled for want of a result", slog.String("draw", head.Draw))
	r.Intake.Ended(ctx, head, true)
	return r.Intake.Announce(ctx, head)
}

// audit counts a settled draw again, or the state before that of a settlement run that was
// stopped, and has late records settled: by orders of tally's own, which make a newer
// state. There is nothing to look at again when there was nothing to do.
func (r *Reconciler) audit(ctx context.Context, head *draw.Head, now settlement.Instant, from settle.Position) (again, error) {
	looker := &Looker{Settler: r.Settler, Intake: r.Intake, LateRecords: r.Record.LateRecords, Now: func() settlement.Instant { return now }, Log: r.Log}
	found, cut, err := looker.count(ctx, head, wire.Look{}, from)
	mismatch := (*settle.MismatchError)(nil)
	switch {
	case errors.As(err, &mismatch):
		r.Record.Mismatch(head.Game)
		r.Log.LogAttrs(ctx, slog.LevelError, "draw mismatch", slog.String("draw", head.Draw), slog.String("reason", mismatch.Reason))
		return again{at: later(head, now)}, nil
	case errors.Is(err, games.ErrUnknown):
		return r.unknown(ctx, head, now, err), nil
	case err != nil:
		return again{}, err
	case cut:
		return again{at: now, counted: found.At}, nil // the next look goes on from there
	case len(found.Missed) > 0:
		return again{at: later(head, now)}, nil
	}
	return again{counted: found.At}, nil
}
