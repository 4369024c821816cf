package archive

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	publiclog "tally/lib/archive"
	"tally/lib/archive/witness"
	"tally/lib/lambda/metrics"
	"tally/lib/lambda/sqsbatch"
)

// What the log records becomes a metric, with the numbers given: a witness that contradicts
// it is a fault of the log, one that does not answer is not.
func TestRecorder(t *testing.T) {
	var out bytes.Buffer
	measured := metrics.NewMetrics(&out, "tally", "test", time.Now)
	r := recorder{measured}
	r.Appended("war", 3)
	r.Mismatch("")
	for _, outcome := range []witness.Outcome{witness.Cosigned, witness.Contradicted, witness.Late} {
		r.Witness("w1", outcome)
	}
	if err := measured.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"game":"war","archived":3}`,
		`"game":"unknown","unequal":1}`,
		`"kind":"` + string(witness.Contradicted) + `","log_faults":1}`,
		`"kind":"` + string(witness.Late) + `","uncosigned":1}`,
	} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no line ends in %s:\n%s", want, out.String())
			}
		})
	}
	if strings.Contains(out.String(), `"kind":"`+string(witness.Cosigned)+`"`) {
		t.Errorf("a cosignature is counted as a failure:\n%s", out.String())
	}
}

// A settlement of which parts are still to be made comes back at once, and is no failure.
func TestMoreIsGivenBack(t *testing.T) {
	var back sqsbatch.RetryAfter
	if err := answered(fmt.Errorf("archiving: %w", publiclog.ErrMore)); !errors.As(err, &back) || back.After != 0 {
		t.Errorf("got %v", err)
	}
	if err := answered(errors.ErrUnsupported); errors.As(err, &back) || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
}
