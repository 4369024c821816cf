package exploration

import (
	"strings"

	"tally/lib/store"
)

// alone tells whether no other handler's step can change what a request comes to, nor be
// changed by it: it is carried out with the step before.
func (x *explorer) alone(s state, slot int, n *node, r *request) bool {
	switch {
	case r.message != "" || s.left.faults > 0 || x.scope.plant.shared:
		return false
	case r.query != nil:
		return x.settled(s, n, r)
	}
	own, fixed := true, len(r.keys) == 1
	for _, number := range r.keys {
		own = own && x.owned(slot, x.tables.keys.values[number])
		fixed = fixed && x.tables.unchanging(number, x.tables.at(s.table, number))
	}
	return fixed || own && !(x.scope.torn && r.write && len(r.keys) > 1)
}

// owned tells whether a key is touched by nobody but a handler: what settling writes, where
// there is one that settles; what intake keeps of the studio's table.
func (x *explorer) owned(slot int, k key) bool {
	switch {
	case strings.HasPrefix(k.pk, "TABLE#"):
		return slot == x.taker()
	case !x.settles(slot) || x.scope.workers > 1:
		return false
	case strings.HasPrefix(k.pk, "REPORT#") || strings.HasPrefix(k.pk, "FEED#"):
		return true
	}
	return k.pk == store.DrawKey(theDraw) && (k.sk == store.SweepKey || strings.HasPrefix(k.sk, "DONE#") || strings.HasPrefix(k.sk, "FED#"))
}

// settled tells whether the next step of a query finds an item that never changes, at a
// key that stands for itself; or it reads what only its handler writes.
func (x *explorer) settled(s state, n *node, r *request) bool {
	if strings.HasPrefix(r.pk, "REPORT#") {
		return x.scope.workers == 1
	}
	for _, stop := range x.scope.stops[r.pk] {
		if stop > n.through {
			key := x.tables.key(r.pk + " / " + stop)
			return x.tables.unchanging(key, x.tables.at(s.table, key))
		}
	}
	return strings.HasPrefix(r.pk, "BETS#") // at its end
}
