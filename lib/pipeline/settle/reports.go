package settle

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"tally/lib/draw/report"
	"tally/lib/store"
	"tally/lib/store/record"
)

// lineHash stands for an absolute line.
type lineHash = [sha256.Size]byte

// reports are what was reported to a partition's bookmaker, read in the order of the bets:
// side by side through the reports of all states up to one, a page of each at a time,
// however many bets there are.
type reports struct {
	partition *partition
	states    []*stateReport // rising
}

// stateReport is the report of one state as far as it was read.
type stateReport struct {
	state, last int // the last of its pages
	next        int // the page to be read next
	lines       []reportedLine
}

// reportedLine is a line of a report that was not asked for yet.
type reportedLine struct {
	reference, record string
	hash              lineHash
}

// reports begins with the given pages, by state, or else with the first.
func (p *partition) reports(ctx context.Context, from map[int]int) (*reports, error) {
	r := &reports{partition: p}
	states, err := p.records.Reported(ctx, p.bookmaker)
	if err != nil {
		return nil, err
	}
	for _, state := range states {
		done, err := p.records.Done(state, p.bookmaker, p.shard)
		if err != nil {
			return nil, err
		}
		if state <= p.next.Number && done != nil {
			r.states = append(r.states, &stateReport{state: state, last: done.Pages, next: max(1, from[state])})
		}
	}
	return r, nil
}

// pages returns the pages to begin with after the bet that was asked for last.
func (r *reports) pages() map[int]int {
	pages := make(map[int]int, len(r.states))
	for _, s := range r.states {
		pages[s.state] = s.next
		if len(s.lines) > 0 {
			pages[s.state]--
		}
	}
	return pages
}

// of returns what was last reported of the records of a bet. Bets are asked for in
// their order.
func (r *reports) of(ctx context.Context, reference string) (map[string]lineHash, error) {
	reported := map[string]lineHash{}
	for _, s := range r.states {
		for {
			if len(s.lines) == 0 {
				if s.next > s.last {
					break
				}
				if err := r.read(ctx, s); err != nil {
					return nil, err
				}
				continue
			}
			line := s.lines[0]
			if line.reference > reference {
				break
			}
			if line.reference == reference {
				reported[line.record] = line.hash
			}
			s.lines = s.lines[1:]
		}
	}
	return reported, nil
}

// read reads the next page of a report.
func (r *reports) read(ctx context.Context, s *stateReport) error {
	p := r.partition
	pk := store.ReportKey(p.records.ID, s.state, p.bookmaker, p.shard)
	text, err := record.Page(ctx, p.table, pk, s.next)
	if err != nil {
		return err
	}
	if text == nil {
		return fmt.Errorf("page %d of state %d of %s shard %d is missing", s.next, s.state, p.bookmaker, p.shard)
	}
	for raw := range bytes.Lines(text) {
		line := report.Line{}
		if err := json.Unmarshal(raw, &line); err != nil {
			return fmt.Errorf("reading page %d of %s: %w", s.next, pk, err)
		}
		s.lines = append(s.lines, reportedLine{
			reference: line.Bet, record: recordOf(line.Bet, line.Wager), hash: sha256.Sum256(absoluteOf(raw)),
		})
	}
	s.next++
	return nil
}
