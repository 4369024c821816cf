package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"tally/lib/archive/entry"
	"tally/lib/draw/instant"
	"tally/lib/rulebook/settlement"
)

// history is what the entries say, draw by draw.
type history struct {
	report *Report
	keep   bool               // settlements
	latest settlement.Instant // that can have been
	draws  map[string]*drawState
	tables map[string]*table
	names  names
	// recall reads again what the log says of a draw that is forgotten, in the entries from one
	// to before another; nil where nothing is forgotten, or where that fails.
	recall func(draw string, from, before int64) *drawState
}

// drawState is what was said of a draw so far.
type drawState struct {
	Game    string             `json:"game"`
	State   int                `json:"state,omitempty"`   // the newest
	Closed  bool               `json:"closed,omitempty"`  // the closings of the next state were in the log
	Settled int                `json:"settled,omitempty"` // the newest state that was settled
	Visible []visible          `json:"visible,omitempty"`
	At      settlement.Instant `json:"at"` // when what was logged last was made
	Rounds  []span             `json:"rounds"`
	Held    held               `json:"held"`
	Off     []bool             `json:"off,omitempty"` // by state: the draw is void or cancelled
	// Bets and Bookmakers are the most that a settlement had, Book the totals that were
	// shown last.
	Bets       int               `json:"bets,omitempty"`
	Bookmakers int               `json:"bookmakers,omitempty"`
	Book       settlement.Totals `json:"book,omitempty"`
	Last       int64             `json:"last"` // the index of the newest entry

	group *group
}

// rests says that nothing has to follow.
func (d *drawState) rests() bool { return d.State > 0 && d.Settled == d.State && !d.Closed }

// visible are the cards that lay open when a betting round opened.
type visible struct {
	Round int             `json:"round"`
	Cards json.RawMessage `json:"cards"`
}

func newHistory(r *Report, options Params) *history {
	latest := settlement.Instant(options.latest().UnixMilli())
	return &history{report: r, keep: options.KeepSettlements, latest: latest, draws: map[string]*drawState{}, tables: map[string]*table{}, names: names{}}
}

// known returns what was said of a draw; nil where it was not opened. An entry about a
// draw that is forgotten is rare, and has what was said read again.
func (s *history) known(draw string, index int64) *drawState {
	if d := s.draws[draw]; d != nil {
		return d
	}
	g := s.names.find(draw)
	if g == nil || s.recall == nil {
		return nil
	}
	d := s.recall(draw, g.First, index)
	if d != nil {
		d.group = g
		s.draws[draw] = d
	}
	return d
}

// window is for how many entries a draw is remembered in full once nothing has to follow.
const window = 1 << 14

// forget forgets draws at rest; their names stay. Which ones depends on the index alone.
func (s *history) forget(index int64) {
	if s.recall == nil || index%window != window-1 {
		return
	}
	for id, d := range s.draws {
		if d.rests() && d.Last <= index-window {
			delete(s.draws, id)
		}
	}
}

// take takes the next entry.
func (s *history) take(index int64, c checked) {
	switch {
	case c.entry == nil:
		s.report.findEntry(BadEntry, index, "%v", c.err)
		return
	case errors.Is(c.err, entry.ErrHidden):
		s.report.Counts.Hidden++
	case errors.Is(c.err, entry.ErrRules):
		s.report.findEntry(UnknownRules, index, "%s: %v", c.entry.ID(), c.err)
	case c.err != nil:
		s.report.findEntry(MismatchResult, index, "%s: %v", c.entry.ID(), c.err)
	}
	s.forget(index)
	if o, is := c.entry.(*entry.Opening); is {
		s.opened(index, o)
		return
	}
	d := s.known(c.entry.ID().Draw, index)
	if d == nil {
		s.report.findEntry(MisplacedEntry, index, "%s is there, but not its opening", c.entry.ID())
		return
	}
	d.Last, d.group.Last = index, index
	var game string
	switch e := c.entry.(type) {
	case *entry.Closings:
		game = e.Game
		s.closings(index, e, d)
	case *entry.State:
		game = e.Game
		s.state(index, e, c, d)
	case *entry.Settlement:
		game = e.Game
		s.settlement(index, e, d)
	}
	if game != d.Game {
		s.report.findEntry(MisplacedEntry, index, "draw %s was opened as one of %s, not %s", c.entry.ID().Draw, d.Game, game)
	}
}

func (s *history) opened(index int64, o *entry.Opening) {
	s.report.Counts.Openings++
	if s.names.find(o.Draw) != nil {
		s.report.findEntry(RepeatedEntry, index, "draw %s was opened before", o.Draw)
		return
	}
	d := &drawState{Game: o.Game, Last: index, group: s.names.open(o.Draw, index)}
	d.plan(o)
	if o.StoredAt > s.latest {
		s.report.findEntry(Contradiction, index, "%s was stored at %s, which is still to come", o.ID(), instant.Format(o.StoredAt))
	}
	s.draws[o.Draw] = d
	if s.tables[o.Table] == nil {
		s.tables[o.Table] = &table{}
	}
	s.tables[o.Table].add(o.Sequence)
}

func (s *history) closings(index int64, e *entry.Closings, d *drawState) {
	s.report.Counts.Closings++
	if s.expect(index, e.ID(), d.State+1) {
		if d.Closed {
			s.report.findEntry(RepeatedEntry, index, "%s were in the log before", e.ID())
		}
		s.agreeing(index, e, d)
		d.Closed, d.Visible = true, nil
		for _, round := range e.Rounds {
			if len(round.Visible) > 0 {
				d.Visible = append(d.Visible, visible{Round: round.Round, Cards: bytes.Clone(round.Visible)})
			}
		}
	}
}

func (s *history) state(index int64, e *entry.State, c checked, d *drawState) {
	counts, resolved := &s.report.Counts, c.err == nil
	counts.States++
	if resolved {
		counts.Resolved++
	}
	if e.Correction != nil {
		counts.Corrected++
	}
	switch e.Status {
	case entry.Cancelled:
		counts.Cancelled++
	case entry.Void:
		counts.Void++
	}
	if !s.expect(index, e.ID(), d.State+1) {
		return
	}
	if e.State == 1 && !d.Closed {
		s.report.findEntry(MisplacedEntry, index, "%s is there, but not the closings of its betting rounds", e.ID())
	}
	d.State, d.Closed, d.Off = e.State, false, append(d.Off, e.Status != entry.Resolved)
	s.following(index, e, c.held, d)
	if resolved && len(e.Facts) > 0 && e.Correction == nil {
		s.contradicted(index, e, d)
	}
}

// contradicted notes where the facts of a state that corrects nothing are not the
// cards that lay open in a betting round.
func (s *history) contradicted(index int64, e *entry.State, d *drawState) {
	for _, v := range d.Visible {
		why := entry.Contradiction(v.Cards, e.Facts)
		if why == "" {
			continue
		}
		s.report.Counts.Contradicted++
		if len(s.report.Contradicted) < maxContradicted {
			s.report.Contradicted = append(s.report.Contradicted, Contradicted{
				Entry: index, Draw: e.Draw, State: e.State, Round: v.Round, Message: why,
			})
		}
	}
}

// expect reports whether an entry is about the state that comes next.
func (s *history) expect(index int64, id entry.ID, next int) bool {
	switch {
	case id.State < next:
		s.report.findEntry(RepeatedEntry, index, "%s is logged after state %d", id, next-1)
	case id.State > next:
		s.report.findEntry(MisplacedEntry, index, "%s is there, but not state %d", id, next)
	}
	return id.State == next
}

func (s *history) settlement(index int64, e *entry.Settlement, d *drawState) {
	s.report.Counts.Settlements++
	if s.keep {
		s.report.Settlements = append(s.report.Settlements, e)
	}
	switch {
	case e.State > d.State:
		s.report.findEntry(MisplacedEntry, index, "%s is there, but not its state", e.ID())
	case e.State <= d.Settled:
		s.report.findEntry(RepeatedEntry, index, "%s is logged after that of state %d", e.ID(), d.Settled)
	case e.Replaces != d.Settled:
		s.report.findEntry(MisplacedEntry, index, "%s replaces that of state %d, but the one before is of state %d", e.ID(), e.Replaces, d.Settled)
	}
	s.adding(index, e, d)
	s.report.Counts.PassedOver += max(0, e.State-d.Settled-1)
	d.Settled = max(d.Settled, e.State)
}

// The most that a report lists.
const (
	maxPending      = 100
	maxNumbers      = 100
	maxContradicted = 100
	maxUnsettled    = 100
)

// finish lists what is not there: draws without a result, and running numbers
// that no draw has.
func (s *history) finish() {
	s.finishDraws()
	for name, t := range s.tables {
		s.report.Tables = append(s.report.Tables, Table{Table: name, Draws: t.Draws, Missing: t.Numbers.gaps(maxNumbers), Repeated: t.Repeated})
	}
	slices.SortFunc(s.report.Tables, func(a, b Table) int { return strings.Compare(a.Table, b.Table) })
}

// finishDraws lists draws without a result, and those whose newest state was never
// settled. A state between, which a later one replaced before it was settled, is no loss:
// the bets were settled under the later one.
func (s *history) finishDraws() {
	r := s.report
	for id, d := range s.draws {
		switch {
		case d.State == 0:
			r.Pending = append(r.Pending, id)
		case d.Settled < d.State:
			r.Unsettled = append(r.Unsettled, Unsettled{Draw: id, State: d.State, MadeAt: instant.Format(d.At), Settled: d.Settled})
			r.Counts.PassedOver += d.State - d.Settled - 1
		}
	}
	slices.Sort(r.Pending)
	slices.SortFunc(r.Unsettled, func(a, b Unsettled) int { return strings.Compare(a.Draw, b.Draw) })
	r.Counts.Pending, r.Counts.Unsettled = len(r.Pending), len(r.Unsettled)
	r.Pending, r.Unsettled = r.Pending[:min(len(r.Pending), maxPending)], r.Unsettled[:min(len(r.Unsettled), maxUnsettled)]
}
