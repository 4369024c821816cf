package plans

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tally/lib/rulebook/rules"
)

// Message starts a message of a draw on a game's table of a number.
func Message(kind, game string, table int, draw string) map[string]any {
	return map[string]any{"type": kind, "game": game, "table": fmt.Sprintf("%s-%d", game, table), "draw": draw}
}

func (d *drawPlan) message(kind string) map[string]any {
	return Message(kind, d.script.game, d.number, d.id)
}

// messages plans what the studio and the operator send about a draw.
func (p *planner) messages(d *drawPlan) {
	boardAtOpening := p.chance(30)
	if !p.chance(4) { // else its opening is missing
		p.opening(d, boardAtOpening)
	}
	for i, s := range d.rounds {
		p.round(d, i, s, boardAtOpening)
	}
	if p.chance(8) {
		p.junk(d)
	}
	if !p.chance(6) { // else its result is missing
		p.revisions(d)
	}
	p.orders(d)
}

func (p *planner) opening(d *drawPlan, board bool) {
	m := d.message("draw.opened")
	m["sequence"] = 7 + d.number
	var rounds []any
	for i, s := range d.rounds {
		if i > 0 && p.chance(25) {
			break // the later rounds are known only by their own openings
		}
		rounds = append(rounds, map[string]any{"round": i + 1, "opens_at": p.time(s.opens), "closes_at": p.time(s.closes)})
	}
	m["rounds"] = rounds
	if odds := d.script.Rounds[0].Odds; board && odds != nil {
		m["odds"] = odds
	}
	p.send("studio", d.rounds[0].opens-time.Duration(p.IntN(4000))*time.Millisecond, m, p.plan.Good)
}

func (p *planner) round(d *drawPlan, i int, s span, boardAtOpening bool) {
	script := d.script.Rounds[i]
	for range p.IntN(4) * p.IntN(2) { // some of what is bet on is closed before the round
		closed := p.within(s.opens, s.closes)
		m := d.message("betting.closed")
		m["round"], m["closed_at"], m["selections"] = i+1, p.time(closed), p.selections(script)
		p.send("studio", closed+time.Duration(p.IntN(300))*time.Millisecond, m, nil) // two of one set are a conflict
	}
	if !p.chance(5) {
		m := d.message("betting.opened")
		m["round"], m["opens_at"], m["closes_at"] = i+1, p.time(s.opens), p.time(s.closes)
		if script.Visible != "" {
			m["visible"] = json.RawMessage(script.Visible)
		}
		made := p.plan.Good
		if script.Odds != nil && (i > 0 || !boardAtOpening) {
			m["odds"] = script.Odds
		}
		if p.chance(3) { // it contradicts the opening of the draw: one of the two is a conflict
			p.unsure(d, "draw.opened", 0)
			m["closes_at"], made = p.time(s.closes+time.Second), nil
		}
		before := 200 * time.Millisecond
		if d.edge == soon { // nothing else of the draw is stored while its result is on its way
			before = 5 * time.Second
		}
		p.send("studio", s.opens-before, m, made)
	}
	if p.chance(80) {
		closed := p.within(s.opens+(s.closes-s.opens)/2, s.closes)
		m := d.message("betting.closed")
		m["round"], m["closed_at"] = i+1, p.time(closed)
		sent := closed + time.Duration(p.IntN(300))*time.Millisecond
		if d.ahead {
			m["closed_at"], sent = p.time(s.closes), s.opens+time.Duration(p.IntN(2000))*time.Millisecond
		}
		p.send("studio", sent, m, p.plan.Good)
		if p.chance(5) { // another closing of the round: one of the two is a conflict
			other := d.message("betting.closed")
			other["round"], other["closed_at"] = i+1, p.time(closed-time.Second)
			p.unsure(d, "betting.closed", i+1)
			p.send("studio", closed, other, nil)
		}
	}
}

// selections picks some of what is bet on in a round, or families of it.
func (p *planner) selections(script rules.ExampleRound) (list []string) {
	for range 1 + p.IntN(2) {
		selection := ""
		if len(script.Wagers) > 0 {
			selection = Pick(p.Rand, slices.Sorted(maps.Values(script.Wagers)))
		} else {
			selection = Pick(p.Rand, script.Bets)
		}
		if at := strings.LastIndex(selection, ":"); at > 0 && p.chance(60) {
			selection = selection[:at] + ":*"
		}
		list = append(list, selection)
	}
	return list
}

// unsure takes back that messages of a kind have to be stored: which of two that
// contradict each other is, depends on which comes first.
func (p *planner) unsure(d *drawPlan, kind string, number int) {
	for _, op := range p.plan.Ops {
		var m struct {
			Type, Draw      string
			Round, Revision int
		}
		if err := json.Unmarshal([]byte(op.Body), &m); err == nil && m.Type == kind && m.Draw == d.id && m.Round+m.Revision == number {
			delete(p.plan.Good, op.Body)
		}
	}
}

// junk plans messages that can't be right.
func (p *planner) junk(d *drawPlan) {
	at := p.within(0, d.result)
	m := d.message("betting.closed")
	m["round"] = 1
	switch p.IntN(7) {
	case 5: // a slip that would use up the revisions
		p.result(d, at, 1000, d.script.Facts[0], p.plan.Bad)
		return
	case 6: // it is taken or not, by how many came before it
		p.result(d, p.within(at, d.result+30*time.Second), 6+p.IntN(4), d.script.Facts[0], nil)
		return
	case 0:
		m["closed_at"], m["closedAt"] = p.time(at), p.time(at)
	case 1:
		m["closed_at"] = "2000-01-01 00:00:00"
	case 2:
		m["round"], m["closed_at"] = 9, p.time(at)
	case 3:
		m["type"], m["closed_at"] = "betting.reopened", p.time(at)
	case 4:
		p.ids++
		p.sendText("studio", at, fmt.Sprintf(`{"schema":1,"id":"m%d","schema":1`, p.ids), p.plan.Bad)
		return
	}
	p.send("studio", at, m, p.plan.Bad)
}

// revisions plans results, corrections and cancellations.
func (p *planner) revisions(d *drawPlan) {
	at := d.result
	corrections := p.IntN(2) * p.IntN(3)
	if p.plan.LateRecords {
		corrections = 1 + p.IntN(4)
	}
	for revision := 1; revision <= 1+corrections; revision++ {
		if p.chance(12) {
			p.result(d, at-time.Second, revision, d.script.Wrong, p.plan.Bad)
		}
		if p.chance(18) {
			m := d.message("draw.cancelled")
			m["revision"], m["reason"] = revision, d.script.Cancel
			p.send("studio", at, m, p.plan.Good)
		} else {
			p.result(d, at, revision, Pick(p.Rand, d.script.Facts), p.plan.Good)
		}
		if p.chance(4) { // the same revision with something else in it
			for _, kind := range []string{"draw.cancelled", "draw.resulted"} {
				p.unsure(d, kind, revision)
			}
			m := d.message("draw.cancelled")
			m["revision"], m["reason"] = revision, "connection_lost"
			p.send("studio", at, m, nil)
		}
		at += time.Duration(p.IntN(40_000)) * time.Millisecond
		if p.plan.LateRecords && p.chance(30) { // when they are audited
			at += 10 * time.Minute
		}
	}
}

func (p *planner) result(d *drawPlan, at time.Duration, revision int, facts string, made map[string]bool) {
	m := d.message("draw.resulted")
	m["revision"], m["facts"] = revision, json.RawMessage(facts)
	if revision > 1 {
		m["correction"] = map[string]any{"reason": "video_review"}
	}
	p.send("studio", at, m, made)
}

// orders plans orders to void bets, and revocations.
func (p *planner) orders(d *drawPlan) {
	if !p.chance(35) {
		return
	}
	for n := range 1 + p.IntN(2) {
		id := fmt.Sprintf("ord-%d", n)
		at := p.within(0, d.result+30*time.Second)
		m := d.message("bets.voided")
		m["order"], m["reason"], m["evidence"], m["scope"] = id, "display_fault", "photograph", p.scope(d)
		queue, made := "orders", p.plan.Good
		if p.chance(6) { // not the studio's to send
			queue, made = "studio", p.plan.Bad
		}
		p.send(queue, at, m, made)
		if p.chance(45) {
			m := d.message("order.revoked")
			m["order"], m["revokes"], m["reason"], m["evidence"] = id+"-revoked", id, "claim_withdrawn", "letter"
			p.send("orders", at+time.Duration(p.IntN(30_000))*time.Millisecond, m, p.plan.Good)
		}
	}
}

func (p *planner) scope(d *drawPlan) map[string]any {
	switch p.IntN(5) {
	case 0:
		return map[string]any{"bookmaker": "acme", "shop": "riga-7"}
	case 1:
		return map[string]any{"round": len(d.rounds)}
	case 2:
		return map[string]any{"accepted_from": p.time(d.rounds[0].opens + time.Second)}
	case 3:
		return map[string]any{"bookmaker": "borealis", "accepted_to": p.time(d.rounds[0].closes)}
	}
	return map[string]any{"bookmaker": "acme", "bets": []string{"b1", "b3"}}
}
