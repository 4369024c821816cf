package exploration

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tally/lib/draw/wire"
)

// maxSlots is how many handlers can be at work: API processes, then one that takes the
// studio's messages, then those that settle.
const maxSlots = 8

// state is a state of the whole. The numbers are those of what is interned.
type state struct {
	table uint32
	queue uint32           // messages to be settled or looked at, as lists of their numbers
	late  uint32           // requests that are lost to who made them and still under way
	torn  uint32           // items of transactions that are decided and not visible yet
	slots [maxSlots]uint32 // positions; 0 where nobody is at work
	left  budget           // what may still go wrong
	said  uint8            // revisions that the studio has sent
	phase uint8
}

// The phases of a run. Second looks come when all else has come to rest, and reconcile
// when these have, too.
const (
	atWork uint8 = iota
	lookedAgain
	reconciled
	over
)

// budget is what may go wrong in a run.
type budget struct {
	writers uint8 // API processes that end anywhere
	workers uint8 // handlers of messages that do; the message comes again
	lost    uint8 // puts of API processes that get no answer and land later
	twice   uint8 // messages that are delivered twice
	faults  uint8 // requests that fail, applied or not
}

// move is a step from one state to another.
type move struct {
	kind moveKind
	slot uint8
	what uint32
}

type moveKind uint8

const (
	proceeds moveKind = iota
	crashes
	crashesAfter
	loses
	fails
	failsAfter
	starts
	startsTwice
	says
	lands
	shows
	reconciles
)

type explorer struct {
	t     *testing.T
	scope *scope

	tables   *tables
	requests *interned[*request]
	nodes    *interned[*node]
	next     map[[2]uint32]uint32 // positions after answers
	asked    map[[2]uint32]bool   // which items a query asks for
	messages *interned[string]
	lists    *interned[[]uint32]
	pages    *interned[[]uint32]
	places   map[place]uint32
	answers  map[uint32]uint32 // pages as answers
	handlers map[string]uint32
	faulty   map[uint32]string // what is wrong with tables
	reports  map[uint32]report
	quiet    map[uint32]rest // what reconcile makes of tables
	runs     int             // of handlers

	numbers map[state]uint32
	states  []state
	from    []uint32
	by      []move
	edges   [][2]uint32
	good    []uint32
	calm    int
}

func newExplorer(t *testing.T, s *scope) *explorer {
	return &explorer{t: t, scope: s, tables: newTables(t), requests: newInterned[*request](), nodes: newInterned[*node](), next: map[[2]uint32]uint32{},
		asked: map[[2]uint32]bool{}, messages: newInterned[string](), lists: newInterned[[]uint32](), pages: newInterned[[]uint32](), places: map[place]uint32{}, answers: map[uint32]uint32{}, handlers: map[string]uint32{},
		faulty: map[uint32]string{}, reports: map[uint32]report{}, quiet: map[uint32]rest{}, numbers: map[state]uint32{}}
}

// list is the number of a list, in any order.
func (x *explorer) list(values []uint32) uint32 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	text := make([]byte, 0, 4*len(values))
	for _, n := range values {
		text = binary.LittleEndian.AppendUint32(text, n)
	}
	return x.lists.number(string(text), func() []uint32 { return values })
}

func (x *explorer) listed(number uint32) []uint32 { return slices.Clone(x.lists.values[number]) }

// put adds a message to the queue. One that waits already and says the same is enough: it
// is received after this one was sent.
func (x *explorer) put(queue uint32, body string) uint32 {
	list, n := x.listed(queue), x.messages.number(body, func() string { return body })
	if slices.Contains(list, n) {
		return queue
	}
	return x.list(append(list, n))
}

func (x *explorer) take(list, value uint32) uint32 {
	values := x.listed(list)
	at := slices.Index(values, value)
	return x.list(slices.Delete(values, at, at+1))
}

// The slots of a scope.
func (x *explorer) taker() int          { return len(x.scope.processes) }
func (x *explorer) workers() (int, int) { return x.taker() + 1, x.taker() + 1 + x.scope.workers }
func (x *explorer) settles(slot int) bool {
	from, to := x.workers()
	return from <= slot && slot < to
}

// explore goes through all states. It returns what is wrong with the first that is not
// as it should be, with the steps to it.
func (x *explorer) explore() (wrong string) {
	x.add(x.first(), 0, move{})
	for at := 0; at < len(x.states); at++ {
		if len(x.states) > x.scope.most {
			return fmt.Sprintf("it was cut at %d states", len(x.states))
		}
		x.expand(x.states[at], func(m move, next state, found string) {
			if found == "" {
				found = x.check(next)
			}
			if found != "" && wrong == "" {
				wrong = found + "\n" + x.trace(uint32(at), &m)
			}
			if wrong == "" {
				x.edges = append(x.edges, [2]uint32{uint32(at), x.add(next, uint32(at), m)})
			}
		})
		if wrong != "" {
			return wrong
		}
	}
	return x.stuck()
}

func (x *explorer) add(s state, from uint32, by move) uint32 {
	if x.scope.workers == 2 { // which of them does what does not matter
		if a, b := x.workers(); s.slots[a] > s.slots[b-1] && len(x.lists.values[s.torn]) == 0 {
			s.slots[a], s.slots[b-1] = s.slots[b-1], s.slots[a]
		}
	}
	n, known := x.numbers[s]
	if !known {
		n = uint32(len(x.states))
		x.numbers[s] = n
		x.states, x.from, x.by = append(x.states, s), append(x.from, from), append(x.by, by)
		if s.phase == over {
			x.good = append(x.good, n)
		}
	}
	return n
}

// stuck finds a state from which the end can't be reached.
func (x *explorer) stuck() string {
	before := make([][]uint32, len(x.states))
	for _, e := range x.edges {
		before[e[1]] = append(before[e[1]], e[0])
	}
	reaches := make([]bool, len(x.states))
	for todo := slices.Clone(x.good); len(todo) > 0; {
		n := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; reaches[n] {
			continue
		}
		reaches[n] = true
		todo = append(todo, before[n]...)
	}
	if n := slices.Index(reaches, false); n >= 0 {
		return "the settled end can't be reached from here\n" + x.trace(uint32(n), nil)
	}
	return ""
}

// expand finds the states that follow.
func (x *explorer) expand(s state, yield func(move, state, string)) {
	for slot, at := range s.slots {
		if at != 0 && x.nodes.values[at].request != 0 {
			x.proceed(s, slot, yield)
		}
	}
	x.land(s, yield)
	calm := x.atRest(s)
	taker := x.taker()
	if int(s.said) < x.scope.revisions && s.slots[taker] == 0 {
		next := s
		next.said++
		next.slots[taker] = x.start(x.taking(x.scope.revision(int(next.said))))
		yield(move{kind: says, slot: uint8(taker)}, next, "")
	}
	from, to := x.workers()
	for slot := from; slot < to; slot++ {
		if s.slots[slot] != 0 {
			continue
		}
		for _, m := range x.lists.values[s.queue] {
			if isSecond(x.messages.values[m]) && !calm {
				continue
			}
			next := s
			next.slots[slot] = x.handler(x.messages.values[m])
			if calm && isSecond(x.messages.values[m]) {
				next.phase = max(next.phase, lookedAgain)
			}
			if s.left.twice > 0 {
				twice := next
				twice.left.twice--
				yield(move{startsTwice, uint8(slot), m}, twice, "")
			}
			next.queue = x.take(s.queue, m)
			yield(move{starts, uint8(slot), m}, next, "")
		}
		break // the workers are alike
	}
	if calm && s.queue == 0 && s.phase != over {
		next, found := x.reconcile(s)
		yield(move{kind: reconciles}, next, found)
	}
}

// secondLook is the message of a look that nobody asked for, fifteen seconds after a
// settlement.
var secondLook = wire.Encode(wire.Run{Draw: theDraw, Look: &wire.Look{}})

func isSecond(body string) bool { return body == secondLook }

// atRest tells whether nothing is under way but second looks.
func (x *explorer) atRest(s state) bool {
	if s.late != 0 || s.torn != 0 || int(s.said) < x.scope.revisions {
		return false
	}
	for _, at := range s.slots {
		if at != 0 && x.nodes.values[at].request != 0 {
			return false
		}
	}
	return !slices.ContainsFunc(x.lists.values[s.queue], func(m uint32) bool { return !isSecond(x.messages.values[m]) })
}

// proceed lets a handler's next request be carried out, or fail.
func (x *explorer) proceed(s state, slot int, yield func(move, state, string)) {
	n := x.nodes.values[s.slots[slot]]
	r := x.requests.values[n.request]
	if x.blocked(s, slot, r) {
		return
	}
	m := move{slot: uint8(slot)}
	x.crash(s, slot, yield)
	if r.write && r.message == "" && slot < x.taker() && s.left.lost > 0 {
		next := s
		next.left.lost--
		next.late = x.list(append(x.listed(s.late), n.request))
		m.kind = loses
		x.enter(next, slot, x.answered(s.slots[slot], x.lostAnswer()), m, yield)
	}
	if s.left.faults > 0 && n.of == 0 {
		x.fault(s, slot, yield)
	}
	m.kind = proceeds
	x.carry(s, slot, m, yield)
}

func (x *explorer) lostAnswer() uint32 { return x.tables.result(nil, errLost) }

// fault lets a request fail: it is not applied, or its answer is lost.
func (x *explorer) fault(s state, slot int, yield func(move, state, string)) {
	n := x.nodes.values[s.slots[slot]]
	r := x.requests.values[n.request]
	next := s
	next.left.faults--
	at := x.answered(s.slots[slot], x.lostAnswer())
	x.enter(next, slot, at, move{fails, uint8(slot), 0}, yield)
	if !r.write {
		return
	}
	found := ""
	if r.message != "" {
		next.queue = x.put(next.queue, r.message)
	} else {
		next.table, _, found = x.apply(next.table, n.request, r)
	}
	if found != "" {
		yield(move{failsAfter, uint8(slot), 0}, next, found)
		return
	}
	x.enter(next, slot, at, move{failsAfter, uint8(slot), 0}, yield)
}

// crash ends a handler before its next request.
func (x *explorer) crash(s state, slot int, yield func(move, state, string)) {
	next, m := s, move{kind: crashes, slot: uint8(slot)}
	n := x.nodes.values[s.slots[slot]]
	switch {
	case slot < x.taker():
		if s.left.writers == 0 || n.before == 0 {
			return // one that has not begun is one that never comes
		}
		next.left.writers--
		notes := append(slices.Clone(n.notes), "crashed")
		next.slots[slot] = x.nodes.number(fmt.Sprintf("end %s %q", n.program.name, notes), func() *node {
			said, _ := parse(notes)
			return &node{program: n.program, notes: notes, said: said}
		})
	case s.left.workers == 0:
		return
	case slot == x.taker():
		next.left.workers--
		next.slots[slot] = x.start(n.program)
	default:
		next.left.workers--
		next.slots[slot], next.queue = 0, x.put(s.queue, n.program.message)
	}
	next.torn = x.orphan(s.torn, slot)
	yield(m, next, "")
}

// carry carries out the next request, or the next step of a query.
func (x *explorer) carry(s state, slot int, m move, yield func(move, state, string)) {
	at := s.slots[slot]
	n := x.nodes.values[at]
	r := x.requests.values[n.request]
	next := s
	switch {
	case r.message != "":
		next.queue = x.sent(s, slot, r.message)
		x.enter(next, slot, x.answered(at, x.tables.result(nil, nil)), m, yield)
	case r.query != nil:
		x.enter(next, slot, x.page(s.table, at, n, r), m, yield)
	default:
		table, answer, found := x.apply(s.table, n.request, r)
		if found != "" {
			yield(m, next, found)
			return
		}
		if x.scope.torn && r.write && len(r.keys) > 1 && table != s.table {
			next.torn = x.tear(s, slot, table, r)
			yield(m, next, "")
			return
		}
		next.table = table
		x.enter(next, slot, x.answered(at, answer), m, yield)
	}
}

// sent is the queue after a message was sent.
func (x *explorer) sent(s state, slot int, body string) uint32 {
	if x.scope.plant.dedupe && strings.Contains(body, `"look"`) {
		from, to := x.workers()
		for _, at := range s.slots[from:to] {
			if at != 0 && x.nodes.values[at].program.message == body {
				return s.queue // "it is being served"
			}
		}
	}
	return x.put(s.queue, body)
}

// apply carries out a request on the table.
func (x *explorer) apply(table, number uint32, r *request) (next, answer uint32, wrong string) {
	at := [2]uint32{table, number}
	done, known := x.tables.steps[at]
	if !known {
		done = x.applied(table, number, r)
		x.tables.steps[at] = done
	}
	return done.table, done.result, done.wrong
}

func (x *explorer) applied(table, number uint32, r *request) step {
	e := x.tables.carry(number, r, table)
	done := step{table: table, result: e.result}
	for i, key := range r.keys {
		was := x.tables.at(table, key)
		if was == e.items[i] {
			continue
		}
		done.table = x.tables.with(done.table, []uint32{key}, []uint32{e.items[i]})
		if name := x.tables.keys.values[key]; was != 0 && once.MatchString(name.text) {
			done.wrong = name.text + " was written twice, with other bytes"
		} else if stops := x.scope.stops[name.pk]; strings.HasPrefix(name.pk, "BETS#") && !slices.Contains(stops, name.sk) {
			x.t.Fatalf("%s is none of the keys at which queries stop: %v", name.text, stops)
		}
	}
	if done.wrong == "" {
		done.wrong = x.checkTable(done.table)
	}
	return done
}

// enter brings a handler to a position, and carries out what nobody else can notice.
func (x *explorer) enter(s state, slot int, at uint32, m move, yield func(move, state, string)) {
	s.slots[slot] = at
	n := x.nodes.values[at]
	if n.bad != "" {
		yield(m, s, n.bad)
		return
	}
	if n.request == 0 {
		x.ended(s, slot, n, m, yield)
		return
	}
	r := x.requests.values[n.request]
	if x.blocked(s, slot, r) || !x.alone(s, slot, n, r) {
		yield(m, s, "")
		return
	}
	if r.write {
		x.crash(s, slot, func(_ move, next state, found string) { yield(move{crashesAfter, uint8(slot), 0}, next, found) })
	}
	x.carry(s, slot, m, yield)
}

// ended sees to a handler that has ended.
func (x *explorer) ended(s state, slot int, n *node, m move, yield func(move, state, string)) {
	if slot < x.taker() {
		yield(m, s, "")
		return
	}
	s.slots[slot] = 0
	again := len(n.notes) == 0 || n.notes[len(n.notes)-1] != "done"
	if slot == x.taker() {
		if again {
			s.slots[slot] = x.start(n.program)
		}
		yield(m, s, "")
		return
	}
	back := s
	if back.queue = x.put(s.queue, n.program.message); again {
		yield(m, back, "")
		return
	}
	if s.left.workers > 0 {
		back.left.workers--
		yield(move{crashesAfter, uint8(slot), 0}, back, "")
	}
	yield(m, s, "")
}
