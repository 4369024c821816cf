package metrics

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// render writes a line for each group, in the order of their names; a group with
// more than maxSamples values of a metric takes several.
func (m *Metrics) render() []byte {
	var out []byte
	for _, in := range slices.Sorted(maps.Keys(m.lines)) {
		metrics := m.lines[in]
		for len(metrics) > 0 {
			out = append(m.line(out, in, metrics), '\n')
			dropWritten(metrics)
		}
	}
	return out
}

func dropWritten(metrics map[Name][]int) {
	for name, values := range metrics {
		if len(values) > maxSamples {
			metrics[name] = values[maxSamples:]
		} else {
			delete(metrics, name)
		}
	}
}

// metadata is what a document says of its metrics.
type metadata struct {
	Timestamp         int64
	CloudWatchMetrics []directive
}

type directive struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []definition
}

type definition struct{ Name, Unit string }

// line writes one document of the format, with at most maxSamples values of each
// metric.
func (m *Metrics) line(out []byte, in group, metrics map[Name][]int) []byte {
	about := directive{Namespace: m.namespace, Dimensions: [][]string{{DimensionFunction}}}
	members := member(nil, DimensionFunction, m.function)
	if dimension, value := in.split(); dimension != DimensionFunction {
		about.Dimensions = append(about.Dimensions, []string{DimensionFunction, dimension})
		members = member(members, dimension, value)
	}
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		about.Metrics = append(about.Metrics, definition{Name: string(name), Unit: name.unit()})
		members = member(members, string(name), value(name, metrics[name]))
	}
	return fmt.Appendf(out, `{"_aws":%s%s}`, text(metadata{Timestamp: m.now().UnixMilli(), CloudWatchMetrics: []directive{about}}), members)
}

// member adds a member that is not the first.
func member(out []byte, name string, value any) []byte {
	return fmt.Appendf(out, `,"%s":%s`, name, text(value))
}

// text is a value of texts and numbers, which JSON has for all, as JSON.
func text(value any) []byte {
	text, _ := json.Marshal(value)
	return text
}

// value is a number, or a list of them for a metric of which each is kept.
func value(name Name, values []int) any {
	if !name.sampled() {
		return values[0]
	}
	return values[:min(len(values), maxSamples)]
}
