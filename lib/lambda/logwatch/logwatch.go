// Package logwatch opens the public log for the functions that watch it: for reconcile, which
// looks at it as a whole, and for look, which holds each draw against it.
package logwatch

import (
	"context"
	"sync"
	"time"

	"tally/lib/archive/watchdog"
	"tally/lib/lambda/dynamo"
	"tally/lib/lambda/logfiles"
	"tally/lib/lambda/runtime"
	"tally/lib/pipeline/reconcile"
)

// Config says where the log is, and by which keys it is signed.
type Config struct {
	Origin string `env:"TALLY_LOG_ORIGIN" doc:"name of the public log, such as example.com/tally"`
	Bucket string `env:"TALLY_LOG_BUCKET" doc:"S3 bucket of the log, or file: and a folder"`
	Key    string `env:"TALLY_LOG_KEY" doc:"KMS key that signs the log, or file: and a file"`
	OldKey string `env:"TALLY_LOG_OLD_KEY" doc:"key that Key replaces and that still signs too, or nothing" default:""`
}

// Opener opens the log when it is first looked at: that asks KMS for its key. Where it fails, the
// next look tries again. It may be used by several goroutines.
type Opener struct {
	Config
	Common  runtime.Common
	Runtime runtime.Runtime
	Archive watchdog.Sender
	Record  watchdog.LogRecorder
	// ForDraws says that the log as a whole is looked at by another function.
	ForDraws bool

	mutex  sync.Mutex
	opened *watchdog.Monitor
	free   []*forDraw
}

func (o *Opener) monitor(ctx context.Context) (*watchdog.Monitor, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.opened != nil {
		return o.opened, nil
	}
	keys, err := logfiles.Keys(ctx, o.Runtime.AWS, o.Origin, o.Key, o.OldKey)
	if err != nil {
		return nil, err
	}
	files, err := logfiles.Open(o.Runtime.AWS, o.Bucket)
	if err != nil {
		return nil, err
	}
	o.opened = &watchdog.Monitor{Origin: o.Origin, Table: dynamo.Table(o.Runtime, o.Common), Files: files, Known: logfiles.Verifiers(keys),
		Archive: o.Archive, Record: o.Record, ForDraws: o.ForDraws, Log: o.Runtime.Log}
	return o.opened, nil
}

// Begin begins a look at the log as a whole.
func (o *Opener) Begin(ctx context.Context) (reconcile.PublicLog, error) {
	monitor, err := o.monitor(ctx)
	if err != nil {
		return nil, err
	}
	return monitor.Begin(ctx)
}

// keepFor is how long the checkpoint that one look has read, and proved, is good for others. A draw
// that is held against it was settled minutes before.
const keepFor = 10 * time.Second

// BeginDraw begins a look at the log for one draw, with what an earlier one has read of it
// where that is not long ago and nothing was wrong.
func (o *Opener) BeginDraw(ctx context.Context) (reconcile.PublicLog, error) {
	now := o.Runtime.Now()
	if kept := o.kept(now); kept != nil {
		return kept, nil
	}
	monitor, err := o.monitor(ctx)
	if err != nil {
		return nil, err
	}
	run, err := monitor.Begin(ctx)
	return &forDraw{Run: run, opener: o, began: now, wrong: err != nil}, err
}

// kept takes a look that has ended, nil for none.
func (o *Opener) kept(now time.Time) *forDraw {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for len(o.free) > 0 {
		last := o.free[len(o.free)-1]
		if o.free = o.free[:len(o.free)-1]; now.Sub(last.began) < keepFor {
			return last
		}
	}
	return nil
}

// forDraw is a look at the log for one draw after the other.
type forDraw struct {
	*watchdog.Run
	opener *Opener
	began  time.Time
	wrong  bool // something could not be read, is missing, or contradicts
}

// Logged implements [reconcile.PublicLog].
func (f *forDraw) Logged(ctx context.Context, draw string, state int) (bool, error) {
	is, err := f.Run.Logged(ctx, draw, state)
	f.wrong = f.wrong || !is || err != nil
	return is, err
}

// End keeps the look for another draw. One that found something to be wrong is over, and is
// recorded.
func (f *forDraw) End() {
	if f.wrong {
		f.Run.End()
		return
	}
	f.opener.mutex.Lock()
	defer f.opener.mutex.Unlock()
	f.opener.free = append(f.opener.free, f)
}
