// Package archive writes into the public log what happened in draws.
//
// A message names a record of a draw; the archive then reads everything that is
// stored of the draw and appends whatever the log lacks: its opening, the closings
// and states so far, the settlements that are closed. So a message that was lost is
// made good by the next one of the draw, and the order of messages does not matter:
// the log always has a draw's opening before its states, and a state before its
// settlement.
package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"

	"tally/lib/archive/entry"
	"tally/lib/archive/sequencer"
	"tally/lib/draw/wire"
	"tally/lib/store"
	"tally/lib/store/record"
)

// Appender appends leaves that the log lacks, in their order. When it returns nil
// the public can see them; after an error the caller may append them again.
type Appender interface {
	Append(ctx context.Context, leaves []sequencer.Leaf) (sequencer.Appended, error)
	// Indexes returns where the log has a draw's entries, by key.
	Indexes(ctx context.Context, draw string) (map[string]int64, error)
}

var _ Appender = (*sequencer.Log)(nil)

// Recorder is notified of what happened, for metrics.
type Recorder interface {
	// Appended counts entries that are now in the log.
	Appended(game string, entries int)
	// Mismatch counts a draw whose log has an entry that its records contradict.
	Mismatch(game string)
}

// Archive appends draws to the log.
type Archive struct {
	Table *store.Table
	To    Appender
	// ShowTotals says whether settlements show the totals of all bookmakers.
	ShowTotals bool
	// Random gives the secrets of commitments; crypto/rand's reader, but in tests.
	Random io.Reader
	// Parallel is how many bookmakers' reports are read at once; 0 for one.
	Parallel int
	// PartBookmakers is how many bookmakers one item commits to at most; 0 for 1,000.
	PartBookmakers int
	Record         Recorder
	Log            *slog.Logger

	reading places
}

// Handle appends what the log lacks of a draw. An error means that it has to be
// tried again; ErrMore, that it was not done at once.
func (a *Archive) Handle(ctx context.Context, message wire.Append) error {
	if err := a.handle(ctx, message); err != nil {
		return fmt.Errorf("archiving draw %s: %w", message.Draw, err)
	}
	return nil
}

func (a *Archive) handle(ctx context.Context, message wire.Append) error {
	game, leaves, lacking := a.leaves(ctx, message)
	if lacking != nil && !errors.Is(lacking, ErrMore) {
		return lacking
	}
	// Before this the log may lack them; after it the public sees them, and so does
	// a second delivery.
	appended, err := a.To.Append(ctx, leaves)
	if err != nil {
		return err
	}
	a.report(ctx, game, message, appended)
	return lacking
}

// leaves returns what the log lacks of a draw, with ErrMore as far as it can be logged yet.
// The draw's records are not kept while that waits for its batch: only so many are in
// memory at once as are read at once.
func (a *Archive) leaves(ctx context.Context, message wire.Append) (game string, leaves []sequencer.Leaf, err error) {
	if err := a.reading.take(ctx); err != nil {
		return "", nil, err
	}
	defer a.reading.give()
	known, err := a.To.Indexes(ctx, message.Draw)
	if err != nil {
		return "", nil, err
	}
	d, err := record.Load(ctx, a.Table, message.Draw)
	if err != nil {
		return "", nil, err
	}
	entries, lacking := a.missing(ctx, records{Draw: d}, known)
	if lacking != nil && !errors.Is(lacking, ErrMore) {
		return "", nil, lacking
	}
	for _, e := range entries {
		data, err := entry.Encode(e)
		if err != nil {
			return "", nil, err
		}
		leaves = append(leaves, sequencer.Leaf{Group: message.Draw, Key: e.ID().Key(), Data: data})
	}
	if key := idOf(message).Key(); lacking == nil && !contains(leaves, known, key) {
		return "", nil, fmt.Errorf("its records have no %s, state %d, which a message names", message.What, message.State)
	}
	if d.Head != nil {
		game = d.Head.Game
	}
	return game, leaves, lacking
}

// maxReading is how many draws are read at once.
const maxReading = 32

// places are those of draws that are read at once. The zero value has all of them free.
type places struct {
	once sync.Once
	all  chan struct{}
}

func (p *places) take(ctx context.Context) error {
	p.once.Do(func() { p.all = make(chan struct{}, maxReading) })
	select {
	case <-ctx.Done():
		return ctx.Err()
	case p.all <- struct{}{}:
		return nil
	}
}

func (p *places) give() { <-p.all }

// report logs what was appended. An entry that the log has with other content is
// not appended again: it says that records were changed, and asks for a person.
func (a *Archive) report(ctx context.Context, game string, message wire.Append, appended sequencer.Appended) {
	for _, leaf := range appended.Conflicts {
		a.Record.Mismatch(game)
		a.Log.LogAttrs(ctx, slog.LevelError, "the log has another entry", slog.String("draw", message.Draw), slog.String("entry", leaf.Key))
	}
	if appended.New > 0 {
		a.Record.Appended(game, appended.New)
	}
	a.Log.LogAttrs(ctx, slog.LevelInfo, "draw archived", slog.String("draw", message.Draw), slog.String("what", message.What),
		slog.Int("state", message.State), slog.Int("entries", appended.New), slog.Int64("size", appended.Tree.N))
}

// idOf returns the entry that a message names.
func idOf(message wire.Append) entry.ID {
	kinds := map[string]entry.Kind{wire.AppendOpening: entry.KindOpening, wire.AppendState: entry.KindState, wire.AppendSettlement: entry.KindSettlement}
	return entry.ID{Draw: message.Draw, Kind: kinds[message.What], State: message.State}
}

// contains reports whether the log has an entry, or will have it with the leaves.
func contains(leaves []sequencer.Leaf, known map[string]int64, key string) bool {
	_, is := known[key]
	return is || slices.ContainsFunc(leaves, func(leaf sequencer.Leaf) bool { return leaf.Key == key })
}

// missing returns the entries that the log lacks of a draw, in the order in which
// it gets them: with ErrMore those before a settlement that can't be logged yet.
func (a *Archive) missing(ctx context.Context, r records, known map[string]int64) (entries []entry.Entry, err error) {
	if !r.Opened() {
		return nil, nil // nothing is logged of a draw before it is opened
	}
	lacks := func(kind entry.Kind, state int) bool {
		_, is := known[entry.ID{Draw: r.ID, Kind: kind, State: state}.Key()]
		return !is
	}
	if lacks(entry.KindOpening, 0) {
		e, err := r.opening(ctx)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	for number := 1; number <= r.Head.State; number++ {
		if !lacks(entry.KindState, number) {
			continue
		}
		of, err := r.stateEntries(ctx, number)
		if err != nil {
			return nil, err
		}
		entries = append(entries, of...)
	}
	run, _, err := r.Run()
	if err != nil {
		return nil, err
	}
	for at, state := range run.Settled {
		if !lacks(entry.KindSettlement, state) || at == 0 && len(run.Settled) == record.MaxSettled {
			continue // the first of so many was logged long before
		}
		e, err := a.settlement(ctx, r, run.Settled, at)
		if errors.Is(err, ErrMore) {
			return entries, err
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// stateEntries returns the entry of a state, after that of the closings which it
// has made final, if it has.
func (r records) stateEntries(ctx context.Context, number int) (entries []entry.Entry, err error) {
	s, err := r.State(ctx, number)
	if err != nil {
		return nil, err
	}
	closings, err := r.closings(ctx, s)
	if err != nil {
		return nil, err
	}
	if closings != nil {
		entries = append(entries, closings)
	}
	e, err := r.state(ctx, s)
	if err != nil {
		return nil, err
	}
	return append(entries, e), nil
}
