package build

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"tally/lib/rulebook/games"
	"tally/lib/site/files"
	"tally/lib/site/history"
	"tally/lib/site/pages"
)

// indexes writes what sums up draws: the files and pages of the days, the indexes
// of months, years and games, and the pages of games.
func (r *run) indexes(ctx context.Context, days []*day, from int64) error {
	periods := map[string][]files.Period{} // by game
	rows := map[string][]history.Row{}     // touched ones, by game
	for _, d := range days {
		period, err := r.day(ctx, d)
		if err != nil {
			return err
		}
		periods[d.game] = append(periods[d.game], period)
		for draw := range d.touched {
			rows[d.game] = append(rows[d.game], d.rows[draw])
		}
	}
	concerned := slices.Sorted(maps.Keys(periods))
	var list []pages.File
	for _, game := range concerned {
		made, err := r.game(ctx, game, periods[game], rows[game], from)
		if err != nil {
			return err
		}
		list = append(list, made...)
	}
	all, err := r.allGames(ctx, rows, from)
	if err != nil {
		return err
	}
	if err := r.publishIndexes(ctx, append(list, all)); err != nil {
		return err
	}
	return r.overview(ctx, concerned)
}

// day writes the files and pages of a day.
func (r *run) day(ctx context.Context, d *day) (files.Period, error) {
	rows := slices.SortedFunc(maps.Values(d.rows), files.Compare)
	list, period, err := files.DayFiles(d.game, d.day, rows)
	if err != nil {
		return period, err
	}
	made, err := r.Site.Day(d.game, d.day, rows)
	if err != nil {
		return period, fmt.Errorf("making the pages of %s on %s: %w", d.game, d.day, err)
	}
	return period, r.publish(ctx, append(list, made...))
}

// game makes the indexes of a game's months and years that some days are in, and
// the game's own.
func (r *run) game(ctx context.Context, game string, days []files.Period, touched []history.Row, from int64) (list []pages.File, err error) {
	months, list, err := r.longer(ctx, game, days, len("2026-11"), from)
	if err != nil {
		return nil, err
	}
	years, made, err := r.longer(ctx, game, months, len("2026"), from)
	if err != nil {
		return nil, err
	}
	index, err := index[files.Game](ctx, r, files.GamePath(game))
	if err != nil {
		return nil, err
	}
	latest := files.Latest(mergeRows(index.Latest, touched, from), files.LatestOfGame)
	f, err := files.GameFile(game, merge(index.Years, years, from), latest)
	return slices.Concat(list, made, []pages.File{f}), err
}

// longer makes the indexes and pages of the longer periods that shorter ones are in. Their
// names are the first so many letters of the shorter ones'.
func (r *run) longer(ctx context.Context, game string, parts []files.Period, letters int, from int64) (periods []files.Period, list []pages.File, err error) {
	byName := map[string][]files.Period{}
	for _, part := range parts {
		byName[part.Name[:letters]] = append(byName[part.Name[:letters]], part)
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		before, err := index[files.Index](ctx, r, files.PeriodPath(game, name))
		if err != nil {
			return nil, nil, err
		}
		merged := merge(before.Parts, byName[name], from)
		f, period, err := files.IndexFile(game, name, merged)
		if err != nil {
			return nil, nil, err
		}
		made, err := r.Site.Period(game, name, listed(merged))
		if err != nil {
			return nil, nil, fmt.Errorf("making the page of %s in %s: %w", game, name, err)
		}
		periods, list = append(periods, period), slices.Concat(list, []pages.File{f}, made)
	}
	return periods, list, nil
}

// allGames makes the index of all games.
func (r *run) allGames(ctx context.Context, touched map[string][]history.Row, from int64) (pages.File, error) {
	before, err := index[files.Games](ctx, r, files.GamesPath)
	if err != nil {
		return pages.File{}, err
	}
	rows := map[string][]history.Row{}
	for _, newest := range before.Games {
		rows[newest.Game] = newest.Latest
	}
	var list []files.Newest
	for _, game := range games.All() {
		merged := mergeRows(rows[game.ID], touched[game.ID], from)
		if len(merged) > 0 {
			list = append(list, files.Newest{Game: game.ID, Latest: files.Latest(merged, files.LatestOfAll)})
		}
	}
	return files.GamesFile(list)
}

// publishIndexes publishes indexes, and keeps them for what is made of them.
func (r *run) publishIndexes(ctx context.Context, list []pages.File) error {
	if err := r.publish(ctx, list); err != nil {
		return err
	}
	for _, f := range list {
		// Nobody writes it again in this stretch, so its tag is not needed.
		r.held.put(f.Path, file{data: f.Data})
	}
	return nil
}

// index reads an index of the site; an empty one where there is none.
func index[T any](ctx context.Context, r *run, path string) (value T, err error) {
	f, err := r.hold(ctx, path)
	if err != nil || f.data == nil {
		return value, err
	}
	value, err = files.Read[T](f.data)
	if err != nil {
		err = fmt.Errorf("%w: reading %s: %w", ErrDamaged, path, err)
	}
	return value, err
}

// merge puts new periods in the place of those of their names. Periods with
// entries of the stretch under way, or of later ones, are not taken from what was
// there before.
func merge(before, now []files.Period, from int64) []files.Period {
	byName := map[string]files.Period{}
	for _, period := range before {
		if period.Through < from {
			byName[period.Name] = period
		}
	}
	for _, period := range now {
		byName[period.Name] = period
	}
	merged := []files.Period{}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		merged = append(merged, byName[name])
	}
	return merged
}

// mergeRows does the same with rows.
func mergeRows(before, now []history.Row, from int64) []history.Row {
	byDraw := map[string]history.Row{}
	for _, row := range before {
		if files.CheckRow(row) == nil && files.Through(row) < from {
			byDraw[row.Draw] = row
		}
	}
	for _, row := range now {
		byDraw[row.Draw] = row
	}
	return slices.Collect(maps.Values(byDraw))
}
