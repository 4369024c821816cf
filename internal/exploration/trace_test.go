package exploration

import (
	"fmt"
	"slices"
	"strings"
)

// trace writes the steps to a state, and one more.
func (x *explorer) trace(to uint32, last *move) string {
	var steps []string
	if last != nil {
		steps = append(steps, x.step(x.states[to], *last))
	}
	for ; to != 0; to = x.from[to] {
		steps = append(steps, x.step(x.states[x.from[to]], x.by[to]))
	}
	slices.Reverse(steps)
	return strings.Join(steps, "\n")
}

func (x *explorer) step(s state, m move) string {
	who, what := "", ""
	if at := s.slots[m.slot]; at != 0 {
		n := x.nodes.values[at]
		if who = n.program.name; x.settles(int(m.slot)) {
			who = fmt.Sprintf("%s %d (%s)", who, m.slot, n.program.message)
		}
		if n.request != 0 {
			what = x.requests.values[n.request].short
		}
		if n.of != 0 {
			what += fmt.Sprintf(" after %s", n.through)
		}
	}
	switch m.kind {
	case proceeds:
		return who + " " + what
	case crashes:
		return who + " ends before it " + what
	case crashesAfter:
		return who + " " + what + ", and ends a little later"
	case loses:
		return who + " " + what + ": it gets no answer, and this lands later"
	case fails:
		return who + " " + what + ": this fails"
	case failsAfter:
		return who + " " + what + ": this is done, and its answer is lost"
	case starts:
		return fmt.Sprintf("settle %d takes %s", m.slot, x.messages.values[m.what])
	case startsTwice:
		return fmt.Sprintf("settle %d takes %s, which will come once more", m.slot, x.messages.values[m.what])
	case says:
		return fmt.Sprintf("the studio sends revision %d", s.said+1)
	case lands:
		return "what was lost lands: " + x.requests.values[m.what].short
	case shows:
		return "becomes visible: " + x.tables.keys.values[m.what].text
	}
	return "reconcile looks, minutes later"
}
