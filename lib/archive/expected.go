package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tally/lib/archive/disclosure"
	"tally/lib/archive/entry"
	"tally/lib/rulebook/games"
	"tally/lib/store"
	"tally/lib/store/record"
)

// ErrRecords says that a draw's records are none that could have been logged.
var ErrRecords = errors.New("the records are not as they were stored")

// Expected returns what a draw's records say of one of its states, or of the
// settlement under it, as the log must have it: for the monitor, which compares.
// A settlement whose commitments were never made can't be in the log: it is nil.
// Records that say nothing that an entry can say are ErrRecords.
func Expected(ctx context.Context, table *store.Table, id entry.ID, showTotals bool) ([]byte, error) {
	read := record.Open
	if id.Kind == entry.KindSettlement {
		read = record.Load
	}
	d, err := read(ctx, table, id.Draw)
	if err != nil || d.Head == nil {
		return nil, err
	}
	data, err := records{Draw: d}.expected(ctx, id, showTotals)
	if err != nil && !errors.Is(err, games.ErrUnknown) && !errors.Is(err, record.ErrUnread) {
		return nil, fmt.Errorf("%w: %w", ErrRecords, err)
	}
	return data, err
}

func (r records) expected(ctx context.Context, id entry.ID, showTotals bool) ([]byte, error) {
	if id.Kind == entry.KindSettlement {
		return r.expectedSettlement(id.State, showTotals)
	}
	s, err := r.State(ctx, id.State)
	if err != nil {
		return nil, err
	}
	e, err := r.state(ctx, s)
	if err != nil {
		return nil, err
	}
	return entry.Encode(e)
}

func (r records) expectedSettlement(state int, showTotals bool) ([]byte, error) {
	run, _, err := r.Run()
	if err != nil {
		return nil, err
	}
	set, err := disclosure.Kept(r.Item, state)
	at := slices.Index(run.Settled, state)
	if err != nil || set == nil || at < 0 {
		return nil, err
	}
	done, err := r.Settlement(state)
	if err != nil {
		return nil, err
	}
	e := r.settled(run.Settled, at, done, showTotals)
	e.Bookmakers = set.Short()
	return entry.Encode(e)
}
