package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/entry"
	"tally/lib/archive/objects"
	"tally/lib/archive/tiles"
	"tally/lib/archive/tree"
	"tally/lib/strictjson"
)

// walk goes through a log from its first entry to its last. Bundles are read and
// their entries checked side by side; what depends on the entries before is done
// in order.
type walk struct {
	source  Source
	options Options
	tree    tlog.Tree
	report  *Report
	grown   tree.Range
	levels  []level
	history *history
	// other says that the first entries are not those that were seen before.
	other bool
}

// level is the tile under way of one level of the tree.
type level struct {
	n      int64
	hashes []byte
	tile   tree.Range
}

func newWalk(source Source, options Options, t tlog.Tree, r *Report) *walk {
	if options.Parallel < 1 {
		options.Parallel = 4
	}
	return &walk{source: source, options: options, tree: t, report: r, history: newHistory(r, options)}
}

// bundle is 256 entries, or fewer at the end, checked as far as each can be by
// itself.
type bundle struct {
	path    string
	err     error // of reading
	fault   *Finding
	entries []checked
}

// checked is an entry that was looked at by itself.
type checked struct {
	data  []byte
	hash  tlog.Hash
	entry entry.Entry // nil when it can't be read
	err   error       // why, or why the result of a state is not as it says
	// decided is what the cards that lay open had decided, if it was asked for.
	decided []entry.Decided
}

// check reads an entry, and resolves what it says was seen on the table.
func check(data []byte, thorough bool, document *strictjson.Document) checked {
	c := checked{data: data, hash: tlog.RecordHash(data)}
	read, err := entry.Parse(data)
	if err != nil {
		c.err = err
		return c
	}
	c.entry = read
	switch e := read.(type) {
	case *entry.Opening:
		c.err = e.Resolve()
	case *entry.State:
		c.err = e.Resolve(document)
	case *entry.Closings:
		if c.err = e.Resolve(document); c.err == nil && thorough {
			c.decided, c.err = e.Replay(document)
		}
	}
	return c
}

// run verifies the whole log.
func (w *walk) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	count := (w.tree.N + tiles.Width - 1) / tiles.Width
	var ahead []chan *bundle
	next := int64(0)
	for n := range count {
		for ; next < min(count, n+int64(w.options.Parallel)); next++ {
			out, at := make(chan *bundle, 1), next
			go func() { out <- w.read(ctx, at) }()
			ahead = append(ahead, out)
		}
		b := <-ahead[0]
		ahead = ahead[1:]
		if b.err != nil {
			return b.err
		}
		if b.fault != nil {
			w.report.find(*b.fault)
			return nil // what follows can't be placed in the tree
		}
		if err := w.take(ctx, n, b); err != nil {
			return err
		}
	}
	return w.finish(ctx)
}

// read reads a bundle and checks its entries one by one.
func (w *walk) read(ctx context.Context, n int64) *bundle {
	width := int(min(tiles.Width, w.tree.N-n*tiles.Width))
	b := &bundle{path: tiles.EntriesPath(n, width)}
	list, err := readBundle(ctx, w.source, b.path, width)
	if fault := (*faultError)(nil); errors.As(err, &fault) {
		b.fault = &fault.finding
		return b
	}
	if err != nil {
		b.err = err
		return b
	}
	var document strictjson.Document
	b.entries = make([]checked, width)
	for i, data := range list {
		b.entries[i] = check(data, w.options.Thorough, &document)
	}
	return b
}

// faultError is a fault of the log, not of reading it.
type faultError struct{ finding Finding }

func (e *faultError) Error() string { return e.finding.String() }

// readBundle reads the entries of a bundle of a width, not verified.
func readBundle(ctx context.Context, source Source, path string, width int) ([][]byte, error) {
	data, err := source.Get(ctx, path)
	if errors.Is(err, ErrMissing) {
		return nil, &faultError{finding: Finding{Code: MissingBundle, File: path, Message: path + " is missing, with all its entries"}}
	}
	if errors.Is(err, objects.ErrTooLong) {
		return nil, &faultError{finding: Finding{Code: BadBundle, File: path, Message: err.Error()}}
	}
	if err != nil {
		return nil, err
	}
	list, err := tiles.Entries(data, width)
	if err != nil {
		return nil, &faultError{finding: Finding{Code: BadBundle, File: path, Message: path + ": " + err.Error()}}
	}
	return list, nil
}

// forked is the finding of a log that does not begin with what was seen before.
func forked(size int64) Finding {
	return Finding{Code: Forked, Message: fmt.Sprintf("the first %d entries are not those that were seen before: the log was rewritten, or it shows others something else", size)}
}

// take puts a bundle's entries into the tree and into the story of their draws.
func (w *walk) take(ctx context.Context, n int64, b *bundle) error {
	for i, c := range b.entries {
		w.grown.Add(c.hash)
		if err := w.add(ctx, 0, c.hash); err != nil {
			return err
		}
		index := n*tiles.Width + int64(i)
		w.history.take(index, c)
		if seen := w.options.Seen; seen.N == index+1 && w.grown.Root() != seen.Hash {
			w.other = true
		}
	}
	if w.options.Progress != nil {
		w.options.Progress(w.grown.Size(), w.tree.N)
	}
	return nil
}

// add adds a hash to a level of the tree. A tile that is full goes, as one hash,
// into the level above.
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
	if err := w.compare(ctx, at, l); err != nil {
		return err
	}
	root := l.tile.Root()
	l.n, l.hashes, l.tile = l.n+1, l.hashes[:0], tree.Range{}
	return w.add(ctx, at+1, root)
}

// compare compares a tile with the one of the log.
func (w *walk) compare(ctx context.Context, at int, l *level) error {
	path := tiles.Path(tlog.Tile{H: tiles.Height, L: at, N: l.n, W: int(l.tile.Size())})
	data, err := w.source.Get(ctx, path)
	switch {
	case errors.Is(err, ErrMissing):
		w.report.findFile(MissingTile, path, "the tile is missing")
	case errors.Is(err, objects.ErrTooLong):
		w.report.find(Finding{Code: MismatchTile, File: path, Message: err.Error()})
	case err != nil:
		return err
	case !bytes.Equal(data, l.hashes):
		w.report.findFile(MismatchTile, path, "%s", w.mismatch(at, l, data))
	}
	return nil
}

// mismatch says where a tile differs from what its entries come to.
func (w *walk) mismatch(at int, l *level, data []byte) string {
	if len(data) != len(l.hashes) {
		return fmt.Sprintf("it has %d bytes, not %d", len(data), len(l.hashes))
	}
	i := 0
	for data[i] == l.hashes[i] {
		i++
	}
	i /= tlog.HashSize
	if at == 0 {
		return fmt.Sprintf("entry %d does not hash to what the tile says: one of the two was changed, or entries were put in another order", l.n*tiles.Width+int64(i))
	}
	return fmt.Sprintf("hash %d is not that of the tile below it", i)
}

// finish compares the tiles that are not full, and the root.
func (w *walk) finish(ctx context.Context) error {
	for at := range w.levels {
		if w.levels[at].tile.Size() > 0 {
			if err := w.compare(ctx, at, &w.levels[at]); err != nil {
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
	w.history.finish()
	return nil
}
