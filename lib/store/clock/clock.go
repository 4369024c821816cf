// Package clock finds out when a process's clock is wrong, by the clock of DynamoDB.
//
// Whether a bet came in time, and when a draw is settled, is decided by the clock of
// the process that takes the message. Those of AWS's machines are kept within some
// milliseconds, and what is decided allows for a second. A clock beyond that would
// have late bets accepted and paid. So every answer of DynamoDB is held against it:
// its header Date names the second in which it was written.
package clock

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"tally/lib/rulebook/settlement"
)

const (
	// dated is how long a date is written on answers, in milliseconds: a second.
	dated = 1000
	// tolerance is how far outside of that second a clock may be, in milliseconds.
	tolerance = 1000
	// enough are so many answers, of different seconds, that say that it is wrong:
	// one may be an answer that something has kept.
	enough = 3
	// clear is how long an answer may take, in milliseconds, to show that a clock is
	// right again: one that took longer fits many clocks.
	clear = 100
	// askAgain is how long after an answer another is asked for, in milliseconds of the
	// process's own clock, while it is wrong.
	askAgain = 1000
)

// WrongError refuses work whose result would depend on this process's clock, which is wrong.
type WrongError struct {
	// Off is by how much at least, in milliseconds: above zero for a clock that is ahead.
	Off int64
}

func (e *WrongError) Error() string {
	if e.Off < 0 {
		return fmt.Sprintf("this process's clock is at least %d ms behind DynamoDB's", -e.Off)
	}
	return fmt.Sprintf("this process's clock is at least %d ms ahead of DynamoDB's", e.Off)
}

// Check tells whether a process's clock can be trusted. Its error is a *WrongError,
// and the same work is right elsewhere, or later.
type Check func(context.Context) error

// Passed is the result of a check; a nil one passes.
func (c Check) Passed(ctx context.Context) error {
	if c == nil {
		return nil
	}
	return c(ctx)
}

// Watch holds a clock against the dates of answers. It may be used by several
// goroutines.
type Watch struct {
	// Now is the clock that is watched.
	Now func() settlement.Instant
	// Ask makes a request to DynamoDB, whose answer is heard: a process that does
	// nothing while its clock is wrong would never hear that it is right again. Nil
	// where answers come anyway.
	Ask func(context.Context) error
	// Record hears of each time that the check failed; nil for nobody.
	Record func()

	mutex  sync.Mutex
	off    int64              // of the last answer that was outside
	wrong  int                // answers outside, one after the other, of different seconds
	second int64              // of the last of them
	asked  settlement.Instant // when Ask was called last
}

// Heard takes an answer: its date, in seconds since 1970, and what the clock said
// before the request was sent and after the answer had come. Between the two was the
// second that the date names, if the clock is right.
func (w *Watch) Heard(second int64, sent, got settlement.Instant) {
	if got < sent {
		return // the clock was set meanwhile
	}
	from := second * 1000
	off := int64(0)
	switch {
	case int64(sent) > from+dated+tolerance:
		off = int64(sent) - from - dated
	case int64(got) < from-tolerance:
		off = int64(got) - from
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	switch {
	case off == 0 && got-sent <= clear:
		w.wrong = 0
	case off == 0:
	case w.wrong == 0 || off > 0 != (w.off > 0):
		w.wrong, w.off, w.second = 1, off, second
	case second != w.second:
		w.wrong, w.off, w.second = min(w.wrong+1, enough), off, second
	}
}

// Check is the [Check] of the clock. While it is wrong it asks again, once a second.
func (w *Watch) Check(ctx context.Context) error {
	if w.err() == nil {
		return nil
	}
	if w.mayAsk() {
		_ = w.Ask(ctx) // whatever comes of it: what counts is the date, if there is one
	}
	err := w.err()
	if err != nil && w.Record != nil {
		w.Record()
	}
	return err
}

// err is what is known of the clock.
func (w *Watch) err() error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.wrong < enough {
		return nil
	}
	return &WrongError{Off: w.off}
}

// mayAsk takes the request of this second.
func (w *Watch) mayAsk() bool {
	if w.Ask == nil {
		return false
	}
	now := w.Now()
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if since := now - w.asked; since >= 0 && since < askAgain {
		return false
	}
	w.asked = now
	return true
}

// Attach has the watch hear every answer of a client of AWS, also of those that are
// errors.
func (w *Watch) Attach(stack *middleware.Stack) error {
	hear := middleware.DeserializeMiddlewareFunc("HeardDate", func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (
		middleware.DeserializeOutput, middleware.Metadata, error,
	) {
		sent := w.Now()
		out, metadata, err := next.HandleDeserialize(ctx, in)
		got := w.Now()
		if answer, ok := out.RawResponse.(*smithyhttp.Response); ok && answer != nil {
			if date, unread := http.ParseTime(answer.Header.Get("Date")); unread == nil {
				w.Heard(date.Unix(), sent, got)
			}
		}
		return out, metadata, err
	})
	if err := stack.Deserialize.Add(hear, middleware.After); err != nil {
		return fmt.Errorf("adding the watch over the clock: %w", err)
	}
	return nil
}
