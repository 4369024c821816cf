package settle

import (
	"context"
	"fmt"
	"slices"

	"tally/lib/draw/report"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// History computes what the reports to a bookmaker have said of its bets on a
// draw, by the states that it was notified of and the bets themselves. It says the
// same as the reports' lines, without reading them.
//
// The exception is what a settlement run missed: for the minutes until reconcile has found
// it, the history says under the old state what the report will say under a new one.
type History struct {
	partition *partition
	reported  []reported
}

// reported is a state that the bookmaker was notified of.
type reported struct {
	state *settlement.Basis
	late  map[string]bool // records that this state's run was the first to know
}

// LoadHistory reads the history of a draw for a bookmaker.
func LoadHistory(ctx context.Context, d *record.Draw, bookmaker string) (*History, error) {
	if d.Unknown != nil {
		return nil, fmt.Errorf("draw %s: %w", d.ID, d.Unknown)
	}
	if err := d.LoadHistory(ctx); err != nil {
		return nil, err
	}
	states, err := d.Reported(ctx, bookmaker)
	if err != nil {
		return nil, err
	}
	h := &History{partition: &partition{records: d, bookmaker: bookmaker, selections: map[string]rules.Selection{}}}
	known := map[string]bool{}
	for _, number := range states {
		state, found, err := d.Resolve(ctx, number)
		if err != nil {
			return nil, err
		}
		fresh := recordsOf(lateBy(found), bookmaker)
		for record := range fresh {
			if known[record] || len(h.reported) == 0 {
				delete(fresh, record)
			}
			known[record] = true
		}
		h.reported = append(h.reported, reported{state: state, late: fresh})
	}
	return h, nil
}

// Accounts returns the accounts of whole bets, by their stored records in the
// order of the table; refusals have none.
func (h *History) Accounts(records []store.StoredBet) ([]record.Account, error) {
	var accounts []record.Account
	byKey := make(map[string]store.StoredBet, len(records))
	sequence := func(yield func(store.StoredBet, error) bool) {
		for _, bet := range records {
			if byKey[bet.SK] = bet; !yield(bet, nil) {
				return
			}
		}
	}
	for g, err := range h.partition.groups(sequence) {
		if err != nil {
			return nil, err
		}
		for i := range g.bets {
			lines, err := h.lines(g, i)
			if err != nil {
				return nil, err
			}
			accounts = append(accounts, record.Account{Bet: byKey[recordPrefix+g.record(i)], Reference: g.reference, Wager: g.bets[i].Wager,
				CancelledAt: g.bets[0].CancelledAt, Lines: lines})
		}
	}
	return accounts, nil
}

// lines computes the lines of a group's bet as the settlement runs have reported them: from
// the one on that knew the bet, with its cancellation from the one on that knew that.
func (h *History) lines(g *group, i int) ([]report.Line, error) {
	lines := []report.Line{}
	var before settlement.BetResult
	first := max(h.since(g.reference), h.since(g.record(i)))
	cancelled := h.since(g.cancellation())
	for n, t := range h.reported {
		if n < first {
			continue
		}
		bet := &g.bets[i]
		if n < cancelled {
			bet = g.uncancelled(i)
		}
		now, err := settlement.Settle(bet, t.state)
		if err != nil {
			return nil, err
		}
		switch {
		case n == first:
			lines = append(lines, report.LineOf(bet, now, t.state.Number, 0))
		case before != now:
			lines = append(lines, report.LineOf(bet, now, t.state.Number, h.reported[n-1].state.Number))
		}
		before = now
	}
	return lines, nil
}

// since returns the place of the state whose run was the first to know a record.
func (h *History) since(record string) int {
	return max(0, slices.IndexFunc(h.reported, func(t reported) bool { return t.late[record] }))
}
