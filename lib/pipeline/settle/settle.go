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

// Recorder is told what happened, for metrics.
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
	// Webhooks hears of bookmakers with webhooks that were told; nil for nobody.
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

// NotYetError says that a draw may be settled after a while.
type NotYetError struct{ After time.Duration }

// Error says when.
func (e *NotYetError) Error() string { return "bets may still be in flight for " + e.After.String() }

// closed returns what SWEEP is when the run of a state is closed.
func closed(now record.Run, state int) record.Run {
	settled := append(slices.Clone(now.Settled), state)
	return record.Run{Base: state, Plan: append([]string{}, now.Bookmakers...), Skipped: now.Skipped, Settled: settled[max(0, len(settled)-record.MaxSettled):]}
}

// maxRounds bounds how many states one call settles and how often it starts again
// because of other settlement runs.
const maxRounds = 16

// Handle settles the newest state of a draw, and newer ones that come meanwhile. An
// error means that it has to be tried again; *NotYetError says when, and
// games.ErrUnknown that it takes another version of this program.
func (s *Settler) Handle(ctx context.Context, id string) error {
	for try := range maxRounds {
		finished, err := s.step(ctx, id)
		if errors.Is(err, store.ErrChanged) { // another run was faster: look again
			if err := store.Pause(ctx, try); err != nil {
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

// maxNap is how long a run waits in its own time; longer waits are the queue's, which
// counts whole seconds.
const maxNap = time.Second

// begin reads how far a draw has come, as soon as it may be settled first. Before that its
// registry is not read: a bookmaker may still come.
func (s *Settler) begin(ctx context.Context, id string) (*record.Draw, error) {
	if err := s.Clock.Passed(ctx); err != nil {
		return nil, err // it could be too early for the bets under way
	}
	for napped := false; ; napped = true {
		d, err := record.Begin(ctx, s.Table, id)
		if err != nil || d.Head == nil || d.Head.State == 0 {
			return d, err
		}
		now, _, err := d.Run()
		wait := time.Duration(d.Head.SettleFrom()-s.Now()) * time.Millisecond
		switch {
		case err != nil || now.Base != 0 || wait <= 0:
			return d, err
		case wait > maxNap || napped:
			return nil, &NotYetError{wait}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// step does what the draw's records call for now.
func (s *Settler) step(ctx context.Context, id string) (finished bool, err error) {
	r, err := s.begin(ctx, id)
	if err != nil {
		return false, err
	}
	if r.Head == nil || r.Head.State == 0 {
		return true, nil // nothing to settle under yet: the state's own message follows
	}
	if err := r.LoadRest(ctx); err != nil {
		return false, err
	}
	if r.Unknown != nil {
		return false, r.Unknown
	}
	now, version, err := r.Run()
	if err != nil {
		return false, err
	}
	if now.State != 0 {
		switch abandoned, err := r.Abandoned(now.State); {
		case err != nil:
			return false, err
		case abandoned:
			return s.plan(ctx, r, now, version) // another try died before planning the next
		case now.Held != nil:
			return s.held(ctx, r, now, version)
		}
		return s.partitions(ctx, r, now, version, true) // another try has planned it
	}
	if now.Base == r.Head.State {
		return true, s.announce(ctx, id, now.Base) // a replay: the first try may have died before sending
	}
	return s.plan(ctx, r, now, version)
}

// put writes SWEEP over the version that was read.
func (s *Settler) put(ctx context.Context, r *record.Draw, next record.Run, version int64) error {
	return s.Table.Replace(ctx, runItem(r, next, version))
}

// runItem is SWEEP after the version that was read.
func runItem(r *record.Draw, next record.Run, version int64) store.Item {
	return store.Item{PK: store.DrawKey(r.ID), SK: store.SweepKey, Body: store.Encode(next), Version: version + 1, ExpiresAt: r.Head.RetainUntil}
}

// plan starts the run of the newest state. From the moment it is written, a
// newer state waits until this one is closed, abandoned or held.
func (s *Settler) plan(ctx context.Context, r *record.Draw, now record.Run, version int64) (finished bool, err error) {
	next := record.Run{Base: now.Base, Plan: now.Plan, State: r.Head.State, Bookmakers: r.Bookmakers(), StartedAt: s.Now(), Skipped: slices.Clone(now.Skipped), Settled: now.Settled}
	if next.State <= max(now.Base, now.State) {
		return false, fmt.Errorf("there is no state after %d to settle", max(now.Base, now.State))
	}
	for skipped := cmp.Or(now.State, now.Base+1); skipped < next.State; skipped++ {
		next.Skipped = append(next.Skipped, skipped)
	}
	if now.Base > 0 {
		next.HoldAbove = s.HoldAbove
	}
	if n := len(next.Skipped); n > maxSkipped {
		next.Skipped = next.Skipped[n-maxSkipped:]
	}
	if len(next.Bookmakers) == 0 {
		return false, s.put(ctx, r, closed(next, next.State), version)
	}
	if err := s.put(ctx, r, next, version); err != nil {
		return false, err
	}
	return s.partitions(ctx, r, next, version+1, false)
}

// maxSkipped bounds how many skipped states SWEEP names.
const maxSkipped = 100

// partitions works through the plan, feeds and closes.
func (s *Settler) partitions(ctx context.Context, r *record.Draw, now record.Run, version int64, resume bool) (finished bool, err error) {
	done, err := s.settle(ctx, r, now, resume)
	var mismatch *MismatchError
	var late *lateError
	switch {
	case errors.As(err, &late) && r.Head.State > now.State:
		return s.abandon(ctx, r, now, version, late)
	case errors.As(err, &late):
		// First, so that a stop that is stored is looked at: without it only reconcile
		// would go on.
		if err := s.ask(ctx, r.ID, late.part, time.Second); err != nil {
			return false, err
		}
		now.Stale, now.Unexplained = late.stale, late.unexplained
		return true, s.stop(ctx, r, now, version, late.Error())
	case errors.As(err, &mismatch):
		s.Record.Mismatch(r.Game.ID)
		now.Stale, now.Unexplained = "", false
		return false, errors.Join(s.stop(ctx, r, now, version, mismatch.Reason), mismatch)
	case err != nil:
		return false, err
	}
	if moved := movedBy(done); !now.Released && now.HoldAbove.Exceeded(moved) {
		return s.hold(ctx, r, now, version, moved)
	}
	if err := s.feeds(ctx, r, now, done); err != nil {
		return false, err
	}
	// Before this write the run is tried again and finds everything done;
	// after it, the announcement is what a replay repeats.
	if err := s.put(ctx, r, closed(now, now.State), version); err != nil {
		return false, err
	}
	if r.Head.State != now.State {
		return false, nil // a newer state has been waiting
	}
	return true, errors.Join(s.announce(ctx, r.ID, now.State), s.ask(ctx, r.ID, wire.Look{}, secondLook))
}

// secondLook is how long after a settlement its draw is looked through for what nobody
// asked to be looked for. reconcile does it once more, later.
const secondLook = 15 * time.Second

// ask asks for a look at a partition, or at all.
func (s *Settler) ask(ctx context.Context, id string, part wire.Look, delay time.Duration) error {
	if s.Looks == nil {
		return nil
	}
	return s.Looks.Send(ctx, wire.Encode(wire.Run{Draw: id, Look: &part}), delay)
}

// settle settles every partition that is not done yet and returns what all came
// to, by bookmaker and shard.
func (s *Settler) settle(ctx context.Context, r *record.Draw, now record.Run, resume bool) (map[string][]*record.Done, error) {
	next, named, err := r.Resolve(ctx, now.State)
	if err != nil {
		return nil, err
	}
	found := lateBy(named)
	var base *settlement.State
	if now.Base > 0 {
		if base, named, err = r.Resolve(ctx, now.Base); err != nil {
			return nil, err
		}
		for key := range lateBy(named) {
			delete(found, key)
		}
	}
	done := make(map[string][]*record.Done, len(now.Bookmakers))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, s.Parallel))
	reading := make(chan struct{}, maxReading)
	for _, bookmaker := range now.Bookmakers {
		shards := make([]*record.Done, r.Head.Shards)
		done[bookmaker] = shards
		for shard := range shards {
			if shards[shard], err = r.Done(now.State, bookmaker, shard); err != nil {
				return nil, errors.Join(err, group.Wait())
			}
			if shards[shard] != nil {
				continue
			}
			p := &partition{table: s.Table, records: r, bookmaker: bookmaker, shard: shard, next: next, late: recordsOf(found, bookmaker),
				pageLines: s.pageLines(), reading: reading, selections: map[string]rules.Selection{}, limited: len(now.HoldAbove) > 0}
			if stored, err := r.Done(now.Base, bookmaker, shard); err != nil {
				return nil, errors.Join(err, group.Wait())
			} else if stored != nil {
				p.base = base // a partition that was not in the base's plan has never been reported
			}
			group.Go(func() (err error) {
				shards[shard], err = p.run(ctx, resume)
				return err
			})
		}
	}
	return done, group.Wait()
}

// feeds tells the bookmakers of the plan, several at once. Draws that are settled at
// the same time begin with different ones: their bookmakers are much the same, and two
// that tell one bookmaker at once race for the next number of its feed.
func (s *Settler) feeds(ctx context.Context, r *record.Draw, now record.Run, done map[string][]*record.Done) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, s.Parallel))
	start := startOf(r.ID, len(now.Bookmakers))
	for _, bookmaker := range slices.Concat(now.Bookmakers[start:], now.Bookmakers[:start]) {
		group.Go(func() error { return s.feed(ctx, r, now, bookmaker, done[bookmaker]) })
	}
	return group.Wait()
}

// startOf returns with which of n bookmakers a draw begins.
func startOf(draw string, n int) int {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(draw)) // a hash never fails
	return int(hash.Sum32() % uint32(max(1, n)))
}

// stop notes why a settlement run can't go on. The message is done with: going on would
// report what can't be right. A later message tries again: with a newer state that
// knows the late records or that takes the place of stale pages, or with other code.
func (s *Settler) stop(ctx context.Context, r *record.Draw, now record.Run, version int64, reason string) error {
	s.Log.LogAttrs(ctx, slog.LevelError, "settlement run stopped", slog.String("draw", r.ID), slog.Int("state", now.State), slog.String("reason", reason))
	if now.Stopped == reason {
		return nil
	}
	now.Stopped = reason
	return s.put(ctx, r, now, version)
}

// abandon gives up the run of a state that met late records, since there is a newer
// one, and takes that. Nobody is told of a state until all its partitions are done.
// So the partition that met them is marked, at the key at which it would be done:
// whichever write comes first decides whether the state is told or abandoned, also
// between tries that overlap. What was stored of an abandoned state is never read.
//
// Before the mark the state is as it was; after it, whoever comes plans the newer
// one.
func (s *Settler) abandon(ctx context.Context, r *record.Draw, now record.Run, version int64, met *lateError) (finished bool, err error) {
	err = s.Table.Create(ctx, store.Item{PK: store.DrawKey(r.ID), SK: met.doneKey, Body: store.Encode(record.Done{Abandoned: true}), ExpiresAt: r.Head.RetainUntil})
	if exists := (*store.ExistsError)(nil); errors.As(err, &exists) {
		return false, nil // done or abandoned by another try: look again
	}
	if err != nil {
		return false, err
	}
	s.Log.LogAttrs(ctx, slog.LevelWarn, "state abandoned", slog.String("draw", r.ID), slog.Int("state", now.State), slog.String("reason", met.Error()))
	return s.plan(ctx, r, now, version)
}

// announce tells the archive that a settlement is closed.
func (s *Settler) announce(ctx context.Context, id string, state int) error {
	return s.Archive.Send(ctx, wire.Encode(wire.Entry{Draw: id, What: wire.EntrySettlement, State: state}), 0)
}
