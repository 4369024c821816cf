package settle

import (
	"fmt"
	"iter"
	"strings"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// group is a bet with its side wagers, settled together.
type group struct {
	reference string
	last      string // the sort key of its last record
	bets      []settlement.Bet
}

// recordPrefix begins the sort keys of a partition's records; without it they name
// a record.
var recordPrefix = store.BetKey("")

// recordOf names the record of a bet, or of a side wager of it.
func recordOf(reference, wager string) string {
	if wager == "" {
		return reference
	}
	return strings.TrimPrefix(store.WagerKey(reference, wager), recordPrefix)
}

// lateBy returns the late records that orders name, by bookmaker and record.
func lateBy(orders []wire.Late) map[string]bool {
	found := map[string]bool{}
	for _, order := range orders {
		if len(order.Records) == 0 {
			found[lateKey(order.Bookmaker, "")] = true
		}
		for _, record := range order.Records {
			found[lateKey(order.Bookmaker, record)] = true
		}
	}
	return found
}

func lateKey(bookmaker, record string) string { return bookmaker + "#" + record }

// recordsOf returns a bookmaker's late records by record.
func recordsOf(found map[string]bool, bookmaker string) map[string]bool {
	records := map[string]bool{}
	for key := range found {
		if record, mine := strings.CutPrefix(key, lateKey(bookmaker, "")); mine {
			records[record] = true
		}
	}
	return records
}

// record names the record of the group's i-th bet.
func (g *group) record(i int) string { return recordOf(g.reference, g.bets[i].Wager) }

// cancellation names the record of the group's cancellation.
func (g *group) cancellation() string {
	return strings.TrimPrefix(store.CancelKey(g.reference), recordPrefix)
}

// uncancelled returns the group's i-th bet as it was before its cancellation.
func (g *group) uncancelled(i int) *settlement.Bet {
	bet := g.bets[i]
	bet.CancelledAt = 0
	if i > 0 {
		bet.Base = g.uncancelled(0)
	}
	return &bet
}

// groups puts a partition's records together. A cancellation or a side wager
// may be the first record of the next page of a query, so a bet is finished only
// when the next reference is seen.
func (p *partition) groups(records iter.Seq2[store.StoredBet, error]) iter.Seq2[*group, error] {
	return func(yield func(*group, error) bool) {
		var open *group
		for record, err := range records {
			if err != nil {
				yield(nil, err)
				return
			}
			reference, part, _ := strings.Cut(strings.TrimPrefix(record.SK, recordPrefix), "#")
			if open != nil && open.reference != reference {
				if !yield(open.tie(), nil) {
					return
				}
				open = nil
			}
			if open == nil {
				open = &group{reference: reference}
			}
			if err := p.join(open, record, part); err != nil {
				yield(nil, err)
				return
			}
		}
		if open != nil {
			yield(open.tie(), nil)
		}
	}
}

// tie makes the side wagers of a whole group hang on its bet.
func (g *group) tie() *group {
	for i := range g.bets[min(1, len(g.bets)):] {
		g.bets[i+1].Base = &g.bets[0]
	}
	return g
}

// join adds a record to its bet's group. A refusal is no bet, and what hangs on
// one is none either.
func (p *partition) join(g *group, record store.StoredBet, part string) error {
	g.last = record.SK
	switch {
	case part == "cancel":
		if len(g.bets) > 0 && record.Refused == "" {
			g.bets[0].CancelledAt = record.AcceptedAt
		}
		return nil
	case record.Refused != "" || part != "" && len(g.bets) == 0:
		return nil
	}
	bet, err := p.read(record)
	if err != nil {
		return fmt.Errorf("bet %s of %s on draw %s: %w", record.SK, p.bookmaker, p.records.ID, err)
	}
	bet.Reference, bet.Wager = g.reference, part
	g.bets = append(g.bets, bet)
	return nil
}

// read decodes a stored bet. Stored bytes are suspect until verified: what could
// not have been accepted is an error.
func (p *partition) read(record store.StoredBet) (bet settlement.Bet, err error) {
	selection, err := p.selection(record.Selection)
	if err != nil {
		return bet, err
	}
	currency, known := money.ParseCurrency(record.Currency)
	switch {
	case !known:
		return bet, fmt.Errorf("unknown currency %q", record.Currency)
	case record.Stake < int64(money.MinStake) || record.Stake > int64(money.MaxStake):
		return bet, fmt.Errorf("stake %d is out of range", record.Stake)
	case record.Odds < 0 || record.Odds > int64(money.MaxOdds) || (record.Odds == 0) != p.records.Game.Paytable():
		return bet, fmt.Errorf("odds %d are out of range", record.Odds)
	case record.Rounding < 0 || record.Rounding > int64(money.Down):
		return bet, fmt.Errorf("unknown rounding %d", record.Rounding)
	}
	return settlement.Bet{Selection: selection, Odds: money.Odds(record.Odds), Stake: money.Amount(record.Stake), Currency: currency,
		Rounding: money.Rounding(record.Rounding), Bookmaker: p.bookmaker, Shop: record.Shop, Round: int(record.Round), AcceptedAt: record.AcceptedAt}, nil
}

// selection parses a selection once for all bets on it.
func (p *partition) selection(text string) (rules.Selection, error) {
	if known, ok := p.selections[text]; ok {
		return known, nil
	}
	selection, err := p.records.Game.Parse(text)
	if err != nil {
		return rules.Selection{}, err
	}
	if len(p.selections) < maxSelections {
		p.selections[text] = selection
	}
	return selection, nil
}

// maxSelections bounds how many parsed selections are kept.
const maxSelections = 1 << 14
