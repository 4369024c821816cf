package settle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"tally/lib/lambda/metrics"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/sqsbatch"
	pipeline "tally/lib/pipeline/settle"
)

// What becomes of the message that asked for a settlement run.
func TestAfterRun(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	fault := errors.New("no connection")
	tests := []struct {
		name string
		ctx  context.Context
		err  error
		back *sqsbatch.RetryAfter
		want error
	}{
		{"swept", t.Context(), nil, nil, nil},
		{"swept as time ran out", over, nil, nil, nil},
		{"too early", t.Context(), fmt.Errorf("settling: %w", &pipeline.NotYetError{After: 7 * time.Second}), &sqsbatch.RetryAfter{After: 7 * time.Second}, nil},
		{"stopped", t.Context(), fmt.Errorf("settling: %w", &pipeline.MismatchError{}), nil, nil},
		{"out of time", over, fmt.Errorf("reading: %w", context.Canceled), &sqsbatch.RetryAfter{}, nil},
		{"failed", t.Context(), fault, nil, fault},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := afterRun(test.ctx, test.err)
			var back sqsbatch.RetryAfter
			switch given := errors.As(got, &back); {
			case given != (test.back != nil), given && back.After != test.back.After:
				t.Errorf("%s: got %v", test.name, got)
			case !given && !errors.Is(got, test.want):
				t.Errorf("%s: got %v, want %v", test.name, got, test.want)
			}
		})
	}
}

// What a settlement run records becomes a metric, with the numbers given.
func TestRecorder(t *testing.T) {
	var out bytes.Buffer
	measured := metrics.NewMetrics(&out, "tally", "test", time.Now)
	r := recorder{measured}
	r.Settled("war", 10, 3, false, 12*time.Second)
	r.Settled("war", 4, 1, true, time.Hour)
	r.Mismatch("dice")
	r.Mismatch("") // of a message that can't be read
	r.LateRecords("poker", 2)
	r.Quarantined("wheel")
	r.Quarantined("")
	r.Stored("lucky5", time.Second, "") // an order, which tally itself has sent
	if err := measured.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"game":"war","corrected":4,"refunded":3,"settled":7,"settlement_delay":[12000]}`,
		`"game":"dice","unequal":1}`,
		`"game":"unknown","quarantined":1,"unequal":1}`,
		`"game":"poker","stragglers":2}`,
		`"game":"wheel","quarantined":1}`,
	} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no line ends in %s:\n%s", want, out.String())
			}
		})
	}
	if strings.Contains(out.String(), "lucky5") {
		t.Errorf("an order of tally's own is counted, want it left out:\n%s", out.String())
	}
}

// taking is AWS as it takes whatever it is sent.
type taking struct{}

func (taking) Do(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
}

// What holds corrections is read when the function starts: a limit that is none stops it
// there, and not a correction later.
func TestNew(t *testing.T) {
	quiet := aws.Config{Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""), HTTPClient: taking{}}
	r := runtime.Runtime{AWS: quiet, Log: slog.New(slog.DiscardHandler), Metrics: io.Discard, Now: time.Now}
	c := Config{Common: runtime.Common{Table: "nowhere", Namespace: "test"}, SweepsURL: "http://127.0.0.1:1/0/sweeps", Parallel: 1}
	for limits, wanted := range map[string]string{"": "", "EUR=10000.00,JPY=1000000": "", "EUR": "TALLY_HOLD_CORRECTIONS_ABOVE", "EUR=1.005": "TALLY_HOLD_CORRECTIONS_ABOVE"} {
		t.Run(limits, func(t *testing.T) {
			c := c
			c.HoldAbove = limits
			handler, err := New(c, r)
			if wanted != "" {
				if err == nil || !strings.Contains(err.Error(), wanted) {
					t.Errorf("got %v, want that %s is wrong", err, wanted)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			// A message that is no order to settle fails alone.
			answer, err := handler(t.Context(), events.SQSEvent{Records: []events.SQSMessage{{MessageId: "1", Body: "hello", EventSourceARN: "arn:aws:sqs:eu-central-1:0:sweeps"}}})
			if err != nil || len(answer.BatchItemFailures) != 1 || answer.BatchItemFailures[0].ItemIdentifier != "1" {
				t.Errorf("of a message that can't be read: %+v, %v, want it to fail", answer, err)
			}
		})
	}
}
