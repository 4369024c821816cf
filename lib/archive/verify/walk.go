package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/objects"
	"tally/lib/archive/tiles"
	"tally/lib/archive/tree"
)

// walk goes through a log from its first entry, or the first that is new, to its last.
// Bundles are read with their tiles, and their entries checked, side by side; what depends
// on the entries before is done in order.
type walk struct {
	source  Source
	options Params
	tree    tlog.Tree
	report  *Report
	grown   tree.Range
	levels  []level // from level 1 on
	history *history
	slots   []slot
	// verified is the tree whose entries were verified before, and are not read again: empty
	// for none.
	verified tlog.Tree
	// other says that the first entries are not those that were seen before, unfit that
	// they are not those that were verified before.
	other, unfit bool
	failed       error // of reading again
}

// level is the tile under way of one level of the tree.
type level struct {
	n      int64
	hashes []byte
	tile   tree.Range
	// read is the tile of the log, where it was read already.
	read []byte
}

// slot is what one of the bundles that are read side by side needs, for one after the
// other.
type slot struct {
	checker checker
	bundle  bundle
}

func newWalk(source Source, options Params, t tlog.Tree, r *Report) *walk {
	if options.Parallel < 1 {
		options.Parallel = 4
	}
	w := &walk{source: source, options: options, tree: t, report: r, history: newHistory(r, options), slots: make([]slot, options.Parallel)}
	for i := range w.slots {
		w.slots[i].checker.thorough = options.Thorough
	}
	return w
}

// bundle is 256 entries, or fewer at the end, checked as far as each can be by
// itself.
type bundle struct {
	err     error // of reading
	fault   *Finding
	entries []checked
	hashes  []byte     // of all entries, as in their tile
	tile    tree.Range // over them
	// unequal says how their tile in the log differs.
	unequal *Finding
}

// saveEvery is after how many bundles an unfinished walk is remembered.
const saveEvery = 512

// run verifies what was not verified before.
func (w *walk) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.history.recall = func(draw string, from, before int64) *drawState { return w.recall(ctx, draw, from, before) }
	count := (w.tree.N + tiles.Width - 1) / tiles.Width
	next, ahead := w.grown.Size()/tiles.Width, []chan *bundle(nil)
	if w.verified.N == w.tree.N {
		next = count
	}
	for n := next; n < count; n++ {
		for ; next < min(count, n+int64(len(w.slots))); next++ {
			out, at := make(chan *bundle, 1), next
			go func() { out <- w.read(ctx, at) }()
			ahead = append(ahead, out)
		}
		b := <-ahead[0]
		ahead = ahead[1:]
		if b.err != nil {
			return errors.Join(b.err, w.save())
		}
		if b.fault != nil {
			w.report.find(*b.fault)
			return nil // what follows can't be placed in the tree
		}
		if err := w.take(ctx, n, b); err != nil {
			return err
		}
		if n%saveEvery == saveEvery-1 {
			if err := w.save(); err != nil {
				return err
			}
		}
	}
	return w.finish(ctx)
}

// read reads a bundle and its tile, and checks its entries one by one. The slot that it
// uses is that of the bundle which has just been taken.
func (w *walk) read(ctx context.Context, n int64) *bundle {
	s := &w.slots[n%int64(len(w.slots))]
	b := &s.bundle
	*b = bundle{entries: b.entries[:0], hashes: b.hashes[:0]}
	width := int(min(tiles.Width, w.tree.N-n*tiles.Width))
	list, err := readBundle(ctx, w.source, tiles.EntriesPath(n, width), width)
	if fault := (*findingError)(nil); errors.As(err, &fault) {
		b.fault = &fault.finding
		return b
	}
	if err != nil {
		b.err = err
		return b
	}
	for i, data := range list {
		hash := tlog.RecordHash(data)
		b.hashes = append(b.hashes, hash[:]...)
		b.tile.Add(hash)
		c := checked{}
		if n*tiles.Width+int64(i) >= w.verified.N {
			c = s.checker.check(data)
		}
		b.entries = append(b.entries, c)
	}
	b.unequal, b.err = w.compare(ctx, 0, n, b.hashes, nil)
	return b
}

// findingError is a finding about the log, not of reading it.
type findingError struct{ finding Finding }

func (e *findingError) Error() string { return e.finding.String() }

// readBundle reads the entries of a bundle of a width, not verified.
func readBundle(ctx context.Context, source Source, path string, width int) ([][]byte, error) {
	data, err := source.Get(ctx, path)
	if errors.Is(err, ErrMissing) {
		return nil, &findingError{finding: Finding{Code: MissingBundle, File: path, Message: path + " is missing, with all its entries"}}
	}
	if errors.Is(err, objects.ErrTooLong) {
		return nil, &findingError{finding: Finding{Code: BadBundle, File: path, Message: err.Error()}}
	}
	if err != nil {
		return nil, err
	}
	list, err := tiles.Entries(data, width)
	if err != nil {
		return nil, &findingError{finding: Finding{Code: BadBundle, File: path, Message: path + ": " + err.Error()}}
	}
	return list, nil
}

// forked is the finding of a log that does not begin with what was seen before.
func forked(size int64) Finding {
	return Finding{Code: Forked, Message: fmt.Sprintf("the first %d entries are not those that were seen before: the log was rewritten, or it shows others something else", size)}
}

// take puts a bundle's entries into the tree and into the history of their draws.
func (w *walk) take(ctx context.Context, n int64, b *bundle) error {
	first := n * tiles.Width
	for i, c := range b.entries {
		if index := first + int64(i); index >= w.verified.N {
			w.history.take(index, c)
		}
	}
	if w.failed != nil {
		return w.failed
	}
	w.other = w.other || w.differs(first, b, w.options.Seen)
	w.unfit = w.unfit || w.differs(first, b, w.verified)
	if b.unequal != nil {
		w.report.find(*b.unequal)
	}
	if err := w.grow(ctx, b); err != nil {
		return err
	}
	if w.options.Progress != nil {
		w.options.Progress(w.grown.Size(), w.tree.N)
	}
	return nil
}

// differs reports whether a tree that ends within a bundle is another than that of the
// entries so far.
func (w *walk) differs(first int64, b *bundle, t tlog.Tree) bool {
	if t.N <= first || t.N > first+b.tile.Size() {
		return false
	}
	grown, _ := tree.Resume(first, w.grown.Roots())
	for i := range t.N - first {
		grown.Add(tlog.Hash(b.hashes[i*tlog.HashSize:]))
	}
	return grown.Root() != t.Hash
}

// grow adds the hashes of a bundle to the tree.
func (w *walk) grow(ctx context.Context, b *bundle) error {
	if b.tile.Size() == tiles.Width {
		w.grown.AddTree(b.tile.Root(), tiles.Height)
		return w.add(ctx, 0, b.tile.Root())
	}
	for hash := range slices.Chunk(b.hashes, tlog.HashSize) {
		w.grown.Add(tlog.Hash(hash))
	}
	return nil
}

// add adds a hash to a level of the tree, of which the first is level 1. A tile that is
// full goes, as one hash, into the level above.
func (w *walk) add(ctx context.Context, at int, hash tlog.Hash) error {
	if at == len(w.levels) {
		w.levels = append(w.levels, level{})
	}
	l := &w.levels[at]
	l.hashes = append(l.hashes, hash[:]...)
	l.tile.Add(hash)
	if l.tile.Size() < tiles.Width {
		return nil
	}
	if err := w.compareLevel(ctx, at); err != nil {
		return err
	}
	root := l.tile.Root()
	*l = level{n: l.n + 1, hashes: l.hashes[:0]}
	return w.add(ctx, at+1, root)
}

func (w *walk) compareLevel(ctx context.Context, at int) error {
	l := &w.levels[at]
	unequal, err := w.compare(ctx, at+1, l.n, l.hashes, l.read)
	if unequal != nil {
		w.report.find(*unequal)
	}
	return err
}

// compare compares the hashes of a tile with the log's tile, which is read unless it was
// already.
func (w *walk) compare(ctx context.Context, at int, n int64, hashes, data []byte) (*Finding, error) {
	path := tiles.Path(tlog.Tile{H: tiles.Height, L: at, N: n, W: len(hashes) / tlog.HashSize})
	var err error
	if data == nil {
		data, err = w.source.Get(ctx, path)
	}
	switch {
	case errors.Is(err, ErrMissing):
		return &Finding{Code: MissingTile, File: path, Message: path + ": the tile is missing"}, nil
	case errors.Is(err, objects.ErrTooLong):
		return &Finding{Code: MismatchTile, File: path, Message: err.Error()}, nil
	case err != nil:
		return nil, err
	case !bytes.Equal(data, hashes):
		return &Finding{Code: MismatchTile, File: path, Message: path + ": " + mismatch(at, n, hashes, data)}, nil
	}
	return nil, nil
}

// mismatch says where a tile differs from what its entries come to.
func mismatch(at int, n int64, hashes, data []byte) string {
	if len(data) != len(hashes) {
		return fmt.Sprintf("it has %d bytes, not %d", len(data), len(hashes))
	}
	i := 0
	for data[i] == hashes[i] {
		i++
	}
	i /= tlog.HashSize
	if at == 0 {
		return fmt.Sprintf("entry %d does not hash to what the tile says: one of the two was changed, or entries were put in another order", n*tiles.Width+int64(i))
	}
	return fmt.Sprintf("hash %d is not that of the tile below it", i)
}

// finish compares the tiles above the first level that are not full, and the root.
func (w *walk) finish(ctx context.Context) error {
	for at := range w.levels {
		if w.levels[at].tile.Size() > 0 {
			if err := w.compareLevel(ctx, at); err != nil {
				return err
			}
		}
	}
	switch root := w.grown.Root(); {
	case w.grown.Size() != w.tree.N:
		w.report.find(Finding{Code: MismatchRoot, Message: fmt.Sprintf("%d entries were hashed, the signed checkpoint has %d", w.grown.Size(), w.tree.N)})
	case root == w.tree.Hash && w.other:
		w.report.find(forked(w.options.Seen.N))
	case root != w.tree.Hash: // then it is these files that are wrong, and the log need not be
		w.report.find(Finding{Code: MismatchRoot, Message: fmt.Sprintf("the %d entries come to the root %s, the signed checkpoint has %s: entries were changed, removed, slipped in or put in another order", w.tree.N, root, w.tree.Hash)})
	}
	var err error
	if w.options.Save != nil {
		w.report.Snapshot, err = w.snapshot()
	}
	w.history.finish()
	return err
}

// save has an unfinished walk remembered, unless something is wrong with the log.
func (w *walk) save() error {
	if w.options.Save == nil {
		return nil
	}
	snapshot, err := w.snapshot()
	if err != nil || snapshot == nil {
		return err
	}
	return w.options.Save(snapshot)
}
