package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/bits"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/entry"
	"tally/lib/archive/objects"
	"tally/lib/archive/tiles"
	"tally/lib/archive/tree"
)

// snapshotVersion goes up whenever more is looked at in an entry, or other things of it are
// remembered: what an earlier version has verified is then verified again.
const snapshotVersion = 1

// Snapshot is what is remembered of the entries that were verified, so that the ones after
// them can be without reading those again.
type Snapshot struct {
	Version  int    `json:"version"`
	Origin   string `json:"origin"`
	Thorough bool   `json:"thorough,omitempty"`
	// Size is how many entries they are, Roots are those of their tree's complete subtrees.
	Size  int64       `json:"size"`
	Roots []tlog.Hash `json:"roots"`
	// Seen is the tree that they were compared with.
	Seen         tlog.Tree         `json:"seen"`
	Counts       Counts            `json:"counts"`
	Contradicted []Contradicted    `json:"contradicted,omitempty"`
	Tables       map[string]*table `json:"tables"`
	Names        names             `json:"names"`
	// Draws are those of which something has to follow, and those of the last entries. An
	// entry about another one has what the log says of that draw read again.
	Draws map[string]*drawState `json:"draws"`
}

// snapshot returns what is to be remembered, as JSON; nil where something is wrong.
func (w *walk) snapshot() (json.RawMessage, error) {
	h := w.history
	if len(w.report.Findings) > 0 || w.other || w.unfit || w.grown.Size() == 0 {
		return nil, nil
	}
	s := Snapshot{Version: snapshotVersion, Origin: w.options.Origin, Thorough: w.options.Thorough, Size: w.grown.Size(), Roots: w.grown.Roots(), Seen: w.options.Seen,
		Counts: w.report.Counts, Contradicted: w.report.Contradicted, Tables: h.tables, Names: h.names, Draws: map[string]*drawState{}}
	for id, d := range h.draws {
		if !d.rests() || d.Last > s.Size-window {
			s.Draws[id] = d
		}
	}
	return json.Marshal(s)
}

// valid reports whether a snapshot has what each has.
func (s *Snapshot) valid() bool {
	for id, d := range s.Draws {
		if d == nil || s.Names.find(id) == nil {
			return false
		}
	}
	for _, t := range s.Tables {
		if t == nil {
			return false
		}
	}
	return s.Draws != nil && s.Tables != nil && s.Names != nil
}

// fits reports whether the walk can begin after a snapshot.
func (s *Snapshot) fits(options Params, now tlog.Tree) bool {
	grown, whole := tree.Resume(s.Size, s.Roots)
	switch verified := (tlog.Tree{N: s.Size, Hash: grown.Root()}); {
	case !whole || s.Version != snapshotVersion || s.Origin != options.Origin || s.Size < 1 || s.Size > now.N:
		return false
	case options.KeepSettlements || options.Thorough && !s.Thorough:
		return false
	case verified.N == now.N && verified.Hash != now.Hash:
		return false
	default: // what was seen was compared with then, or will be
		return options.Seen.N > verified.N || options.Seen == verified || options.Seen == s.Seen
	}
}

// resume begins the walk after a snapshot. It reads, of each level of the tree, the tile that
// is under way, whose first hashes have to be those of the snapshot. False says that they are
// not.
func (w *walk) resume(ctx context.Context, s *Snapshot) (bool, error) {
	whole, _ := tree.Resume(s.Size, s.Roots)
	w.verified = tlog.Tree{N: s.Size, Hash: whole.Root()}
	w.report.Counts, w.report.Contradicted = s.Counts, s.Contradicted
	w.history.continues(s)
	if s.Size == w.tree.N {
		w.grown = whole
		return true, nil
	}
	base := s.Size - s.Size%tiles.Width
	w.grown, _ = tree.Resume(base, s.Roots[:bits.OnesCount64(uint64(base))])
	for at := 1; base>>(tiles.Height*at) > 0; at++ {
		l, err := w.underway(ctx, at, base>>(tiles.Height*at))
		if err != nil || l == nil {
			return false, err
		}
		w.levels = append(w.levels, *l)
	}
	return true, nil
}

// underway reads the tile of a level that so many hashes of that level end in; nil where it
// does not have those of the tree so far.
func (w *walk) underway(ctx context.Context, at int, count int64) (*level, error) {
	l := &level{n: count / tiles.Width}
	width := int(count % tiles.Width)
	if width == 0 {
		return l, nil
	}
	most := min(tiles.Width, w.tree.N>>(tiles.Height*at)-l.n*tiles.Width)
	data, err := w.source.Get(ctx, tiles.Path(tlog.Tile{H: tiles.Height, L: at, N: l.n, W: int(most)}))
	switch {
	case errors.Is(err, ErrMissing), errors.Is(err, objects.ErrTooLong):
		return nil, nil
	case err != nil:
		return nil, err
	case len(data) < width*tlog.HashSize:
		return nil, nil
	}
	l.read, l.hashes = data, bytes.Clone(data[:width*tlog.HashSize])
	for i := range width {
		l.tile.Add(tlog.Hash(l.hashes[i*tlog.HashSize:]))
	}
	// Of the tree so far the tile has the subtrees of its level: as many as the bits below
	// and above leave.
	above := bits.OnesCount64(uint64(l.n))
	roots := w.grown.Roots()
	if want := roots[above : above+bits.OnesCount64(uint64(width))]; !slices.Equal(l.tile.Roots(), want) {
		return nil, nil
	}
	return l, nil
}

// continues takes up a snapshot.
func (s *history) continues(snapshot *Snapshot) {
	s.tables, s.names, s.draws = snapshot.Tables, snapshot.Names, snapshot.Draws
	for id, d := range s.draws {
		d.group = s.names.find(id)
	}
}

// recall reads again what the log says of a draw before an entry, verified by the tree.
func (w *walk) recall(ctx context.Context, draw string, from, before int64) *drawState {
	r := &Report{One: &One{}}
	f, h := newFinder(ctx, w.source, w.options, w.tree, r), newHistory(&Report{}, w.options)
	mark := markOf(draw)
	for n := from / tiles.Width; n*tiles.Width < before; n++ {
		list, err := f.bundle(ctx, n)
		if err != nil || list == nil {
			w.failed = err
			for _, finding := range r.Findings {
				w.report.find(finding)
			}
			return nil
		}
		delete(f.bundles, n)
		for i, data := range list {
			index := n*tiles.Width + int64(i)
			if index < from || index >= before || !bytes.Contains(data, mark) {
				continue
			}
			if e, err := entry.Parse(data); err == nil && e.ID().Draw == draw {
				c := checked{entry: e}
				if state, is := e.(*entry.State); is {
					c.held, _ = heldBy(state, nil)
				}
				h.take(index, c)
			}
		}
	}
	return h.draws[draw]
}
