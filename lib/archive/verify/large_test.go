package verify_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/verify"
)

// largeLog returns a log of so many entries: those of the sample draws, again and
// again as other draws of other tables.
func largeLog(t testing.TB, size int) *archivetest.Sample {
	t.Helper()
	s := archivetest.PlayAll(t)
	sample, err := s.Log.Append(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	list := bundleOf(t, s, int(sample.Tree.N))
	fresh := archivetest.New(t)
	var leaves []sequencer.Leaf
	for n := 0; len(leaves) < size; n++ {
		for i, data := range list {
			data = []byte(strings.NewReplacer(`-1.2026`, fmt.Sprintf(`-%d.2026`, n+2), `"table":"`, fmt.Sprintf(`"table":"t%d-`, n)).Replace(string(data)))
			leaves = append(leaves, sequencer.Leaf{Group: fmt.Sprint("group ", n), Key: fmt.Sprint(i), Data: data})
		}
	}
	for leaves = leaves[:size]; len(leaves) > 0; leaves = leaves[min(len(leaves), 50*sequencer.MaxBatch):] {
		if _, err := fresh.Log.Append(t.Context(), leaves[:min(len(leaves), 50*sequencer.MaxBatch)]); err != nil {
			t.Fatal(err)
		}
	}
	return fresh
}

// TestLargeLog verifies fifteen hundred entries, from a folder and over HTTP. The
// benchmark does so with a hundred thousand.
func TestLargeLog(t *testing.T) {
	s := largeLog(t, 1_500)
	folder := s.Copy()
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer server.Close()
	for _, place := range []string{folder, server.URL} {
		verifyLarge(t, s, place, 1_500)
	}
}

func verifyLarge(t testing.TB, s *archivetest.Sample, place string, size int64) {
	t.Helper()
	source, err := verify.Open(place)
	if err != nil {
		t.Fatal(err)
	}
	options := optionsOf(t, s)
	options.Parallel = 16
	r, err := verify.Log(t.Context(), source, options)
	if err != nil || len(r.Findings) > 0 || r.Size != size {
		t.Fatalf("%v, %v, %d entries", err, r.Findings, r.Size)
	}
}

// BenchmarkLog measures a fresh verification of 100,000 entries.
func BenchmarkLog(b *testing.B) {
	const size = 100_000
	s := largeLog(b, size)
	folder := s.Copy()
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer server.Close()
	for name, place := range map[string]string{"folder": folder, "http": server.URL} {
		b.Run(name, func(b *testing.B) {
			began := time.Now()
			for b.Loop() {
				verifyLarge(b, s, place, size)
			}
			b.ReportMetric(time.Since(began).Seconds()/float64(b.N), "s/log")
		})
	}
}
