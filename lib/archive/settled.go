package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"tally/lib/archive/commitment"
	"tally/lib/archive/entry"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
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

// commitments returns what a settlement commits to. It is made once: the secret
// in it is random, and every try must come to the same entry.
func (a *Archive) commitments(ctx context.Context, r records, state int, done map[string][]*record.Done) (*commitment.Set, error) {
	if item, made := r.Item(store.CommitmentKey(state)); made {
		return store.Decode[commitment.Set](item)
	}
	set := &commitment.Set{Secret: make([]byte, 32), Commitments: []commitment.Commitment{}}
	if _, err := io.ReadFull(a.Random, set.Secret); err != nil {
		return nil, fmt.Errorf("making a secret: %w", err)
	}
	for _, bookmaker := range slices.Sorted(maps.Keys(done)) {
		report := commitment.NewReport(set.Secret, bookmaker)
		var totals settlement.Totals
		for shard, d := range done[bookmaker] {
			totals.Merge(d.Totals)
			if err := a.addLines(ctx, report, store.ReportKey(r.ID, state, bookmaker, shard), d); err != nil {
				return nil, err
			}
		}
		set.Commitments = append(set.Commitments, report.Commit(totals))
	}
	// Before this write another try makes other commitments; after it every try,
	// this one too, takes those that were written first.
	item := store.Item{PK: store.DrawKey(r.ID), SK: store.CommitmentKey(state), Body: store.Encode(set), ExpiresAt: r.Head.RetainUntil}
	err := a.Table.Create(ctx, item)
	if exists := (*store.ExistsError)(nil); errors.As(err, &exists) {
		return store.Decode[commitment.Set](exists.Item)
	}
	return set, err
}

// addLines adds the lines of one shard's pages to a report.
func (a *Archive) addLines(ctx context.Context, to *commitment.Report, pk string, done *record.Done) error {
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
