// Package publish puts together what keeps the public site up with the public log:
// the follower of package follow, with the pages of package site. The function
// pages and the local stack run it.
package publish

import (
	"context"
	"errors"
	"log/slog"

	"tally/lib/archive/objects"
	"tally/lib/lambda/functions"
	"tally/lib/site/build"
	"tally/lib/site/pages"
	"tally/lib/site/serve"
)

// Parallel is how many files of a site are read or written at once.
const Parallel = 32

var _ functions.FollowLog = Follow

// Follow returns what brings a site up to its log. That another run is ahead is no
// failure: it does what there is to do.
func Follow(p functions.Pages) (run func(context.Context) error, err error) {
	pages, err := pages.New(pages.Options{Origin: p.Origin, VerifierKeys: p.PublicKeys, LogURL: serve.LogFolder})
	if err != nil {
		return nil, err
	}
	f := &build.Follower{Origin: p.Origin, Known: p.Known, Log: Source{p.Log}, Files: p.Site, Site: pages, Record: p.Record, Logger: p.Logger,
		Stretch: build.DefaultStretch, Limit: p.Limit, Parallel: Parallel}
	return func(ctx context.Context) error {
		_, err := f.Run(ctx)
		if errors.Is(err, build.ErrOvertaken) {
			p.Logger.LogAttrs(ctx, slog.LevelInfo, "another run is ahead", slog.Any("reason", err))
			return nil
		}
		return err
	}, nil
}

// Source is a log that is only read.
type Source struct{ Store objects.Store }

var _ build.Source = Source{}

// Get returns a file of the log.
func (s Source) Get(ctx context.Context, path string) ([]byte, error) {
	data, _, err := s.Store.Get(ctx, path)
	return data, err
}
