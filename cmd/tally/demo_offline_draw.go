package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"tally/events"
	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/replay"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/strictjson"
)

// demoDraw is one draw of the demo: its messages so far and its bets.
type demoDraw struct {
	game    *rules.Game
	head    *draw.Head
	newest  *draw.State
	bets    []*events.Bet
	settled *settlement.State // the newest state, as bets are settled under; nil before

	revisions map[int]demoRevision
	decided   map[int]wire.DecidedMarks // by betting round
	scopes    map[string]settlement.Scope
}

// demoSettings keep the records for 400 days.
var demoSettings = draw.Settings{Shards: 1, RetainMillis: 400 * 24 * 3600 * 1000}

// demoRevision is a result or a cancellation.
type demoRevision struct {
	*wire.Message
	text demoText
}

// demoText is what only people read in a message of a draw: the facts as they
// were sent, and why a result is corrected.
type demoText struct {
	Facts      json.RawMessage `json:"facts"`
	Correction struct {
		Reason string `json:"reason"`
		Note   string `json:"note"`
	} `json:"correction"`
}

// newDemoDraw returns a draw that nothing is known of, with those of a game's
// bets that are on it.
func newDemoDraw(game *rules.Game, name string, bets []*events.Bet) *demoDraw {
	d := &demoDraw{game: game, head: draw.New(name),
		revisions: map[int]demoRevision{}, decided: map[int]wire.DecidedMarks{}, scopes: map[string]settlement.Scope{}}
	for _, bet := range bets {
		if bet.Draw == name {
			d.bets = append(d.bets, bet)
		}
	}
	return d
}

// take applies a message, stored the moment it was sent. base and next are the
// states before and after; they are the same when the message changes nothing
// that bets are settled by.
func (d *demoDraw) take(m *wire.Message, text demoText) (base, next *settlement.State, err error) {
	if err := d.head.Apply(m, 0, m.At, demoSettings); err != nil {
		return nil, nil, fmt.Errorf("applying %s to draw %s: %w", m.Type, m.Draw, err)
	}
	switch m.Type {
	case wire.BettingOpened:
		d.decided[m.Round] = m.Decided
	case wire.DrawResulted, wire.DrawCancelled:
		d.revisions[m.Revision] = demoRevision{m, text}
	case wire.BetsVoided:
		d.scopes[m.Order] = m.Scope
	}
	base = d.settled
	if state := d.head.Next(d.newest, d.game, m.At); state != nil {
		settled, err := d.state(state)
		if err != nil {
			return nil, nil, err
		}
		d.newest, d.settled = state, settled
	}
	return base, d.settled, nil
}

// state is a state of the draw as bets are settled under it.
func (d *demoDraw) state(s *draw.State) (*settlement.State, error) {
	revision := d.revisions[s.Revision]
	state := &settlement.State{Game: d.game, Number: s.Number, Cancelled: revision.Reason,
		Outcome: revision.Resolution.Outcome, Void: revision.Resolution.Void}
	state.Rounds = make([]settlement.Round, len(d.game.Rounds)) // those never opened take no bets
	for _, round := range s.Rounds {
		stops, err := round.Stops(d.game)
		if err != nil {
			return nil, err
		}
		state.Rounds[round.Number-1] = settlement.Round{OpensAt: round.OpensAt, Closing: round.Closing, Decided: d.decided[round.Number], Stops: stops}
	}
	for _, id := range s.Orders {
		state.Orders = append(state.Orders, settlement.Order{ID: id, Scope: d.scopes[id]})
	}
	return state, nil
}

// demoLine is what was reported of a bet: what held before, if anything did,
// and what holds now.
type demoLine struct {
	bet    *events.Bet
	before settlement.Settlement
	now    settlement.Line
}

// lines returns what changes from one state to the next.
func (d *demoDraw) lines(base, next *settlement.State) (lines []demoLine, err error) {
	if next == base {
		return nil, nil
	}
	for _, bet := range d.bets {
		now, changed, err := settlement.Between(&bet.Bet, base, next)
		if err != nil {
			return nil, err
		}
		if !changed {
			continue
		}
		line := demoLine{bet: bet, now: now}
		if base != nil {
			if line.before, err = settlement.Settle(&bet.Bet, base); err != nil {
				return nil, err
			}
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// byFacts reports whether the facts alone decide a settlement: it is none of a
// late, cancelled, decided or voided bet.
func byFacts(s settlement.Settlement) bool {
	switch s.Reason {
	case settlement.LateBet, settlement.CancelledByBookmaker, settlement.DecidedSelection, settlement.Voided:
		return false
	}
	return true
}

// settleOffline settles a bet again as a bookmaker's or an auditor's engineer
// would, by a line for `tally settle` with the facts as they were sent, and
// fails when something else comes out.
func (d *demoDraw) settleOffline(settler *replay.Settler, bet *events.Bet, settled settlement.Settlement) error {
	answer := settler.Answer(nil, d.line(bet))
	want := strictjson.Out(nil).Open().TextMember("bet", bet.Reference).TextMember("status", settled.Result.String()).
		TextMember("payout", amount(settled.Payout, bet.Currency))
	if settled.Reason != "" {
		want = want.TextMember("reason", settled.Reason)
	}
	want = want.TextMember("rule", settled.Rule).Close()
	if !bytes.Contains(answer, append([]byte(`"settlements":[`), want...)) {
		return fmt.Errorf("draw %s: `tally settle` does not answer %s but %s", bet.Draw, want, answer)
	}
	return nil
}

// line is the newest revision with one bet as `tally settle` reads it.
func (d *demoDraw) line(bet *events.Bet) []byte {
	line := strictjson.Out(nil).Open().TextMember("game", d.game.ID).TextMember("rounding", bet.Rounding.String())
	if revision := d.revisions[d.newest.Revision]; revision.Type == wire.DrawCancelled {
		line = line.TextMember("cancelled", revision.Reason)
	} else {
		line = line.Name("facts").Raw(revision.text.Facts)
	}
	line = line.Name("bets").OpenList().Open().
		TextMember("bet", bet.Reference).
		TextMember("selection", d.game.Text(bet.Selection)).
		TextMember("stake", amount(bet.Stake, bet.Currency)).
		TextMember("currency", bet.Currency.Code())
	if bet.Odds != 0 {
		line = line.TextMember("odds", bet.Odds.String())
	}
	return line.Close().CloseList().Close()
}
