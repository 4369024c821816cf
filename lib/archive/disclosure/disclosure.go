// Package disclosure reads what a bookmaker may know of the log's
// commitment to its report. It is apart from package archive so that the API,
// which answers it, has nothing of the log's writing in it.
package disclosure

import (
	"context"
	"errors"

	"tally/lib/archive/commitment"
	"tally/lib/store"
)

// ErrNotLogged says that a settlement is not in the log yet.
var ErrNotLogged = errors.New("the settlement is not in the archive yet")

// Load returns what a bookmaker needs to prove lines of its report to others. It is
// that bookmaker's secret. The error is ErrNotLogged, or commitment.ErrUnknown
// where the settlement has nothing of the bookmaker.
func Load(ctx context.Context, table *store.Table, draw string, state int, bookmaker string) (*commitment.Disclosure, error) {
	set, item, err := store.Read[commitment.Set](ctx, table, store.DrawKey(draw), store.CommitmentKey(state))
	if err != nil {
		return nil, err
	}
	if item.PK == "" {
		return nil, ErrNotLogged
	}
	return set.Disclose(draw, state, bookmaker)
}
