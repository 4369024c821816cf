// Package settle settles the bets of a draw under its newest state and tells the
// bookmakers.
//
// A settlement run is planned, settles one partition (a shard of a bookmaker's bets) after
// the other or side by side, feeds each bookmaker whose partitions are done, and
// closes. Every step is one write that happens once, under a key made of what it
// is about; a try that finds it done goes on from there. So settlement runs may overlap,
// crash between any two writes and be started again at any time.
package settle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/clock"
	"tally/lib/store/record"
)

// Sender sends a message to one queue. When it returns nil the message is
// durable.
type Sender interface {
	Send(ctx context.Context, body string, delay time.Duration) error
}

// Recorder is notified of what happened, for metrics.
type Recorder interface {
	// Settled counts the lines of a bookmaker's report, and how long after the last
	// closing it came; corrected says that they replace earlier ones.
	Settled(game string, lines, refunded int, corrected bool, delay time.Duration)
	// Mismatch counts a settlement run that was stopped since its base came to something else
	// than was stored, and no late record explains it.
	Mismatch(game string)
}

// Settler settles draws.
type Settler struct {
	Table   *store.Table
	Archive Sender
	// Webhooks hears of bookmakers with webhooks that were notified; nil for nobody.
	Webhooks Sender
	// Looks takes what asks for partitions to be looked through for late records; nil where
	// that is left to reconcile.
	Looks  Sender
	Record Recorder
	Now    func() settlement.Instant
	// Clock tells whether Now can be trusted; nil for always.
	Clock clock.Check
	Log   *slog.Logger
	// Parallel is how many partitions are worked on at once.
	Parallel int
	// PageLines is how many lines a page has, at most and by default 1,000.
	PageLines int
	// HoldAbove is the money that a correction may move before it waits for an operator;
	// nil for any.
	HoldAbove settlement.Limits
}

// NotYetError is no failure: bets accepted before the closing may still be on their way
// into the table, and a settlement without them would be wrong.
type NotYetError struct{ After time.Duration }

func (e *NotYetError) Error() string { return "bets may still be in flight for " + e.After.String() }

// maxRounds bounds how many states one call settles and how often it starts again
// because of other settlement runs.
const maxRounds = 16

// Handle settles the newest state of a draw, and newer ones that come meanwhile. An
// error means that it has to be tried again; *NotYetError says when, and
// games.ErrUnknown that it takes another version of this program.
func (s *Settler) Handle(ctx context.Context, id string) error {
	for attempt := range maxRounds {
		finished, err := s.run(ctx, id)
		if errors.Is(err, store.ErrChanged) { // another run was faster: look again
			if err := store.Pause(ctx, attempt); err != nil {
				return err
			}
			continue
		}
		if errors.Is(err, games.ErrUnknown) {
			s.Log.LogAttrs(ctx, slog.LevelError, "draw waits for its rules", slog.String("draw", id), slog.String("reason", err.Error()))
		}
		if err != nil {
			return fmt.Errorf("settling draw %s: %w", id, err)
		}
		if finished {
			return nil
		}
	}
	return fmt.Errorf("settling draw %s: not finished after %d rounds", id, maxRounds)
}

// run is one try at a draw's settlement run, from its records to its end: it plans the
// newest state or goes on with the plan of another try, settles the partitions, tells the
// bookmakers, closes, and announces. It is finished when there is nothing more to do now.
func (s *Settler) run(ctx context.Context, id string) (finished bool, err error) {
	t, err := s.load(ctx, id)
	if err != nil || t == nil {
		return true, err
	}
	next, err := t.decide(ctx)
	switch {
	case err != nil || next == nothing:
		return true, err
	case next == announce:
		return true, t.announce(ctx)
	case next == release:
		return false, t.release(ctx)
	}
	var done map[string][]*record.Done
	for done == nil {
		if next == plan {
			if err := t.plan(ctx); err != nil || t.now.State == 0 {
				return false, err
			}
		}
		if done, err = t.partitions(ctx, next == resume); err != nil {
			if next, err = t.giveUp(ctx, err); err != nil || next != plan {
				return next == nothing, err
			}
		}
	}
	if moved := movedBy(done); !t.now.Released && t.now.HoldAbove.Exceeded(moved) {
		return false, t.hold(ctx, moved)
	}
	if err := t.feeds(ctx, done); err != nil {
		return false, err
	}
	// Before this write the run is tried again and finds everything done; after it, the
	// announcement is what a replay repeats.
	if err := t.put(ctx, closed(t.now)); err != nil || t.Head.State != t.now.Base {
		return false, err // a newer state has been waiting
	}
	return true, errors.Join(t.announce(ctx), t.ask(ctx, wire.Look{}, secondLook))
}

// step is what a draw's records call for.
type step int

const (
	nothing  step = iota
	again         // read the records again: another try has changed them
	plan          // start the run of the newest state
	resume        // go on with what another try has planned
	release       // tell of a state that was held
	announce      // a replay: the first try may have died before it
)

// try is one try at a settlement run.
type try struct {
	*Settler
	*record.Draw
	now     record.RunState // SWEEP, as it was read or written last
	version int64
}

// load reads how far a draw has come, as soon as it may be settled first. Before that its
// registry is not read: a bookmaker may still come. It is nil while there is no state to
// settle under: the state's own message follows.
func (s *Settler) load(ctx context.Context, id string) (*try, error) {
	if err := s.Clock.Passed(ctx); err != nil {
		return nil, err // it could be too early for the bets under way
	}
	for napped := false; ; napped = true {
		d, err := record.Begin(ctx, s.Table, id)
		if err != nil || d.Head == nil || d.Head.State == 0 {
			return nil, err
		}
		now, version, err := d.Run()
		wait := time.Duration(d.Head.SettleFrom()-s.Now()) * time.Millisecond
		switch {
		case err != nil:
			return nil, err
		case now.Base != 0 || wait <= 0:
			return &try{Settler: s, Draw: d, now: now, version: version}, cmp.Or(d.LoadRest(ctx), d.Unknown)
		case wait > maxNap || napped:
			return nil, &NotYetError{After: wait}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// maxNap is how long a run waits in its own time; longer waits are the queue's, which
// counts whole seconds.
const maxNap = time.Second

// decide tells what the records call for. Of a settlement that is held, one write of SWEEP
// decides whether it is reported or a newer state takes its place: nobody is notified of it before
// SWEEP says that it is released, and one that is released is reported to all.
func (t *try) decide(ctx context.Context) (step, error) {
	if t.now.State == 0 {
		if t.now.Base == t.Head.State {
			return announce, nil
		}
		return plan, nil
	}
	abandoned, err := t.Abandoned(t.now.State)
	switch {
	case err != nil:
		return nothing, err
	case abandoned: // by a try that died before planning the next
		return plan, nil
	case t.now.Held == nil:
		return resume, nil
	case t.Head.State > t.now.State:
		return plan, nil
	}
	if isReleased, err := t.released(ctx, t.ID, t.now.State); err != nil || !isReleased {
		return nothing, err
	}
	return release, nil
}

// put writes SWEEP over the version that was read.
func (t *try) put(ctx context.Context, next record.RunState) error {
	if err := t.Table.Replace(ctx, t.item(next)); err != nil {
		return err
	}
	t.now, t.version = next, t.version+1
	return nil
}

// item is SWEEP after the version that was read.
func (t *try) item(next record.RunState) store.Item {
	return store.Item{PK: store.DrawKey(t.ID), SK: store.SweepKey, Body: store.Encode(next), Version: t.version + 1,
		ExpiresAt: t.Head.RetainUntil}
}

// maxSkipped bounds how many skipped states SWEEP names.
const maxSkipped = 100

// plan starts the run of the newest state. From the moment it is written, a newer state
// waits until this one is closed, abandoned or held. A draw without bookmakers is closed
// at once.
func (t *try) plan(ctx context.Context) error {
	now := t.now
	if now.Held != nil {
		t.Log.LogAttrs(ctx, slog.LevelInfo, "held settlement replaced", slog.String("draw", t.ID), slog.Int("state", now.State),
			slog.Int("by", t.Head.State))
	}
	next := record.RunState{Base: now.Base, Plan: now.Plan, State: t.Head.State, Bookmakers: t.Bookmakers(), StartedAt: t.Now(),
		Skipped: slices.Clone(now.Skipped), Settled: now.Settled}
	if next.State <= max(now.Base, now.State) {
		return fmt.Errorf("there is no state after %d to settle", max(now.Base, now.State))
	}
	for skipped := cmp.Or(now.State, now.Base+1); skipped < next.State; skipped++ {
		next.Skipped = append(next.Skipped, skipped)
	}
	next.Skipped = next.Skipped[max(0, len(next.Skipped)-maxSkipped):]
	if now.Base > 0 {
		next.HoldAbove = t.HoldAbove
	}
	if len(next.Bookmakers) == 0 {
		next = closed(next)
	}
	return t.put(ctx, next)
}

// closed returns what SWEEP is when a run is closed.
func closed(now record.RunState) record.RunState {
	settled := append(slices.Clone(now.Settled), now.State)
	return record.RunState{Base: now.State, Plan: append([]string{}, now.Bookmakers...), Skipped: now.Skipped,
		Settled: settled[max(0, len(settled)-record.MaxSettled):]}
}

// partitions settles, side by side, every partition that is not done yet and returns what
// all came to, by bookmaker and shard.
func (t *try) partitions(ctx context.Context, resume bool) (map[string][]*record.Done, error) {
	next, base, late, err := t.states(ctx)
	if err != nil {
		return nil, err
	}
	all := make(map[string][]*record.Done, len(t.now.Bookmakers))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, t.Parallel))
	reading := make(chan struct{}, maxReading)
	for _, bookmaker := range t.now.Bookmakers {
		shards := make([]*record.Done, t.Head.Shards)
		all[bookmaker] = shards
		for shard := range shards {
			done, err := t.Done(next.Number, bookmaker, shard)
			before, failed := t.Done(t.now.Base, bookmaker, shard)
			if err = cmp.Or(err, failed); err != nil {
				return nil, errors.Join(err, group.Wait())
			}
			if shards[shard] = done; done != nil {
				continue
			}
			p := &partition{table: t.Table, records: t.Draw, bookmaker: bookmaker, shard: shard, next: next, late: recordsOf(late, bookmaker),
				pageLines: t.pageLines(), reading: reading, selections: map[string]rules.Selection{}, limited: len(t.now.HoldAbove) > 0}
			if before != nil { // else it was not in the base's plan and has never been reported
				p.base = base
			}
			group.Go(func() (err error) {
				shards[shard], err = p.settle(ctx, resume)
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return all, nil
}

// states returns the state that is settled and its base, nil for none, with the late
// records that only the former knows of.
func (t *try) states(ctx context.Context) (next, base *settlement.Basis, late map[string]bool, err error) {
	next, named, err := t.Resolve(ctx, t.now.State)
	if err != nil {
		return nil, nil, nil, err
	}
	late = lateBy(named)
	if t.now.Base == 0 {
		return next, nil, late, nil
	}
	base, named, err = t.Resolve(ctx, t.now.Base)
	for key := range lateBy(named) {
		delete(late, key)
	}
	return next, base, late, err
}

// feeds tells the bookmakers of the plan, several at once. Draws that are settled at
// the same time begin with different ones: their bookmakers are much the same, and two
// that tell one bookmaker at once race for the next number of its feed.
func (t *try) feeds(ctx context.Context, done map[string][]*record.Done) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, t.Parallel))
	bookmakers := t.now.Bookmakers
	start := startOf(t.ID, len(bookmakers))
	for _, bookmaker := range slices.Concat(bookmakers[start:], bookmakers[:start]) {
		group.Go(func() error { return t.feed(ctx, bookmaker, done[bookmaker]) })
	}
	return group.Wait()
}

// startOf returns with which of n bookmakers a draw begins.
func startOf(draw string, n int) int {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(draw)) // a hash never fails
	return int(hash.Sum32() % uint32(max(1, n)))
}

// giveUp sees to a run that can't go on. What met late records is abandoned where there
// is a newer state, which is planned then; else the run is stopped.
func (t *try) giveUp(ctx context.Context, why error) (step, error) {
	var mismatch *MismatchError
	var late *lateError
	switch {
	case errors.As(why, &late) && t.Head.State > t.now.State:
		return t.abandon(ctx, late)
	case errors.As(why, &late):
		// First, so that a stop that is stored is looked at: without it only reconcile
		// would go on. Once, or each look that tries the run again would ask for another.
		if t.now.Stopped != late.reason {
			if err := t.ask(ctx, late.part, time.Second); err != nil {
				return again, err
			}
		}
		return nothing, t.stop(ctx, late.reason, late.stale, late.unexplained)
	case errors.As(why, &mismatch):
		t.Record.Mismatch(t.Game.ID)
		return again, errors.Join(t.stop(ctx, mismatch.Reason, "", false), mismatch)
	}
	return again, why
}

// stop notes why a settlement run can't go on. The message is done with: going on would
// report what can't be right. A later message tries again: with a newer state that
// knows the late records or that takes the place of stale pages, or with other code.
func (t *try) stop(ctx context.Context, reason, stale string, unexplained bool) error {
	t.Log.LogAttrs(ctx, slog.LevelError, "settlement run stopped", slog.String("draw", t.ID), slog.Int("state", t.now.State),
		slog.String("reason", reason))
	if t.now.Stopped == reason {
		return nil
	}
	next := t.now
	next.Stopped, next.Stale, next.Unexplained = reason, stale, unexplained
	return t.put(ctx, next)
}

// abandon gives up the run of a state that met late records, since there is a newer
// one to take. Nobody is notified of a state until all its partitions are done.
// So the partition that met them is marked, at the key at which it would be done:
// whichever write comes first decides whether the state is reported or abandoned, also
// between tries that overlap. What was stored of an abandoned state is never read.
//
// Before the mark the state is as it was; after it, whoever comes plans the newer
// one.
func (t *try) abandon(ctx context.Context, met *lateError) (step, error) {
	err := t.Table.Create(ctx, store.Item{PK: store.DrawKey(t.ID), SK: met.doneKey, Body: store.Encode(record.Done{Abandoned: true}),
		ExpiresAt: t.Head.RetainUntil})
	if exists := (*store.ExistsError)(nil); errors.As(err, &exists) {
		return again, nil // done or abandoned by another try
	}
	if err == nil {
		t.Log.LogAttrs(ctx, slog.LevelWarn, "state abandoned", slog.String("draw", t.ID), slog.Int("state", t.now.State),
			slog.String("reason", met.reason))
	}
	return plan, err
}

// announce tells the archive that a settlement is closed.
func (t *try) announce(ctx context.Context) error {
	return t.Archive.Send(ctx, wire.Encode(wire.Append{Draw: t.ID, What: wire.AppendSettlement, State: t.now.Base}), 0)
}

// secondLook is how long after a settlement its draw is looked through for what nobody
// asked to be looked for. reconcile does it once more, later.
const secondLook = 15 * time.Second

// ask asks for a look at a partition, or at all.
func (t *try) ask(ctx context.Context, part wire.Look, delay time.Duration) error {
	if t.Looks == nil {
		return nil
	}
	return t.Looks.Send(ctx, wire.Encode(wire.Run{Draw: t.ID, Look: &part}), delay)
}
