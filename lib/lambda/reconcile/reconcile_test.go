package reconcile

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"tally/lib/lambda/metrics"
)

// What reconcile finds becomes a metric, with the numbers given.
func TestRecorder(t *testing.T) {
	var out bytes.Buffer
	measured := metrics.NewMetrics(&out, "tally", "test", time.Now)
	r := recorder{measured}
	r.Behind(7)
	r.Depth("sweeps", 5)
	r.InQuarantine(6)
	r.LogLag(4)
	r.LogFault("log_forked")
	if err := measured.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"kind":"sweeps","dead_letter_depth":5}`, `"kind":"log_forked","log_faults":1}`, `"function":"test","behind":7,"log_lag":4,"quarantine_depth":6}`,
	} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no line ends in %s:\n%s", want, out.String())
			}
		})
	}
}
