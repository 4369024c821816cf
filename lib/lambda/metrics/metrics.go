package metrics

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// maxSamples is the format's limit on the values of a metric in one line.
const maxSamples = 100

// Metrics collects the metrics of one function. It may be used by several
// goroutines.
type Metrics struct {
	out       io.Writer
	namespace string
	function  string
	now       func() time.Time

	mutex sync.Mutex
	lines map[group]map[Name][]int
}

// group is what the metrics of a line share: a dimension and its value, with a line feed
// between them. A text is sorted by code that every function has already.
type group string

func groupOf(dimension, value string) group { return group(dimension + "\n" + value) }

func (g group) split() (dimension, value string) {
	dimension, value, _ = strings.Cut(string(g), "\n")
	return dimension, value
}

// NewMetrics returns metrics of a function in a namespace, which tells apart
// deployments in one account. out takes whole lines, each in one Write; in a
// Lambda it is os.Stdout.
func NewMetrics(out io.Writer, namespace, function string, now func() time.Time) *Metrics {
	return &Metrics{out: out, namespace: namespace, function: function, now: now, lines: make(map[group]map[Name][]int)}
}

// Add adds to a count. The value is that of the dimension which divides the
// metric (see [Names]): a game, or a kind. Adding nothing to a count still
// reports it, as 0: an alarm then sees that all is well rather than no data.
func (m *Metrics) Add(name Name, value string, count int) { m.record(name, value, count) }

// Set gives the present value of a depth.
func (m *Metrics) Set(name Name, value string, depth int) { m.record(name, value, depth) }

// Delay records a time between two events.
func (m *Metrics) Delay(name Name, value string, delay time.Duration) {
	m.record(name, value, int(delay.Milliseconds()))
}

// record takes a value. An unknown name, or a value for a dimension that the
// metric lacks, is a mistake in the program.
func (m *Metrics) record(name Name, value string, number int) {
	dimension, known := name.Dimension()
	if !known || (value == "") != (dimension == DimensionFunction) {
		panic(fmt.Sprintf("observe: metric %q with the value %q for %q", name, value, dimension))
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	in := groupOf(dimension, value)
	metrics := m.lines[in]
	if metrics == nil {
		metrics = make(map[Name][]int)
		m.lines[in] = metrics
	}
	switch values := metrics[name]; {
	case name.sampled():
		metrics[name] = append(values, number)
	case name.gauge() || len(values) == 0:
		metrics[name] = []int{number}
	default:
		values[0] += number
	}
}

// Flush writes what was recorded since the last Flush, and forgets it whether or
// not it could be written: metrics are never worth failing an invocation.
func (m *Metrics) Flush() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	lines := m.render()
	clear(m.lines)
	if len(lines) == 0 {
		return nil
	}
	if _, err := m.out.Write(lines); err != nil {
		return fmt.Errorf("writing metrics: %w", err)
	}
	return nil
}
