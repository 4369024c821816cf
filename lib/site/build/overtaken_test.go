package build_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/archive/objects"
	"tally/lib/site/build"
)

// deaf is a store that carries out requests whose time is over, as a folder does.
type deaf struct{ objects.Store }

func (d deaf) Get(ctx context.Context, path string) ([]byte, string, error) {
	return d.Store.Get(context.WithoutCancel(ctx), path)
}

func (d deaf) PutIfAbsent(ctx context.Context, path string, data []byte, header objects.Header) error {
	return d.Store.PutIfAbsent(context.WithoutCancel(ctx), path, data, header)
}

func (d deaf) PutIfMatch(ctx context.Context, path string, data []byte, tag string, header objects.Header) error {
	return d.Store.PutIfMatch(context.WithoutCancel(ctx), path, data, tag, header)
}

// TestOutOfTime ends the time of a run at each of its requests: what it has left out
// the next run makes good, and the site is that of the log.
func TestOutOfTime(t *testing.T) {
	entries := draws(t, 5, 2, 2, "roulette")
	all := int64(len(entries))
	for at := 1; ; at++ {
		l, store := newLog(t, entries), fakeobjects.New()
		l.grow(all)
		ctx, stop := context.WithCancel(t.Context())
		requests := 0
		store.Intercept = func(context.Context, fakedynamo.Call) fakedynamo.Verdict {
			if requests++; requests == at {
				stop()
			}
			return fakedynamo.Proceed
		}
		f := follower(l, l.known, store)
		f.Files, f.Parallel = deaf{store}, 1
		_, err := f.Run(ctx)
		stop()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("request %d: %v", at, err)
		}
		if requests < at {
			break // there are no more requests
		}
		store.Intercept = nil
		run(t, follower(l, l.known, store))
		compare(t, l, store.Files(), all)
	}
}

// TestDamagedOrOvertaken: indexes that can't be read are damage, which asks for a person,
// unless another follower has moved the cursor meanwhile.
func TestDamagedOrOvertaken(t *testing.T) {
	for _, row := range []struct {
		name  string
		moved bool
		want  error
	}{
		{"nobody else follows", false, build.ErrDamaged},
		{"another follower is ahead", true, build.ErrOvertaken},
	} {
		t.Run(row.name, func(t *testing.T) {
			l, store := newLog(t, draws(t, 5, 3, 2, "roulette")), fakeobjects.New()
			all := int64(len(l.entries))
			l.grow(all / 2)
			run(t, follower(l, l.known, store))
			l.grow(all)
			held := follower(l, l.known, store)
			held.Stretch, held.Parallel = 5, 1
			store.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
				if path := call.Keys[0]; call.Write || !strings.HasSuffix(path, ".ndjson") {
					return fakedynamo.Proceed
				}
				store.Intercept = nil
				if row.moved {
					run(t, follower(l, l.known, store))
				}
				store.Set(call.Keys[0], []byte("not rows\n"))
				return fakedynamo.Proceed
			}
			if _, err := held.Run(t.Context()); !errors.Is(err, row.want) {
				t.Errorf("it ends with %v, not with %v", err, row.want)
			}
		})
	}
}
