package placing_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/store"
)

// The bets of a batch that are a bookmaker's first in a draw enter it in the registry once; if that
// fails, each of the others sees to it.
func TestRegisteredOnce(t *testing.T) {
	for _, test := range []struct {
		name    string
		first   fakedynamo.Verdict // what becomes of the first entry
		entries int64
		placed  int64
	}{
		{"the entry is written", fakedynamo.Proceed, 1, 16},
		{"the entry fails", fakedynamo.FailBefore, 16, 15},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := fakedynamo.New(t, "table")
				h := open(t, store.New(db, "table"))
				var entries, placed atomic.Int64
				db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
					if !call.Write || !strings.Contains(call.String(), " / "+store.PartPrefix) {
						return fakedynamo.Proceed
					}
					time.Sleep(5 * time.Millisecond)
					if entries.Add(1) == 1 {
						return test.first
					}
					return fakedynamo.Proceed
				}
				var bets sync.WaitGroup
				for n := range 16 {
					bets.Go(func() {
						if _, err := h.Place(t.Context(), bet(fmt.Sprint("b", n), "seat:1", "10.00")); err == nil {
							placed.Add(1)
						}
					})
				}
				bets.Wait()
				if entries.Load() != test.entries || placed.Load() != test.placed {
					t.Errorf("%d entries were written for %d bets, %d and %d were expected", entries.Load(), placed.Load(), test.entries, test.placed)
				}
			})
		})
	}
}
