package archive

import (
	"bytes"
	"context"
	"fmt"

	"tally/lib/archive/commitment"
	"tally/lib/archive/entry"
	"tally/lib/store/record"
)

// settlement returns the entry of a settlement that was closed, the one at a
// place in settled.
func (a *Archive) settlement(ctx context.Context, r records, settled []int, at int) (*entry.Settlement, error) {
	state := settled[at]
	done, err := r.Settlement(state)
	if err != nil {
		return nil, err
	}
	e := r.settled(settled, at, done, a.ShowTotals)
	set, err := a.commitments(ctx, r, state, done)
	if err != nil {
		return nil, err
	}
	e.Bookmakers = set.Short()
	return e, nil
}

// settled returns the entry of a settlement but for its commitments.
func (r records) settled(settled []int, at int, done map[string][]*record.Done, showTotals bool) *entry.Settlement {
	e := &entry.Settlement{Draw: r.ID, Game: r.Head.Game, State: settled[at], ShowTotals: showTotals}
	if at > 0 {
		e.Replaces = settled[at-1]
	}
	for _, shards := range done {
		for _, shard := range shards {
			e.Totals.Merge(shard.Totals)
		}
	}
	return e
}

// addLines adds the lines of one shard's pages to a report.
func (a *Archive) addLines(ctx context.Context, to *commitment.Content, pk string, done *record.Done) error {
	got := 0
	for lines, err := range record.Report(ctx, a.Table, pk, done.Pages) {
		if err != nil {
			return err
		}
		for line := range bytes.Lines(lines) {
			to.Add(bytes.TrimSuffix(line, []byte("\n")))
			got++
		}
	}
	if got != done.Lines {
		return fmt.Errorf("%s has %d lines, %d were reported", pk, got, done.Lines)
	}
	return nil
}
