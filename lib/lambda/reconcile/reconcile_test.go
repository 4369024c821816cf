package reconcile

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"tally/lib/lambda/metrics"
	pipeline "tally/lib/pipeline/reconcile"
)

// What reconcile finds becomes a metric, with the numbers given.
func TestRecorder(t *testing.T) {
	var out bytes.Buffer
	measured := metrics.NewMetrics(&out, "tally", "test", time.Now)
	r := recorder{measured}
	r.Quarantined("poker")
	r.Mismatch("dice")
	r.Stuck("", pipeline.StuckResult)
	r.Stuck("wheel", pipeline.StuckRun)
	r.LateRecords("wheel", 2)
	r.Waiting("war")
	r.Depth("sweeps", 5)
	r.InQuarantine(6)
	if err := measured.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"game":"unknown","overdue":1}`,
		`"game":"poker","quarantined":1}`,
		`"game":"dice","unequal":1}`,
		`"game":"wheel","stragglers":2,"stuck":1}`,
		`"game":"war","waiting":1}`,
		`"kind":"sweeps","dead_letter_depth":5}`,
		`"function":"test","quarantine_depth":6}`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no line ends in %s:\n%s", want, out.String())
		}
	}
}
