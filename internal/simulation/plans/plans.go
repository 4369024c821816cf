// Package plans makes up who sends what to tally in a run of the simulation, and when: the
// messages of a studio, with those that come late, twice or wrong, and the requests of
// bookmakers. A plan follows from its seed.
package plans

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"tally/lib/pipeline/placing"
)

// Plan is who sends what and when. It follows from its seed.
type Plan struct {
	Seed      uint64
	Shards    int
	PageLines int // of a report
	PageBytes int // of a query's answer
	APIs      int // processes that answer bookmakers
	Tasks     int // handlers at work at once; 1 runs one after the other
	Faults    int // at most
	Skew      time.Duration
	// WrongClock is how far off the clock of one more API process is, and of one that
	// takes messages; zero for none.
	WrongClock time.Duration
	// LateWithin bounds how long a request whose answer was lost is on its way. A
	// bet that is longer on its way than the first run waits is a late record.
	LateWithin  time.Duration
	LateRecords bool // there may be some: writes of bets are lost and late more often
	// CancelAfter is how long after its last closing a draw without a result is
	// cancelled; zero for never.
	CancelAfter time.Duration
	// HoldAbove is the money by currency that a correction may move before it is held;
	// empty for any.
	HoldAbove string
	Lag       time.Duration // how far intake hangs behind the studio, at most
	// Torn says that the items of a transaction become visible one after the other.
	Torn bool
	// Stale says that replicas which are behind answer reads that need not be consistent.
	Stale bool
	// Start is when the run starts, after the Epoch.
	Start time.Duration
	// Tables says that the studio suspends and resumes tables, which those that take bets ask for.
	Tables bool
	Reads  bool // acme has programs that read, and webhooks
	// Looks says that who takes bets looks at the draw after each, and that results are
	// settled at once.
	Looks bool
	// Within is how long before its planned closing a round's bets are looked after; zero for
	// always.
	Within time.Duration
	// Lingers says that what is late, or slow, takes as long as it may.
	Lingers bool
	// Jumps says that the clocks of processes are set forwards and backwards, within Skew.
	Jumps bool
	// Bursts are when nearly nothing more can be asked of the table.
	Bursts []Span
	// Copies says that messages are now and then delivered to two handlers at once.
	Copies bool
	// Log says that archive appends to a log of files, which reconcile watches; without it the
	// log is a list.
	Log bool
	// Lossy says that writes of bets are often lost with the process that made them, and
	// arrive after all.
	Lossy   bool
	Rollout *Rollout // nil for none
	// Raise is when a second version of the first draw's game is released; zero for never.
	Raise  time.Duration
	Traced bool // notes every request
	Draws  []string
	Ops    []*Op // by time

	// What each message was made for.
	Good, Bad map[string]bool // bodies that have to be stored, or quarantined
}

// Span is a stretch of a run, in times since its start.
type Span struct{ From, To time.Duration }

// Covers reports whether a time is in it.
func (s Span) Covers(at time.Duration) bool { return s.From <= at && at < s.To }

// Rollout is the deployment, in the middle of a run, of a version whose processes look at a
// draw after a bet, over one that knows of no looks. For a while both are at work.
type Rollout struct {
	Code  time.Duration // when the first process is of the new version
	Looks time.Duration // when results are set to be settled at once; in order it is after Done
	// Within is how long before its planned closing a round's bets are looked after then; zero
	// for always.
	Within time.Duration
}

// RolloutTakes is how long after the first process of a new version the last one is.
const RolloutTakes = 8 * time.Second

// Ordered reports whether results are settled at once only when no old process takes bets any more.
func (r *Rollout) Ordered() bool { return r.Looks >= r.Code+RolloutTakes }

// MayBeLate reports whether a settlement may meet records that it did not know of.
func (p *Plan) MayBeLate() bool { return p.LateRecords || p.Looks || p.Rollout != nil }

// Op is something sent to tally from outside.
type Op struct {
	At     time.Duration // since the start
	Queue  string        // studio or orders, for a message
	Body   string
	Lag    time.Duration // how long the message waits before it can be taken up
	Bet    *placing.Request
	Cancel *Cancel
	// Reconcile says that the schedule calls reconcile.
	Reconcile bool
	// Release says that an operator releases all settlements that are held.
	Release bool
}

// Cancel is a bookmaker's wish to take a bet back.
type Cancel struct{ Bookmaker, Draw, Reference string }

// Describe returns an op as a failing run prints it.
func (o *Op) Name() string {
	switch {
	case o.Bet != nil && o.Bet.Base != "":
		return fmt.Sprintf("%s places %s on %s of %s, stake %s", o.Bet.Bookmaker, o.Bet.Selection, o.Bet.Base, o.Bet.Draw, o.Bet.Stake)
	case o.Bet != nil:
		return fmt.Sprintf("%s places %s on %s: %s at %s, stake %s %s", o.Bet.Bookmaker, o.Bet.Reference, o.Bet.Draw, o.Bet.Selection, o.Bet.Odds, o.Bet.Stake, o.Bet.Currency)
	case o.Cancel != nil:
		return fmt.Sprintf("%s cancels %s on %s", o.Cancel.Bookmaker, o.Cancel.Reference, o.Cancel.Draw)
	case o.Reconcile:
		return "reconcile"
	case o.Release:
		return "release"
	}
	return o.Queue + " " + Describe(o.Body)
}

// String returns the op as a line of a plan.
func (o *Op) String() string {
	line := fmt.Sprintf("%8.3fs  %s", o.At.Seconds(), o.Name())
	if o.Queue != "" {
		line += "\n           " + o.Body
	}
	return line
}

// Describe names a message for people.
func Describe(body string) string {
	var m struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Draw     string `json:"draw"`
		Round    int    `json:"round"`
		Revision int    `json:"revision"`
		Order    string `json:"order"`
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		return fmt.Sprintf("%.40q", body)
	}
	text := strings.TrimSpace(m.ID + " " + m.Type + " " + m.Draw)
	switch {
	case m.Round > 0:
		text += fmt.Sprintf(" round %d", m.Round)
	case m.Revision > 0:
		text += fmt.Sprintf(" revision %d", m.Revision)
	case m.Order != "":
		text += " " + m.Order
	}
	return text
}

// Epoch is when every run starts: the clock of a synctest bubble.
var Epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func TimeText(at time.Duration) string {
	return Epoch.Add(at).Format("2006-01-02T15:04:05.000Z")
}

// New returns the plan of a seed. Each eighth is one of Edges.
func New(seed uint64) *Plan {
	if seed%8 == 0 {
		return Edges(seed)
	}
	return NewLong(seed, 0, 0)
}

// NewLong returns the plan of a seed, which starts a while after the Epoch. With so many
// draws more, betting rounds are as many times longer and results come together: a lot is
// settled at once.
func NewLong(seed uint64, start time.Duration, more int) *Plan {
	return newPlan(seed, start, more, nil)
}

// newPlan returns the plan of a seed, with edges one of Edges.
func newPlan(seed uint64, start time.Duration, more int, edges *rand.Rand) *Plan {
	r := rand.New(rand.NewPCG(seed, 1))
	p := &planner{Rand: r, more: more, edges: edges, plan: &Plan{
		Seed: seed, Start: start, Shards: 1 + r.IntN(4)*r.IntN(2), PageLines: 4 + r.IntN(3), PageBytes: Pick(r, []int{1, 300, 1000, 1 << 20}),
		APIs: 1 + r.IntN(3), Tasks: Pick(r, []int{1, 2, 4, 6}), Faults: Pick(r, []int{0, 3, 12}),
		Skew:        Pick(r, []time.Duration{0, 40 * time.Millisecond}),
		LateWithin:  2 * time.Second,
		CancelAfter: Pick(r, []time.Duration{0, 40 * time.Second}),
		Good:        map[string]bool{}, Bad: map[string]bool{},
	}}
	if p.chance(25) {
		p.plan.Lag = Pick(r, []time.Duration{5 * time.Second, 30 * time.Second, 90 * time.Second})
	}
	if p.chance(20) {
		p.plan.LateRecords, p.plan.LateWithin = true, time.Duration(15+r.IntN(60))*time.Second
	}
	if p.world(rand.New(rand.NewPCG(seed, 4))); edges != nil {
		p.edgeWorld()
	}
	for n := range 1 + r.IntN(3) + more {
		p.draw(n)
	}
	p.plan.Torn = p.chance(40)
	if p.plan.Looks = p.chance(60) && p.plan.Rollout == nil; edges != nil {
		p.edgeLooks()
	}
	for range r.IntN(3) {
		p.plan.Ops = append(p.plan.Ops, &Op{At: time.Duration(30_000+r.IntN(120_000)) * time.Millisecond, Reconcile: true})
	}
	if p.plan.LateRecords { // they are audited, and corrected, while handlers still fail
		for n := range 14 {
			p.plan.Ops = append(p.plan.Ops, &Op{At: time.Duration(n+1) * time.Minute, Reconcile: true})
		}
	}
	slices.SortStableFunc(p.plan.Ops, func(a, b *Op) int { return int(a.At - b.At) })
	p.plan.Stale = p.chance(60)
	return p.plan
}

func Pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// planner makes a plan.
type planner struct {
	*rand.Rand
	plan *Plan
	more int
	ids  int
	// crowded says that the bets of draws crowd around the ends of betting.
	crowded bool
	edges   *rand.Rand // of a plan of Edges; nil for none
}

// time writes a time since the start.
func (p *planner) time(at time.Duration) string { return TimeText(p.plan.Start + at) }

// chance is true in so many of a hundred cases.
func (p *planner) chance(percent int) bool { return p.IntN(100) < percent }

// within returns a time from a to b, in milliseconds, and often one of the two or
// right beside them: that is where rules are broken.
func (p *planner) within(a, b time.Duration) time.Duration {
	b = max(a, b)
	switch p.IntN(8) {
	case 0:
		return a
	case 1:
		return b - time.Millisecond
	case 2:
		return b
	}
	return a + time.Duration(p.Int64N(int64((b-a)/time.Millisecond)+1))*time.Millisecond
}

// drawPlan is a draw as the studio means it to go.
type drawPlan struct {
	script script
	id     string
	number int
	rounds []span
	result time.Duration
	// crowded says that bets crowd around the end of betting; ahead that its closings are
	// announced long before they take effect.
	crowded, ahead bool
	edge           edge // none where it is empty
}

type span struct{ opens, closes time.Duration }

// crowd changes a draw so that bets are under way when its betting ends, in a way of which
// some is known long before and some late: its rounds are long, or far apart, closings are
// announced ahead, and the result comes within a round or shortly before a planned one.
func (p *planner) crowd(d *drawPlan) {
	d.crowded, d.ahead = true, p.chance(50)
	at := d.rounds[0].opens
	for i := range d.rounds {
		length := time.Duration(3_000+p.IntN(10_000)) * time.Millisecond
		if d.ahead {
			length += 12 * time.Second
		}
		d.rounds[i] = span{opens: at, closes: at + length}
		at = d.rounds[i].closes + time.Duration(p.IntN(2)*11_000+p.IntN(4_000))*time.Millisecond
	}
	last := Pick(p.Rand, d.rounds)
	d.result = last.closes - time.Duration(p.IntN(3_000))*time.Millisecond
	if p.chance(40) {
		d.result = last.opens - time.Duration(1_000+p.IntN(2_000))*time.Millisecond
	}
}

// rush returns a time at which bets of a crowded draw are sent: about when betting ends, or
// a planned round begins.
func (p *planner) rush(d *drawPlan, s span) time.Duration {
	at := d.result
	switch {
	case at < s.opens-3*time.Second || at > s.closes+3*time.Second:
		at = s.closes
	case at < s.opens: // the result is on its way
		return s.opens + time.Duration(p.IntN(500))*time.Millisecond
	}
	return max(s.opens, at-time.Second) + time.Duration(p.IntN(1800))*time.Millisecond
}

// draw plans one draw: its messages and the bets on it.
func (p *planner) draw(n int) {
	d := &drawPlan{script: Pick(p.Rand, scripts()), number: n}
	if p.edges != nil {
		d.script = p.edgeScript(d.script)
	}
	d.id = fmt.Sprintf("%s-%d.%d", d.script.game, n, 7+n)
	p.plan.Draws = append(p.plan.Draws, d.id)
	at := 5*time.Second + time.Duration(p.IntN(10_000))*time.Millisecond
	for range d.script.Rounds {
		s := span{opens: at}
		s.closes = s.opens + time.Duration(2000+p.IntN(6000))*time.Millisecond*time.Duration(max(1, p.more))
		d.rounds = append(d.rounds, s)
		at = s.closes + time.Duration(p.IntN(4000))*time.Millisecond
	}
	d.result = at + time.Duration(p.IntN(5000))*time.Millisecond
	if p.chance(10) { // long before it should be over
		d.result = p.within(d.rounds[0].opens, at)
	}
	if p.more > 0 {
		d.result = 4 * time.Minute
	}
	switch {
	case p.edges != nil:
		p.edge(d)
	case p.crowded:
		p.crowd(d)
	}
	p.messages(d)
	for _, bookmaker := range []string{"acme", "borealis", "cresta"}[:1+p.IntN(3)] {
		p.bets(d, bookmaker)
	}
}

// send plans a message, most with a short delay, some out of order, some twice.
func (p *planner) send(queue string, at time.Duration, m map[string]any, made map[string]bool) {
	p.ids++
	m["schema"], m["id"], m["at"] = 1, fmt.Sprintf("m%d", p.ids), p.time(at)
	body, err := json.Marshal(m)
	if err != nil {
		panic(err) // of texts and numbers only
	}
	p.sendText(queue, at, string(body), made)
	if p.chance(10) { // the studio's own repetition has another id and time
		p.ids++
		m["id"], m["at"] = fmt.Sprintf("m%d", p.ids), p.time(at+time.Second)
		if body, err = json.Marshal(m); err != nil {
			panic(err)
		}
		p.sendText(queue, at+time.Second, string(body), made)
	}
}

func (p *planner) sendText(queue string, at time.Duration, body string, made map[string]bool) {
	if made != nil {
		made[body] = true
	}
	for {
		delay := time.Duration(p.IntN(300)) * time.Millisecond
		if p.chance(12) && p.edges == nil {
			delay = time.Duration(p.IntN(40_000)) * time.Millisecond
		}
		if p.plan.Lag > 0 && queue == "studio" { // intake hangs behind: it is sent in time
			lag := time.Duration(p.Int64N(int64(p.plan.Lag)))
			p.plan.Ops = append(p.plan.Ops, &Op{At: max(0, at) + delay, Queue: queue, Body: body, Lag: lag})
			return
		}
		p.plan.Ops = append(p.plan.Ops, &Op{At: max(0, at) + delay, Queue: queue, Body: body})
		if !p.chance(12) {
			return
		}
	}
}
