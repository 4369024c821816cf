//go:build !auditor

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tally/internal/studio"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/replay"
	"tally/lib/rulebook/settlement"
	"tally/lib/strictjson"
)

// demoFinding is one thing that was checked.
type demoFinding struct {
	what  string
	wrong []string // empty when it holds
}

// check compares what was reported to bookmakers with what they bet, and with the same
// draws settled offline.
func (d *demoDay) check(ctx context.Context) ([]demoFinding, error) {
	offline, err := d.offline()
	if err != nil {
		return nil, err
	}
	letters, err := d.deadLetters(ctx)
	if err != nil {
		return nil, err
	}
	return []demoFinding{
		{fmt.Sprintf("each of the %d bets that were answered as stored is in its bookmaker's feed, and no other", len(d.accepted)), d.compareBets()},
		{fmt.Sprintf("%d of them, which the facts decide, come out the same by `tally settle`, offline", len(offline)), d.compareOffline(offline)},
		{fmt.Sprintf("the other %d have their stake back: taken back in time, or voided by the order", len(d.accepted)-len(offline)), d.compareRefunds()},
		{"every message was answered, and no queue has a dead letter", letters},
	}, nil
}

// compareBets compares the accepted bets with the lines.
func (d *demoDay) compareBets() (wrong []string) {
	known := map[demoKey]bool{}
	for key, b := range d.accepted {
		known[key] = true
		switch line, told := d.books.lines[key]; {
		case !told:
			wrong = append(wrong, fmt.Sprintf("%s of %s on %s has no line", b.Reference, b.Bookmaker, b.Draw.Table))
		case line.Stake != b.Stake || line.Currency != b.Currency:
			wrong = append(wrong, fmt.Sprintf("%s of %s on %s was %s %s and is %s %s", b.Reference, b.Bookmaker, b.Draw.Table, b.Stake, b.Currency, line.Stake, line.Currency))
		}
	}
	for key := range d.books.lines {
		if !known[key] {
			wrong = append(wrong, fmt.Sprintf("%s of %s on %s has a line and was never accepted", key.bet, key.bookmaker, key.draw))
		}
	}
	return wrong
}

// refund is why a bet's stake comes back whatever the facts say, as the studio
// and the bookmakers know it; empty when the facts decide.
func (d *demoDay) refund(b *studio.ScriptBet) string {
	switch {
	case d.taken[d.key(b)]:
		return settlement.CancelledByBookmaker
	case b.Voids():
		return settlement.Voided
	}
	return ""
}

// compareRefunds compares the lines of bets that the facts don't decide.
func (d *demoDay) compareRefunds() (wrong []string) {
	for key, b := range d.accepted {
		reason, line := d.refund(b), d.books.lines[key]
		if reason != "" && (line.Status != "refunded" || line.Reason != reason || line.Payout != b.Stake) {
			wrong = append(wrong, fmt.Sprintf("%s of %s on %s is %s %s, not refunded as %s", b.Reference, b.Bookmaker, b.Draw.Table, line.Status, line.Reason, reason))
		}
	}
	return wrong
}

// demoAnswer is a settlement as `tally settle` answers it.
type demoAnswer struct {
	Bet    string `json:"bet"`
	Status string `json:"status"`
	Payout string `json:"payout"`
	Reason string `json:"reason"`
}

// offline settles the bets that the facts decide by `tally settle`: a line for
// each draw and way of rounding.
func (d *demoDay) offline() (map[demoKey]demoAnswer, error) {
	answers := map[demoKey]demoAnswer{}
	var settler replay.Settler
	for _, draw := range d.script.Draws {
		for _, bookmaker := range studio.Bookmakers {
			bets := slices.DeleteFunc(slices.Collect(maps.Values(d.accepted)), func(b *studio.ScriptBet) bool {
				return b.Draw != draw || b.Bookmaker != bookmaker.ID || d.refund(b) != ""
			})
			if len(bets) == 0 {
				continue
			}
			text := settler.Respond(nil, d.settleLine(draw, bookmaker.Rounding, bets))
			var answer struct {
				Settlements []demoAnswer `json:"settlements"`
			}
			if err := json.Unmarshal(text, &answer); err != nil {
				return nil, fmt.Errorf("reading an answer of `tally settle`: %w", err)
			}
			if len(answer.Settlements) != len(bets) {
				return nil, fmt.Errorf("`tally settle` answers %d of %d bets on %s: %.200s", len(answer.Settlements), len(bets), draw.Table, text)
			}
			for i, settled := range answer.Settlements {
				answers[d.key(bets[i])] = settled
			}
		}
	}
	return answers, nil
}

// settleLine is a draw with bets as `tally settle` reads it.
func (d *demoDay) settleLine(draw *studio.Draw, rounding money.Rounding, bets []*studio.ScriptBet) []byte {
	line := strictjson.Out(nil).Open().TextMember("game", draw.Game.ID).TextMember("rounding", rounding.String())
	if draw.Cancelled != "" {
		line = line.TextMember("cancelled", draw.Cancelled)
	} else {
		line = line.Name("facts").Raw([]byte(draw.Facts))
	}
	line = line.Name("bets").OpenList()
	for _, b := range bets {
		key := d.key(b)
		line = line.Open().TextMember("bet", strings.TrimSuffix(key.bet+" "+key.wager, " ")).TextMember("selection", b.Selection).
			TextMember("stake", b.Stake).TextMember("currency", b.Currency)
		if b.Odds != "" {
			line = line.TextMember("odds", b.Odds)
		}
		line = line.Close()
	}
	return line.CloseList().Close()
}

// compareOffline compares the lines with what was settled offline.
func (d *demoDay) compareOffline(offline map[demoKey]demoAnswer) (wrong []string) {
	for key, answer := range offline {
		line := d.books.lines[key]
		if line.Status != answer.Status || line.Payout != answer.Payout || line.Reason != answer.Reason {
			wrong = append(wrong, fmt.Sprintf("%s of %s on %s is %s %s %s, offline %s %s %s", key.bet, key.bookmaker, key.draw,
				line.Status, line.Payout, line.Reason, answer.Status, answer.Payout, answer.Reason))
		}
	}
	return wrong
}

// deadLetters returns the queues of dead letters that are not empty.
func (d *demoDay) deadLetters(ctx context.Context) (wrong []string, err error) {
	depths, err := sqsqueue.NewCounter(d.client, d.urls).Depths(ctx)
	if err != nil {
		return nil, err
	}
	for name, messages := range depths {
		if strings.HasSuffix(name, "-dead") && messages > 0 {
			wrong = append(wrong, fmt.Sprintf("%s has %d messages", name, messages))
		}
	}
	return wrong, nil
}
