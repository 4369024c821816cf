package exploration

import (
	"encoding/binary"
	"slices"

	"tally/internal/testkit/fakedynamo"
)

var errLost = fakedynamo.ErrLost

// nobody is the slot of a transaction whose handler has ended.
const nobody = maxSlots

// shown is an item of a transaction that is decided and not visible yet.
type shown struct{ slot, key, item uint32 }

func (x *explorer) torn(number uint32) (list []shown) {
	for entry := range slices.Chunk(x.lists.values[number], 3) {
		list = append(list, shown{entry[0], entry[1], entry[2]})
	}
	return list
}

func (x *explorer) tornList(list []shown) uint32 {
	if len(list) == 0 {
		return 0
	}
	slices.SortFunc(list, func(a, b shown) int { return int(a.key) - int(b.key) })
	text, values := []byte("torn"), []uint32{}
	for _, entry := range list {
		for _, n := range []uint32{entry.slot, entry.key, entry.item} {
			text, values = binary.LittleEndian.AppendUint32(text, n), append(values, n)
		}
	}
	return x.lists.number(string(text), func() []uint32 { return values })
}

// tear is what is left to be shown of a transaction that changes the table to another.
func (x *explorer) tear(s state, slot int, table uint32, r *request) uint32 {
	list := x.torn(s.torn)
	for _, key := range r.keys {
		if it := x.tables.at(table, key); it != x.tables.at(s.table, key) {
			list = append(list, shown{uint32(slot), key, it})
		}
	}
	return x.tornList(list)
}

// orphan leaves what a handler was committing to nobody.
func (x *explorer) orphan(number uint32, slot int) uint32 {
	list := x.torn(number)
	for i := range list {
		if list[i].slot == uint32(slot) {
			list[i].slot = nobody
		}
	}
	return x.tornList(list)
}

// blocked tells whether a handler waits for a transaction: its own, or that of another
// that has an item under way. DynamoDB refuses the second; whoever is refused asks again.
func (x *explorer) blocked(s state, slot int, r *request) bool {
	for _, entry := range x.torn(s.torn) {
		if entry.slot == uint32(slot) || (r.write || len(r.keys) > 1) && slices.Contains(r.keys, entry.key) {
			return true
		}
	}
	return false
}

// land lets arrive what is under way without anybody who waits for it, and shows the
// next item of each transaction.
func (x *explorer) land(s state, yield func(move, state, string)) {
	for i, number := range x.lists.values[s.late] {
		r, found := x.requests.values[number], ""
		if x.blocked(s, nobody+1, r) || slices.Index(x.lists.values[s.late], number) != i {
			continue
		}
		next := s
		next.late = x.take(s.late, number)
		next.table, _, found = x.apply(s.table, number, r)
		yield(move{kind: lands, what: number}, next, found)
	}
	list := x.torn(s.torn)
	for i, entry := range list {
		next := s
		next.table = x.tables.with(s.table, []uint32{entry.key}, []uint32{entry.item})
		left := slices.Delete(slices.Clone(list), i, i+1)
		next.torn = x.tornList(left)
		m := move{shows, uint8(min(entry.slot, maxSlots-1)), entry.key}
		mine := func(other shown) bool { return other.slot == entry.slot }
		if entry.slot == nobody || slices.ContainsFunc(left, mine) {
			yield(m, next, x.checkTable(next.table))
			continue
		}
		x.enter(next, int(entry.slot), x.answered(s.slots[entry.slot], x.tables.result(nil, nil)), m, yield)
	}
}
