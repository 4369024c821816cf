// Package reconcile looks, every minute, for what is stuck or missing, or does not match.
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
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
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

// Depths tells how many messages queues hold.
type Depths interface {
	// Depths returns the number of messages by a name for people, such as "sweeps
	// (dead letters)".
	Depths(ctx context.Context) (map[string]int, error)
}

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
	// Depth is how many messages a queue holds.
	Depth(queue string, messages int)
	// Quarantined is how many messages sit in quarantine.
	InQuarantine(messages int)
}

// Reconciler looks after the draws.
type Reconciler struct {
	Table   *store.Table
	Intake  *intake.Intake
	Settler *settle.Settler
	Sweeps  intake.Sender
	Depths  Depths
	// Studio counts the studio's messages that intake has not taken up: on their queue,
	// visible, held back or being worked on, and among its dead letters. While there are
	// any, or it can't be told, no draw is cancelled.
	Studio Depths
	Record Recorder
	Now    func() settlement.Instant
	// Clock tells whether Now can be trusted; nil for always.
	Clock clock.Check
	Log   *slog.Logger
	// SilentTables gets how many tables are silent that should not be; nil where nobody
	// looks for them here.
	SilentTables func(tables int)
	// ResultWithin is how long after its last closing a draw's result is missed.
	ResultWithin time.Duration
	// CancelAfter is how long after its last closing a draw without a result is
	// cancelled; zero for never.
	CancelAfter time.Duration
	// Watch begins a look at the public log; nil where nobody looks after it here.
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
	// maxMinutes bounds how many minutes one run works off.
	maxMinutes = 180
	// maxBehind is how many minutes may be left to work off before a run says so.
	maxBehind = 5
	// restFor is how long before a run has to end it looks at no more draws, so that
	// there is time to move the last and to look at the queues.
	restFor = 10 * time.Second
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

// cursor is the first minute that has not been worked off.
type cursor struct {
	Minute settlement.Instant `json:"minute"`
}

// Run works off every minute that has passed, then looks at queues and
// quarantine. What one draw's fault stops, it reports and goes on with the next; the
// draw is looked at again like one that is stuck.
func (r *Reconciler) Run(ctx context.Context) error {
	if err := r.Clock.Passed(ctx); err != nil {
		return errors.Join(err, r.depths(ctx)) // nothing else is looked at by a wrong clock
	}
	log, err := r.watch(ctx)
	if log != nil {
		defer log.End()
	}
	return errors.Join(err, r.draws(ctx, log), r.depths(ctx), r.quarantine(ctx), r.silentTables(ctx))
}

// watch begins a look at the public log. Where it can't be read, draws are looked at
// again in the next run.
func (r *Reconciler) watch(ctx context.Context) (PublicLog, error) {
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
func (r *Reconciler) logged(ctx context.Context, log PublicLog, head *draw.Head) bool {
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

func (r *Reconciler) draws(ctx context.Context, log PublicLog) error {
	now := r.Now()
	item, found, err := r.Table.Get(ctx, store.ReconcileKey, store.ReconcileKey)
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
	within, stop := before(ctx, restFor)
	defer stop()
	var failed error
	next := from.Minute
	for range maxMinutes {
		if next+minute > now {
			break
		}
		done, err := r.minute(ctx, within, log, next)
		if failed = errors.Join(failed, err); !done {
			break // it is worked off again, after what is left of it
		}
		next += minute
	}
	if behind := (now - next) / minute; behind > maxBehind {
		failed = errors.Join(failed, fmt.Errorf("draws that were due %d minutes ago are still to be looked at", behind))
	}
	if next == from.Minute {
		return failed
	}
	err = r.Table.Replace(ctx, store.Item{PK: store.ReconcileKey, SK: store.ReconcileKey, Body: store.Encode(cursor{
		Minute: next,
	}), Version: item.Version + 1})
	if errors.Is(err, store.ErrChanged) {
		return failed // another run works them off as well
	}
	return errors.Join(failed, err)
}

// before returns a context that ends so long before another one does.
func before(ctx context.Context, rest time.Duration) (context.Context, context.CancelFunc) {
	deadline, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-rest))
}

// beginDays is how many days before its first run reconcile looks for draws.
const beginDays = 7

// begin is for the first run on a table. Intake may have been at work long before,
// and nobody has worked off those minutes. So the draws that opened in the last days
// and were due before the first minute to work off are made due in it. Before the
// cursor is written all of this is done again.
func (r *Reconciler) begin(ctx context.Context, first settlement.Instant) error {
	for ago := range settlement.Instant(beginDays + 1) {
		for found, err := range r.Table.Query(ctx, store.DrawsKey(first-ago*day), "") {
			if err != nil {
				return err
			}
			head, version, err := record.LoadHead(ctx, r.Table, found.SK[strings.LastIndex(found.SK, "#")+1:])
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

// minute looks at the draws due in one minute, until within ends. It is done when
// none is due in it any more, whatever has failed.
func (r *Reconciler) minute(ctx, within context.Context, log PublicLog, at settlement.Instant) (done bool, failed error) {
	for item, err := range r.Table.Query(within, store.DueKey(at), "") {
		if err != nil || within.Err() != nil {
			return false, errors.Join(failed, err)
		}
		moved, err := r.due(ctx, within, log, item)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("looking at draw %s: %w", item.SK, err))
		}
		if !moved {
			return false, failed
		}
	}
	return true, failed
}

// due looks at a draw and moves its item to when it is next due, if ever.
func (r *Reconciler) due(ctx, within context.Context, log PublicLog, item store.Item) (moved bool, err error) {
	next, failed := r.lookAt(within, log, item)
	if next.at == 0 {
		err := r.Table.Delete(ctx, item.PK, item.SK)
		return err == nil, errors.Join(failed, err)
	}
	// A run that overlaps may be about to work off this minute, and would go past an item
	// that it can't see yet.
	next.at = max(next.at, r.Now()+visibleWithin)
	again := item // looking may have made a new state, which has an item of its own
	again.Body = ""
	if next.counted != (settle.Position{}) {
		again.Body = store.Encode(next.counted)
	}
	for range maxItems {
		again.PK, again.StoredAt = store.DueKey(next.at), next.at
		err = r.Table.Transact(ctx, store.Creating(again), store.DeletingAsRead(item))
		if !errors.Is(err, store.ErrChanged) {
			return err == nil, errors.Join(failed, err)
		}
		// Another run has moved it, or this one before its answer was lost; or the minute
		// has another item of the draw, which stays; else it is looked at again.
		_, still, readErr := r.Table.Get(ctx, item.PK, item.SK)
		if readErr != nil || !still {
			return readErr == nil, errors.Join(failed, readErr)
		}
		if _, taken, readErr := r.Table.Get(ctx, again.PK, again.SK); readErr != nil || !taken {
			return false, errors.Join(failed, err, readErr)
		}
		next.at += minute
	}
	return false, errors.Join(failed, err)
}

// again is when to look at a draw again, zero for never, and how far its bets were
// counted until then.
type again struct {
	at      settlement.Instant
	counted settle.Position
}

// lookAt looks at the draw of an item. A draw that can't be looked at is looked at
// again; it keeps nobody from the others.
func (r *Reconciler) lookAt(ctx context.Context, log PublicLog, item store.Item) (again, error) {
	id, stage, err := store.DueOf(item.SK)
	if err != nil {
		return again{}, err
	}
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
	next, err := r.look(ctx, log, head, version, counted)
	if err != nil {
		r.stuck(ctx, head, StuckFault)
		return again{at: later(head, r.Now())}, err
	}
	return next, nil
}

// look does what a draw needs and returns when to look again.
func (r *Reconciler) look(ctx context.Context, log PublicLog, head *draw.Head, version int64, counted settle.Position) (again, error) {
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
	if err != nil || next.at > 0 || handedOver || r.logged(ctx, log, head) {
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

func (r *Reconciler) depths(ctx context.Context) error {
	depths, err := r.Depths.Depths(ctx)
	for queue, messages := range depths {
		r.Record.Depth(queue, messages)
	}
	return err
}

// maxCounted bounds how many bytes of quarantine are read to count its messages.
const maxCounted = 16 << 20

// quarantine counts what sits in quarantine, of today and the days before: all of
// it, or as many messages as there are in maxCounted.
func (r *Reconciler) quarantine(ctx context.Context) error {
	const days = 7
	held, read := 0, 0
	for ago := range settlement.Instant(days) {
		for item, err := range r.Table.Query(ctx, store.QuarantineKey(r.Now()-ago*day), "") {
			if err != nil {
				return err
			}
			held++
			if read += len(item.Body) + len(item.Binary); read > maxCounted {
				break
			}
		}
		if read > maxCounted {
			break
		}
	}
	r.Record.InQuarantine(held)
	return nil
}
