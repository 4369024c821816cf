package build_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tally/internal/testkit/fakeobjects"
	"tally/lib/site/build"
	"tally/lib/site/history"
	"tally/lib/site/pages"
)

// watched counts the files of a log that were read and are still held.
type watched struct {
	build.Source
	held, read atomic.Int64
}

// Get implements follow.Source.
func (w *watched) Get(ctx context.Context, path string) ([]byte, error) {
	data, err := w.Source.Get(ctx, path)
	if len(data) > 0 {
		w.read.Add(1)
		w.held.Add(1)
		runtime.AddCleanup(&data[0], func(struct{}) { w.held.Add(-1) }, struct{}{})
	}
	return data, err
}

// settles reports whether at most so many files are held, once what nobody holds
// was collected.
func (w *watched) settles(most int64) bool {
	for range 500 {
		runtime.GC()
		if w.held.Load() <= most {
			return true
		}
		time.Sleep(time.Millisecond) // collected memory is reported by another goroutine
	}
	return false
}

// careful is a site that looks whether entries hold more than themselves.
type careful struct {
	plainSite
	t    *testing.T
	once *sync.Once
}

// Draw implements follow.Site.
func (c careful) Draw(d *history.Draw) ([]pages.File, error) {
	for _, leaf := range d.Leaves {
		if cap(leaf.Data) > 2*len(leaf.Data) {
			c.once.Do(func() { c.t.Errorf("entry %d has %d bytes and holds %d", leaf.Index, len(leaf.Data), cap(leaf.Data)) })
		}
	}
	return c.plainSite.Draw(d)
}

// TestForgets follows a log in many stretches: between two of them no file of the
// log is held any more, but the checkpoint, which proofs are made of.
func TestForgets(t *testing.T) {
	l, store := newLog(t, draws(t, 8, 120, 1)), fakeobjects.New()
	l.grow(int64(len(l.entries)))
	log := &watched{Source: l}
	f := follower(log, l.known, store)
	f.Site = careful{t: t, once: &sync.Once{}}
	stretches := 0
	f.Progress = func(done, all int64) {
		stretches++
		if !log.settles(1) {
			t.Errorf("after %d of %d entries %d files of the log are held", done, all, log.held.Load())
		}
	}
	run(t, f)
	if stretches < 5 || log.read.Load() < 20 {
		t.Errorf("%d stretches, %d files", stretches, log.read.Load())
	}
}
