package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var (
	measured = flag.Duration("measured", 0, "so long of the peak of a billion bets a day is measured; zero for a little of everything")
	write    = flag.String("write", "", "file in which the tables are replaced, or written where there is none")
)

// TestTables carries the runs out and writes the tables; without -measured a small part of each.
func TestTables(t *testing.T) {
	o := &options{measured: 2 * time.Second, part: 0.01, hot: 2000}
	if *measured > 0 {
		o = &options{measured: *measured, part: 1, hot: int(hotBets.value)}
	}
	all, err := o.measure(t)
	if err != nil {
		t.Fatal(err)
	}
	text := all.show()
	for _, s := range stages {
		if !strings.Contains(text, "| "+s.name+" |") {
			t.Errorf("nothing is said of the stage %q", s.name)
		}
	}
	for _, spec := range all.slice.cloud.stack.Functions {
		if unscheduled[spec.Short] == "" && spec.Short != "webhook" && !strings.Contains(text, "| "+spec.Short+" |") {
			t.Errorf("nothing is said of the cost of %s", spec.Short)
		}
	}
	if *write == "" {
		return
	}
	if err := replace(*write, text); err != nil {
		t.Error(err)
	}
}

// inBubble carries out one run in a bubble of its own.
func inBubble(t *testing.T, l *load, s settings) (r *run, err error) {
	synctest.Test(t, func(t *testing.T) {
		if r, err = newRun(t, l, s); err == nil {
			r.play()
		}
	})
	return r, err
}

// The marks between which is written.
const (
	beginMark = "<!-- what follows is written by make scale -->\n"
	endMark   = "<!-- end of what is written by make scale -->\n"
)

// replace replaces what stands between the marks of a file, if there is one.
func replace(file, text string) error {
	old, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return os.WriteFile(file, []byte(text), 0o644)
	}
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(old), beginMark)
	_, after, ends := strings.Cut(rest, endMark)
	if !begins || !ends {
		return fmt.Errorf("%s has no two lines %q and %q: put them where the tables belong", file, strings.TrimSpace(beginMark), strings.TrimSpace(endMark))
	}
	return os.WriteFile(file, []byte(before+beginMark+text+endMark+after), 0o644)
}
