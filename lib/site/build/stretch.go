package build

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"tally/lib/archive/entry"
	"tally/lib/archive/objects"
	"tally/lib/rulebook/games"
	"tally/lib/site/files"
	"tally/lib/site/history"
	"tally/lib/site/pages"
)

// dayKey names a day of a game.
type dayKey struct{ game, day string }

// day is a day of a game with its draws by id.
type day struct {
	dayKey
	rows    map[string]history.Row
	touched map[string]*history.Draw // those that the stretch concerns
}

// stretch brings the entries from one size of the log up to another into the site.
func (r *run) stretch(ctx context.Context, from, to int64) error {
	r.held.clear()
	fresh, err := r.entries(ctx, span(from, to))
	if err != nil {
		return err
	}
	days, err := r.concerned(ctx, from, fresh)
	if err != nil {
		return err
	}
	for _, d := range days {
		if err := r.draws(ctx, d, from); err != nil {
			return err
		}
	}
	return r.indexes(ctx, days, from)
}

func span(from, to int64) (places []int64) {
	for place := from; place < to; place++ {
		places = append(places, place)
	}
	return places
}

// concerned returns the days that fresh entries are about, with the rows that they
// had before and the whole histories of the draws that have fresh entries.
func (r *run) concerned(ctx context.Context, from int64, fresh map[int64]history.Leaf) ([]*day, error) {
	byDraw := map[string][]history.Leaf{}
	for _, place := range slices.Sorted(maps.Keys(fresh)) {
		draw := fresh[place].Entry.ID().Draw
		byDraw[draw] = append(byDraw[draw], fresh[place])
	}
	of, err := r.places(ctx, byDraw)
	if err != nil {
		return nil, err
	}
	byKey := map[dayKey]*day{}
	for draw, key := range of {
		if byKey[key] == nil {
			byKey[key] = &day{dayKey: key, touched: map[string]*history.Draw{}}
		}
		byKey[key].touched[draw] = nil
	}
	days := slices.SortedFunc(maps.Values(byKey), func(a, b *day) int {
		return slices.Compare([]string{a.game, a.day}, []string{b.game, b.day})
	})
	if err := r.each(ctx, len(days), func(ctx context.Context, i int) error { return r.before(ctx, days[i], from) }); err != nil {
		return nil, err
	}
	return days, r.histories(ctx, days, byDraw)
}

// places finds the day of each draw: in its opening, or, for one that was opened
// before, in the file that was written then.
func (r *run) places(ctx context.Context, byDraw map[string][]history.Leaf) (map[string]dayKey, error) {
	of, mutex := map[string]dayKey{}, sync.Mutex{}
	draws := slices.Sorted(maps.Keys(byDraw))
	err := r.each(ctx, len(draws), func(ctx context.Context, i int) error {
		key, err := r.placeOf(ctx, draws[i], byDraw[draws[i]])
		mutex.Lock()
		defer mutex.Unlock()
		of[draws[i]] = key
		return err
	})
	return of, err
}

func (r *run) placeOf(ctx context.Context, draw string, leaves []history.Leaf) (dayKey, error) {
	if _, opens := leaves[0].Entry.(*entry.Opening); opens {
		d, err := r.history(draw, leaves)
		if err != nil {
			return dayKey{}, err
		}
		if _, known := games.Find(d.Opening.Game); !known {
			return dayKey{}, fmt.Errorf("%w: entry %d: draw %s is of game %q", ErrEntry, leaves[0].Index, draw, d.Opening.Game)
		}
		return dayKey{game: d.Opening.Game, day: d.Day()}, nil
	}
	text, _, err := r.Files.Get(ctx, files.PlacePath(draw))
	if errors.Is(err, objects.ErrNotFound) {
		return dayKey{}, fmt.Errorf("%w: entry %d: draw %s was not opened, or its file %s is gone", ErrDamaged, leaves[0].Index, draw, files.PlacePath(draw))
	}
	if err != nil {
		return dayKey{}, err
	}
	place, err := files.Read[files.Place](text)
	if err != nil || place.Draw != draw || place.Game == "" || len(place.Day) != len("2026-11-30") {
		return dayKey{}, fmt.Errorf("%w: reading %s", ErrDamaged, files.PlacePath(draw))
	}
	return dayKey{game: place.Game, day: place.Day}, nil
}

// before reads the rows of a day as they were before the stretch: with the entries
// that were there then. A draw that has later ones is made again, too: either it has
// some in this stretch, or the cursor was set back.
func (r *run) before(ctx context.Context, d *day, from int64) error {
	d.rows = map[string]history.Row{}
	path := files.RowsPath(d.game, d.day)
	there, err := r.hold(ctx, path)
	if err != nil {
		return err
	}
	rows, err := files.ReadRows(there.data)
	if err != nil {
		return fmt.Errorf("%w: reading %s: %w", ErrDamaged, path, err)
	}
	for _, row := range rows {
		leaves := row.Leaves[:countBelow(row.Leaves, from)]
		if len(leaves) == 0 {
			continue // it was opened later
		}
		if len(leaves) < len(row.Leaves) {
			d.touched[row.Draw] = nil
		}
		row.Leaves = leaves
		d.rows[row.Draw] = row
	}
	return nil
}

// countBelow returns how many of ascending numbers are below a bound.
func countBelow(numbers []int64, bound int64) int {
	n, _ := slices.BinarySearch(numbers, bound)
	return n
}

// histories puts the histories of the days' touched draws together. What was
// logged of them before is read from the log again.
func (r *run) histories(ctx context.Context, days []*day, fresh map[string][]history.Leaf) error {
	var places []int64
	for _, d := range days {
		for draw := range d.touched {
			places = append(places, d.rows[draw].Leaves...)
		}
	}
	earlier, err := r.entries(ctx, places)
	if err != nil {
		return err
	}
	for _, d := range days {
		for draw := range d.touched {
			var leaves []history.Leaf
			for _, place := range d.rows[draw].Leaves {
				leaves = append(leaves, earlier[place])
			}
			leaves = append(leaves, fresh[draw]...)
			if !isWhole(draw, leaves) {
				return fmt.Errorf("%w: %s has not what was logged of draw %s before entry %d", ErrDamaged, files.RowsPath(d.game, d.day), draw, leaves[len(leaves)-1].Index)
			}
			if d.touched[draw], err = r.history(draw, leaves); err != nil {
				return err
			}
			d.rows[draw] = d.touched[draw].Row()
		}
	}
	return nil
}

// isWhole reports whether entries are those of one draw, from its opening on.
func isWhole(draw string, leaves []history.Leaf) bool {
	for i, leaf := range leaves {
		_, opens := leaf.Entry.(*entry.Opening)
		if opens != (i == 0) || leaf.Entry.ID().Draw != draw {
			return false
		}
	}
	return true
}

// together is how many draws are published at once: enough to have requests side
// by side, and few enough to have their pages in memory.
const together = 32

// draws writes the files and pages of a day's touched draws.
func (r *run) draws(ctx context.Context, d *day, from int64) error {
	ids := slices.Sorted(maps.Keys(d.touched))
	for chunk := range slices.Chunk(ids, together) {
		if err := r.each(ctx, len(chunk), func(ctx context.Context, i int) error {
			return r.lasting(ctx, d, d.touched[chunk[i]], from)
		}); err != nil {
			return err
		}
		made := make([][]pages.File, len(chunk))
		if err := r.each(ctx, len(chunk), func(_ context.Context, i int) (err error) {
			made[i], err = r.changing(d, d.touched[chunk[i]])
			return err
		}); err != nil {
			return err
		}
		if err := r.publish(ctx, slices.Concat(made...)); err != nil {
			return err
		}
	}
	return nil
}

// lasting writes the files of a draw's fresh entries that never change.
func (r *run) lasting(ctx context.Context, d *day, draw *history.Draw, from int64) error {
	if draw.Leaves[0].Index >= from {
		place, err := files.PlaceFile(draw)
		if err != nil {
			return err
		}
		if err := r.writeOnce(ctx, d.game, place, never); err != nil {
			return err
		}
	}
	for _, leaf := range draw.Leaves {
		state, is := leaf.Entry.(*entry.State)
		if leaf.Index < from || !is {
			continue
		}
		// Where another draw's id makes its history have this path, this file goes
		// before: it may be kept for ever by whoever has read it.
		_, other := d.rows[fmt.Sprintf("%s.%d", state.Draw, state.State)]
		if err := r.writeOnce(ctx, d.game, files.State(draw, leaf), func(there []byte) bool {
			_, err := entry.Parse(there)
			return other && err != nil
		}); err != nil {
			return err
		}
		proof, err := r.prove(leaf)
		if err != nil {
			return err
		}
		if err := r.writeOnce(ctx, d.game, files.Proof(draw, leaf, proof.Format()), r.unproved(proof)); err != nil {
			return err
		}
	}
	return nil
}

// changing makes the files of a draw that change with its history.
func (r *run) changing(d *day, draw *history.Draw) ([]pages.File, error) {
	made, err := r.Site.Draw(draw)
	if err != nil {
		return nil, fmt.Errorf("making the pages of draw %s: %w", draw.Opening.Draw, err)
	}
	if other, state, may := files.IsState(draw.Opening.Draw); may && d.rows[other].State >= state {
		return made, nil // its path is that of a state of another draw
	}
	f, err := files.Draw(draw)
	return append(made, f), err
}
