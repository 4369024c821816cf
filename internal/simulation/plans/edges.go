package plans

import (
	"math/rand/v2"
	"time"
)

// edge is an end of what a settlement waits for, at which the bets of a draw are sent.
type edge string

const (
	// announced is a closing that is known long before it takes effect: until then bets
	// are taken, and the result comes sooner.
	announced edge = "announced"
	// soon is a round that is to open when the result is on its way: a process that has not
	// read it takes bets in that round, though the one before has long been over.
	soon edge = "soon"
	// resulted is a result that closes betting.
	resulted edge = "resulted"
)

// Edges returns the plan of a seed in which bets are under way just when a draw is settled
// first. They are sent at the ends of what that waits for; their writes, and those of
// results, take as long as they may and are lost with their processes, and bookmakers send
// them again at once. In a third of the plans nobody looks at a draw after a bet, in a third
// all do, in the others those shortly before a planned closing.
func Edges(seed uint64) *Plan { return newPlan(seed, 0, 0, rand.New(rand.NewPCG(seed, 5))) }

// edgeWorld has what is slow linger; what breaks the promise that no record is late is left
// to other plans.
func (p *planner) edgeWorld() {
	w := p.plan
	w.Lingers, w.Lossy, w.Faults, w.APIs, w.Tasks = true, true, 12, 6, 8
	w.LateRecords, w.LateWithin, w.Lag, w.Rollout, w.Bursts = false, 2*time.Second, 0, nil, nil
}

// edgeLooks decides who looks.
func (p *planner) edgeLooks() {
	p.plan.Looks, p.plan.Within = p.edges.IntN(3) > 0, 0
	if p.edges.IntN(2) == 0 {
		p.plan.Within = Pick(p.edges, []time.Duration{time.Second, 3 * time.Second, 6 * time.Second})
	}
}

func millis(r *rand.Rand, from, to int) time.Duration {
	return time.Duration(from+r.IntN(to-from)) * time.Millisecond
}

// edgeScript returns another script than one of a single round, mostly.
func (p *planner) edgeScript(s script) script {
	for n := 0; n < 3 && len(s.Rounds) == 1; n++ {
		s = Pick(p.edges, scripts())
	}
	if p.edges.IntN(3) > 0 {
		s = scripts()[0] // whose second round takes bets, and not only side wagers
	}
	return s
}

// edge gives a draw one.
func (p *planner) edge(d *drawPlan) {
	d.crowded, d.edge = true, Pick(p.edges, []edge{announced, soon, soon, resulted})
	if d.edge == soon && len(d.rounds) == 1 {
		d.edge = announced
	}
	d.ahead = d.edge == announced
	millis := func(from, to int) time.Duration { return millis(p.edges, from, to) }
	at := d.rounds[0].opens
	for i := range d.rounds {
		length, gap := millis(4_000, 12_000), millis(500, 4_000)
		if d.ahead {
			length += 12 * time.Second
		}
		if d.edge == soon {
			gap = millis(11_000, 16_000)
		}
		d.rounds[i] = span{opens: at, closes: at + length}
		at += length + gap
	}
	n := p.edges.IntN(len(d.rounds))
	switch d.edge {
	case soon: // a result is on its way for up to four seconds
		d.result = d.rounds[max(1, n)].opens - millis(1_700, 2_800)
	default:
		d.result = d.rounds[n].closes - millis(1_000, 6_000)
	}
}

// atEdge returns when a bet of a round is sent: as late as it is taken by who knows of no
// result, often within what a process remembers.
func (p *planner) atEdge(d *drawPlan, s span) time.Duration {
	end := d.result
	if d.edge == soon && s.closes < end { // side wagers need them
		return s.opens + time.Duration(p.edges.Int64N(int64(s.closes-s.opens)/2000))*1000
	}
	switch {
	case end < s.opens && end > s.opens-5*time.Second:
		end = s.opens + 700*time.Millisecond
	case end < s.opens || end > s.closes:
		end = s.closes
	default: // it is stored a while after it was sent
		end += millis(p.edges, 1_200, 3_800)
	}
	before := 1_500
	if p.edges.IntN(2) == 0 {
		before = 150
	}
	return max(s.opens, end+time.Duration(150-p.edges.IntN(before+150))*time.Millisecond)
}
