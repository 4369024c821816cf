package exploration

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/placing"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// scope is who does what in one draw, and what may go wrong.
type scope struct {
	name      string
	blackjack bool // for side wagers; else roulette
	before    []op // bets that are stored before
	processes []process
	revisions int
	workers   int // that settle
	budget    budget
	torn      bool     // items of a transaction become visible one after the other
	items     bool     // a query of the draw's own items is read item by item, too
	waiting   []string // messages to settle that are there before the result
	// settled begins when the first result was settled, and the correction is stored; those
	// who take bets have read HEAD, and written the registry, before all that.
	settled bool
	plant   plant
	most    int // states

	stops map[string][]string
}

func (s *scope) game() string {
	if s.blackjack {
		return "blackjack"
	}
	return "roulette"
}

// closing is when a betting round closed, to those who have the result.
func (s *scope) closing(round settlement.Instant) settlement.Instant {
	if s.blackjack && round == 1 {
		return secondRound
	}
	return resulted
}

// queue keeps what is sent to it.
type queue struct{ messages *[]string }

// Send implements the senders of intake.
func (q queue) Send(_ context.Context, body string, _ time.Duration) error {
	*q.messages = append(*q.messages, body)
	return nil
}

// begin is the table before anything of the scope happens.
func (x *explorer) begin() uint32 {
	db := fakedynamo.New(x.t, tableName)
	table := store.New(db, tableName)
	say := func(body string) {
		at := atOf(body)
		if err := x.intake(table, nowhere{}, at).Handle(context.Background(), intake.Delivery{Body: []byte(body), SentAt: at, From: intake.Studio}); err != nil {
			x.t.Fatal(err)
		}
	}
	text := instant.Format
	if x.scope.blackjack {
		say(x.scope.message("open", opens-1000, `"type":"draw.opened","sequence":1,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, text(opens), text(secondRound)))
	} else {
		say(x.scope.message("open", opens-1000, `"type":"draw.opened","sequence":1,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, text(opens), text(closes)))
	}
	a := &placing.Acceptor{Table: table, Terms: terms, Now: fixed(opens + 2000), Record: discard{}, Looks: nowhere{}}
	for _, o := range x.scope.before {
		if answer := o.carryOut(context.Background(), a); answer != "stored accepted" {
			x.t.Fatalf("%s: %s", o, answer)
		}
	}
	if x.scope.blackjack {
		say(x.scope.message("round2", secondRound, `"type":"betting.opened","round":2,"opens_at":%q,"closes_at":%q,"visible":{"dealer":["AS"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D"]}]}]}`,
			text(secondRound), text(closes)))
	}
	x.scope.stopAt()
	return x.tables.read(db)
}

// first is the state in which a scope begins.
func (x *explorer) first() state {
	s := state{table: x.begin(), left: x.scope.budget}
	for i, p := range x.scope.processes {
		s.slots[i] = x.start(x.placing(p))
	}
	for _, body := range x.scope.waiting {
		s.queue = x.put(s.queue, body)
	}
	if !x.scope.settled {
		return s
	}
	for i := range x.scope.processes {
		for n := x.nodes.values[s.slots[i]]; ; n = x.nodes.values[s.slots[i]] {
			r := x.requests.values[n.request]
			if n.request == 0 || !strings.HasSuffix(r.short, store.HeadKey) && !strings.Contains(r.short, store.PartPrefix) {
				break
			}
			table, answer, _ := x.apply(s.table, n.request, r)
			s.table, s.slots[i] = table, x.answered(s.slots[i], answer)
		}
	}
	db := x.tables.open(s.table)
	table := store.New(db, tableName)
	for number := 1; number <= 2; number++ {
		body := x.scope.revision(number)
		at := atOf(body)
		err := x.intake(table, nowhere{}, at).Handle(context.Background(), intake.Delivery{Body: []byte(body), SentAt: at, From: intake.Studio})
		if err == nil && number == 1 {
			err = x.settler(table, nowhere{}, &probe{explorer: x}).Handle(context.Background(), theDraw)
		}
		if err != nil {
			x.t.Fatal(err)
		}
	}
	s.table, s.queue, s.said = x.tables.read(db), x.put(s.queue, run), uint8(x.scope.revisions)
	return s
}

// stopAt has queries stop at each record of a bet, there or not, and between the bookmakers
// of the registry.
func (s *scope) stopAt() {
	s.stops = map[string][]string{}
	add := func(pk, sk string) {
		if !slices.Contains(s.stops[pk], sk) {
			s.stops[pk] = append(s.stops[pk], sk)
			slices.Sort(s.stops[pk])
		}
	}
	ops := slices.Clone(s.before)
	for _, p := range s.processes {
		ops = append(ops, p.ops...)
	}
	for _, o := range ops {
		add(store.DrawKey(theDraw), store.PartKey(o.bookmaker))
		add(o.partition(), o.record())
	}
	parts := s.stops[store.DrawKey(theDraw)]
	s.stops[store.DrawKey(theDraw)] = parts[:len(parts)-1] // the last is read with the rest
}

// run explores a scope and says what it came to.
func (s scope) run(t *testing.T) (x *explorer, wrong string) {
	t.Helper()
	s.most = cmp.Or(s.most, 3_000_000)
	x = newExplorer(t, &s)
	wrong = x.explore()
	t.Logf("%s: %d states, %d steps, %d at rest, %d tables; the handlers were run %d times", s.name, len(x.states), len(x.edges), x.calm, len(x.tables.contents.values), x.runs)
	return x, wrong
}

// explored runs a scope by a clock that moves only when a handler pauses.
func explored(t *testing.T, s scope) {
	t.Run(s.name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			if _, wrong := s.run(t); wrong != "" {
				t.Error(wrong)
			}
		})
	})
}
