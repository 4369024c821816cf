// Command testreport reads what `go test -json` writes and prints what people
// need of it: a line for each package, and the output of what failed. It fails
// when a test failed, when one was skipped, and when nothing was tested: a test
// that can't run where everything is installed is no test.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	short := flag.Bool("short", false, "the tests are those of go test -short: one that is skipped is no failure")
	flag.Parse()
	ok, err := report(os.Stdin, os.Stdout, *short)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// event is one line of `go test -json`; see `go doc test2json`.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build-output
	Test       string
	Elapsed    float64 // seconds
	Output     string
}

// test is a test being run, or with an empty name the package itself.
type test struct{ pkg, name string }

// reporter gathers the output of tests until it is known whether they passed.
type reporter struct {
	out             io.Writer
	short           bool // a skipped test is no failure
	output          map[test][]string
	passed          int
	failed, skipped []string
	times           []timed
}

// timed is a test and how many seconds it took.
type timed struct {
	name    string
	seconds float64
}

// slowest is how many of the slowest tests are shown.
const slowest = 10

func report(in io.Reader, out io.Writer, short bool) (ok bool, err error) {
	r := &reporter{out: out, short: short, output: map[test][]string{}}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if jsonErr := json.Unmarshal(line, &e); jsonErr != nil {
				fmt.Fprintf(out, "%s", line) // what go itself has to say
			} else {
				r.take(e)
			}
		}
		if err == io.EOF {
			return r.summary(), nil
		}
		if err != nil {
			return false, fmt.Errorf("reading test events: %w", err)
		}
	}
}

func (r *reporter) take(e event) {
	key := test{pkg: e.Package, name: e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "build-fail":
		r.failed = append(r.failed, e.ImportPath+" (build)")
	case "output":
		r.output[key] = append(r.output[key], e.Output)
	case "pass":
		if e.Test != "" {
			r.passed++
			if !strings.Contains(e.Test, "/") { // its time is in that of its test
				r.times = append(r.times, timed{name: e.Package + " " + e.Test, seconds: e.Elapsed})
			}
		} else {
			fmt.Fprintf(r.out, "ok    %6.1fs  %s\n", e.Elapsed, e.Package)
		}
		delete(r.output, key)
	case "skip":
		if e.Test != "" { // a package that is skipped has no tests
			r.skipped = append(r.skipped, e.Package+" "+e.Test)
		}
		delete(r.output, key)
	case "fail":
		r.fail(e, key)
	}
}

func (r *reporter) fail(e event, key test) {
	name := strings.TrimSpace(e.Package + " " + e.Test)
	fmt.Fprintf(r.out, "FAIL  %6.1fs  %s\n", e.Elapsed, name)
	for _, line := range r.output[key] {
		fmt.Fprint(r.out, "    ", line)
	}
	delete(r.output, key)
	r.failed = append(r.failed, name)
}

// summary writes how many tests there were and reports whether all passed.
func (r *reporter) summary() (ok bool) {
	slices.SortStableFunc(r.times, func(a, b timed) int { return cmp.Compare(b.seconds, a.seconds) })
	fmt.Fprintln(r.out, "The slowest tests:")
	for _, test := range r.times[:min(slowest, len(r.times))] {
		fmt.Fprintf(r.out, "      %6.1fs  %s\n", test.seconds, test.name)
	}
	slices.Sort(r.skipped)
	for _, name := range r.skipped {
		if !r.short {
			fmt.Fprintf(r.out, "SKIP  %s\n", name)
		}
	}
	fmt.Fprintf(r.out, "%d tests passed, %d failed, %d skipped\n", r.passed, len(r.failed), len(r.skipped))
	if len(r.skipped) > 0 && !r.short {
		fmt.Fprintln(r.out, "A skipped test is a failure: install what it needs.")
	}
	return r.passed > 0 && len(r.failed) == 0 && (r.short || len(r.skipped) == 0)
}
