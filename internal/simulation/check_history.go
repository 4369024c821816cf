package simulation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tally/lib/pipeline/settle"
	"tally/lib/store"
	storedrecord "tally/lib/store/record"
)

// histories verifies that the history that an API computes of each bet says what the
// reports have said of it, line by line.
func (c *checker) histories(t *truth) {
	for bookmaker, f := range c.feeds {
		d, err := storedrecord.Open(context.Background(), c.table, t.id)
		var history *settle.History
		if err == nil {
			history, err = settle.LoadHistory(context.Background(), d, bookmaker)
		}
		if err != nil {
			c.problem("draw %s: the history of %s: %v", t.id, bookmaker, err)
			continue
		}
		for shard := range t.shards {
			var records []store.StoredBet
			for record, err := range c.table.Bets(context.Background(), store.BetsKey(t.id, bookmaker, shard), "") {
				if err != nil {
					c.problem("draw %s: the bets of %s: %v", t.id, bookmaker, err)
				}
				records = append(records, record)
			}
			accounts, err := history.Accounts(records)
			if err != nil {
				c.problem("draw %s: the accounts of %s: %v", t.id, bookmaker, err)
			}
			for _, account := range accounts {
				var computed []string
				for _, l := range account.Lines {
					computed = append(computed, said(l.State, l.Replaces, l.Status, l.Payout, l.Reason))
				}
				told := f.told[t.id+" "+account.Reference+" "+account.Wager]
				if !slices.Equal(computed, told) {
					c.problem("draw %s: %s was notified of %s %s: %s; its history is %s", t.id, bookmaker, account.Reference, account.Wager,
						strings.Join(told, ", "), strings.Join(computed, ", "))
				}
			}
		}
	}
}

// said is what a line says, in short.
func said(state, replaces int, status, payout, reason string) string {
	return strings.TrimSpace(fmt.Sprintf("%d for %d %s %s %s", state, replaces, status, payout, reason))
}
