package webhook

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"tally/lib/lambda/metrics"
	"tally/lib/lambda/sqsbatch"
	"tally/lib/rulebook/settlement"
)

// What becomes of a message after an endpoint wants to be looked at again.
func TestAfterPush(t *testing.T) {
	const now settlement.Instant = 1_795_953_600_000
	for _, test := range []struct {
		name     string
		again    settlement.Instant
		receives int
		back     time.Duration
		given    bool
	}{
		{"all is told", 0, 1, 0, false},
		{"the time is up", now, 1, 0, true},
		{"in five seconds", now + 5000, 3, 5 * time.Second, true},
		{"in half an hour, which reconcile sees to", now + 1_800_000, 1, 0, false},
		{"it came back often enough", now, 4, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := afterPush(test.again, now, test.receives)
			var back sqsbatch.RetryAfter
			if errors.As(err, &back) != test.given || back.After != test.back {
				t.Errorf("%s: %v", test.name, err)
			}
		})
	}
}

// What pushing records becomes a metric, with the numbers given.
func TestRecorder(t *testing.T) {
	var out bytes.Buffer
	measured := metrics.NewMetrics(&out, "tally", "test", time.Now)
	r := recorder{measured}
	r.Delivered(20)
	r.NotDelivered("timeout")
	r.WebhookDisabled("gone")
	if err := measured.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"function":"test","delivered":20}`,
		`"kind":"timeout","not_delivered":1}`,
		`"kind":"gone","webhooks_disabled":1}`,
	} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no line ends in %s:\n%s", want, out.String())
			}
		})
	}
}
