package api

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"
)

// times are how long the requests of a kind took.
type times struct {
	all  []time.Duration
	wall time.Duration
}

// percentile returns the time that a share of the requests took at most.
func (t times) percentile(share float64) time.Duration {
	return t.all[min(len(t.all)-1, int(share*float64(len(t.all))))]
}

func (t times) perSecond() float64 { return float64(len(t.all)) / t.wall.Seconds() }

// over is by how much the median exceeds that of others, as a share.
func (t times) over(other times) float64 {
	return float64(t.percentile(0.5))/float64(other.percentile(0.5)) - 1
}

// row is what one number of connections came to.
type row struct{ bare, proxy, place times }

// own is what tally's own code adds to a median, as a share of the bare write's.
func (r row) own() float64 { return r.place.over(r.bare) - r.proxy.over(r.bare) }

// measure lets the kinds of requests take turns. The first turn of each, which
// opens connections and warms caches, is not counted.
func (f *fixture) measure(ctx context.Context, connections, rounds int, long time.Duration) (r row, err error) {
	for round := range rounds + 1 {
		for _, kind := range []struct {
			name string
			into *times
		}{{"bare", &r.bare}, {"proxy", &r.proxy}, {"place", &r.place}} {
			turn, err := f.turn(ctx, kind.name, connections, long)
			if err != nil {
				return row{}, fmt.Errorf("%s: %w", kind.name, err)
			}
			if round > 0 {
				kind.into.all = append(kind.into.all, turn.all...)
				kind.into.wall += turn.wall
			}
		}
	}
	for _, t := range []*times{&r.bare, &r.proxy, &r.place} {
		slices.Sort(t.all)
	}
	return r, nil
}

// turn makes requests of a kind for a while, so many at a time.
func (f *fixture) turn(ctx context.Context, kind string, connections int, long time.Duration) (all times, err error) {
	runtime.GC() // not in the middle of a turn on account of the one before
	start := time.Now()
	took, failed := make([][]time.Duration, connections), make([]error, connections)
	var running sync.WaitGroup
	for i := range connections {
		running.Go(func() {
			for time.Since(start) < long && failed[i] == nil {
				begun := time.Now()
				failed[i] = f.once(ctx, kind)
				took[i] = append(took[i], time.Since(begun))
			}
		})
	}
	running.Wait()
	all.wall = time.Since(start)
	for i := range connections {
		if failed[i] != nil {
			return times{}, failed[i]
		}
		all.all = append(all.all, took[i]...)
	}
	return all, nil
}
