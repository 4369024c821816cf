package tilelog

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

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
	return state{tlog.Tree{N: body.Size, Hash: body.Root}, body.Staged, item.Version}, nil
}

// index is what the index says of an entry.
type index struct {
	Index int64 `json:"index"`
}

// missing returns the leaves that the log does not have, without repeats, and
// those that contradict what it has.
func (l *Log) missing(ctx context.Context, leaves []Leaf) (missing, conflicts []Leaf, err error) {
	known := map[string]map[string]string{} // hashes by group and key
	for _, leaf := range leaves {
		group, read := known[leaf.Group]
		if !read {
			if group, err = l.known(ctx, leaf.Group); err != nil {
				return nil, nil, err
			}
			known[leaf.Group] = group
		}
		hash := hashOf(leaf)
		switch there, is := group[leaf.Key]; {
		case !is:
			group[leaf.Key] = hash
			missing = append(missing, leaf)
		case there != hash:
			conflicts = append(conflicts, leaf)
		}
	}
	return missing, conflicts, nil
}

// known returns the hashes of a group's entries that the log has, by key.
func (l *Log) known(ctx context.Context, group string) (map[string]string, error) {
	known := map[string]string{}
	for item, err := range l.Table.Query(ctx, store.LogEntriesKey(l.Origin, group), "") {
		if err != nil {
			return nil, err
		}
		known[item.SK] = item.Hash
	}
	return known, nil
}

// Indexes returns where the log has a group's entries, by key. An entry may be
// there before the public can see it.
func (l *Log) Indexes(ctx context.Context, group string) (map[string]int64, error) {
	indexes := map[string]int64{}
	for item, err := range l.Table.Query(ctx, store.LogEntriesKey(l.Origin, group), "") {
		if err != nil {
			return nil, err
		}
		var at index
		if err := json.Unmarshal([]byte(item.Body), &at); err != nil {
			return nil, fmt.Errorf("reading %s / %s: %w", item.PK, item.SK, err)
		}
		indexes[item.SK] = at.Index
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
