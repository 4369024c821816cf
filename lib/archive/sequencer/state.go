package sequencer

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/tree"
)

// state is the log's state: what is committed.
type state struct {
	tree    tlog.Tree
	staged  string // the file with the tiles of the last batch
	named   string // the digest of what its entries are about; empty of earlier versions
	version int64  // 0 when there is none
}

// stateBody is the state as it is stored.
type stateBody struct {
	Size   int64     `json:"size"`
	Root   tlog.Hash `json:"root"`
	Staged string    `json:"staged"`
	Named  string    `json:"index,omitempty"`
}

// errUnknown says that a commit's answer was lost.
var errUnknown = errors.New("the answer to a commit was lost")

// load reads the log's state; a log without one is empty.
func (l *Log) load(ctx context.Context) (state, error) {
	text, version, err := l.Lock.Load(ctx)
	if err != nil {
		return state{}, err
	}
	if text == nil {
		return state{tree: tlog.Tree{Hash: new(tree.Range).Root()}}, nil
	}
	var body stateBody
	if err := json.Unmarshal(text, &body); err != nil {
		return state{}, fmt.Errorf("reading the state of log %s: %w", l.Origin, err)
	}
	if body.Size < 0 || body.Size > checkpoint.MaxSize {
		return state{}, fmt.Errorf("reading the state of log %s: %w: it has the size %d", l.Origin, ErrState, body.Size)
	}
	return state{tree: tlog.Tree{N: body.Size, Hash: body.Root}, staged: body.Staged, named: body.Named, version: version}, nil
}

// Committed returns the tree of all entries that are in a log, public or about to be.
func Committed(ctx context.Context, lock Lock, origin string) (tlog.Tree, error) {
	now, err := (&Log{Origin: origin, Lock: lock}).load(ctx)
	return now.tree, err
}

// repeated stands for the place of an entry that is asked for twice and is not in the log.
const repeated = -1

// missing returns the leaves that the log does not have, without repeats, and
// those that contradict what it has. The state's batch was applied before: the index
// has all that the state has. ErrOvertaken says that it has more, by an appender that has
// committed since: that is not public yet.
func (l *Log) missing(ctx context.Context, now state, leaves []Leaf) (missing, conflicts []Leaf, err error) {
	known, err := l.indexed(ctx, leaves)
	if err != nil {
		return nil, nil, err
	}
	for _, leaf := range leaves {
		group, hash := known[leaf.Group], hashOf(leaf)
		switch there, is := group[leaf.Key]; {
		case !is:
			group[leaf.Key] = Indexed{Index: repeated, Hash: hash}
			missing = append(missing, leaf)
		case there.Index >= now.tree.N:
			return nil, nil, fmt.Errorf("entry %s of %s is being committed: %w", leaf.Key, leaf.Group, ErrOvertaken)
		case there.Hash != hash:
			conflicts = append(conflicts, leaf)
		}
	}
	return missing, conflicts, nil
}

// indexed reads what the index says of the groups of leaves, by group and key.
func (l *Log) indexed(ctx context.Context, leaves []Leaf) (map[string]map[string]Indexed, error) {
	known := map[string]map[string]Indexed{}
	for _, leaf := range leaves {
		known[leaf.Group] = nil
	}
	groups := slices.Sorted(maps.Keys(known))
	found := make([]map[string]Indexed, len(groups))
	err := parallel(ctx, len(groups), func(ctx context.Context, i int) (err error) {
		found[i], err = l.Lock.Indexed(ctx, groups[i])
		return err
	})
	for i, group := range groups {
		known[group] = found[i]
	}
	return known, err
}

// Indexes returns where the log has a group's entries, by key. An entry may be
// there before the public can see it.
func (l *Log) Indexes(ctx context.Context, group string) (map[string]int64, error) {
	indexed, err := l.Lock.Indexed(ctx, group)
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

// commit puts the new state in place of the one that was read. ErrOvertaken says that
// another appender was first; errUnknown that it is not known whether the commit was made.
func (l *Log) commit(ctx context.Context, now state, b *batch) (state, error) {
	next := state{tree: b.tree, staged: b.name(), named: b.named, version: now.version + 1}
	body, err := json.Marshal(stateBody{Size: next.tree.N, Root: next.tree.Hash, Staged: next.staged, Named: next.named})
	if err != nil {
		return state{}, fmt.Errorf("encoding the state of log %s: %w", l.Origin, err)
	}
	err = l.Lock.Commit(ctx, body, next.version)
	if err != nil && !errors.Is(err, ErrOvertaken) {
		err = fmt.Errorf("%w: %w", errUnknown, err)
	}
	return next, err
}
