//go:build !auditor

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tally/internal/studio"
	"tally/lib/draw/report"
	"tally/lib/rulebook/money"
	"tally/lib/store"
	"tally/lib/store/record"
)

// demoBooks is what the bookmakers know: each reads its feed in order and keeps,
// for each bet, the line of the highest state.
type demoBooks struct {
	table   *store.Table
	entries map[string][]report.Entry // by bookmaker, as read so far
	lines   map[demoKey]demoReport
}

// demoReport is a line as it was reported, and what became of it.
type demoReport struct {
	Bet       string `json:"bet"`
	Wager     string `json:"wager"`
	Status    string `json:"status"`
	Stake     string `json:"stake"`
	Payout    string `json:"payout"`
	Currency  string `json:"currency"`
	Reason    string `json:"reason"`
	Rule      string `json:"rule"`
	State     int    `json:"state"`
	Replaces  int    `json:"replaces"`
	corrected bool   // it, or one before it, replaced another
}

func newDemoBooks(table *store.Table) *demoBooks {
	return &demoBooks{table: table, entries: map[string][]report.Entry{}, lines: map[demoKey]demoReport{}}
}

// read reads what is new in every feed.
func (b *demoBooks) read(ctx context.Context) error {
	for _, bookmaker := range studio.Bookmakers {
		position := int64(len(b.entries[bookmaker.ID]))
		for item, err := range b.table.After(ctx, store.FeedKey(bookmaker.ID), store.EntryKey(position)) {
			if err == nil && item.SK == store.CounterKey {
				continue
			}
			var entry *report.Entry
			if err == nil {
				entry, err = store.Decode[report.Entry](item)
			}
			if err != nil {
				return fmt.Errorf("reading the feed of %s: %w", bookmaker.ID, err)
			}
			position++
			if entry.Sequence != position {
				return fmt.Errorf("the feed of %s has entry %d where %d follows", bookmaker.ID, entry.Sequence, position)
			}
			if err := b.pages(ctx, bookmaker.ID, *entry); err != nil {
				return fmt.Errorf("reading report %d of %s: %w", entry.Sequence, bookmaker.ID, err)
			}
			b.entries[bookmaker.ID] = append(b.entries[bookmaker.ID], *entry)
		}
	}
	return nil
}

// pages reads the pages of a report.
func (b *demoBooks) pages(ctx context.Context, bookmaker string, entry report.Entry) error {
	for _, shard := range entry.Shards {
		count := 0
		for lines, err := range record.Report(ctx, b.table, store.ReportKey(entry.Draw, entry.State, bookmaker, shard.Shard), shard.Pages) {
			if err != nil {
				return err
			}
			for text := range bytes.Lines(lines) {
				count++
				if err := b.keep(bookmaker, entry.Draw, text); err != nil {
					return err
				}
			}
		}
		if count != shard.Lines {
			return fmt.Errorf("shard %d has %d lines instead of %d", shard.Shard, count, shard.Lines)
		}
	}
	return nil
}

// keep keeps a line unless one of a higher state is known.
func (b *demoBooks) keep(bookmaker, draw string, text []byte) error {
	var line demoReport
	if err := json.Unmarshal(text, &line); err != nil {
		return fmt.Errorf("reading a line: %w", err)
	}
	key := demoKey{draw: draw, bookmaker: bookmaker, bet: line.Bet, wager: line.Wager}
	known, has := b.lines[key]
	if has && known.State >= line.State {
		return nil
	}
	line.corrected = line.Replaces > 0 || known.corrected
	b.lines[key] = line
	return nil
}

// reported returns the lines of a draw that were reported after a state.
func (b *demoBooks) reported(draw string, after int) (lines []demoReport) {
	for key, line := range b.lines {
		if key.draw == draw && line.State > after {
			lines = append(lines, line)
		}
	}
	return lines
}

// demoSum adds up lines.
type demoSum struct {
	bets, won, lost, refunded, corrected int
	staked, paid                         map[string]money.Sum // by currency
}

func newDemoSum() *demoSum {
	return &demoSum{staked: map[string]money.Sum{}, paid: map[string]money.Sum{}}
}

// add adds a line.
func (s *demoSum) add(line demoReport) error {
	currency, known := money.ParseCurrency(line.Currency)
	if !known {
		return fmt.Errorf("a line is in %q", line.Currency)
	}
	stake, err := money.ParseAmount(line.Stake, currency)
	if err != nil {
		return fmt.Errorf("a line's stake is %q: %w", line.Stake, err)
	}
	payout, err := money.ParseAmount(line.Payout, currency)
	if err != nil {
		return fmt.Errorf("a line's payout is %q: %w", line.Payout, err)
	}
	s.bets++
	switch line.Status {
	case "won":
		s.won++
	case "lost":
		s.lost++
	case "refunded":
		s.refunded++
	default:
		return fmt.Errorf("a line's status is %q", line.Status)
	}
	if line.corrected {
		s.corrected++
	}
	s.staked[line.Currency] = plus(s.staked[line.Currency], stake)
	s.paid[line.Currency] = plus(s.paid[line.Currency], payout)
	return nil
}

func plus(sum money.Sum, a money.Amount) money.Sum {
	sum.Add(a)
	return sum
}

// currencies are those of the sum, by code.
func (s *demoSum) currencies() []string { return slices.Sorted(maps.Keys(s.staked)) }

// money is what was staked in a currency, what was paid out, and what the bookmaker
// keeps of it, as it is written.
func (s *demoSum) money(code string) (staked, paid, net string) {
	currency, known := money.ParseCurrency(code)
	in, tooMuch := s.staked[code].Amount()
	out, tooMany := s.paid[code].Amount()
	if !known || tooMuch != nil || tooMany != nil {
		return "?", "?", "?" // no demo comes to that
	}
	text := func(a money.Amount) string { return string(money.AppendAmount(nil, a, currency)) }
	return text(in), text(out), text(in - out)
}

// inWords says what was staked and what was paid out.
func (s *demoSum) inWords() string {
	var parts []string
	for _, code := range s.currencies() {
		staked, paid, _ := s.money(code)
		parts = append(parts, fmt.Sprintf("%s %s staked, %s paid out", code, staked, paid))
	}
	return strings.Join(parts, "; ")
}
