package look

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"tally/lib/lambda/metrics"
	"tally/lib/pipeline/reconcile"
)

// What looks find becomes a metric, with the numbers given.
func TestRecorder(t *testing.T) {
	var out bytes.Buffer
	measured := metrics.NewMetrics(&out, "tally", "test", time.Now)
	r := recorder{measured}
	r.Quarantined("poker")
	r.Mismatch("dice")
	r.Stuck("", reconcile.StuckResult)
	r.Stuck("wheel", reconcile.StuckRun)
	r.LateRecords("wheel", 2)
	r.Waiting("war")
	r.LogLag(5)
	if err := measured.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"game":"unknown","overdue":1}`,
		`"game":"poker","quarantined":1}`,
		`"game":"dice","unequal":1}`,
		`"game":"wheel","stragglers":2,"stuck":1}`,
		`"game":"war","waiting":1}`,
		`"function":"test","log_lag":5}`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no line ends in %s:\n%s", want, out.String())
		}
	}
}
