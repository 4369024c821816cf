package sqsbatch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"tally/lib/lambda/sqsbatch"
)

const queueARN = "arn:aws:sqs:eu-central-1:000000000000:tally-sweeps"

// secret is in every body and attribute, and must never be in a log.
const secret = "SECRET"

// eventOf makes an event whose messages have the given ids, delivered once.
func eventOf(ids ...string) events.SQSEvent {
	var event events.SQSEvent
	for _, id := range ids {
		event.Records = append(event.Records, events.SQSMessage{
			MessageId:      id,
			ReceiptHandle:  "receipt of " + id,
			Body:           secret + " " + id,
			EventSourceARN: queueARN,
			Attributes:     map[string]string{"SentTimestamp": "1795000000123", "ApproximateReceiveCount": "1"},
			MessageAttributes: map[string]events.SQSMessageAttribute{
				"note": {DataType: "String", StringValue: new(secret)},
				"blob": {DataType: "Binary", BinaryValue: []byte(secret)},
			},
		})
	}
	return event
}

// bench is a handler with everything around it recorded.
type bench struct {
	t       *testing.T
	options sqsbatch.Options
	logs    bytes.Buffer
	changes map[string]time.Duration

	mutex    sync.Mutex
	outcomes map[string]sqsbatch.Outcome
	slow     time.Duration // that a change of visibility takes
	refuse   bool          // whether changes of visibility fail
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, changes: make(map[string]time.Duration), outcomes: make(map[string]sqsbatch.Outcome)}
	b.options = sqsbatch.Options{
		Visibility: b,
		Log: slog.New(slog.NewJSONHandler(&b.logs, &slog.HandlerOptions{
			Level: slog.LevelDebug, ReplaceAttr: lambdacontext.ReplaceAttr, // renames msg to message
		})),
		Random: func() float64 { return 0.5 },
		Observe: func(message sqsbatch.Message, outcome sqsbatch.Outcome) {
			b.mutex.Lock()
			defer b.mutex.Unlock()
			if _, twice := b.outcomes[message.ID]; twice {
				t.Errorf("two outcomes of %s", message.ID)
			}
			b.outcomes[message.ID] = outcome
		},
	}
	return b
}

// ChangeVisibility implements lambdaqueue.Visibility with SQS's own rules.
func (b *bench) ChangeVisibility(ctx context.Context, message sqsbatch.Message, after time.Duration) error {
	if after != after.Truncate(time.Second) || after < 0 || after > 12*time.Hour {
		b.t.Errorf("SQS would refuse a visibility of %s", after)
	}
	if message.ReceiptHandle != "receipt of "+message.ID {
		b.t.Errorf("the receipt handle of %s is %q", message.ID, message.ReceiptHandle)
	}
	if b.slow > 0 {
		select {
		case <-ctx.Done():
			return fmt.Errorf("changing the visibility: %w", ctx.Err())
		case <-time.After(b.slow):
		}
	}
	if b.refuse {
		return fmt.Errorf("no such queue")
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if _, twice := b.changes[message.ID]; twice {
		b.t.Errorf("two changes of the visibility of %s", message.ID)
	}
	b.changes[message.ID] = after
	return nil
}

// handle runs the event and returns the ids that the answer names.
func (b *bench) handle(ctx context.Context, handle sqsbatch.Func, event events.SQSEvent) []string {
	b.t.Helper()
	response, err := sqsbatch.New(handle, b.options).Handle(ctx, event)
	if err != nil {
		b.t.Fatal(err)
	}
	answer, err := json.Marshal(response)
	if err != nil {
		b.t.Fatal(err)
	}
	if !bytes.HasPrefix(answer, []byte(`{"batchItemFailures":[`)) {
		b.t.Errorf("Lambda would not understand the answer %s", answer)
	}
	if strings.Contains(b.logs.String(), secret) {
		b.t.Errorf("the log holds a payload:\n%s", b.logs.String())
	}
	var failed []string
	for _, failure := range response.BatchItemFailures {
		failed = append(failed, failure.ItemIdentifier)
	}
	return failed
}

// records returns the log records with that message text.
func (b *bench) records(text string) []map[string]any {
	b.t.Helper()
	var found []map[string]any
	for line := range strings.Lines(b.logs.String()) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			b.t.Fatalf("a log line is no JSON: %v: %s", err, line)
		}
		if record["message"] == text {
			found = append(found, record)
		}
	}
	return found
}

func (b *bench) wantOutcomes(want map[string]sqsbatch.Outcome) {
	b.t.Helper()
	if got, want := fmt.Sprint(b.outcomes), fmt.Sprint(want); got != want {
		b.t.Errorf("outcomes: got %s, want %s", got, want)
	}
}

func wantFailed(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("failed: got %q, want %q", got, want)
	}
}
