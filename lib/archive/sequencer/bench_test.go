package sequencer_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive"
	"tally/lib/archive/objects"
	"tally/lib/archive/sequencer"
	"tally/lib/store"
)

// slow is an object store that takes a while over each request.
type slow struct {
	objects.Store
	by time.Duration
}

func (s slow) Get(ctx context.Context, key string) ([]byte, string, error) {
	time.Sleep(s.by)
	return s.Store.Get(ctx, key)
}

func (s slow) PutIfAbsent(ctx context.Context, key string, data []byte, header objects.Header) error {
	time.Sleep(s.by)
	return s.Store.PutIfAbsent(ctx, key, data, header)
}

func (s slow) PutIfMatch(ctx context.Context, key string, data []byte, tag string, header objects.Header) error {
	time.Sleep(s.by)
	return s.Store.PutIfMatch(ctx, key, data, tag, header)
}

// BenchmarkAppend appends draws of four entries of 500 bytes, many at once, to a log in a
// folder whose every request takes 50 ms, with a table of 5 ms.
func BenchmarkAppend(b *testing.B) {
	for _, callers := range []int{20, 200, 1000} {
		b.Run(fmt.Sprintf("%d draws at once", callers), func(b *testing.B) {
			folder, err := objects.OpenScratch(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			signer, verifier, _ := archivetest.Key(b, origin, 1)
			db := fakedynamo.New(b, "tally")
			db.Intercept = intercept(func(fakedynamo.Call) fakedynamo.Verdict {
				time.Sleep(5 * time.Millisecond)
				return fakedynamo.Proceed
			})
			batcher := &sequencer.Batcher{Log: &sequencer.Log{Origin: origin, Lock: archive.TableLock{Table: store.New(db, "tally"), Origin: origin},
				Objects: slow{folder, 50 * time.Millisecond}, Signers: []note.Signer{signer}, Known: note.VerifierList(verifier), Log: slog.New(slog.DiscardHandler)}}
			began, entries := time.Now(), 0
			for round := 0; b.Loop(); round++ {
				var group sync.WaitGroup
				for caller := range callers {
					group.Go(func() {
						for draw := range 5 {
							var list []sequencer.Leaf
							for i := range 4 {
								list = append(list, sequencer.Leaf{Group: fmt.Sprintf("%d-%d-%d", round, caller, draw), Key: fmt.Sprint(i),
									Data: fmt.Appendf(nil, "%500s", fmt.Sprintf("entry %d of draw %d of %d, %d", i, draw, caller, round))})
							}
							if _, err := batcher.Append(b.Context(), list); err != nil {
								b.Error(err)
							}
						}
					})
				}
				group.Wait()
				entries += callers * 5 * 4
			}
			b.ReportMetric(float64(entries)/time.Since(began).Seconds(), "entries/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
