package archive

import (
	"context"
	"errors"
	"fmt"

	"tally/lib/archive/sequencer"
	"tally/lib/store"
)

// TableLock is what the appenders of a log agree by, in DynamoDB: its state is one item, and
// so is each entry's index.
type TableLock struct {
	Table  *store.Table
	Origin string // the log's name
}

var _ sequencer.Lock = TableLock{}

// index is what an item says of an entry, beside the hash of its leaf.
type index struct {
	Index int64 `json:"index"`
}

// Load returns the log's state.
func (l TableLock) Load(ctx context.Context) (state []byte, version int64, err error) {
	item, found, err := l.Table.Get(ctx, store.LogKey(l.Origin), store.LogStateKey)
	if err != nil || !found {
		return nil, 0, err
	}
	return []byte(item.Body), item.Version, nil
}

// Indexed returns what the index says of a draw's entries.
func (l TableLock) Indexed(ctx context.Context, draw string) (map[string]sequencer.Indexed, error) {
	found := map[string]sequencer.Indexed{}
	for item, err := range l.Table.Query(ctx, store.LogEntriesKey(l.Origin, draw), "") {
		if err != nil {
			return nil, err
		}
		at, err := store.Decode[index](item)
		if err != nil {
			return nil, err
		}
		found[item.SK] = sequencer.Indexed{Index: at.Index, Hash: item.Hash}
	}
	return found, nil
}

// Commit puts a state in place of the version before its own.
func (l TableLock) Commit(ctx context.Context, state []byte, version int64) error {
	err := l.Table.Replace(ctx, store.Item{PK: store.LogKey(l.Origin), SK: store.LogStateKey, Body: string(state), Version: version})
	if errors.Is(err, store.ErrChanged) {
		return fmt.Errorf("%w: %w", sequencer.ErrOvertaken, err)
	}
	return err
}

// Index puts index items, at most 100, in one transaction.
func (l TableLock) Index(ctx context.Context, entries []sequencer.Entry) (err error) {
	writes := make([]store.Write, len(entries))
	for i, e := range entries {
		writes[i] = store.Putting(store.Item{PK: store.LogEntriesKey(l.Origin, e.Group), SK: e.Key, Body: store.Encode(index{Index: e.Index}), Hash: e.Hash})
	}
	// Another appender may be writing the same items. Whoever comes second writes what is
	// there already.
	for try := range maxIndexTries {
		if err = l.Table.Transact(ctx, writes...); !errors.Is(err, store.ErrChanged) {
			return err
		}
		if err := store.Pause(ctx, try); err != nil {
			return err
		}
	}
	return err
}

// maxIndexTries bounds how often a transaction is made again that met another one.
const maxIndexTries = 10
