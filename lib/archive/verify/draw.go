package verify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/entry"
	"tally/lib/archive/objects"
	"tally/lib/archive/tiles"
)

// One is what a verification of one draw alone came to.
type One struct {
	Draw string `json:"draw"`
	// Whole says that every entry from the draw's opening to the end of the log was
	// looked at, so that no other one after it is about the draw. Otherwise it is what
	// someone has named that was looked at.
	Whole bool `json:"whole"`
	// Misled says what is wrong with the indexes that someone has named; the log was
	// then read in their stead.
	Misled  string          `json:"misled,omitempty"`
	Read    int64           `json:"read"`    // entries that were read to find them
	Decided []entry.Decided `json:"decided"` // what the cards that lay open had decided
}

// Draw verifies the entries of one draw. named are their indexes, as a page of
// results names them, which is not trusted; without them, or where what they name
// makes no sense, the log is read backwards, from its end to the draw's opening. A
// right log has nothing of a draw before that; one that opened the draw twice shows
// it to who verifies all of it.
//
// It reads the tiles that lead from the entries to the signed root, no others: of
// other draws it says nothing, nor whether the log can be read at all.
func Draw(ctx context.Context, from Source, options Params, draw string, named []int64) (*Report, error) {
	source := reading{Source: from}
	r, err := one(ctx, source, options, draw, named)
	if err != nil || len(named) == 0 || r.One.Misled == "" && r.Class() != Entries {
		return r, err
	}
	whole, err := one(ctx, source, options, draw, nil)
	if err == nil && whole.Class() == NothingWrong {
		whole.One.Misled = cmp.Or(r.One.Misled, "they leave out entries")
	}
	return whole, err
}

func one(ctx context.Context, source Source, options Params, draw string, named []int64) (*Report, error) {
	r := &Report{Origin: options.Origin, Seen: options.Seen.N, Tables: []Table{}, Findings: []Finding{}, One: &One{Draw: draw, Whole: len(named) == 0, Decided: []entry.Decided{}}}
	c, err := open(ctx, source, options, r)
	if err != nil || c == nil || !since(c, options, r) {
		return r, err
	}
	s := newFinder(ctx, source, options, c.Tree, r)
	if !s.grown() {
		return r, s.failed
	}
	if len(named) > 0 {
		err = s.named(ctx, draw, named)
	} else {
		err = s.backwards(ctx, draw)
	}
	if err != nil {
		return r, err
	}
	s.readHistory(draw)
	return r, s.failed
}

// finder looks for the entries of a draw, in tiles that are verified against the
// root.
type finder struct {
	source  Source
	options Params
	tree    tlog.Tree
	report  *Report
	hashes  tlog.HashReader
	failed  error // that a file could not be read
	missing string
	bundles map[int64][][]byte
	found   []Recorded
}

func newFinder(ctx context.Context, source Source, options Params, tree tlog.Tree, r *Report) *finder {
	s := &finder{source: source, options: options, tree: tree, report: r, bundles: map[int64][][]byte{}}
	s.hashes = tlog.TileHashReader(tree, tiles.NewReader(ctx, s.get))
	return s
}

// get reads a file for tlog, and keeps what went wrong: tlog's own errors don't
// tell a file that is missing from one that is wrong.
func (s *finder) get(ctx context.Context, path string) ([]byte, error) {
	data, err := s.source.Get(ctx, path)
	switch {
	case errors.Is(err, ErrMissing):
		s.missing = path
	case err != nil && !errors.Is(err, objects.ErrTooLong):
		s.failed = err
	}
	return data, err
}

// wrong finds what reading hashes has failed of.
func (s *finder) wrong(err error) {
	switch {
	case s.failed != nil:
	case s.missing != "":
		s.report.findFile(MissingTile, s.missing, "the tile is missing")
	default:
		s.report.find(Finding{Code: MismatchTile, Message: fmt.Sprintf("a tile is not the one in the tree under the checkpoint: %v", err)})
	}
}

// grown verifies that the tree begins with the one that was seen before.
func (s *finder) grown() bool {
	seen := s.options.Seen
	if seen.N == 0 || seen.N == s.tree.N {
		return true
	}
	root, err := tlog.TreeHash(seen.N, s.hashes)
	if err != nil {
		s.wrong(err)
		return false
	}
	if root != seen.Hash {
		s.report.find(forked(seen.N))
		return false
	}
	return true
}

// bundle reads a bundle and verifies its entries; nil when something is wrong.
func (s *finder) bundle(ctx context.Context, n int64) ([][]byte, error) {
	if list, read := s.bundles[n]; read {
		return list, nil
	}
	width := int(min(tiles.Width, s.tree.N-n*tiles.Width))
	path := tiles.EntriesPath(n, width)
	list, err := readBundle(ctx, s.source, path, width)
	if fault := (*findingError)(nil); errors.As(err, &fault) {
		s.report.find(fault.finding)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	indexes := make([]int64, width)
	for i := range indexes {
		indexes[i] = tlog.StoredHashIndex(0, n*tiles.Width+int64(i))
	}
	want, err := s.hashes.ReadHashes(indexes)
	if err != nil {
		s.wrong(err)
		return nil, s.failed
	}
	for i, data := range list {
		if tlog.RecordHash(data) != want[i] {
			s.report.findFile(MismatchTile, path, "entry %d is not the one in the tree under the checkpoint", n*tiles.Width+int64(i))
			return nil, nil
		}
	}
	s.report.One.Read += int64(width)
	s.bundles[n] = list
	return list, nil
}

// named takes the entries at indexes that someone has named.
func (s *finder) named(ctx context.Context, draw string, indexes []int64) error {
	slices.Sort(indexes)
	for i, index := range slices.Compact(indexes) {
		if index < 0 || index >= s.tree.N {
			s.report.One.Misled = fmt.Sprintf("they name entry %d, and the log has %d", index, s.tree.N)
			return nil
		}
		list, err := s.bundle(ctx, index/tiles.Width)
		if err != nil || list == nil {
			return err
		}
		data := list[index%tiles.Width]
		read, err := entry.Parse(data)
		if err != nil || read.ID().Draw != draw {
			s.report.One.Misled = fmt.Sprintf("they name entry %d, which is not about the draw", index)
			return nil
		}
		s.found = append(s.found, Recorded{Index: index, Kind: read.ID().Kind, Data: string(data)})
		s.progress(int64(i+1), int64(len(indexes)))
	}
	return nil
}

// markOf returns what every entry about a draw has in it, and hardly any other.
func markOf(draw string) []byte { return []byte(`"draw":"` + draw + `"`) }

// backwards reads the log from its end to the draw's opening.
func (s *finder) backwards(ctx context.Context, draw string) error {
	mark := markOf(draw)
	for n := (s.tree.N+tiles.Width-1)/tiles.Width - 1; n >= 0; n-- {
		list, err := s.bundle(ctx, n)
		if err != nil || list == nil {
			return err
		}
		delete(s.bundles, n)
		opened := false
		for i := len(list) - 1; i >= 0; i-- {
			index := n*tiles.Width + int64(i)
			if !bytes.Contains(list[i], mark) {
				continue
			}
			read, err := entry.Parse(list[i])
			if err != nil {
				s.report.findEntry(BadEntry, index, "%v", err)
				continue
			}
			if read.ID().Draw != draw {
				continue
			}
			s.found = append(s.found, Recorded{Index: index, Kind: read.ID().Kind, Data: string(list[i])})
			opened = opened || read.ID().Kind == entry.KindOpening
		}
		s.progress(s.tree.N-n*tiles.Width, s.tree.N)
		if opened {
			break
		}
	}
	slices.Reverse(s.found)
	return nil
}

func (s *finder) progress(done, all int64) {
	if s.options.Progress != nil {
		s.options.Progress(done, all)
	}
}

// readHistory reads what the entries say, in their order.
func (s *finder) readHistory(draw string) {
	s.report.History = s.found
	history, checker := newHistory(s.report, s.options), checker{thorough: true}
	for _, found := range s.found {
		c := checker.check([]byte(found.Data))
		s.report.One.Decided = append(s.report.One.Decided, c.decided...)
		history.take(found.Index, c)
	}
	history.finishDraws()
}
