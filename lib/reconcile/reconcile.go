// Package reconcile looks, every minute, for what is stuck, missing or unequal.
// It repairs by sending the same message again, or by an order of tally's own
// that names what was missed, and raises an alarm on the rest.
//
// Every draw has a DUE item from its opening until it is settled and counted
// again. Looking at a draw moves its item to the next minute to look, in one
// transaction: of two runs that overlap one moves it. A new state of the draw has an
// item of its own, written with it; the one before is dropped when it comes up, so
// that a draw is looked at once however many messages it gets.
package reconcile

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"tally/lib/archive/monitor"
	"tally/lib/draw"
	"tally/lib/games"
	"tally/lib/intake"
	"tally/lib/settlement"
	"tally/lib/store"
	"tally/lib/sweep"
	"tally/lib/wire"
)

type instant = settlement.Instant

// Depths tells how many messages queues hold.
type Depths interface {
	// Depths returns the number of messages by a name for people, such as "sweeps
	// (dead letters)".
	Depths(ctx context.Context) (map[string]int, error)
}

// Recorder is told what was found, for metrics and alarms.
type Recorder interface {
	// Stuck counts a draw that does not advance: no result, or a sweep that does
	// not end.
	Stuck(game, why string)
	// Unequal counts a draw whose bets come to something else than was reported.
	Unequal(game string)
	// Straggled counts bets that a sweep had missed.
	Straggled(game string, bets int)
	// Depth is how many messages a queue holds.
	Depth(queue string, messages int)
	// Quarantined is how many messages sit in quarantine.
	InQuarantine(messages int)
}

// Reconciler looks after the draws.
type Reconciler struct {
	Table   *store.Table
	Intake  *intake.Intake
	Sweeper *sweep.Sweeper
	Sweeps  intake.Sender
	Depths  Depths
	Record  Recorder
	Now     func() instant
	Log     *slog.Logger
	// ResultWithin is how long after its last closing a draw's result is missed.
	ResultWithin time.Duration
	// CancelAfter is how long after its last closing a draw without a result is
	// cancelled; zero for never.
	CancelAfter time.Duration
	// Watch begins a look at the public log; nil where nobody looks after it here.
	Watch func(ctx context.Context) (*monitor.Run, error)
}

const (
	minute       = 60_000
	day          = 24 * 60 * minute
	recountAfter = 10 * minute
	// maxMinutes bounds how many minutes one run works off.
	maxMinutes = 180
)

// The reasons of a draw being stuck.
const (
	StuckResult  = "result_missing"
	StuckSweep   = "sweep_not_ending"
	StuckStopped = "sweep_stopped"
)

// cursor is the first minute that has not been worked off.
type cursor struct {
	Minute instant `json:"minute"`
}

const cursorKey = "RECONCILE"

// Run works off every minute that has passed, then looks at queues and
// quarantine. What one draw's fault stops, it reports and goes on with the next.
func (r *Reconciler) Run(ctx context.Context) error {
	log, err := r.watch(ctx)
	if log != nil {
		defer log.End()
	}
	return errors.Join(err, r.draws(ctx, log), r.depths(ctx), r.quarantine(ctx))
}

// watch begins a look at the public log. Where it can't be read, draws are looked at
// again in the next run.
func (r *Reconciler) watch(ctx context.Context) (*monitor.Run, error) {
	if r.Watch == nil {
		return nil, nil
	}
	log, err := r.Watch(ctx)
	if err != nil {
		return log, fmt.Errorf("looking at the public log: %w", err)
	}
	return log, nil
}

// logged reports whether the public log has what holds of a settled draw.
func (r *Reconciler) logged(ctx context.Context, log *monitor.Run, head *draw.Head) bool {
	if r.Watch == nil {
		return true
	}
	if log == nil {
		return false
	}
	is, err := log.Logged(ctx, head.Draw, head.State)
	if err != nil {
		r.Log.LogAttrs(ctx, slog.LevelWarn, "the public log can't be read", slog.String("draw", head.Draw), slog.String("reason", err.Error()))
	}
	return is && err == nil
}

func (r *Reconciler) draws(ctx context.Context, log *monitor.Run) error {
	now := r.Now()
	item, found, err := r.Table.Get(ctx, cursorKey, cursorKey)
	if err != nil {
		return err
	}
	from := &cursor{Minute: (now - 2*minute) / minute * minute}
	if found {
		from, err = store.Decode[cursor](item)
	} else {
		err = r.begin(ctx, from.Minute)
	}
	if err != nil {
		return err
	}
	var failed error
	next := from.Minute
	for range maxMinutes {
		if next+minute > now || ctx.Err() != nil {
			break
		}
		failed = errors.Join(failed, r.minute(ctx, log, next))
		next += minute
	}
	if failed != nil || next == from.Minute {
		return failed // a minute with a failed draw is worked off again
	}
	body, err := json.Marshal(cursor{next})
	if err != nil {
		return fmt.Errorf("encoding the cursor of reconcile: %w", err)
	}
	err = r.Table.Replace(ctx, store.Item{PK: cursorKey, SK: cursorKey, Body: string(body), Version: item.Version + 1})
	if errors.Is(err, store.ErrChanged) {
		return nil // another run works them off as well
	}
	return err
}

// beginDays is how many days before its first run reconcile looks for draws.
const beginDays = 7

// begin is for the first run on a table. Intake may have been at work long before,
// and nobody has worked off those minutes. So the draws that opened in the last days
// and were due before the first minute to work off are made due in it. Before the
// cursor is written all of this is done again.
func (r *Reconciler) begin(ctx context.Context, first instant) error {
	for ago := range instant(beginDays + 1) {
		for found, err := range r.Table.Query(ctx, store.DrawsKey(first-ago*day), "") {
			if err != nil {
				return err
			}
			head, version, err := intake.LoadHead(ctx, r.Table, found.SK[strings.LastIndex(found.SK, "#")+1:])
			if err != nil {
				return err
			}
			if version == 0 || intake.DueItem(head, head.StateAt).StoredAt >= first {
				continue
			}
			if err := r.Table.Put(ctx, intake.Due(head, first)); err != nil {
				return err
			}
		}
	}
	return nil
}

// minute looks at the draws due in one minute.
func (r *Reconciler) minute(ctx context.Context, log *monitor.Run, at instant) error {
	var failed error
	for item, err := range r.Table.Query(ctx, store.DueKey(at), "") {
		if err != nil {
			return errors.Join(failed, err)
		}
		if err := r.due(ctx, log, item); err != nil {
			failed = errors.Join(failed, fmt.Errorf("looking at draw %s: %w", item.SK, err))
		}
	}
	return failed
}

// due looks at a draw and moves its item to when it is next due, if ever.
func (r *Reconciler) due(ctx context.Context, log *monitor.Run, item store.Item) error {
	id, state, err := store.DueOf(item.SK)
	if err != nil {
		return err
	}
	head, version, err := intake.LoadHead(ctx, r.Table, id)
	if err != nil {
		return err
	}
	if version == 0 || head.State != state {
		return r.Table.Delete(ctx, item.PK, item.SK) // the newer state has an item of its own
	}
	next, err := r.look(ctx, log, head, version)
	if err != nil {
		return err
	}
	if next == 0 {
		return r.Table.Delete(ctx, item.PK, item.SK)
	}
	again := intake.Due(head, next)
	again.SK = item.SK // looking may have made a new state
	err = r.Table.Transact(ctx, store.Putting(again), store.DeletingAsRead(item))
	if !errors.Is(err, store.ErrChanged) {
		return err
	}
	// Another run has moved it, or this one before its answer was lost; else it is
	// looked at again.
	if _, still, readErr := r.Table.Get(ctx, item.PK, item.SK); readErr != nil || still {
		return errors.Join(err, readErr)
	}
	return nil
}

// look does what a draw needs and returns when to look again, zero for never.
func (r *Reconciler) look(ctx context.Context, log *monitor.Run, head *draw.Head, version int64) (next instant, err error) {
	now := r.Now()
	standing, err := r.Sweeper.Standing(ctx, head.Draw)
	if err != nil {
		return 0, err
	}
	switch {
	case standing.State == 0:
		return r.missing(ctx, head, version, standing, now)
	case standing.Stopped != "":
		r.stuck(ctx, head, StuckStopped)
		next, err := r.recount(ctx, head, now)
		if err != nil {
			return 0, err
		}
		return cmp.Or(next, later(head, now)), intake.SendSweep(ctx, r.Sweeps, head, now)
	case !standing.Swept:
		r.stuck(ctx, head, StuckSweep)
		return later(head, now), intake.SendSweep(ctx, r.Sweeps, head, now)
	}
	if at := max(head.StateAt, head.SettleFrom()) + recountAfter; now < at {
		return at, nil
	}
	next, err = r.recount(ctx, head, now)
	if err != nil || next > 0 || r.logged(ctx, log, head) {
		return next, err
	}
	return later(head, now), nil
}

// later spaces the looks at a draw that does not advance: every minute in the
// first hour, then every hour, until its records end. What is due in this minute is
// looked at by the next run, when the minute has passed.
func later(head *draw.Head, now instant) instant {
	next := now
	if now > max(head.LastClosing(), head.StateAt)+60*minute {
		next = now + 60*minute
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

// missing handles a draw without a state: its result is missing, or, when it was
// never opened, its opening.
func (r *Reconciler) missing(ctx context.Context, head *draw.Head, version int64, standing sweep.Standing, now instant) (instant, error) {
	closed := head.LastClosing()
	if now < closed+instant(r.ResultWithin.Milliseconds()) {
		return max(closed+instant(r.ResultWithin.Milliseconds()), now+minute), nil
	}
	r.stuck(ctx, head, StuckResult)
	if r.CancelAfter <= 0 || now < closed+instant(r.CancelAfter.Milliseconds()) || standing.Held {
		return later(head, now), nil
	}
	return later(head, now), r.cancel(ctx, head, version, head.Clock(now))
}

// cancel cancels a draw that got no result in time. It ranks below any revision
// of the studio's: one that comes later corrects it. That no message of the draw sits
// in quarantine was read before; one that is put there between that and this
// transaction is as one that came a moment later, and nothing is lost by it: sent
// right, it corrects the cancellation as well.
func (r *Reconciler) cancel(ctx context.Context, head *draw.Head, version int64, now instant) error {
	game, known := games.Find(head.Game)
	if !known {
		return fmt.Errorf("this version does not know game %q", head.Game)
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
	writes, err := intake.HeadWrites(head, version, state)
	if err != nil {
		return err
	}
	revision := store.Item{PK: store.DrawKey(head.Draw), SK: store.RevisionKey(draw.AutomaticRevision), StoredAt: now, ExpiresAt: head.RetainUntil}
	err = r.Table.Transact(within, append(writes, store.Creating(revision), store.Putting(intake.DueItem(head, now)))...)
	if errors.Is(err, store.ErrChanged) {
		return nil // something came in: the next look decides again
	}
	if err != nil {
		return err
	}
	r.Log.LogAttrs(ctx, slog.LevelWarn, "draw cancelled for want of a result", slog.String("draw", head.Draw))
	return r.Intake.Announce(ctx, head)
}

// recount counts a settled draw again, or the state before that of a sweep that was
// stopped, and has stragglers settled: by orders of tally's own, which make a newer
// state. It returns zero when there was nothing to do.
func (r *Reconciler) recount(ctx context.Context, head *draw.Head, now instant) (instant, error) {
	missed, err := r.Sweeper.Recount(ctx, head.Draw)
	if unequal := (*sweep.UnequalError)(nil); errors.As(err, &unequal) {
		r.Record.Unequal(head.Game)
		r.Log.LogAttrs(ctx, slog.LevelError, "draw unequal", slog.String("draw", head.Draw), slog.String("reason", unequal.Reason))
		return later(head, now), nil
	}
	if err != nil || len(missed) == 0 {
		return 0, err
	}
	for _, m := range missed {
		found := max(1, len(m.Records)) // at least one, of a bookmaker that had none before
		r.Record.Straggled(head.Game, found)
		r.Log.LogAttrs(ctx, slog.LevelError, "bets were missed by a sweep", slog.String("draw", head.Draw), slog.String("bookmaker", m.Bookmaker), slog.Int("records", found))
		body, err := order(head, m, now)
		if err != nil {
			return 0, err
		}
		if err := r.Intake.Take(ctx, intake.Delivery{Body: body, SentAt: now, From: intake.Own}); err != nil {
			return 0, err
		}
	}
	return later(head, now), nil
}

// order is tally's own order that names what a sweep has missed. Its id follows
// from what it says, so that the same recount again gives the same order.
func order(head *draw.Head, m sweep.Stragglers, now instant) ([]byte, error) {
	named, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encoding an order: %w", err)
	}
	id := intake.OwnOrder + strconv.Itoa(head.State) + "-" + intake.HashOf(string(named))[:16]
	body, err := json.Marshal(map[string]any{
		"schema": wire.Schema, "id": id, "type": wire.BetsFound, "game": head.Game, "table": head.Table, "draw": head.Draw,
		"at": wire.FormatTime(now), "order": id, "reason": "missed_by_sweep", "evidence": "recount",
		"bookmaker": m.Bookmaker, "records": append([]string{}, m.Records...),
	})
	if err != nil {
		return nil, fmt.Errorf("encoding an order: %w", err)
	}
	return body, nil
}

func (r *Reconciler) depths(ctx context.Context) error {
	depths, err := r.Depths.Depths(ctx)
	for queue, messages := range depths {
		r.Record.Depth(queue, messages)
	}
	return err
}

// quarantine counts what sits in quarantine, of today and the days before.
func (r *Reconciler) quarantine(ctx context.Context) error {
	const days = 7
	held := 0
	for ago := range instant(days) {
		for _, err := range r.Table.Query(ctx, store.QuarantineKey(r.Now()-ago*day), "") {
			if err != nil {
				return err
			}
			held++
		}
	}
	r.Record.InQuarantine(held)
	return nil
}
