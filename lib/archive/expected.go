package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tally/lib/archive/commitment"
	"tally/lib/archive/entry"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/games"
	"tally/lib/store"
)

// ErrRecords says that a draw's records are none that could have been logged.
var ErrRecords = errors.New("the records are not as they were stored")

// Expected returns what a draw's records say of one of its states, or of the
// settlement under it, as the log must have it: for the monitor, which compares.
// A settlement whose commitments were never made can't be in the log: it is nil.
// Records that say nothing that an entry can say are ErrRecords.
func Expected(ctx context.Context, table *store.Table, id entry.ID, showTotals bool) ([]byte, error) {
	items, err := settle.Read(ctx, table, id.Draw)
	if err != nil {
		return nil, err
	}
	data, err := expected(id, items, showTotals)
	if err != nil && !errors.Is(err, games.ErrUnknown) {
		return nil, fmt.Errorf("%w: %w", ErrRecords, err)
	}
	return data, err
}

func expected(id entry.ID, items map[string]store.Item, showTotals bool) ([]byte, error) {
	r, err := readRecords(id.Draw, items)
	if err != nil || r.head == nil {
		return nil, err
	}
	if id.Kind == entry.KindSettlement {
		return r.expectedSettlement(id.State, showTotals)
	}
	s, err := r.storedState(id.State)
	if err != nil {
		return nil, err
	}
	e, err := r.state(s)
	if err != nil {
		return nil, err
	}
	return entry.Encode(e)
}

func (r *records) expectedSettlement(state int, showTotals bool) ([]byte, error) {
	item, made := r.items[store.CommitmentKey(state)]
	at := slices.Index(r.swept, state)
	if !made || at < 0 {
		return nil, nil
	}
	set, err := decode[commitment.Set](item)
	if err != nil {
		return nil, err
	}
	done, err := r.done(state)
	if err != nil {
		return nil, err
	}
	e := r.settled(at, done, showTotals)
	e.Bookmakers = set.Short()
	return entry.Encode(e)
}
