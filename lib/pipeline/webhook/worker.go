package webhook

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"

	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// Recorder is notified of what happened, for metrics.
type Recorder interface {
	// Delivered counts reports that were taken.
	Delivered(reports int)
	// NotDelivered counts a try that failed.
	NotDelivered(kind string)
	// WebhookDisabled counts an endpoint to which nothing is sent any more.
	WebhookDisabled(reason string)
}

// Sends is what a worker needs of a [Sender].
type Sends interface {
	Send(ctx context.Context, e *Endpoint, m Message, at time.Time) (Outcome, error)
}

var _ Sends = (*Sender)(nil)

// Worker sends to endpoints what they lack.
type Worker struct {
	Table  *store.Table
	Sender Sends
	Record Recorder
	Now    func() settlement.Instant
	Log    *slog.Logger
}

const (
	// claimFor is how long a worker has an endpoint for itself: longer than any
	// function may run.
	claimFor = 90 * time.Second
	// batch is how many reports are sent before the position is written: as many may
	// come twice after a crash.
	batch = 20
	// maxBatches bounds one call.
	maxBatches = 1000
	// afterTry is the time that is kept free for writing what came of a try.
	afterTry = 3 * time.Second
	// failsFor is how long an endpoint may fail before it is disabled.
	failsFor = 24 * time.Hour
	// maxAfter bounds how long a receiver can ask to be left alone, minAfter how
	// short.
	minAfter, maxAfter = 5 * time.Second, time.Hour
)

// waits are the times between tries that fail, the last one again and again. They
// are for all that waits, so they do not grow beyond an hour. Up to a tenth of each
// is added at random.
var waits = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour}

// wait returns the time after so many failed tries.
func wait(tries int, random float64) time.Duration {
	d := waits[min(tries, len(waits))-1]
	return d + time.Duration(random*float64(d)/10)
}

// Deliver sends to the endpoints of a bookmaker what they lack, to all at once. It
// returns the time at which one of them wants to be looked at again, zero for
// when a report comes.
func (w *Worker) Deliver(ctx context.Context, bookmaker string) (again settlement.Instant, err error) {
	endpoints, err := load(ctx, w.Table, bookmaker)
	if err != nil {
		return 0, err
	}
	times := make([]settlement.Instant, len(endpoints))
	faults := make([]error, len(endpoints))
	var group errgroup.Group
	for i, e := range endpoints {
		group.Go(func() error {
			times[i], faults[i] = w.endpoint(ctx, e)
			return nil
		})
	}
	_ = group.Wait() // one endpoint's fault leaves the others alone: faults has them
	for _, at := range times {
		if at != 0 && (again == 0 || at < again) {
			again = at
		}
	}
	if err := errors.Join(faults...); err != nil {
		return again, fmt.Errorf("sending webhooks of %s: %w", bookmaker, err)
	}
	return again, nil
}

// endpoint sends batches until nothing is left, a try fails or the time is up.
func (w *Worker) endpoint(ctx context.Context, e *stored) (again settlement.Instant, err error) {
	tried := false
	for range maxBatches {
		// Read after the endpoint was given back, this shows every report whose message
		// found it claimed.
		feed, err := settle.ReadFeed(ctx, w.Table, e.Bookmaker)
		if err != nil {
			return 0, err
		}
		now, p := w.Now(), &e.Position
		switch {
		case p.Disabled != nil, p.Sequence == feed.Newest:
			return 0, nil
		case p.Sequence > feed.Newest:
			return 0, w.disableAhead(ctx, e, feed.Newest)
		case p.Until > now:
			return 0, nil // another worker has it
		case p.Next > now && !tried:
			return 0, nil // it failed: the message of that try comes back, or reconcile asks
		case p.Next > now:
			return p.Next, nil
		case !timeLeft(ctx):
			return now, nil
		}
		found, err := w.claim(ctx, e)
		if errors.Is(err, store.ErrChanged) {
			continue // someone was faster: look again
		}
		if err != nil || !found {
			return 0, err
		}
		tried = true
		came, failed := w.batch(ctx, e, feed)
		if err := w.endClaim(ctx, e, came); err != nil || failed != nil || came.gap {
			return 0, errors.Join(failed, err) // what is missing has a message of its own, which comes when it is there
		}
	}
	return w.Now(), nil
}

// disableAhead disables an endpoint whose position is beyond the newest report, which
// was read after it: an operator has to say where it goes on. Of several workers one
// does it.
func (w *Worker) disableAhead(ctx context.Context, e *stored, newest int64) error {
	e.Position.Disabled = &Disabled{At: w.Now(), Reason: DisabledAhead}
	err := e.replacePosition(ctx, w.Table)
	if errors.Is(err, store.ErrChanged) {
		return nil // by another worker or an operator; if it is still ahead, reconcile asks again
	}
	if err != nil {
		return err
	}
	w.Record.WebhookDisabled(DisabledAhead)
	w.Log.LogAttrs(ctx, slog.LevelError, "webhook disabled: its position is beyond the newest report", slog.String("bookmaker", e.Bookmaker),
		slog.String("endpoint", e.ID), slog.Int64("sequence", e.Position.Sequence), slog.Int64("newest", newest))
	return nil
}

// timeLeft tells whether a try can still be made and its outcome be written.
func timeLeft(ctx context.Context) bool {
	deadline, bounded := ctx.Deadline()
	return ctx.Err() == nil && (!bounded || time.Until(deadline) > tryFor+afterTry)
}

// claim takes an endpoint for this worker. After ErrChanged its position is what
// was read since; found is false when there is no endpoint any more.
func (w *Worker) claim(ctx context.Context, e *stored) (found bool, err error) {
	me := rand.Text()
	e.Position.Worker, e.Position.Until = me, w.Now()+settlement.Instant(claimFor.Milliseconds())
	err = e.replacePosition(ctx, w.Table)
	if !errors.Is(err, store.ErrChanged) {
		return err == nil, err
	}
	found, readErr := e.loadPosition(ctx, w.Table)
	if readErr != nil || !found {
		return false, readErr
	}
	if e.Position.Worker == me {
		return true, nil // it was this claim, whose first answer was lost
	}
	return false, err
}

// outcome is what came of a batch.
type outcome struct {
	worker   string
	from, to int64 // the reports after from up to to were taken, or had expired
	tries    []Try // the last one may have failed
	gap      bool  // the next report is not to be seen yet
	began    settlement.Instant
}

// failed returns the try that failed, nil for none.
func (o *outcome) failed() *Try {
	if n := len(o.tries); n > 0 && o.tries[n-1].Failed != "" {
		return &o.tries[n-1]
	}
	return nil
}

// batch sends reports in their order until one is not taken. An error is one of
// tally's own; what was sent before it counts.
func (w *Worker) batch(ctx context.Context, e *stored, feed settle.Feed) (*outcome, error) {
	o := &outcome{worker: e.Position.Worker, from: e.Position.Sequence, to: e.Position.Sequence, began: w.Now()}
	entries, through, gap, err := feed.Entries(ctx, w.Table, o.from, batch, w.Now())
	if err != nil {
		return o, err
	}
	for _, entry := range entries {
		if !timeLeft(ctx) || w.Now()+settlement.Instant((tryFor+afterTry).Milliseconds()) > e.Position.Until {
			return o, nil
		}
		m, err := reportMessage(&e.Endpoint, entry)
		if err != nil {
			return o, err
		}
		at := w.Now()
		came, err := w.Sender.Send(ctx, &e.Endpoint, m, time.UnixMilli(int64(at)))
		if err != nil {
			return o, err
		}
		o.tries = append(o.tries, Try{Sequence: entry.Sequence, At: at, Outcome: came})
		if came.Failed != "" {
			return o, nil
		}
		o.to = entry.Sequence
	}
	o.to, o.gap = through, gap // what is missing before has expired
	return o, nil
}

// writeFor bounds the writes after a batch, which are made even when the time for
// sending is over.
const writeFor = 2 * time.Second

// endClaim writes what came of a batch and ends the claim. Before the position is
// written a crash has the batch sent again; after it, never.
func (w *Worker) endClaim(ctx context.Context, e *stored, o *outcome) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeFor)
	defer cancel()
	if err := w.note(ctx, e, o); err != nil {
		w.Log.LogAttrs(ctx, slog.LevelWarn, "what was sent is missing in the list", slog.String("endpoint", e.ID), slog.Any("error", err))
	}
	for range maxTries {
		disabled := w.apply(&e.Position, o)
		err := e.replacePosition(ctx, w.Table)
		if err == nil {
			w.recordBatch(ctx, e, o, disabled)
			return nil
		}
		if !errors.Is(err, store.ErrChanged) {
			return err
		}
		// An operator has changed it, or a lost answer was this very write's.
		found, err := e.loadPosition(ctx, w.Table)
		if err != nil {
			return err
		}
		if found && e.Position.Worker == o.worker && e.Position.Until != 0 {
			continue // still claimed: this goes on top of the operator's
		}
		if !found || e.Position.Worker != o.worker {
			disabled = "" // removed, set back, or claimed by another since: theirs holds
		}
		w.recordBatch(ctx, e, o, disabled)
		return nil
	}
	return fmt.Errorf("the position of endpoint %s changed %d times", e.ID, maxTries)
}

// maxTries bounds how often a write is tried that others overtake.
const maxTries = 20

// apply changes a position by what came of a batch, and tells why that disables
// the endpoint.
func (w *Worker) apply(p *Position, o *outcome) (disabled string) {
	p.Sequence, p.Until = o.to, 0
	if len(o.tries) > 0 {
		last := o.tries[len(o.tries)-1]
		p.Last = &last
	}
	failed := o.failed()
	if o.to > o.from {
		p.Tries, p.Since, p.Next = 0, 0, 0
	}
	if failed == nil {
		return ""
	}
	p.Tries++
	if p.Since == 0 {
		p.Since = failed.At
	}
	now := w.Now()
	switch {
	case failed.Failed == FailedGone:
		disabled = DisabledGone
	case now-p.Since >= settlement.Instant(failsFor.Milliseconds()):
		disabled = DisabledFailing
	}
	if disabled != "" && p.Disabled == nil {
		p.Disabled = &Disabled{At: now, Reason: disabled}
	}
	after := wait(p.Tries, mathrand.Float64())
	if failed.After > 0 {
		after = min(max(failed.After, minAfter), maxAfter)
	}
	p.Next = now + settlement.Instant(after.Milliseconds())
	return disabled
}

// recordBatch counts and logs what came of a batch.
func (w *Worker) recordBatch(ctx context.Context, e *stored, o *outcome, disabled string) {
	log := func(level slog.Level, text string, more ...slog.Attr) {
		w.Log.LogAttrs(ctx, level, text, append([]slog.Attr{slog.String("bookmaker", e.Bookmaker), slog.String("endpoint", e.ID), slog.Int64("sequence", o.to)}, more...)...)
	}
	taken := len(o.tries)
	if failed := o.failed(); failed != nil {
		taken--
		w.Record.NotDelivered(failed.Failed)
		log(slog.LevelWarn, "webhook failed", slog.String("kind", failed.Failed), slog.Int("status", failed.Status), slog.Int("tries", e.Position.Tries))
	}
	if taken > 0 {
		w.Record.Delivered(taken)
		log(slog.LevelInfo, "webhook taken", slog.Int("reports", taken))
	}
	if disabled != "" {
		w.Record.WebhookDisabled(disabled)
		log(slog.LevelError, "webhook disabled", slog.String("reason", disabled))
	}
}
