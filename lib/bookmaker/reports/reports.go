// Package reports reads the reports of all bookmakers from tally's table, to be compared with
// the log.
package reports

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"tally/lib/archive/commitment"
	"tally/lib/archive/disclosure"
	"tally/lib/bookmaker/audit"
	"tally/lib/store"
	"tally/lib/store/record"
)

// maxDraws is how many draws are remembered: some are compared at once.
const maxDraws = 16

// Reports are those of all bookmakers.
type Reports struct {
	table *store.Table

	mutex sync.Mutex
	draws map[string]*record.Draw // those under way
}

var _ audit.ReportSource = (*Reports)(nil)

// New returns the reports in a table.
func New(table *store.Table) *Reports {
	return &Reports{table: table, draws: map[string]*record.Draw{}}
}

// Whole says that all reports are in the table, as long as it keeps any.
func (r *Reports) Whole() bool { return true }

// Reported lists nothing: which settlements the log lacks is the monitor's to find.
func (r *Reports) Reported() []audit.StateID { return nil }

// load reads a draw, once.
func (r *Reports) load(ctx context.Context, id string) (*record.Draw, error) {
	r.mutex.Lock()
	d, read := r.draws[id]
	r.mutex.Unlock()
	if read {
		return d, nil
	}
	d, err := record.Load(ctx, r.table, id)
	if err != nil {
		return nil, err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if len(r.draws) >= maxDraws {
		clear(r.draws)
	}
	r.draws[id] = d
	return d, nil
}

// Reports reads the pages of all bookmakers, and what was kept of the commitments.
func (r *Reports) Reports(ctx context.Context, draw string, state int) ([]audit.Reported, error) {
	d, err := r.load(ctx, draw)
	if err != nil {
		return nil, err
	}
	set, err := disclosure.Kept(d.Item, state)
	if err != nil {
		return nil, err
	}
	if set == nil {
		set = &commitment.Set{}
	}
	done, err := d.Partitions(state)
	if err != nil {
		return nil, err
	}
	var list []audit.Reported
	for _, bookmaker := range slices.Sorted(maps.Keys(done)) {
		one := audit.Reported{Bookmaker: bookmaker}
		for shard, done := range done[bookmaker] {
			if done == nil {
				continue
			}
			for lines, err := range record.Report(ctx, r.table, store.ReportKey(draw, state, bookmaker, shard), done.Pages) {
				if err != nil {
					return nil, err
				}
				for line := range bytes.Lines(lines) {
					one.Lines = append(one.Lines, bytes.TrimSuffix(line, []byte("\n")))
				}
			}
		}
		if one.Disclosure, err = set.Disclose(draw, state, bookmaker); err != nil && !errors.Is(err, commitment.ErrUnknown) {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}
