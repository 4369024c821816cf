package pages

import (
	"context"
	"errors"
	"log/slog"

	"golang.org/x/mod/sumdb/note"

	"tally/lib/archive/objects"
	"tally/lib/site/build"
	html "tally/lib/site/pages"
	"tally/lib/site/serve"
)

// Params is what a site is made from, and where to.
type Params struct {
	Origin     string
	PublicKeys []string
	Known      note.Verifiers
	Log        objects.Store // only read
	Site       objects.Store
	Limit      int64 // entries in one run
	Record     build.Recorder
	Logger     *slog.Logger
}

// Follow returns what brings a site up to its log. That another run is ahead is no
// failure: it does what there is to do.
func Follow(p Params) (run func(context.Context) error, err error) {
	site, err := html.New(html.Options{Origin: p.Origin, VerifierKeys: p.PublicKeys, LogURL: serve.LogFolder})
	if err != nil {
		return nil, err
	}
	f := &build.Follower{Origin: p.Origin, Known: p.Known, Log: source{store: p.Log},
		Files: p.Site, Site: site, Record: p.Record, Logger: p.Logger,
		Stretch: build.DefaultStretch, Limit: p.Limit, Parallel: build.DefaultParallel}
	return func(ctx context.Context) error {
		_, err := f.Run(ctx)
		if errors.Is(err, build.ErrOvertaken) {
			p.Logger.LogAttrs(ctx, slog.LevelInfo, "another run is ahead", slog.Any("reason", err))
			return nil
		}
		return err
	}, nil
}

// source is a log that is only read.
type source struct{ store objects.Store }

// Get returns a file of the log.
func (s source) Get(ctx context.Context, path string) ([]byte, error) {
	data, _, err := s.store.Get(ctx, path)
	return data, err
}
