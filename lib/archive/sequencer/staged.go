package sequencer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/tiles"
)

// staged reads the batch that the state names, and verifies that its files are those
// of the committed tree: what is written under a tile's name stays there for ever,
// and a wrong one would be the end of the log.
func (l *Log) staged(ctx context.Context, now state) (*batch, error) {
	packed, err := l.get(ctx, now.staged)
	if err != nil {
		return nil, fmt.Errorf("reading the staged batch %s: %w", now.staged, err)
	}
	files, err := unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, now.staged, err)
	}
	all := map[string][]byte{}
	for _, f := range files {
		all[f.path] = f.data
	}
	// What the batch has not, such as the tiles above it that it did not change, are
	// files of the log. All are verified by the root.
	var failed error
	hashes := tlog.TileHashReader(now.tree, tiles.NewReader(ctx, func(ctx context.Context, path string) ([]byte, error) {
		if data, is := all[path]; is {
			return data, nil
		}
		data, err := l.get(ctx, path)
		failed = errors.Join(failed, err)
		return data, err
	}))
	b := &batch{tree: now.tree, files: slices.DeleteFunc(files, func(f file) bool { return f.path == namedPath && now.named != "" })}
	if b.old.N, err = oldSize(now); err == nil {
		err = right(now, b, all, hashes)
	}
	if err == nil {
		b.entries, err = namedEntries(now, b.old.N, all)
	}
	if err != nil {
		if failed != nil {
			return nil, fmt.Errorf("verifying the staged batch %s: %w", now.staged, failed)
		}
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, now.staged, err)
	}
	return b, nil
}

// oldSize returns the size of the tree that the staged batch of a state was built on.
func oldSize(now state) (int64, error) {
	first, rest, _ := strings.Cut(strings.TrimPrefix(now.staged, "staged/"), "-")
	old, is := checkpoint.ParseSize(first)
	if !is || old >= now.tree.N || !strings.HasPrefix(rest, fmt.Sprintf("%d-", now.tree.N)) {
		return 0, fmt.Errorf("its name is not that of a batch up to size %d", now.tree.N)
	}
	return old, nil
}

// right verifies that files are those of the batch that led to a state. all are the same
// by their paths, with the file that names the entries.
func right(now state, b *batch, all map[string][]byte, hashes tlog.HashReader) error {
	old, size, files := b.old.N, now.tree.N, len(all)
	if now.named != "" {
		files--
	}
	list := tlog.NewTiles(tiles.Height, old, size)
	var bundles []tlog.Tile // of level 0, for the entries that they hash
	for n := old / tiles.Width; n*tiles.Width < size; n++ {
		bundles = append(bundles, tlog.Tile{H: tiles.Height, N: n, W: int(min(tiles.Width, size-n*tiles.Width))})
	}
	if len(b.files) != files || files != len(list)+len(bundles) {
		return fmt.Errorf("it has %d files, not %d", len(b.files), len(list)+len(bundles))
	}
	for _, tile := range list {
		data, is := all[tiles.Path(tile)]
		if !is {
			return fmt.Errorf("it lacks %s", tiles.Path(tile))
		}
		want, err := tlog.ReadTileData(tile, hashes)
		if err != nil {
			return err
		}
		if !bytes.Equal(data, want) {
			return fmt.Errorf("%s is not the one in the tree", tiles.Path(tile))
		}
	}
	for _, tile := range bundles {
		path := tiles.EntriesPath(tile.N, tile.W)
		bundle, is := all[path]
		if !is {
			return fmt.Errorf("it lacks %s", path)
		}
		if err := verified(bundle, path, tile.N*tiles.Width, tile.W, hashes); err != nil {
			return err
		}
	}
	return nil
}

// verified verifies the entries of a bundle, of which the first has that index.
func verified(bundle []byte, path string, first int64, width int, hashes tlog.HashReader) error {
	entries, err := tiles.Entries(bundle, width)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrCorrupt, path, err)
	}
	indexes := make([]int64, width)
	for i := range indexes {
		indexes[i] = tlog.StoredHashIndex(0, first+int64(i))
	}
	want, err := hashes.ReadHashes(indexes)
	if err != nil {
		return fmt.Errorf("verifying %s: %w", path, err)
	}
	for i, entry := range entries {
		if tlog.RecordHash(entry) != want[i] {
			return fmt.Errorf("%w: %s: entry %d is not the one in the tree", ErrCorrupt, path, first+int64(i))
		}
	}
	return nil
}
