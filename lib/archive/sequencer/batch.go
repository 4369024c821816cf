package sequencer

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/objects"
	"tally/lib/archive/tiles"
)

// batch is what appending some entries to a tree comes to.
type batch struct {
	old, tree tlog.Tree
	files     []file
	entries   []Entry
	named     string // digest of what entries are about, as the state has it; see named.go
}

// file is a file of the log that is to be written.
type file struct {
	path string
	data []byte
}

// The headers of the log's files.
var (
	tileHeader       = objects.Header{ContentType: "application/octet-stream", CacheControl: objects.Immutable}
	partHeader       = objects.Header{ContentType: "application/octet-stream", CacheControl: objects.Immutable, Passing: true}
	stagedHeader     = objects.Header{ContentType: "application/x-tar", CacheControl: objects.Immutable, Passing: true}
	checkpointHeader = objects.Header{ContentType: "text/plain; charset=utf-8", CacheControl: objects.Mutable}
)

// name is where the batch is staged. Two batches of one name are the same: the
// root binds every entry.
func (b *batch) name() string {
	return fmt.Sprintf("staged/%d-%d-%s", b.old.N, b.tree.N, hex.EncodeToString(b.tree.Hash[:]))
}

// overlay reads the stored hashes of a tree that is being appended to: the old
// ones from verified tiles, the new ones from memory.
type overlay struct {
	old   tlog.HashReader
	first int64 // the index of added[0]
	added []tlog.Hash
}

func (g *overlay) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	var before []int64
	for i, index := range indexes {
		if index < g.first {
			before = append(before, index)
		} else if at := index - g.first; at < int64(len(g.added)) {
			hashes[i] = g.added[at]
		} else {
			return nil, errors.New("a hash was asked for that the tree does not have yet")
		}
	}
	if len(before) == 0 {
		return hashes, nil
	}
	read, err := g.old.ReadHashes(before)
	if err != nil {
		return nil, err
	}
	for i, index := range indexes {
		if index < g.first {
			hashes[i], read = read[0], read[1:]
		}
	}
	return hashes, nil
}

// get reads a file of the log, or the part of the full file that it was before.
func (l *Log) get(ctx context.Context, path string) ([]byte, error) {
	return tiles.Get(ctx, path, objects.ErrNotFound, func(ctx context.Context, path string) ([]byte, error) {
		data, _, err := l.Objects.Get(ctx, path)
		return data, err
	})
}

// build computes the new tree and the files that it adds. What it reads of the
// old tree is verified against the old root.
func (l *Log) build(ctx context.Context, old tlog.Tree, leaves []Leaf) (*batch, error) {
	edge := l.reader(ctx)
	reader := &overlay{old: tlog.TileHashReader(old, edge), first: tlog.StoredHashCount(old.N)}
	bundle, err := l.lastBundle(ctx, old, edge, reader)
	if err != nil {
		return nil, err
	}
	b := &batch{old: old}
	size := old.N
	var bundles []file
	for _, leaf := range leaves {
		hash := tlog.RecordHash(leaf.Data)
		hashes, err := tlog.StoredHashesForRecordHash(size, hash, reader)
		if err != nil {
			return nil, fmt.Errorf("hashing entry %d: %w", size, err)
		}
		reader.added = append(reader.added, hashes...)
		b.entries = append(b.entries, Entry{Group: leaf.Group, Key: leaf.Key, Indexed: Indexed{Index: size, Hash: hex.EncodeToString(hash[:])}})
		bundle = tiles.AppendEntry(bundle, leaf.Data)
		if size++; size%tiles.Width == 0 {
			bundles, bundle = append(bundles, file{path: tiles.EntriesPath(size/tiles.Width-1, tiles.Width), data: bundle}), nil
		}
	}
	if w := int(size % tiles.Width); w > 0 {
		bundles = append(bundles, file{path: tiles.EntriesPath(size/tiles.Width, w), data: bundle})
	}
	root, err := tlog.TreeHash(size, reader)
	if err != nil {
		return nil, fmt.Errorf("hashing the tree of size %d: %w", size, err)
	}
	b.tree, b.files = tlog.Tree{N: size, Hash: root}, bundles
	for _, t := range tlog.NewTiles(tiles.Height, old.N, size) {
		data, err := tlog.ReadTileData(t, reader)
		if err != nil {
			return nil, fmt.Errorf("making %s: %w", tiles.Path(t), err)
		}
		b.files = append(b.files, file{path: tiles.Path(t), data: data})
	}
	return b, nil
}

// lastBundle returns the bundle that the next entry goes into, with its entries
// verified. It is read beside the tiles at the tree's edge, which edge then has.
func (l *Log) lastBundle(ctx context.Context, old tlog.Tree, edge *tiles.Reader, hashes tlog.HashReader) (bundle []byte, err error) {
	w := int(old.N % tiles.Width)
	path := tiles.EntriesPath(old.N/tiles.Width, w)
	err = sideBySide(ctx, func(ctx context.Context) (err error) {
		if w > 0 {
			bundle, err = l.get(ctx, path)
		}
		return err
	}, func(context.Context) error {
		_, err := edge.ReadTiles(tiles.Edge(old.N, old.N))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the last tiles of a tree of size %d: %w", old.N, err)
	}
	if w == 0 {
		return nil, nil
	}
	return bundle, verified(bundle, path, old.N-int64(w), w, hashes)
}

// stage writes the batch into one file, from which it can be applied after a
// crash.
func (l *Log) stage(ctx context.Context, b *batch) error {
	about := nameEntries(b.entries)
	b.named = digestOf(about)
	packed, err := pack(append(slices.Clip(b.files), file{path: namedPath, data: about}))
	if err != nil {
		return err
	}
	return l.put(ctx, b.name(), packed, stagedHeader)
}

// put writes a file that is there already or must not be. Equal bytes are fine:
// an earlier try wrote them.
func (l *Log) put(ctx context.Context, path string, data []byte, header objects.Header) error {
	err := l.Objects.PutIfAbsent(ctx, path, data, header)
	if !errors.Is(err, objects.ErrExists) {
		return err
	}
	there, err := l.get(ctx, path)
	if err != nil {
		return err
	}
	if !bytes.Equal(there, data) {
		return fmt.Errorf("%w: %s", ErrCorrupt, path)
	}
	return nil
}

// maxIndexed is how many entries are put into the index at once.
const maxIndexed = 100

// apply writes a batch's files under their own names, and its entries into the index,
// all side by side. Some of it may be there already.
func (l *Log) apply(ctx context.Context, b *batch) error {
	chunks := slices.Collect(slices.Chunk(b.entries, maxIndexed))
	err := parallel(ctx, len(b.files)+len(chunks), func(ctx context.Context, i int) error {
		if i < len(b.files) {
			header := tileHeader
			if _, width := tiles.Full(b.files[i].path); width < tiles.Width {
				header = partHeader
			}
			return l.put(ctx, b.files[i].path, b.files[i].data, header)
		}
		return l.Lock.Index(ctx, chunks[i-len(b.files)])
	})
	if err != nil {
		return fmt.Errorf("applying a batch: %w", err)
	}
	return nil
}

// pack returns files as one; the same files give the same bytes.
func pack(files []file) ([]byte, error) {
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	for _, f := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.path, Mode: 0o444, Size: int64(len(f.data)), Format: tar.FormatUSTAR}
		if err := w.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("packing %s: %w", f.path, err)
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, fmt.Errorf("packing %s: %w", f.path, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("packing a batch: %w", err)
	}
	return packed.Bytes(), nil
}

// unpack returns the files of a packed batch.
func unpack(packed []byte) (files []file, err error) {
	r := tar.NewReader(bytes.NewReader(packed))
	for {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("unpacking a batch: %w", err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("unpacking %s: %w", header.Name, err)
		}
		files = append(files, file{path: header.Name, data: data})
	}
}
