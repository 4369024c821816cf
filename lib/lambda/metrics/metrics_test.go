package metrics_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"tally/lib/lambda/metrics"
)

// noon is the time of every line in these tests.
func noon() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 123_456_789, time.UTC) }

func newMetrics() (*metrics.Metrics, *bytes.Buffer) {
	out := new(bytes.Buffer)
	return metrics.NewMetrics(out, "tally/prod", "settle", noon), out
}

// The bytes that CloudWatch gets.
func TestLines(t *testing.T) {
	measured, out := newMetrics()
	measured.Add(metrics.Settled, "poker", 1000)
	measured.Add(metrics.Settled, "war", 0)
	measured.Add(metrics.Settled, "poker", 200)
	measured.Add(metrics.Refunded, "poker", 3)
	measured.Delay(metrics.SettlementDelay, "poker", 11250*time.Millisecond)
	measured.Delay(metrics.SettlementDelay, "poker", 12*time.Second)
	measured.Add(metrics.Failures, "panic", 1)
	measured.Set(metrics.DeadLetterDepth, "sweeps", 5)
	measured.Set(metrics.DeadLetterDepth, "sweeps", 4)
	measured.Set(metrics.QuarantineDepth, "", 7)
	if err := measured.Flush(); err != nil {
		t.Fatal(err)
	}
	const want = `{"_aws":{"Timestamp":1796040000123,"CloudWatchMetrics":[{"Namespace":"tally/prod","Dimensions":[["function"]],"Metrics":[{"Name":"quarantine_depth","Unit":"Count"}]}]},"function":"settle","quarantine_depth":7}
{"_aws":{"Timestamp":1796040000123,"CloudWatchMetrics":[{"Namespace":"tally/prod","Dimensions":[["function"],["function","game"]],"Metrics":[{"Name":"refunded","Unit":"Count"},{"Name":"settled","Unit":"Count"},{"Name":"settlement_delay","Unit":"Milliseconds"}]}]},"function":"settle","game":"poker","refunded":3,"settled":1200,"settlement_delay":[11250,12000]}
{"_aws":{"Timestamp":1796040000123,"CloudWatchMetrics":[{"Namespace":"tally/prod","Dimensions":[["function"],["function","game"]],"Metrics":[{"Name":"settled","Unit":"Count"}]}]},"function":"settle","game":"war","settled":0}
{"_aws":{"Timestamp":1796040000123,"CloudWatchMetrics":[{"Namespace":"tally/prod","Dimensions":[["function"],["function","kind"]],"Metrics":[{"Name":"failures","Unit":"Count"}]}]},"function":"settle","kind":"panic","failures":1}
{"_aws":{"Timestamp":1796040000123,"CloudWatchMetrics":[{"Namespace":"tally/prod","Dimensions":[["function"],["function","kind"]],"Metrics":[{"Name":"dead_letter_depth","Unit":"Count"}]}]},"function":"settle","kind":"sweeps","dead_letter_depth":4}
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Every line of every metric holds to the published format.
func TestFormat(t *testing.T) {
	for name, dimension := range metrics.Divided {
		measured, out := newMetrics()
		value := "\"x\" \\ \u2028 é"
		if dimension == metrics.DimensionFunction {
			value = ""
		}
		measured.Add(name, value, 1)
		if err := measured.Flush(); err != nil {
			t.Fatal(err)
		}
		checkFormat(t, out.Bytes())
	}
}

// checkFormat holds a line against the rules of the specification.
func checkFormat(t *testing.T, line []byte) {
	t.Helper()
	var members map[string]any
	var root struct {
		AWS struct {
			Timestamp         int64
			CloudWatchMetrics []struct {
				Namespace  string
				Dimensions [][]string
				Metrics    []struct{ Name, Unit string }
			}
		} `json:"_aws"`
	}
	if err := errors.Join(json.Unmarshal(line, &root), json.Unmarshal(line, &members)); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	if bytes.Count(line, []byte("\n")) != 1 || len(line) > 256<<10 {
		t.Errorf("not one line of at most 256 KB: %s", line)
	}
	if len(root.AWS.CloudWatchMetrics) != 1 || root.AWS.Timestamp != noon().UnixMilli() {
		t.Fatalf("the metadata of %s", line)
	}
	directive := root.AWS.CloudWatchMetrics[0]
	if directive.Namespace == "" || len(directive.Dimensions) == 0 || len(directive.Metrics) == 0 {
		t.Errorf("an empty directive in %s", line)
	}
	for _, set := range directive.Dimensions {
		if len(set) > 30 {
			t.Errorf("more than 30 dimensions in %s", line)
		}
		for _, dimension := range set {
			if text, ok := members[dimension].(string); !ok || text == "" {
				t.Errorf("the dimension %q has no value in %s", dimension, line)
			}
		}
	}
	for _, metric := range directive.Metrics {
		if metric.Unit != "Count" && metric.Unit != "Milliseconds" {
			t.Errorf("CloudWatch has no unit %q", metric.Unit)
		}
		checkTarget(t, members[metric.Name], line)
	}
}

// checkTarget wants a number, or at most 100 of them.
func checkTarget(t *testing.T, target any, line []byte) {
	t.Helper()
	list, ok := target.([]any)
	if !ok {
		list = []any{target}
	}
	if len(list) == 0 || len(list) > 100 {
		t.Errorf("a metric with %d values in %s", len(list), line)
	}
	for _, value := range list {
		if _, ok := value.(float64); !ok {
			t.Errorf("a metric with the value %v in %s", value, line)
		}
	}
}

// More values than a line may hold take more lines; none is lost or counted twice.
func TestManySamples(t *testing.T) {
	measured, out := newMetrics()
	measured.Add(metrics.Settled, "poker", 5)
	for range 250 {
		measured.Delay(metrics.SettlementDelay, "poker", time.Second)
	}
	if err := measured.Flush(); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		checkFormat(t, []byte(line))
	}
	if lines, samples, counts := strings.Count(out.String(), "\n"), strings.Count(out.String(), "1000"), strings.Count(out.String(), `"settled":5`); lines != 3 || samples != 250 || counts != 1 {
		t.Errorf("%d lines, %d samples, %d counts; want 3, 250 and 1", lines, samples, counts)
	}
}

func TestFlushForgets(t *testing.T) {
	measured, out := newMetrics()
	if err := measured.Flush(); err != nil || out.Len() > 0 {
		t.Errorf("nothing was recorded, yet: %v, %q", err, out)
	}
	measured.Add(metrics.Accepted, "dice", 1)
	if err := measured.Flush(); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := measured.Flush(); err != nil || out.Len() > 0 {
		t.Errorf("nothing was recorded since, yet: %v, %q", err, out)
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestFlushFails(t *testing.T) {
	measured := metrics.NewMetrics(full{}, "tally", "intake", noon)
	measured.Add(metrics.Accepted, "dice", 1)
	if err := measured.Flush(); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
	if err := measured.Flush(); err != nil {
		t.Errorf("what could not be written was kept: %v", err)
	}
}

func TestConcurrentUse(t *testing.T) {
	measured, out := newMetrics()
	var workers sync.WaitGroup
	for range 10 {
		workers.Go(func() {
			for range 100 {
				measured.Add(metrics.Settled, "poker", 1)
			}
		})
	}
	workers.Wait()
	if err := measured.Flush(); err != nil || !strings.Contains(out.String(), `"settled":1000}`) {
		t.Errorf("%v: %s, want no error and `\"settled\":1000}` in it", err, out)
	}
}

func TestMistakes(t *testing.T) {
	measured, _ := newMetrics()
	for want, record := range map[string]func(){
		"an unknown metric":         func() { measured.Add("setled", "poker", 1) },
		"a game that is missing":    func() { measured.Add(metrics.Settled, "", 1) },
		"a value without dimension": func() { measured.Set(metrics.QuarantineDepth, "poker", 1) },
	} {
		t.Run(want, func(t *testing.T) {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("no panic for %s", want)
					}
				}()
				record()
			}()
		})
	}
}

func TestLogger(t *testing.T) {
	if metrics.Logger() == nil {
		t.Error("no logger")
	}
}
