package sequencer

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/tree"
	"tally/lib/store"
)

// state is the log's state: what is committed.
type state struct {
	tree    tlog.Tree
	staged  string // the file with the tiles of the last batch
	version int64  // of the item; 0 when there is none
}

// stateBody is the state as it is stored.
type stateBody struct {
	Size   int64     `json:"size"`
	Root   tlog.Hash `json:"root"`
	Staged string    `json:"staged"`
}

// errUnknown says that a commit's answer was lost.
var errUnknown = errors.New("the answer to a commit was lost")

// load reads the log's state; a log without one is empty.
func (l *Log) load(ctx context.Context) (state, error) {
	item, found, err := l.Table.Get(ctx, store.LogKey(l.Origin), store.LogStateKey)
	if err != nil {
		return state{}, err
	}
	if !found {
		return state{tree: tlog.Tree{Hash: new(tree.Range).Root()}}, nil
	}
	var body stateBody
	if err := json.Unmarshal([]byte(item.Body), &body); err != nil {
		return state{}, fmt.Errorf("reading the state of log %s: %w", l.Origin, err)
	}
	if body.Size < 0 || body.Size > checkpoint.MaxSize {
		return state{}, fmt.Errorf("reading the state of log %s: %w: it has the size %d", l.Origin, ErrState, body.Size)
	}
	return state{tlog.Tree{N: body.Size, Hash: body.Root}, body.Staged, item.Version}, nil
}

// Committed returns the tree of all entries that are in a log, public or about to be.
func Committed(ctx context.Context, table *store.Table, origin string) (tlog.Tree, error) {
	now, err := (&Log{Origin: origin, Table: table}).load(ctx)
	return now.tree, err
}

// Indexed is what the index says of an entry that is in the log.
type Indexed struct {
	Index int64
	Hash  string // of its leaf, in hexadecimal digits
}

// IndexedOf returns what the index of a log says of a group's entries, by key.
func IndexedOf(ctx context.Context, table *store.Table, origin, group string) (map[string]Indexed, error) {
	found := map[string]Indexed{}
	for item, err := range table.Query(ctx, store.LogEntriesKey(origin, group), "") {
		if err != nil {
			return nil, err
		}
		at, err := store.Decode[index](item)
		if err != nil {
			return nil, err
		}
		found[item.SK] = Indexed{at.Index, item.Hash}
	}
	return found, nil
}

// index is what the index says of an entry.
type index struct {
	Index int64 `json:"index"`
}

// missing returns the leaves that the log does not have, without repeats, and
// those that contradict what it has. store.ErrChanged says that the index knows of
// entries that the state has not, which was read before it or is written with them:
// they are not public yet.
func (l *Log) missing(ctx context.Context, now state, leaves []Leaf) (missing, conflicts []Leaf, err error) {
	known := map[string]map[string]Indexed{} // by group and key
	for _, leaf := range leaves {
		group, read := known[leaf.Group]
		if !read {
			if group, err = IndexedOf(ctx, l.Table, l.Origin, leaf.Group); err != nil {
				return nil, nil, err
			}
			known[leaf.Group] = group
		}
		hash := hashOf(leaf)
		switch there, is := group[leaf.Key]; {
		case !is:
			group[leaf.Key] = Indexed{Hash: hash}
			missing = append(missing, leaf)
		case there.Index >= now.tree.N:
			return nil, nil, fmt.Errorf("entry %s of %s is being committed: %w", leaf.Key, leaf.Group, store.ErrChanged)
		case there.Hash != hash:
			conflicts = append(conflicts, leaf)
		}
	}
	return missing, conflicts, nil
}

// Indexes returns where the log has a group's entries, by key. An entry may be
// there before the public can see it.
func (l *Log) Indexes(ctx context.Context, group string) (map[string]int64, error) {
	indexed, err := IndexedOf(ctx, l.Table, l.Origin, group)
	if err != nil {
		return nil, err
	}
	indexes := map[string]int64{}
	for key, at := range indexed {
		indexes[key] = at.Index
	}
	return indexes, nil
}

func hashOf(leaf Leaf) string {
	hash := tlog.RecordHash(leaf.Data)
	return hex.EncodeToString(hash[:])
}

// commit puts the new state in place of the one that was read, with the index
// items of the batch. store.ErrChanged says that another appender was first;
// errUnknown that it is not known whether the commit was made.
func (l *Log) commit(ctx context.Context, now state, b *batch, leaves []Leaf) (state, error) {
	body, err := json.Marshal(stateBody{b.tree.N, b.tree.Hash, b.name()})
	if err != nil {
		return state{}, fmt.Errorf("encoding the state of log %s: %w", l.Origin, err)
	}
	writes := []store.Write{store.Replacing(store.Item{PK: store.LogKey(l.Origin), SK: store.LogStateKey, Body: string(body), Version: now.version + 1})}
	for i, leaf := range leaves {
		at, err := json.Marshal(index{now.tree.N + int64(i)})
		if err != nil {
			return state{}, fmt.Errorf("encoding an index: %w", err)
		}
		writes = append(writes, store.Creating(store.Item{PK: store.LogEntriesKey(l.Origin, leaf.Group), SK: leaf.Key, Body: string(at), Hash: hashOf(leaf)}))
	}
	switch err := l.Table.Transact(ctx, writes...); {
	case errors.Is(err, store.ErrChanged):
		return state{}, err
	case err != nil:
		return state{}, fmt.Errorf("%w: %w", errUnknown, err)
	}
	return state{b.tree, b.name(), now.version + 1}, nil
}
