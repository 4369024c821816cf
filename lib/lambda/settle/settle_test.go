package settle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tally/lib/lambda/metrics"
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
	if err := measured.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"game":"war","corrected":4,"refunded":3,"settled":7,"settlement_delay":[12000]}`,
		`"game":"dice","unequal":1}`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no line ends in %s:\n%s", want, out.String())
		}
	}
}
