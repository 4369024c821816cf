package metrics

import (
	"cmp"
	"maps"
	"slices"

	"tally/lib/strictjson"
)

// render writes a line for each group, in the order of their names; a group with
// more than maxSamples values of a metric takes several.
func (m *Metrics) render() []byte {
	groups := slices.SortedFunc(maps.Keys(m.lines), func(a, b group) int {
		return cmp.Or(cmp.Compare(a.dimension, b.dimension), cmp.Compare(a.value, b.value))
	})
	var out strictjson.Out
	for _, in := range groups {
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

// line writes one document of the format, with at most maxSamples values of each
// metric.
func (m *Metrics) line(out strictjson.Out, in group, metrics map[Name][]int) strictjson.Out {
	names := slices.Sorted(maps.Keys(metrics))
	out = out.Open().Name("_aws").Open()
	out = out.Name("Timestamp").Int(int(m.now().UnixMilli()))
	out = out.Name("CloudWatchMetrics").OpenList().Open()
	out = out.Name("Namespace").Quoted(m.namespace)
	out = out.Name("Dimensions").OpenList()
	out = out.OpenList().Plain(DimensionFunction).CloseList()
	if in.dimension != DimensionFunction {
		out = out.OpenList().Plain(DimensionFunction).Plain(in.dimension).CloseList()
	}
	out = out.CloseList().Name("Metrics").OpenList()
	for _, name := range names {
		out = out.Open().Name("Name").Plain(string(name)).Name("Unit").Plain(name.unit()).Close()
	}
	out = out.CloseList().Close().CloseList().Close()
	out = out.Name(DimensionFunction).Quoted(m.function)
	if in.dimension != DimensionFunction {
		out = out.Name(in.dimension).Quoted(in.value)
	}
	for _, name := range names {
		out = value(out.Name(string(name)), name, metrics[name])
	}
	return out.Close()
}

// value writes a number, or a list of them for a metric of which each is kept.
func value(out strictjson.Out, name Name, values []int) strictjson.Out {
	if !name.sampled() {
		return out.Int(values[0])
	}
	out = out.OpenList()
	for _, number := range values[:min(len(values), maxSamples)] {
		out = out.Int(number)
	}
	return out.CloseList()
}
