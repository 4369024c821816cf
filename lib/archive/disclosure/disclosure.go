// Package disclosure reads what the log's settlements commit to, as it is kept in the
// table, and what a bookmaker may know of it. It is apart from package archive so that
// the API, which answers it, has nothing of the log's writing in it.
package disclosure

import (
	"context"
	"errors"

	"tally/lib/archive/commitment"
	"tally/lib/store"
)

// ErrNotLogged says that a settlement is not in the log yet.
var ErrNotLogged = errors.New("the settlement is not in the archive yet")

// Kept returns what a settlement commits to, out of the items of its draw: nil where not
// all of it was made yet. Of few bookmakers it is one item, of many a list of parts, and
// an item for each.
func Kept(item func(sk string) (store.Item, bool), state int) (*commitment.Set, error) {
	if whole, made := item(store.CommitmentKey(state)); made {
		return store.Decode[commitment.Set](whole)
	}
	list, begun := item(store.CommitmentPartKey(state, 0))
	if !begun {
		return nil, nil
	}
	parts, err := store.Decode[commitment.Parts](list)
	if err != nil {
		return nil, err
	}
	set := &commitment.Set{Secret: parts.Secret}
	for i := range parts.Until {
		kept, made := item(store.CommitmentPartKey(state, i+1))
		if !made {
			return nil, nil
		}
		part, err := store.Decode[commitment.Part](kept)
		if err != nil {
			return nil, err
		}
		set.Commitments = append(set.Commitments, part.Commitments...)
	}
	return set, nil
}

// Load returns what a bookmaker needs to prove lines of its report to others. It is
// that bookmaker's secret. The error is ErrNotLogged, or commitment.ErrUnknown
// where the settlement has nothing of the bookmaker.
func Load(ctx context.Context, table *store.Table, draw string, state int, bookmaker string) (*commitment.Disclosure, error) {
	items := map[string]store.Item{}
	whole, made, err := table.Get(ctx, store.DrawKey(draw), store.CommitmentKey(state))
	if err != nil {
		return nil, err
	}
	if made {
		items[whole.SK] = whole
	} else {
		for item, err := range table.Query(ctx, store.DrawKey(draw), store.CommitmentsPrefix(state)) {
			if err != nil {
				return nil, err
			}
			items[item.SK] = item
		}
	}
	set, err := Kept(func(sk string) (item store.Item, is bool) { item, is = items[sk]; return item, is }, state)
	if err != nil {
		return nil, err
	}
	if set == nil {
		return nil, ErrNotLogged
	}
	return set.Disclose(draw, state, bookmaker)
}
