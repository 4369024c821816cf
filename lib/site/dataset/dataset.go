// Package dataset makes one Parquet data set of many days of the public site, for DuckDB,
// pandas and the like. A day is a folder, as Hive partitions tables, with a file for each game:
//
//	day=2026-11-30/roulette.parquet
//	day=2026-11-30/wheel.parquet
//	day=2026-12-01/roulette.parquet
//
// The rows are those of the site's files of days, each held against the hash in the day's
// index; docs/site.md describes them. The same rows give the same bytes.
package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"tally/lib/archive/objects"
	"tally/lib/site/files"
)

// Source is where the files of a site are read. What is not there is objects.ErrNotFound.
type Source interface {
	Get(ctx context.Context, path string) ([]byte, error)
}

// Options say what to take into the data set. From and To are days such as 2026-11-30, the
// first and the last; empty for as far as the site goes. Games are the ids of games; none for all.
type Options struct {
	From, To string
	Games    []string
	// Parallel is how many files are made at once.
	Parallel int
	// Write stores a file by its path, from several goroutines at once.
	Write func(path string, data []byte) error
}

// Summary is what a data set has.
type Summary struct {
	Days, Files int
	Draws       int64
}

// ErrUnlike says that a file of the site is not the one that its index names.
var ErrUnlike = errors.New("it is not the file that the index of its day names: if the site is being brought up to its log, try again")

// ErrNoGame says that a game has no draws on the site.
var ErrNoGame = errors.New("the site has no draws of the game")

// Make makes a data set.
func Make(ctx context.Context, site Source, o Options) (Summary, error) {
	days, err := o.days(ctx, site)
	if err != nil {
		return Summary{}, err
	}
	var draws atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(o.Parallel)
	for _, d := range days {
		group.Go(func() error {
			n, err := o.day(ctx, site, d)
			draws.Add(int64(n))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return Summary{}, err
	}
	names := map[string]bool{}
	for _, d := range days {
		names[d.name] = true
	}
	return Summary{Days: len(names), Files: len(days), Draws: draws.Load()}, nil
}

// gameDay is a day with draws of a game.
type gameDay struct{ game, name string }

// days are those of all games that are asked for.
func (o *Options) days(ctx context.Context, site Source) (list []gameDay, err error) {
	all, err := index[files.Games](ctx, site, files.GamesPath)
	if err != nil {
		return nil, err
	}
	games := o.Games
	if len(games) == 0 {
		for _, game := range all.Games {
			games = append(games, game.Game)
		}
	}
	for _, game := range games {
		if !slices.ContainsFunc(all.Games, func(n files.Newest) bool { return n.Game == game }) {
			return nil, fmt.Errorf("%w %q", ErrNoGame, game)
		}
		of, err := index[files.Game](ctx, site, files.GamePath(game))
		if err != nil {
			return nil, err
		}
		if list, err = o.within(ctx, site, game, of.Years, list); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// within adds to a list the days that some years, months or days have.
func (o *Options) within(ctx context.Context, site Source, game string, periods []files.Period, list []gameDay) ([]gameDay, error) {
	for _, period := range periods {
		if o.From > period.To || o.To != "" && o.To < period.From {
			continue
		}
		if len(period.Name) == len("2026-11-30") {
			list = append(list, gameDay{game: game, name: period.Name})
			continue
		}
		longer, err := index[files.Index](ctx, site, files.PeriodPath(game, period.Name))
		if err != nil {
			return nil, err
		}
		if list, err = o.within(ctx, site, game, longer.Parts, list); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// day makes the file of a game's day, and returns how many draws it has.
func (o *Options) day(ctx context.Context, site Source, d gameDay) (draws int, err error) {
	of, err := index[files.Day](ctx, site, files.PeriodPath(d.game, d.name))
	if err != nil {
		return 0, err
	}
	name := files.RowsPath(d.game, d.name)
	text, err := read(ctx, site, name)
	if err != nil {
		return 0, err
	}
	sum := sha256.Sum256(text)
	wanted := files.FileLink{Name: path.Base(name), Type: files.ContentType(name), Bytes: len(text), SHA256: hex.EncodeToString(sum[:])}
	if !slices.Contains(of.Files, wanted) {
		return 0, fmt.Errorf("reading %s: %w", name, ErrUnlike)
	}
	rows, err := files.ReadRows(text)
	if err != nil {
		return 0, fmt.Errorf("reading %s: %w", name, err)
	}
	made, err := write(rows)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return len(rows), o.Write("day="+d.name+"/"+d.game+".parquet", made)
}

// index reads an index of the site.
func index[T any](ctx context.Context, site Source, path string) (value T, err error) {
	text, err := read(ctx, site, path)
	if err != nil {
		return value, err
	}
	if value, err = files.Read[T](text); err != nil {
		err = fmt.Errorf("reading %s: %w", path, err)
	}
	return value, err
}

// read reads a file of the site.
func read(ctx context.Context, site Source, path string) ([]byte, error) {
	text, err := site.Get(ctx, path)
	if errors.Is(err, objects.ErrNotFound) {
		return nil, fmt.Errorf("the site has no %s: %w", path, err)
	}
	return text, err
}
