package build_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/site/build"
)

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
