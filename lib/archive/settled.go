package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tally/lib/archive/commitment"
	"tally/lib/archive/entry"
	"tally/lib/draw/report"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// settlement returns the entry of a settlement that was closed, the one at a
// place in swept.
func (a *Archive) settlement(ctx context.Context, r *records, at int) (*entry.Settlement, error) {
	state := r.swept[at]
	done, err := r.done(state)
	if err != nil {
		return nil, err
	}
	e := r.settled(at, done, a.ShowTotals)
	set, err := a.commitments(ctx, r, state, done)
	if err != nil {
		return nil, err
	}
	e.Bookmakers = set.Short()
	return e, nil
}

// settled returns the entry of a settlement but for its commitments.
func (r *records) settled(at int, done map[string][]*settle.Done, showTotals bool) *entry.Settlement {
	e := &entry.Settlement{Draw: r.draw, Game: r.head.Game, State: r.swept[at], ShowTotals: showTotals}
	if at > 0 {
		e.Replaces = r.swept[at-1]
	}
	for _, shards := range done {
		for _, shard := range shards {
			e.Totals.Merge(shard.Totals)
		}
	}
	return e
}

// done returns what the partitions of each bookmaker came to under a state, by
// shard.
func (r *records) done(state int) (map[string][]*settle.Done, error) {
	prefix := store.DonePrefix(state)
	found := map[string][]*settle.Done{}
	for sk, item := range r.items {
		rest, isDone := strings.CutPrefix(sk, prefix)
		if !isDone {
			continue
		}
		bookmaker, number, _ := strings.Cut(rest, "#")
		shard, err := strconv.Atoi(number)
		if err != nil || shard < 0 || shard >= r.head.Shards {
			return nil, fmt.Errorf("reading %s / %s: there is no such shard", item.PK, item.SK)
		}
		if found[bookmaker] == nil {
			found[bookmaker] = make([]*settle.Done, r.head.Shards)
		}
		if found[bookmaker][shard], err = decode[settle.Done](item); err != nil {
			return nil, err
		}
	}
	return found, r.whole(state, found)
}

// whole makes sure that the partitions that are done for a state are those of its
// plan: a settlement that leaves out bookmakers would be in the log for ever. The plan
// of the state swept last is kept in SWEEP. By earlier states, and on items of earlier
// versions, it is who was told: before a sweep was closed, everyone in its plan was.
func (r *records) whole(state int, done map[string][]*settle.Done) error {
	plan := r.plan
	if plan == nil || state != r.swept[len(r.swept)-1] {
		plan = nil
		for sk := range r.items {
			if bookmaker, told := strings.CutPrefix(sk, store.FedPrefix(state)); told {
				plan = append(plan, bookmaker)
			}
		}
	}
	for _, bookmaker := range plan {
		if shards := done[bookmaker]; shards == nil || slices.Contains(shards, nil) {
			return fmt.Errorf("draw %s, state %d: a partition of %s is not done, though the settlement is closed", r.draw, state, bookmaker)
		}
	}
	if len(done) != len(plan) {
		return fmt.Errorf("draw %s, state %d: %d bookmakers are done, %d were in the plan", r.draw, state, len(done), len(plan))
	}
	return nil
}

// commitments returns what a settlement commits to. It is made once: the secret
// in it is random, and every try must come to the same entry.
func (a *Archive) commitments(ctx context.Context, r *records, state int, done map[string][]*settle.Done) (*commitment.Set, error) {
	if item, made := r.items[store.CommitmentKey(state)]; made {
		return decode[commitment.Set](item)
	}
	set := &commitment.Set{Secret: make([]byte, 32), Commitments: []commitment.Commitment{}}
	if _, err := io.ReadFull(a.Random, set.Secret); err != nil {
		return nil, fmt.Errorf("making a secret: %w", err)
	}
	for _, bookmaker := range slices.Sorted(maps.Keys(done)) {
		report := commitment.NewReport(set.Secret, bookmaker)
		var totals settlement.Book
		for shard, d := range done[bookmaker] {
			totals.Merge(d.Totals)
			if err := a.addLines(ctx, report, r.draw, state, bookmaker, shard, d); err != nil {
				return nil, err
			}
		}
		set.Commitments = append(set.Commitments, report.Commit(totals))
	}
	body, err := json.Marshal(set)
	if err != nil {
		return nil, fmt.Errorf("encoding commitments: %w", err)
	}
	// Before this write another try makes other commitments; after it every try,
	// this one too, takes those that were written first.
	item := store.Item{PK: store.DrawKey(r.draw), SK: store.CommitmentKey(state), Body: string(body), ExpiresAt: r.head.RetainUntil}
	err = a.Table.Create(ctx, item)
	if exists := (*store.ExistsError)(nil); errors.As(err, &exists) {
		return decode[commitment.Set](exists.Item)
	}
	return set, err
}

// addLines adds the lines of one shard's pages to a report. A try of the sweep that
// came second may have left a page after those that were reported.
func (a *Archive) addLines(ctx context.Context, to *commitment.Report, draw string, state int, bookmaker string, shard int, done *settle.Done) error {
	pk := store.ReportKey(draw, state, bookmaker, shard)
	got := 0
	for page, err := range a.Table.Query(ctx, pk, "") {
		if err != nil {
			return err
		}
		if page.SK > store.PageKey(done.Pages) {
			break
		}
		lines, err := report.Inflate(page.Binary)
		if err != nil {
			return fmt.Errorf("page %s / %s: %w", page.PK, page.SK, err)
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
