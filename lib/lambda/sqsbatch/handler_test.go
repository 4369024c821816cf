package sqsbatch_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"tally/lib/lambda/sqsbatch"
)

func TestMessage(t *testing.T) {
	b := newBench(t)
	event := eventOf("m1")
	event.Records[0].Attributes["ApproximateReceiveCount"] = "3"
	var got sqsbatch.Message
	failed := b.handle(t.Context(), func(_ context.Context, message sqsbatch.Message) error {
		got = message
		return nil
	}, event)
	wantFailed(t, failed)
	want := sqsbatch.Message{
		ID: "m1", Body: "SECRET m1", ReceiptHandle: "receipt of m1", QueueARN: queueARN,
		SentAt: time.UnixMilli(1795000000123).UTC(), ReceiveCount: 3,
		Attributes: map[string]string{"note": secret},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got.QueueName() != "tally-sweeps" {
		t.Errorf("the queue's name is %q", got.QueueName())
	}
	if len(b.changes) > 0 {
		t.Errorf("the visibility of a done message was changed: %v", b.changes)
	}
}

// Each way of ending fails its own message only.
func TestPartialFailure(t *testing.T) {
	b := newBench(t)
	b.options.Concurrency = 3
	event := eventOf("done", "error", "panic", "index", "goexit", "nil", "back", "wrapped", "last")
	failed := b.handle(t.Context(), func(_ context.Context, message sqsbatch.Message) error {
		switch message.ID {
		case "error":
			return errors.New("no connection")
		case "panic":
			panic(message.Body)
		case "index":
			return fmt.Errorf("%d", []int{}[len(message.ID)])
		case "goexit":
			runtime.Goexit()
		case "nil":
			panic(nil)
		case "back":
			return sqsbatch.RetryAfter{After: 90*time.Second + 1, Reason: "a run is under way"}
		case "wrapped":
			return fmt.Errorf("settling: %w", sqsbatch.RetryAfter{After: 20 * time.Hour, Reason: "much later"})
		}
		return nil
	}, event)
	wantFailed(t, failed, "error", "panic", "index", "goexit", "nil", "back", "wrapped")
	b.wantOutcomes(map[string]sqsbatch.Outcome{
		"done": sqsbatch.OutcomeDone, "last": sqsbatch.OutcomeDone,
		"error": sqsbatch.OutcomeError, "panic": sqsbatch.OutcomePanic, "index": sqsbatch.OutcomePanic,
		"goexit": sqsbatch.OutcomePanic, "nil": sqsbatch.OutcomePanic,
		"back": sqsbatch.OutcomeGivenBack, "wrapped": sqsbatch.OutcomeGivenBack,
	})
	// Half of the base of 2 s for a first delivery that failed.
	want := map[string]time.Duration{
		"error": time.Second, "panic": time.Second, "index": time.Second, "goexit": time.Second, "nil": time.Second,
		"back": 91 * time.Second, "wrapped": 12 * time.Hour,
	}
	if !maps.Equal(b.changes, want) {
		t.Errorf("visibility: got %v, want %v", b.changes, want)
	}
	b.checkFaultLogs()
	if given := b.records("message retried later"); len(given) != 2 || given[0]["level"] != "INFO" {
		t.Errorf("messages retried later are logged as %v", given)
	}
}

// checkFaultLogs looks at what TestPartialFailure logs of faults.
func (b *bench) checkFaultLogs() {
	b.t.Helper()
	causes := map[string]string{
		"error":  "no connection",
		"panic":  "panic with a string",
		"index":  "panic: runtime error: index out of range [5] with length 0",
		"goexit": "the message function ended its goroutine",
		"nil":    "panic: panic called with nil argument",
	}
	faults := b.records("message failed")
	if len(faults) != len(causes) {
		b.t.Errorf("%d faults are logged, want %d", len(faults), len(causes))
	}
	for _, record := range faults {
		id, _ := record["message_id"].(string)
		if record["error"] != causes[id] {
			b.t.Errorf("cause of %s: got %v, want %q", id, record["error"], causes[id])
		}
		if record["queue"] != "tally-sweeps" || record["receives"] != 1.0 || record["level"] != "ERROR" {
			b.t.Errorf("the record of %s is %v", id, record)
		}
		stack, _ := record["stack"].(string)
		if here := strings.Contains(stack, "handler_test.go"); here != (id == "panic" || id == "index" || id == "nil") {
			b.t.Errorf("the stack of %s is %q", id, stack)
		}
	}
}

func TestEmptyEvent(t *testing.T) {
	wantFailed(t, newBench(t).handle(t.Context(), failing(t), events.SQSEvent{}))
}

// failing is for events none of whose messages may be started.
func failing(t *testing.T) sqsbatch.Func {
	return func(_ context.Context, message sqsbatch.Message) error {
		t.Errorf("message %s was started", message.ID)
		return nil
	}
}

// A record that Lambda would never send fails alone while it can be named.
func TestMalformedRecords(t *testing.T) {
	for _, attributes := range []map[string]string{
		nil,
		{"ApproximateReceiveCount": "1"},
		{"SentTimestamp": "now", "ApproximateReceiveCount": "1"},
		{"SentTimestamp": "1795000000123"},
		{"SentTimestamp": "1795000000123", "ApproximateReceiveCount": "0"},
	} {
		b := newBench(t)
		event := eventOf("good", "bad")
		event.Records[1].Attributes = attributes
		var ran []string
		failed := b.handle(t.Context(), func(_ context.Context, message sqsbatch.Message) error {
			ran = append(ran, message.ID)
			return nil
		}, event)
		wantFailed(t, failed, "bad")
		if !slices.Equal(ran, []string{"good"}) {
			t.Errorf("ran %q", ran)
		}
	}
	if _, err := sqsbatch.New(failing(t), sqsbatch.Options{}).Handle(t.Context(), eventOf("good", "")); err == nil || !strings.Contains(err.Error(), "record 1 of 2 has no messageId") {
		t.Errorf("an event with a nameless message: %v", err)
	}
}

func TestConcurrencyIsBoundedAndUsed(t *testing.T) {
	for _, test := range []struct{ concurrency, messages, want int }{{0, 4, 1}, {1, 4, 1}, {3, 10, 3}, {10, 4, 4}} {
		t.Run(fmt.Sprint(test.concurrency), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.options.Concurrency = test.concurrency
				var ids []string
				for i := range test.messages {
					ids = append(ids, fmt.Sprint(i))
				}
				var running, most atomic.Int64
				failed := b.handle(t.Context(), func(context.Context, sqsbatch.Message) error {
					now := running.Add(1)
					defer running.Add(-1)
					time.Sleep(time.Second) // of the bubble: ends when all are asleep
					most.Store(max(most.Load(), now))
					return nil
				}, eventOf(ids...))
				wantFailed(t, failed)
				if int(most.Load()) != test.want {
					t.Errorf("%d of %d ran at once with a concurrency of %d, want %d", most.Load(), test.messages, test.concurrency, test.want)
				}
			})
		})
	}
}
