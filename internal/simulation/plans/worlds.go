package plans

import (
	"math/rand/v2"
	"time"
)

// world plans what goes wrong beside single requests: with clocks, queues, the table as a
// whole, deployments.
func (p *planner) world(r *rand.Rand) {
	w, chance := p.plan, func(percent int) bool { return r.IntN(100) < percent }
	if p.more == 0 && chance(12) {
		p.crowded = true
	}
	if chance(15) {
		w.Skew = 400 * time.Millisecond // two clocks are most of a second apart
	}
	w.Jumps = w.Skew > 0 && chance(50)
	w.Copies = w.Tasks > 1 && chance(30)
	w.Log = chance(25)
	w.Lossy = w.Faults > 0 && !w.LateRecords && (chance(10) || p.crowded)
	w.Reads = chance(10)
	for w.Faults > 0 && chance(20) {
		from := time.Duration(r.IntN(60_000)) * time.Millisecond
		w.Bursts = append(w.Bursts, Span{From: from, To: from + time.Duration(1_000+r.IntN(9_000))*time.Millisecond})
	}
	if chance(12) {
		p.rollout(r)
	}
	if chance(5) {
		w.Raise = time.Duration(1_000+r.IntN(60_000)) * time.Millisecond
	}
	if chance(20) {
		w.Within = time.Duration(1_000+r.IntN(9_000)) * time.Millisecond
	}
}

// rollout plans a deployment, a third of them out of order: what old processes take of draws
// that are settled at once may then be late.
func (p *planner) rollout(r *rand.Rand) {
	code := time.Duration(r.IntN(20_000)) * time.Millisecond
	o := &Rollout{Code: code, Looks: code + RolloutTakes + time.Duration(r.IntN(10_000))*time.Millisecond,
		Within: Pick(r, []time.Duration{0, 3 * time.Second, 10 * time.Second})}
	if r.IntN(3) == 0 {
		o.Looks = time.Duration(r.Int64N(int64(code) + 1))
		p.plan.LateRecords = true
	}
	p.plan.Rollout = o
}
