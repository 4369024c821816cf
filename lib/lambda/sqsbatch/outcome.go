package sqsbatch

import (
	"fmt"
	"time"
)

// Outcome is what became of one delivery.
type Outcome string

// The outcomes. All but OutcomeDone leave the message on the queue; those from
// OutcomeError on are faults.
const (
	OutcomeDone       Outcome = "done"
	OutcomeGivenBack  Outcome = "given_back"
	OutcomeNotStarted Outcome = "not_started" // the invocation's time was up
	OutcomeError      Outcome = "error"
	OutcomePanic      Outcome = "panic"
	OutcomeDeadline   Outcome = "deadline" // its own time was up
)

// Fault tells whether something went wrong, rather than took too long in the
// rest of the batch or was put off.
func (o Outcome) Fault() bool {
	return o == OutcomeError || o == OutcomePanic || o == OutcomeDeadline
}

// RetryAfter is the error of a message function that can't finish its message now,
// though nothing is wrong: the message comes back after a while. It counts as a
// delivery, so the queue's maxReceiveCount must allow for it.
type RetryAfter struct {
	After  time.Duration // taken as whole seconds, rounded up; at most 12 hours
	Reason string        // for the log
}

func (r RetryAfter) Error() string {
	return fmt.Sprintf("retried after %s: %s", r.After, r.Reason)
}

// result is an outcome with what the log and the visibility need.
type result struct {
	outcome Outcome
	err     error         // nil when done or not started
	stack   string        // of a panic
	after   time.Duration // when given back
}
