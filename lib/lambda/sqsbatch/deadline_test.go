package sqsbatch_test

import (
	"context"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"tally/lib/lambda/sqsbatch"
)

// timed runs test in a bubble whose clock jumps, and whose end fails if a
// goroutine is left.
func timed(t *testing.T, lambda time.Duration, test func(t *testing.T, ctx context.Context)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), lambda)
		defer cancel()
		began := time.Now()
		test(t, ctx)
		if took := time.Since(began); took >= lambda {
			t.Errorf("the answer came after %s, the Lambda's deadline was %s", took, lambda)
		}
	})
}

// waits heeds its context, but would take a minute for the messages named slow.
func waits(ctx context.Context, message sqsbatch.Message) error {
	if message.ID != "slow" {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Minute):
		return nil
	}
}

func TestDeadlineFailsOneMessage(t *testing.T) {
	timed(t, 10*time.Second, func(t *testing.T, ctx context.Context) {
		b := newBench(t)
		b.options.Concurrency = 2
		began := time.Now()
		wantFailed(t, b.handle(ctx, waits, eventOf("slow", "a", "b", "c")), "slow")
		if took := time.Since(began); took != 8*time.Second {
			t.Errorf("the message's context ended after %s, want the deadline less the margin of 2 s", took)
		}
		b.wantOutcomes(map[string]sqsbatch.Outcome{
			"slow": sqsbatch.OutcomeDeadline,
			"a":    sqsbatch.OutcomeDone, "b": sqsbatch.OutcomeDone, "c": sqsbatch.OutcomeDone,
		})
	})
}

// Messages for which no time is left are not run, and come back at once.
func TestNotStarted(t *testing.T) {
	timed(t, 10*time.Second, func(t *testing.T, ctx context.Context) {
		b := newBench(t)
		wantFailed(t, b.handle(ctx, waits, eventOf("a", "slow", "b", "c")), "slow", "b", "c")
		b.wantOutcomes(map[string]sqsbatch.Outcome{
			"a": sqsbatch.OutcomeDone, "slow": sqsbatch.OutcomeDeadline,
			"b": sqsbatch.OutcomeNotStarted, "c": sqsbatch.OutcomeNotStarted,
		})
		if want := map[string]time.Duration{"slow": time.Second, "b": 0, "c": 0}; !maps.Equal(b.changes, want) {
			t.Errorf("visibility: got %v, want %v", b.changes, want)
		}
	})
}

// With less than a second left, a message is not started though its context has
// not ended.
func TestLeast(t *testing.T) {
	timed(t, 10*time.Second, func(t *testing.T, ctx context.Context) {
		failed := newBench(t).handle(ctx, func(context.Context, sqsbatch.Message) error {
			time.Sleep(3600 * time.Millisecond)
			return nil
		}, eventOf("a", "b", "c"))
		wantFailed(t, failed, "c") // 7.2 s gone, 0.8 s to the end of the work
	})
}

func TestNoTimeAtAll(t *testing.T) {
	timed(t, time.Second, func(t *testing.T, ctx context.Context) {
		wantFailed(t, newBench(t).handle(ctx, failing(t), eventOf("a", "b")), "a", "b")
	})
}

// A function that ignores its context is left behind; the others are answered,
// and its goroutine ends when it returns.
func TestLeftBehind(t *testing.T) {
	timed(t, 10*time.Second, func(t *testing.T, ctx context.Context) {
		b := newBench(t)
		b.options.Concurrency = 2
		ended := make(chan struct{})
		failed := b.handle(ctx, func(_ context.Context, message sqsbatch.Message) error {
			if message.ID == "deaf" {
				defer close(ended)
				time.Sleep(time.Hour)
			}
			return nil
		}, eventOf("deaf", "a", "b"))
		wantFailed(t, failed, "deaf")
		b.wantOutcomes(map[string]sqsbatch.Outcome{
			"deaf": sqsbatch.OutcomeDeadline, "a": sqsbatch.OutcomeDone, "b": sqsbatch.OutcomeDone,
		})
		if len(b.changes) != 1 {
			t.Errorf("visibility: %v", b.changes)
		}
		t.Cleanup(func() { <-ended }) // after the time was taken
	})
}

// A function that gives its message back when its context ends is not a fault.
func TestGivenBackAtDeadline(t *testing.T) {
	timed(t, 10*time.Second, func(t *testing.T, ctx context.Context) {
		b := newBench(t)
		failed := b.handle(ctx, func(ctx context.Context, _ sqsbatch.Message) error {
			<-ctx.Done()
			return sqsbatch.RetryAfter{Reason: "pages are left"}
		}, eventOf("a"))
		wantFailed(t, failed, "a")
		b.wantOutcomes(map[string]sqsbatch.Outcome{"a": sqsbatch.OutcomeGivenBack})
		if after, changed := b.changes["a"]; !changed || after != 0 {
			t.Errorf("visibility: %v", b.changes)
		}
	})
}

// Slow or failing changes of visibility neither fail a message nor delay the
// answer beyond the deadline.
func TestVisibilityIsBestEffort(t *testing.T) {
	timed(t, 10*time.Second, func(t *testing.T, ctx context.Context) {
		b := newBench(t)
		b.slow = time.Hour
		wantFailed(t, b.handle(ctx, waits, eventOf("slow", "a", "b", "c", "d")), "slow", "a", "b", "c", "d")
		if warned := len(b.records("message comes back only at the end of its visibility timeout")); warned != 5 {
			t.Errorf("%d warnings, want 5", warned)
		}
	})
	b := newBench(t)
	b.refuse = true
	failed := b.handle(t.Context(), func(context.Context, sqsbatch.Message) error {
		return sqsbatch.RetryAfter{After: time.Second}
	}, eventOf("a"))
	wantFailed(t, failed, "a")
	b = newBench(t)
	b.options.Visibility = nil
	failed = b.handle(t.Context(), func(context.Context, sqsbatch.Message) error {
		return sqsbatch.RetryAfter{After: time.Second}
	}, eventOf("a"))
	wantFailed(t, failed, "a")
}
