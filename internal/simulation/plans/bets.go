package plans

import (
	"fmt"
	"time"

	"tally/lib/pipeline/placing"
	"tally/lib/rulebook/rules"
)

// bets plans what a bookmaker sends about a draw.
func (p *planner) bets(d *drawPlan, bookmaker string) {
	count := 0
	bases := map[string]string{} // of blackjack: a bet's reference by its selection
	for i, s := range d.rounds {
		script := d.script.Rounds[i]
		bets := p.IntN(5)
		if d.crowded {
			bets *= 2
		}
		for range bets {
			count++
			at := p.within(s.opens-500*time.Millisecond, s.closes+1500*time.Millisecond)
			switch {
			case d.edge != "":
				at = p.atEdge(d, s)
			case d.crowded:
				at = p.rush(d, s)
			}
			request := placing.Request{Bookmaker: bookmaker, Draw: d.id, Stake: fmt.Sprintf("%d.%02d", 1+p.IntN(50), p.IntN(100)), Currency: "EUR"}
			switch {
			case len(script.Wagers) > 0:
				if !p.wager(&request, script, bases, d, bookmaker) {
					continue
				}
			default:
				request.Reference, request.Selection = fmt.Sprintf("b%d", count), Pick(p.Rand, script.Bets)
				request.Odds = d.script.offered(script, request.Selection)
				bases[request.Selection] = request.Reference
			}
			if p.chance(30) {
				request.Shop = "riga-7"
			}
			if request.Base == "" && p.chance(10) {
				request.Stake, request.Currency = "500", "JPY"
			}
			if p.chance(15) {
				p.spoil(&request, script)
			}
			p.place(at, request)
			if request.Reference != "" && p.chance(25) {
				p.cancels(p.within(at, s.closes+time.Second), &Cancel{Bookmaker: bookmaker, Draw: d.id, Reference: request.Reference})
			}
		}
	}
	if p.chance(10) {
		p.place(d.result, placing.Request{Bookmaker: bookmaker, Draw: "nothing-1", Reference: "b1", Selection: "red", Stake: "1.00", Currency: "EUR"})
	}
}

// wager makes a request a side wager of an earlier bet, if there is one.
func (p *planner) wager(request *placing.Request, script rules.ExampleRound, bases map[string]string, d *drawPlan, bookmaker string) bool {
	for _, selection := range d.script.Rounds[0].Bets { // not over the map: its order is random
		base, placed := bases[selection]
		wager, possible := script.Wagers[selection]
		if !placed || !possible || !p.chance(60) {
			continue
		}
		stake := ""
		for _, op := range p.plan.Ops {
			if op.Bet != nil && op.Bet.Bookmaker == bookmaker && op.Bet.Draw == d.id && op.Bet.Reference == base {
				stake, request.Currency = op.Bet.Stake, op.Bet.Currency
				break
			}
		}
		request.Base, request.Selection, request.Stake = base, wager, stake
		if wager == "insurance:6" {
			request.Stake = half(stake)
		}
		return true
	}
	return false
}

// half returns half a stake, rounded down to the minor unit.
func half(stake string) string {
	var whole, cents int
	if n, _ := fmt.Sscanf(stake, "%d.%d", &whole, &cents); n == 2 {
		total := (whole*100 + cents) / 2
		return fmt.Sprintf("%d.%02d", total/100, total%100)
	}
	return fmt.Sprint(whole / 2)
}

// spoil makes a request one that can't be accepted.
func (p *planner) spoil(request *placing.Request, script rules.ExampleRound) {
	switch p.IntN(7) {
	case 0:
		request.Odds = "1.01"
	case 1:
		request.Selection = "unheard_of"
	case 2:
		request.Stake = "1.5"
	case 3:
		request.Stake, request.Currency = "2000.00", "EUR"
	case 4:
		if script.Odds["player_black"] == "win" {
			request.Selection, request.Odds = "player_black", "1.93"
		}
	case 5:
		request.Currency = "XAU"
	case 6:
		request.Reference = "no such name"
		if request.Base != "" {
			request.Base = "b99"
		}
	}
}

// place plans a request and what the bookmaker does about its answer: the same
// again, or, by mistake, something else under the same reference.
func (p *planner) place(at time.Duration, request placing.Request) {
	p.plan.Ops = append(p.plan.Ops, &Op{At: max(0, at), Bet: &request})
	for p.chance(35) {
		again := request
		if p.chance(15) {
			again.Stake = "7.77"
		}
		delay := time.Duration(p.IntN(300)) * time.Millisecond
		switch {
		case p.edges != nil:
			delay = time.Duration(200+p.IntN(2_500)) * time.Millisecond
		case p.chance(40):
			delay = time.Duration(p.IntN(12_000)) * time.Millisecond
		}
		p.plan.Ops = append(p.plan.Ops, &Op{At: max(0, at) + delay, Bet: &again})
	}
}

func (p *planner) cancels(at time.Duration, c *Cancel) {
	for {
		p.plan.Ops = append(p.plan.Ops, &Op{At: max(0, at), Cancel: c})
		at += time.Duration(p.IntN(2000)) * time.Millisecond
		if !p.chance(40) {
			return
		}
	}
}
