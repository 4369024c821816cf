package exploration

import (
	"encoding/binary"
	"slices"
	"strings"
)

// page takes the next step of a query: up to the next key at which queries of the
// partition stop, or with scope.items up to the next item. Backward and bounded ones
// are one step.
func (x *explorer) page(table, at uint32, n *node, r *request) uint32 {
	if r.query.Limit != nil || r.query.ScanIndexForward != nil {
		return x.answered(at, x.whole(table, n.request, r))
	}
	of, found, through := at, slices.Clone(n.found), n.through
	if n.of != 0 {
		of = n.of
	}
	through, found = x.stretch(table, n.request, r, through, found)
	if through != end {
		return x.reading(of, found, through)
	}
	page := x.found(found)
	answer, known := x.answers[page]
	if !known {
		var items []item
		for _, it := range found {
			items = append(items, x.tables.items.values[it])
		}
		answer = x.tables.result(pageOf(items), nil)
		x.answers[page] = answer
	}
	return x.answered(of, answer)
}

// found is the number of what a query has found.
func (x *explorer) found(items []uint32) uint32 {
	text := make([]byte, 0, 64)
	for _, it := range items {
		text = binary.LittleEndian.AppendUint32(text, it)
	}
	return x.pages.number(string(text), func() []uint32 { return items })
}

// whole is the answer to a query that is one step.
func (x *explorer) whole(table, number uint32, r *request) uint32 {
	at := [2]uint32{table, number}
	done, known := x.tables.steps[at]
	if !known {
		done = step{result: x.tables.result(r.run(x.t.Context(), x.tables.part(table, r.pk)))}
		x.tables.steps[at] = done
	}
	return done.result
}

// end is after every sort key.
const end = "\xff"

// stretch reads on from a sort key.
func (x *explorer) stretch(table, number uint32, r *request, from string, found []uint32) (through string, all []uint32) {
	through = end
	for _, stop := range x.scope.stops[r.pk] {
		if stop > from {
			through = stop
			break
		}
	}
	more := false
	for _, key := range x.tables.in(table, r.pk) {
		sk, it := x.tables.keys.values[key].sk, x.tables.at(table, key)
		if sk <= from || !x.matches(number, r, it) {
			continue
		}
		if sk > through {
			more = true
			break
		}
		found = append(found, it)
		if x.scope.items {
			return sk, found
		}
	}
	if !more && strings.HasPrefix(r.pk, "REPORT#") {
		return end, found
	}
	return through, found
}
