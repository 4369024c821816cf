package sqsbatch_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally/lib/lambda/metrics"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/sqsbatch"
)

// changing is SQS as it is asked to change the visibility of messages.
type changing []string

func (c *changing) ChangeMessageVisibility(_ context.Context, in *sqs.ChangeMessageVisibilityInput, _ ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityOutput, error) {
	*c = append(*c, *in.QueueUrl+" "+*in.ReceiptHandle)
	return &sqs.ChangeMessageVisibilityOutput{}, nil
}

// A function that queues feed: what fails is given back to its queue and is in the metrics,
// written at the end of the invocation; what was given back on purpose is no failure.
func TestHandleQueues(t *testing.T) {
	const url = "https://sqs.eu-central-1.amazonaws.com/000000000000/tally-sweeps"
	var out bytes.Buffer
	var changes changing
	measured := metrics.NewMetrics(&out, "tally", "settle", time.Now)
	r := runtime.Runtime{Log: slog.New(slog.DiscardHandler), Metrics: io.Discard, Now: time.Now}
	handle, err := sqsbatch.HandleQueues(r, func(_ context.Context, m sqsbatch.Message) error {
		switch m.ID {
		case "fails":
			return errors.New("no connection")
		case "early":
			return sqsbatch.RetryAfter{After: time.Minute, Reason: "too early"}
		}
		return nil
	}, measured, &changes, sqsbatch.Options{Concurrency: 1}, url)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := handle(t.Context(), eventOf("good", "fails", "early"))
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	for _, f := range answer.BatchItemFailures {
		failed = append(failed, f.ItemIdentifier)
	}
	wantFailed(t, failed, "fails", "early")
	if got, want := strings.Join(changes, ", "), url+" receipt of fails, "+url+" receipt of early"; got != want {
		t.Errorf("given back are %q, want %q", got, want)
	}
	if got, want := out.String(), `"kind":"error","failures":1}`+"\n"; !strings.HasSuffix(got, want) || strings.Count(got, "\n") != 1 {
		t.Errorf("the metrics are %s, want one line that ends in %s", got, want)
	}
	if _, err := sqsbatch.HandleQueues(r, nil, measured, &changes, sqsbatch.Options{}, "tally-sweeps"); err == nil {
		t.Error("a queue's name is taken for its URL, want an error when the function starts")
	}
}
