package api

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"
)

// TestMain lets the test's own program be the processes that a benchmark starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if role, known := roles[os.Args[1]]; known {
			if err := role(context.Background(), os.Args[1:]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// TestMeasure lets each kind of request take a short turn: what is measured is
// stored, and every process ends.
func TestMeasure(t *testing.T) {
	f, err := prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	measured, err := f.measure(t.Context(), 3, 1, 20*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]times{"bare": measured.bare, "proxy": measured.proxy, "place": measured.place} {
		t.Run(name, func(t *testing.T) {
			if len(kind.all) < 3 || kind.percentile(0.5) <= 0 || kind.percentile(0.99) < kind.percentile(0.5) {
				t.Errorf("%s: %v, want len(kind.all) of at least 3 and kind.percentile(0.5) above 0 and kind.percentile(0.99) of at least kind.percentile(0.5)",
					name, kind.all)
			}
		})
	}
}

// BenchmarkPlace lets the three kinds of request take turns of a second, over so many
// connections.
func BenchmarkPlace(b *testing.B) {
	f, err := prepare(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer f.close()
	for _, connections := range []int{1, 16, 64} {
		b.Run(fmt.Sprint(connections), func(b *testing.B) {
			measured, err := f.measure(b.Context(), connections, 5, time.Second)
			if err != nil {
				b.Fatal(err)
			}
			for name, kind := range map[string]times{"bare": measured.bare, "proxy": measured.proxy, "place": measured.place} {
				b.ReportMetric(kind.perSecond(), name+"/s")
				b.ReportMetric(float64(kind.percentile(0.5).Microseconds()), name+"-p50-µs")
				b.ReportMetric(float64(kind.percentile(0.99).Microseconds()), name+"-p99-µs")
			}
			b.ReportMetric(100*measured.own(), "own-%")
			if own := measured.own(); connections == 1 && own >= target {
				b.Errorf("tally's own code adds %.0f%% of a bare write to the median of a placement, want less than %.0f%%", 100*own, 100*target)
			}
		})
	}
}

// target is what tally's own code may add to the median of a placement, over one
// connection, as a share of the bare write's.
const target = 0.35

func TestPercentiles(t *testing.T) {
	var a times
	for i := range 100 {
		a.all = append(a.all, time.Duration(i+1)*time.Millisecond)
	}
	a.wall = time.Second
	if a.percentile(0.5) != 51*time.Millisecond || a.percentile(0.99) != 100*time.Millisecond || a.perSecond() != 100 {
		t.Errorf("%v, %v, %v, want a.percentile(0.5) = 51 * time.Millisecond and a.percentile(0.99) = 100 * time.Millisecond and a.perSecond() = 100",
			a.percentile(0.5), a.percentile(0.99), a.perSecond())
	}
	b := times{all: []time.Duration{34 * time.Millisecond}, wall: time.Second}
	if over := a.over(b); over != 0.5 {
		t.Errorf("over: %v", over)
	}
}
