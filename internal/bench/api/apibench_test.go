package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
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
	f, err := prepare(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	measured, err := f.measure(t.Context(), 3, options{rounds: 1, turn: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]times{"bare": measured.bare, "hop": measured.hop, "place": measured.place} {
		if len(kind.all) < 3 || kind.percentile(0.5) <= 0 || kind.percentile(0.99) < kind.percentile(0.5) {
			t.Errorf("%s: %v", name, kind.all)
		}
	}
	var table bytes.Buffer
	if err := report(&table, f.emulator, []row{measured}); err != nil || strings.Count(table.String(), "\n") != 6 {
		t.Errorf("%v\n%s", err, table.String())
	}
}

func TestPercentiles(t *testing.T) {
	var a times
	for i := range 100 {
		a.all = append(a.all, time.Duration(i+1)*time.Millisecond)
	}
	a.wall = time.Second
	if a.percentile(0.5) != 51*time.Millisecond || a.percentile(0.99) != 100*time.Millisecond || a.perSecond() != 100 {
		t.Errorf("%v, %v, %v", a.percentile(0.5), a.percentile(0.99), a.perSecond())
	}
	b := times{all: []time.Duration{34 * time.Millisecond}, wall: time.Second}
	if over := a.over(b); over != 0.5 {
		t.Errorf("over: %v", over)
	}
	for _, arguments := range [][]string{{"x"}, {"--nonsense"}} {
		if _, err := parse(arguments); err == nil {
			t.Errorf("%q is taken", arguments)
		}
	}
}
