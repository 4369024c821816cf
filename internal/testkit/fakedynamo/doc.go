// Package fakedynamo is a DynamoDB in memory, for tests that run thousands of
// times. It carries out exactly what tally's store asks for and fails the test on
// anything else, so that a new expression is first proved on the emulators:
// lib/store runs its contract tests against this fake, kumo and DynamoDB Local.
//
// What the store may rely on is enforced as DynamoDB does: items of at most
// 400 KB, query pages of at most 1 MB (or less, [DB.PageBytes], so that tests turn
// pages), transactions of at most 100 items that name no item twice, no empty key
// values, the old item on a failed condition, a reason for each item of a
// cancelled transaction.
//
// A read that is not consistent may find an item as it was before its newest write
// ([DB.Stale]).
//
// [DB.Intercept] decides what becomes of each request. Its verdicts come in
// pairs: whatever is written may fail without being applied, or be applied while
// its answer is lost. A lost request may also arrive late, or be sent a second
// time by the SDK, which then takes success for a conflict.
package fakedynamo

import (
	"context"
	"errors"
)

// Call is a request as an interceptor sees it.
type Call struct {
	Operation string   // PutItem, GetItem, …
	Keys      []string // partition and sort keys of what is written or read
	Write     bool
}

// String returns the operation and what it is about.
func (c Call) String() string {
	text := c.Operation
	for i, key := range c.Keys {
		if i > 0 {
			text += ","
		}
		text += " " + key
	}
	return text
}

// Interceptor decides what becomes of a request. It may block; other requests are
// carried out meanwhile.
type Interceptor func(ctx context.Context, call Call) Verdict

// Verdict is what becomes of a request.
type Verdict uint8

// The verdicts. Those after FailBefore are for writes.
const (
	Proceed    Verdict = iota
	FailBefore         // it fails and is not applied
	FailAfter          // it is applied and its answer is lost
	FailLate           // its answer is lost; it is applied when Land is called
	SendTwice          // it is applied, its answer is lost, the SDK sends it again
	Conflict           // another transaction is under way; not applied
	Throttle           // too many requests; not applied
)

// String returns the verdict as a step of a failing run is printed.
func (v Verdict) String() string {
	return [...]string{"ok", "FAILS", "APPLIED BUT ANSWER LOST", "ARRIVES LATE", "SENT TWICE", "CONFLICT", "THROTTLED"}[v]
}

// ErrLost is the error of a request whose connection was lost.
var ErrLost = errors.New("the connection to DynamoDB was lost")
