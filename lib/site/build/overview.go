package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"tally/lib/rulebook/games"
	"tally/lib/site/files"
	"tally/lib/site/history"
	"tally/lib/site/pages"
)

// unchanging makes the files that no draw changes.
func (r *run) unchanging() (err error) {
	if r.fixed, err = r.Site.Fixed(); err != nil {
		return fmt.Errorf("making the pages that no draw changes: %w", err)
	}
	r.version = versionOf(slices.Concat(r.Site.Assets(), r.fixed))
	return nil
}

// front writes what no draw changes, and the pages that lead to all games, when
// the site is new or this version makes others.
func (r *run) front(ctx context.Context) error {
	if r.at.Site == r.version {
		return nil
	}
	if r.tag == "" {
		if err := r.move(ctx, r.at); err != nil {
			return err
		}
	}
	// Pages refer to assets, which are there before them.
	assets := r.Site.Assets()
	if err := r.each(ctx, len(assets), func(ctx context.Context, i int) error {
		return r.writeOnce(ctx, noGame, assets[i], never)
	}); err != nil {
		return err
	}
	if err := r.publish(ctx, r.fixed); err != nil {
		return err
	}
	var all []string
	for _, game := range games.All() {
		all = append(all, game.ID)
	}
	if err := r.overview(ctx, all); err != nil {
		return err
	}
	next := r.at
	next.Site = r.version
	return r.move(ctx, next)
}

// noGame stands for the game of files of none.
const noGame = "none"

// versionOf returns a hash of files.
func versionOf(list []pages.File) string {
	hash := sha256.New()
	for _, f := range list {
		fmt.Fprintf(hash, "%s %d\n", f.Path, len(f.Data))
		hash.Write(f.Data)
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// overview writes the pages of some games, and the home page.
func (r *run) overview(ctx context.Context, concerned []string) error {
	var list []pages.File
	for _, game := range concerned {
		pages, err := r.gamePages(ctx, game)
		if err != nil {
			return err
		}
		list = append(list, pages...)
	}
	all, err := index[files.Games](ctx, r, files.GamesPath)
	if err != nil {
		return err
	}
	latest := map[string][]history.Row{}
	for _, newest := range all.Games {
		latest[newest.Game] = inOrder(newest.Latest)
	}
	pages, err := r.Site.Home(latest)
	if err != nil {
		return fmt.Errorf("making the home page: %w", err)
	}
	return r.publish(ctx, append(list, pages...))
}

// inOrder returns the latest results in the order of time.
func inOrder(latest []history.Row) []history.Row {
	rows := slices.Clone(latest)
	slices.SortFunc(rows, files.Compare)
	return rows
}

// The newest months and years whose parts a game's page lists.
const (
	monthsListed = 2
	yearsListed  = 3
)

// gamePages makes the page of a game and its statistics.
func (r *run) gamePages(ctx context.Context, game string) ([]pages.File, error) {
	index, err := index[files.Game](ctx, r, files.GamePath(game))
	if err != nil {
		return nil, err
	}
	months, err := r.newestParts(ctx, game, index.Years, yearsListed)
	if err != nil {
		return nil, err
	}
	days, err := r.newestParts(ctx, game, months, monthsListed)
	if err != nil {
		return nil, err
	}
	pages, err := r.Site.Game(game, inOrder(index.Latest), listed(index.Years), listed(months), listed(days))
	if err != nil {
		return nil, fmt.Errorf("making the page of %s: %w", game, err)
	}
	total := files.Total(game, index.Years)
	statistics, err := r.Site.Statistics(game, total.Counts, total.From, total.To)
	if err != nil {
		return nil, fmt.Errorf("making the statistics of %s: %w", game, err)
	}
	return append(pages, statistics...), nil
}

// newestParts returns the parts of the newest of some periods.
func (r *run) newestParts(ctx context.Context, game string, periods []files.Period, most int) (parts []files.Period, err error) {
	for _, period := range periods[max(0, len(periods)-most):] {
		of, err := index[files.Index](ctx, r, files.PeriodPath(game, period.Name))
		if err != nil {
			return nil, err
		}
		parts = append(parts, of.Parts...)
	}
	return parts, nil
}

// listed returns periods as pages list them, the newest first.
func listed(periods []files.Period) (list []pages.ListedPeriod) {
	for _, period := range slices.Backward(periods) {
		list = append(list, pages.ListedPeriod{Name: period.Name, Draws: period.Draws})
	}
	return list
}
