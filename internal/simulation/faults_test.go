package simulation

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tally/internal/simulation/plans"
	"tally/internal/testkit/fakedynamo"
)

// fault is what becomes of one request of a calm run.
type fault struct {
	call    int // counted from 1
	verdict fakedynamo.Verdict
	crash   bool
}

// inject runs one handler after the other and makes one request fail, beside those
// that a scenario says.
type inject struct {
	fault
	scenario *scenario
	only     func(t *task) bool // the requests that may be meant; all when nil
	calls    []fakedynamo.Call
}

func (*inject) most() int          { return 1 }
func (*inject) copies(*world) bool { return false }
func (*inject) again(*world) bool  { return false }

func (i *inject) verdict(w *world, t *task) (fakedynamo.Verdict, bool) {
	if v, crash := i.scenario.verdict(w, t); v != fakedynamo.Proceed {
		return v, crash
	}
	if i.only != nil && !i.only(t) {
		return fakedynamo.Proceed, false
	}
	i.calls = append(i.calls, t.call)
	if len(i.calls) != i.call {
		return fakedynamo.Proceed, false
	}
	return i.fault.verdict, i.crash
}

// result is what bookmakers know in the end, whatever way it came about.
func (c *checker) result() string {
	var known []string
	for bookmaker, f := range c.feeds {
		for id, lines := range f.newest {
			for _, l := range lines {
				known = append(known, bookmaker+" "+id+" "+l.absolute())
			}
		}
	}
	slices.Sort(known)
	return strings.Join(known, "\n")
}

// Every request of a run fails once in every way: not applied; applied, its
// answer lost; late; sent twice; with a crash before or after it. What the
// bookmakers know in the end is always the same.
func TestPairedFaults(t *testing.T) {
	pairedFaults(t, "everything.txt", 8, nil, verdicts)
}

// So does each write of what settles late records that a correction has met.
func TestPairedFaultsOfLateRecords(t *testing.T) {
	writes := func(t *task) bool { return t.call.Write && !strings.Contains(t.name, " places ") }
	timely := slices.DeleteFunc(slices.Clone(verdicts), func(v fakedynamo.Verdict) bool { return v == fakedynamo.FailLate })
	pairedFaults(t, "straggler_corrected.txt", 5, writes, timely)
}

func pairedFaults(t *testing.T, name string, bets int, only func(*task) bool, among []fakedynamo.Verdict) {
	plan := readScenario(t, name).plan
	calm := &inject{scenario: readScenario(t, name), only: only}
	var want string
	play(t, plan, calm, func(w *world, c *checker) {
		want = c.result()
		for _, p := range w.problems {
			t.Errorf("without a fault: %s", p)
		}
	})
	if lines := strings.Count(want, "\n") + 1; lines < bets {
		t.Fatalf("only %d bets were settled:\n%s", lines, want)
	}
	const workers = 4
	for worker := range workers {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			for n := worker; n < len(calm.calls); n += workers * everyFault {
				for _, verdict := range faultsOf(calm.calls[n], among) {
					for _, crash := range []bool{false, true} {
						i := &inject{fault: fault{n + 1, verdict, crash}, scenario: readScenario(t, name), only: only}
						tryFault(t, plan, i, want)
					}
				}
			}
		})
	}
}

// faultsOf returns what can become of a request, among some.
func faultsOf(call fakedynamo.Call, among []fakedynamo.Verdict) []fakedynamo.Verdict {
	return slices.DeleteFunc(slices.Clone(among), func(v fakedynamo.Verdict) bool {
		return !call.Write && v != fakedynamo.FailBefore || v >= fakedynamo.Conflict && call.Operation == "Send"
	})
}

func tryFault(t *testing.T, plan *plans.Plan, i *inject, want string) {
	f := i.fault
	play(t, plan, i, func(w *world, c *checker) {
		made := "which was not made" // pauses before another try differ: a run may have one request less
		if len(i.calls) >= f.call {
			made = i.calls[f.call-1].String()
		}
		what := fmt.Sprintf("request %d, %s: %v, crash %v", f.call, made, f.verdict, f.crash)
		for _, p := range w.problems {
			t.Errorf("%s: %s", what, p)
		}
		if got := c.result(); got != want {
			t.Errorf("%s: the bookmakers know\n%s\nwithout it\n%s", what, got, want)
		}
	})
}

// lateWithin is how late a request arrives in scenarios that say nothing of it.
const lateWithin = 2 * time.Second
