package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/objects"
	"tally/lib/archive/proof"
	"tally/lib/archive/tiles"
	"tally/lib/site/history"
)

// entries reads entries of the log by their places, and proves each by the tree.
func (r *run) entries(ctx context.Context, places []int64) (map[int64]history.Leaf, error) {
	wanted := map[int64][]int64{} // by bundle
	for _, place := range places {
		if place < 0 || place >= r.tree.N {
			return nil, fmt.Errorf("%w: an index names the entry %d, the log has %d", ErrDamaged, place, r.tree.N)
		}
		wanted[place/tiles.Width] = append(wanted[place/tiles.Width], place)
	}
	bundles := slices.Sorted(maps.Keys(wanted))
	read := make([][]history.Leaf, len(bundles))
	err := r.each(ctx, len(bundles), func(ctx context.Context, i int) (err error) {
		read[i], err = r.bundle(ctx, bundles[i], wanted[bundles[i]])
		return err
	})
	if err != nil {
		return nil, err
	}
	leaves := make(map[int64]history.Leaf, len(places))
	for _, list := range read {
		for _, leaf := range list {
			leaves[leaf.Index] = leaf
		}
	}
	return leaves, r.inTree(leaves)
}

// bundle reads some entries of a bundle.
func (r *run) bundle(ctx context.Context, n int64, places []int64) (leaves []history.Leaf, err error) {
	width := int(min(tiles.Width, r.tree.N-n*tiles.Width))
	path := tiles.EntriesPath(n, width)
	data, err := r.file(ctx, path)
	switch {
	case errors.Is(err, objects.ErrNotFound):
		return nil, fmt.Errorf("%w: %s is missing: %w", ErrUnlike, path, err)
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	list, err := tiles.Entries(data, width)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrUnlike, path, err)
	}
	for _, place := range places {
		// Few entries are kept of many bundles: none of them keeps its bundle.
		data := bytes.Clone(list[place-n*tiles.Width])
		leaf, err := history.Read(place, data)
		if err != nil {
			// The tree decides whether it is the log's entry: see inTree.
			leaf = history.Leaf{Index: place, Data: data}
		}
		leaves = append(leaves, leaf)
	}
	return leaves, nil
}

// inTree proves that entries are those of the signed tree, and that all could be
// read.
func (r *run) inTree(leaves map[int64]history.Leaf) error {
	places := slices.Sorted(maps.Keys(leaves))
	stored := make([]int64, len(places))
	for i, place := range places {
		stored[i] = tlog.StoredHashIndex(0, place)
	}
	hashes, err := r.hashes.ReadHashes(stored)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnlike, err)
	}
	for i, place := range places {
		leaf := leaves[place]
		if tlog.RecordHash(leaf.Data) != hashes[i] {
			return fmt.Errorf("%w: entry %d", ErrUnlike, place)
		}
		if leaf.Entry == nil {
			_, err := history.Read(place, leaf.Data)
			return fmt.Errorf("%w: %w", ErrEntry, err)
		}
	}
	return nil
}

// prove returns the proof of an entry under the newest checkpoint.
func (r *run) prove(leaf history.Leaf) (*proof.Inclusion, error) {
	path, err := tlog.ProveRecord(r.tree.N, leaf.Index, r.hashes)
	if err != nil {
		return nil, fmt.Errorf("%w: proving entry %d: %w", ErrUnlike, leaf.Index, err)
	}
	return &proof.Inclusion{Data: leaf.Data, Index: leaf.Index, Path: path, Checkpoint: r.signed}, nil
}

// Proves reports whether a file is a proof of an entry by the log's keys.
func Proves(text, entry []byte, index int64, origin string, known note.Verifiers) bool {
	p, err := proof.Parse(text)
	if err != nil || p.Index != index || string(p.Data) != string(entry) {
		return false
	}
	_, _, err = p.Check(origin, known)
	return err == nil
}

// history puts a draw's entries together.
func (r *run) history(draw string, leaves []history.Leaf) (*history.Draw, error) {
	d, err := history.New(leaves)
	if errors.Is(err, history.ErrNotOpened) {
		return nil, fmt.Errorf("%w: draw %s: %w", ErrEntry, draw, err)
	}
	return d, err
}
