package build

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/objects"
	"tally/lib/archive/tiles"
	"tally/lib/site/history"
	"tally/lib/site/pages"
	"tally/lib/site/statistics"
)

// Source is where the files of the log are read. It is not trusted.
type Source interface {
	// Get returns a file, objects.ErrNotFound when there is none.
	Get(ctx context.Context, path string) ([]byte, error)
}

// PageMaker makes the pages for people. The same arguments give the same files.
type PageMaker interface {
	// Assets and Fixed are the files that no draw changes.
	Assets() []pages.File
	Fixed() ([]pages.File, error)
	Draw(d *history.Draw) ([]pages.File, error)
	// Day, Game and Home take draws in the order of time.
	Day(game, day string, rows []history.Row) ([]pages.File, error)
	Game(game string, latest []history.Row, years, months, days []pages.ListedPeriod) ([]pages.File, error)
	// Period lists the days of a month, or the months of a year, the newest first.
	Period(game, name string, parts []pages.ListedPeriod) ([]pages.File, error)
	Statistics(game string, counts statistics.Counts, from, to string) ([]pages.File, error)
	Home(latest map[string][]history.Row) ([]pages.File, error)
}

var _ PageMaker = (*pages.Site)(nil)

// Recorder is notified of what happened, for metrics.
type Recorder interface {
	// Behind is how many entries of the log the site lacks at the end of a run.
	Behind(entries int64)
	// Written counts files that were written.
	Written(files int)
	// Mismatch counts a file of the site that must never change and has other bytes
	// than the log says.
	Mismatch(game string)
}

// Follower follows a log. Several may run at once.
type Follower struct {
	Origin string
	Known  note.Verifiers // the log's keys
	Log    Source
	Files  objects.Store // of the site
	Site   PageMaker
	Record Recorder
	Logger *slog.Logger

	// Stretch is how many entries are worked on between two moves of the cursor.
	Stretch int64
	// Limit is how many entries one run takes at most, in whole stretches; 0 for all.
	Limit int64
	// Until is the size of the log at which to stop, if there is more of it; nil for
	// none.
	Until *int64
	// Parallel is how many files are read or written at once.
	Parallel int
	// Progress gets how many of how many entries are in the site; nil for nobody.
	Progress func(done, all int64)
}

// DefaultStretch is a stretch that a Lambda works off in seconds.
const DefaultStretch = 2048

// DefaultParallel is how many files of a site are read or written at once.
const DefaultParallel = 32

// The reasons for which a follower stops. All but ErrOvertaken ask for a person.
var (
	// ErrSetBack and ErrForked say that the log is not the one that was followed so
	// far, grown.
	ErrSetBack = errors.New("the log is smaller than it was: it was set back, or it is another one")
	ErrForked  = errors.New("the log is not the one that the site was made from: it was rewritten, or it is another one")
	// ErrUnlike says that the log has a file that the signed tree does not have.
	ErrUnlike = errors.New("a file of the log is not the one in the signed tree")
	// ErrEntry says that an entry can't be shown: it is of a newer version, or not
	// where the log may have it.
	ErrEntry = errors.New("an entry of the log can't be shown by this version")
	// ErrDamaged says that the site's own indexes can't be read. Deleting cursor.json
	// has the whole site made again.
	ErrDamaged = errors.New("the site is damaged; delete its " + CursorPath + " to have it made again")
	// ErrOvertaken says that another follower is ahead. What this one has not done,
	// that one does.
	ErrOvertaken = errors.New("another follower is ahead")
)

// Result is what a run came to.
type Result struct {
	Size    int64 // entries in the site
	All     int64 // entries in the log, or up to Until
	Written int   // files that were written
}

// Run brings the site up to the log, as far as Limit and the context's deadline
// allow. What is unfinished the next run goes on with.
func (f *Follower) Run(ctx context.Context) (Result, error) {
	r := &run{Follower: f, started: time.Now()}
	err := r.follow(ctx)
	result := Result{Size: r.at.Size, All: r.end, Written: int(r.written.Load())}
	f.Record.Written(result.Written)
	if err != nil {
		return result, fmt.Errorf("following the log %s: %w", f.Origin, err)
	}
	f.Record.Behind(r.tree.N - r.at.Size)
	return result, nil
}

// run is one run of a follower.
type run struct {
	*Follower
	started time.Time
	tree    tlog.Tree // the signed one
	signed  []byte    // its checkpoint
	end     int64     // how far to go
	hashes  tlog.HashReader
	fixed   []pages.File
	version string // of the files that no draw changes

	at  cursor
	tag string // of the cursor

	held    held
	written atomic.Int64
}

// reserve is the least time that must be left for another stretch.
const reserve = 5 * time.Second

func (r *run) follow(ctx context.Context) error {
	// The cursor first: a checkpoint that is read later is not older than the one
	// that the cursor names.
	if err := r.load(ctx); err != nil {
		return err
	}
	if err := r.open(ctx); err != nil {
		return err
	}
	if err := r.unchanging(); err != nil {
		return err
	}
	first, took := r.at.Size, time.Duration(0)
	for {
		if r.Progress != nil {
			r.Progress(r.at.Size, r.end)
		}
		if !r.at.working() {
			if err := r.front(ctx); err != nil {
				return err
			}
			done := r.at.Size - first
			if r.at.Size >= r.end || r.Limit > 0 && done >= r.Limit || !enough(ctx, took) {
				break
			}
			if err := r.plan(ctx); err != nil {
				return err
			}
		}
		began := time.Now()
		if err := r.stretch(ctx, r.at.Size, r.at.Target); err != nil {
			return fmt.Errorf("entries %d to %d: %w", r.at.Size, r.at.Target-1, r.damaged(ctx, err))
		}
		if err := r.finish(ctx); err != nil {
			return err
		}
		took = time.Since(began)
		r.forget(ctx)
	}
	r.Logger.LogAttrs(ctx, slog.LevelInfo, "the site follows the log", slog.Int64("size", r.at.Size), slog.Int64("log", r.tree.N),
		slog.Int64("written", r.written.Load()), slog.Duration("took", time.Since(r.started)))
	return nil
}

// damaged returns why a stretch could not be worked off. Indexes that don't fit are no
// damage when another follower has written them of a larger size.
func (r *run) damaged(ctx context.Context, err error) error {
	if errors.Is(err, ErrDamaged) && errors.Is(r.ours(ctx), ErrOvertaken) {
		return fmt.Errorf("%w: %s", ErrOvertaken, err)
	}
	return err
}

// enough reports whether there is time for another stretch, if it takes twice as
// long as the last one.
func enough(ctx context.Context, took time.Duration) bool {
	deadline, has := ctx.Deadline()
	return !has || time.Until(deadline) > reserve+2*took
}

// open reads the checkpoint and proves that it continues the one of the cursor.
func (r *run) open(ctx context.Context) error {
	signed, err := r.Log.Get(ctx, checkpoint.Path)
	switch {
	case errors.Is(err, objects.ErrNotFound): // nothing was logged yet
	case err != nil:
		return fmt.Errorf("reading the checkpoint: %w", err)
	default:
		c, err := checkpoint.Open(signed, r.Origin, r.Known)
		if err != nil {
			return fmt.Errorf("reading the checkpoint: %w", err)
		}
		r.tree, r.signed = c.Tree, c.Signed
	}
	r.forget(ctx)
	r.end = r.tree.N
	if r.Until != nil {
		r.end = min(r.end, *r.Until)
	}
	return r.consistent()
}

// forget drops the tiles that were read, all of which the reader keeps: what a run
// holds in memory does not grow with the log.
func (r *run) forget(ctx context.Context) {
	r.hashes = &oneByOne{from: tlog.TileHashReader(r.tree, tiles.NewReader(ctx, r.file))}
}

// file reads a file of the log, or of the whole file the part that it was.
func (r *run) file(ctx context.Context, path string) ([]byte, error) {
	return tiles.Get(ctx, path, objects.ErrNotFound, r.Log.Get)
}

// consistent proves that the log begins with the tree of the cursor.
func (r *run) consistent() error {
	seen := r.at.Log
	switch {
	case r.tree.N < seen.Size:
		return fmt.Errorf("%w: it has %d entries and had %d", ErrSetBack, r.tree.N, seen.Size)
	case seen.Size == 0:
		return nil
	case r.tree.N == seen.Size:
		if r.tree.Hash != seen.Root {
			return fmt.Errorf("%w: both have %d entries", ErrForked, seen.Size)
		}
		return nil
	}
	root, err := tlog.TreeHash(seen.Size, r.hashes)
	if err != nil {
		return fmt.Errorf("%w: proving that it has grown: %w", ErrUnlike, err)
	}
	if root != seen.Root {
		return fmt.Errorf("%w: its first %d entries are others", ErrForked, seen.Size)
	}
	return nil
}

// oneByOne lets one goroutine at a time read hashes: the reader of tiles keeps what
// it has read.
type oneByOne struct {
	mutex sync.Mutex
	from  tlog.HashReader
}

// ReadHashes implements tlog.HashReader.
func (o *oneByOne) ReadHashes(places []int64) ([]tlog.Hash, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.from.ReadHashes(places)
}
