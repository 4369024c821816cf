package reconcile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
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

// Looks is the queue of draws that are to be looked at.
type Looks interface {
	// SendAll sends messages, at most BatchSize. When it returns nil all are durable; after an
	// error some may be there.
	SendAll(ctx context.Context, bodies []string) error
	// Waiting is how many messages nobody has taken yet, about.
	Waiting(ctx context.Context) (int, error)
}

// BatchSize is how many looks are sent at once.
const BatchSize = 10

// Found is notified of what a run of the cursor found, for metrics and alarms.
type Found interface {
	// Behind is how many minutes ago the draws were due that are still to be looked at.
	Behind(minutes int)
	// Depth is how many messages a queue holds.
	Depth(queue string, messages int)
	// InQuarantine is how many messages sit in quarantine.
	InQuarantine(messages int)
}

// Cursor has every draw looked at that is due: by others, to whom it sends messages.
type Cursor struct {
	Table  *store.Table
	Looks  Looks
	Depths Depths
	Record Found
	Now    func() settlement.Instant
	// Clock tells whether Now can be trusted; nil for always.
	Clock clock.Check
	Log   *slog.Logger
	// SilentTables gets how many tables are silent that should not be; nil where nobody
	// looks for them here.
	SilentTables func(tables int)
	// Watch begins a look at the public log as a whole; nil where nobody looks after it here.
	Watch func(ctx context.Context) (PublicLog, error)
}

const (
	// maxMinutes bounds how many minutes one run works off.
	maxMinutes = 200
	// maxBehind is how many minutes may be left to work off before a run says so.
	maxBehind = 5
	// restFor is how long before it has to end a run goes through no more minutes, and a look
	// counts no more bets: so that there is time for what comes after that.
	restFor = 10 * time.Second
	// againAfter is how long after a minute what is left of it is sent again: the message is
	// lost, or among dead letters. It is sent once more after twice that time, and so on.
	againAfter = 5 * minute
	// fewWaiting is how many messages may wait on the queue when something is sent again. If
	// there are more, what is left may be among them, and one more of each helps nobody.
	fewWaiting = 100
)

// position is up to where the minutes are worked off. It is moved when the messages have been
// sent: a run that ends before it is moved is repeated by the next, and a look is made once
// whatever number of messages ask for it.
type position struct {
	// Minute is the first that may have something left. Those before had nothing, againAfter
	// later: what a slow look has moved into them at the last moment was seen.
	Minute settlement.Instant `json:"minute"`
	Sent   settlement.Instant `json:"sent"`  // the first minute of which nothing was sent yet
	Again  settlement.Instant `json:"again"` // the time up to which what was left was sent again
}

// Run sends a look for each draw that is due in the minutes that have passed, then looks at
// queues, quarantine, tables and the public log as a whole. Runs may overlap: what both send is looked
// at once.
func (c *Cursor) Run(ctx context.Context) error {
	if err := c.Clock.Passed(ctx); err != nil {
		return errors.Join(err, c.depths(ctx)) // nothing else is looked at by a wrong clock
	}
	return errors.Join(c.draws(ctx), c.watch(ctx), c.depths(ctx), c.quarantine(ctx), c.silentTables(ctx))
}

// watch looks at the public log as a whole.
func (c *Cursor) watch(ctx context.Context) error {
	if c.Watch == nil {
		return nil
	}
	log, err := c.Watch(ctx)
	if log != nil {
		log.End()
	}
	if err != nil {
		return fmt.Errorf("looking at the public log: %w", err)
	}
	return nil
}

// draws sends looks for what is due, and moves the position.
func (c *Cursor) draws(ctx context.Context) error {
	now := c.Now()
	from, version, err := c.position(ctx, now)
	if err != nil {
		return err
	}
	within, stop := before(ctx, restFor)
	defer stop()
	next := from
	left, failed := c.finish(within, &next, now)
	failed = errors.Join(failed, c.again(within, &next, now), c.first(within, &next, now))
	oldest := next.Sent
	if left {
		oldest = next.Minute
	}
	c.Record.Behind(max(0, int((now-oldest)/minute)))
	if behind := (now - next.Sent) / minute; behind > maxBehind {
		failed = errors.Join(failed, fmt.Errorf("of draws that were due %d minutes ago no look was sent yet", behind))
	}
	if next == from {
		return failed
	}
	// Before this write the next run sends the same again; after it, what is lost of it.
	err = c.Table.Replace(ctx, store.Item{PK: store.ReconcileKey, SK: store.CursorKey, Body: store.Encode(next), Version: version + 1})
	if errors.Is(err, store.ErrChanged) {
		return failed // another run sends them as well
	}
	return errors.Join(failed, err)
}

// overlap is how long before the place at which a version that looks by itself has arrived the
// cursor begins: that version does not see all parts of a minute.
const overlap = 3 * 60 * minute

// position reads up to where the minutes were worked off. Versions that look by themselves have a
// position of their own, from which only the first run goes on: whatever they do beside this
// one, or after it, no minute is passed over.
func (c *Cursor) position(ctx context.Context, now settlement.Instant) (at position, version int64, err error) {
	at, item, err := store.Read[position](ctx, c.Table, store.ReconcileKey, store.CursorKey)
	if err != nil || item.PK != "" {
		return at, item.Version, err
	}
	earlier, item, err := store.Read[position](ctx, c.Table, store.ReconcileKey, store.ReconcileKey)
	if err != nil {
		return at, 0, err
	}
	from := earlier.Minute - overlap
	if item.PK == "" {
		from = (now - 2*minute) / minute * minute
		err = c.begin(ctx, from)
	}
	return position{Minute: from, Sent: from, Again: now}, 0, err
}

// beginDays is how many days before its first run reconcile looks for draws.
const beginDays = 7

// begin is for the first run on a table. Intake may have been at work long before,
// and nobody has worked off those minutes. So the draws that opened in the last days
// and were due before the first minute to work off are made due in it. Before the
// position is written all of this is done again.
func (c *Cursor) begin(ctx context.Context, first settlement.Instant) error {
	for ago := range settlement.Instant(beginDays + 1) {
		for found, err := range c.Table.Query(ctx, store.DrawsKey(first-ago*day), "") {
			if err != nil {
				return err
			}
			head, version, err := record.LoadHead(ctx, c.Table, found.SK[strings.LastIndex(found.SK, "#")+1:])
			if err != nil {
				return err
			}
			if version == 0 || intake.DueItem(head, head.StateAt).StoredAt >= first {
				continue
			}
			if err := c.Table.Put(ctx, intake.Due(head, first)); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish passes the minutes of which nothing is left. left says that something is left of
// the one at which it stopped.
func (c *Cursor) finish(ctx context.Context, next *position, now settlement.Instant) (left bool, err error) {
	for range maxMinutes {
		if next.Minute >= next.Sent || next.Minute+minute+againAfter > now {
			return false, nil
		}
		isLeft := make([]bool, store.DueParts)
		err := c.parts(ctx, next.Minute, func(ctx context.Context, part int, pk string) error {
			for _, err := range c.Table.Query(ctx, pk, "") {
				isLeft[part] = err == nil
				return err
			}
			return nil
		})
		for _, is := range isLeft {
			left = left || is
		}
		if err != nil || left {
			return left, err
		}
		next.Minute += minute
	}
	return false, nil
}

// again sends again what is left of minutes that were sent before.
func (c *Cursor) again(ctx context.Context, next *position, now settlement.Instant) error {
	if late := lateOf(*next, now); len(late) > 0 {
		waiting, err := c.Looks.Waiting(ctx)
		if err != nil || waiting >= fewWaiting {
			return err
		}
		for _, at := range late {
			sent, err := c.send(ctx, at)
			if sent > 0 {
				c.Log.LogAttrs(ctx, slog.LevelWarn, "looks are sent again", slog.Int("draws", sent), slog.Int64("due_minutes_ago", int64((now-at)/minute)))
			}
			if err != nil {
				return err
			}
		}
	}
	next.Again = now
	return nil
}

// lateOf returns the minutes that are as long ago as since when what is left is sent again: of those
// that were not when that was done last.
func lateOf(at position, now settlement.Instant) (late []settlement.Instant) {
	for after := settlement.Instant(againAfter + minute); now-after >= at.Minute; after *= 2 {
		first := max(at.Minute, (at.Again-after)/minute*minute+minute)
		for m := first; m <= now-after && m < at.Sent; m += minute {
			late = append(late, m)
		}
	}
	return late
}

// first sends the minutes that have passed.
func (c *Cursor) first(ctx context.Context, next *position, now settlement.Instant) error {
	for range maxMinutes {
		if next.Sent+minute > now {
			return nil
		}
		if _, err := c.send(ctx, next.Sent); err != nil {
			return err
		}
		next.Sent += minute
	}
	return nil
}

// send sends a look for each draw that is due in a minute, and returns how many.
func (c *Cursor) send(ctx context.Context, at settlement.Instant) (sent int, err error) {
	ofPart := make([]int, store.DueParts)
	err = c.parts(ctx, at, func(ctx context.Context, part int, pk string) error {
		bodies := make([]string, 0, BatchSize)
		for item, err := range c.Table.Query(ctx, pk, "") {
			if err != nil {
				return err
			}
			if bodies = append(bodies, wire.Encode(wire.Due{Minute: item.PK, Draw: item.SK})); len(bodies) < BatchSize {
				continue
			}
			if err := c.Looks.SendAll(ctx, bodies); err != nil {
				return err
			}
			ofPart[part] += len(bodies)
			bodies = bodies[:0]
		}
		if len(bodies) == 0 {
			return nil
		}
		ofPart[part] += len(bodies)
		return c.Looks.SendAll(ctx, bodies)
	})
	for _, n := range ofPart {
		sent += n
	}
	return sent, err
}

// parts does something for each part of a minute, side by side.
func (c *Cursor) parts(ctx context.Context, at settlement.Instant, do func(ctx context.Context, part int, pk string) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for part := range store.DueParts {
		group.Go(func() error { return do(ctx, part, store.DueKey(at, part)) })
	}
	return group.Wait()
}

// before returns a context that ends so long before another one does.
func before(ctx context.Context, rest time.Duration) (context.Context, context.CancelFunc) {
	deadline, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-rest))
}

func (c *Cursor) depths(ctx context.Context) error {
	depths, err := c.Depths.Depths(ctx)
	for queue, messages := range depths {
		c.Record.Depth(queue, messages)
	}
	return err
}

// maxCounted bounds how many bytes of quarantine are read to count its messages.
const maxCounted = 16 << 20

// quarantine counts what sits in quarantine, of today and the days before: all of
// it, or as many messages as there are in maxCounted.
func (c *Cursor) quarantine(ctx context.Context) error {
	const days = 7
	held, read := 0, 0
	for ago := range settlement.Instant(days) {
		for item, err := range c.Table.Query(ctx, store.QuarantineKey(c.Now()-ago*day), "") {
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
	c.Record.InQuarantine(held)
	return nil
}
