package verify

import (
	"bytes"
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
	tables map[string][]int64 // the running numbers of each table's draws
}

// drawState is what was said of a draw so far.
type drawState struct {
	game    string
	state   int  // the newest
	closed  bool // the closings of the next state were in the log
	settled int  // the newest state that was settled
	passed  int  // states before it that never were
	visible []visible
	at      settlement.Instant // when what was told last was made
	rounds  []span
	held    held
	off     []bool // by state: the draw is void or cancelled
	// bets and bookmakers are the most that a settlement had, book the totals that were
	// shown last.
	bets, bookmakers int
	book             settlement.Totals
}

// visible are the cards that lay open when a betting round opened.
type visible struct {
	round int
	cards []byte
}

func newHistory(r *Report, options Options) *history {
	latest := settlement.Instant(options.latest().UnixMilli())
	return &history{report: r, keep: options.KeepSettlements, latest: latest, draws: map[string]*drawState{}, tables: map[string][]int64{}}
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
	d := s.draws[c.entry.ID().Draw]
	if o, is := c.entry.(*entry.Opening); is {
		s.opened(index, o, d)
		return
	}
	if d == nil {
		s.report.findEntry(MisplacedEntry, index, "%s is there, but not its opening", c.entry.ID())
		return
	}
	var game string
	switch e := c.entry.(type) {
	case *entry.Closings:
		game = e.Game
		s.closings(index, e, d)
	case *entry.State:
		game = e.Game
		s.state(index, e, d, c.err == nil)
	case *entry.Settlement:
		game = e.Game
		s.settlement(index, e, d)
	}
	if game != d.game {
		s.report.findEntry(MisplacedEntry, index, "draw %s was opened as one of %s, not %s", c.entry.ID().Draw, d.game, game)
	}
}

func (s *history) opened(index int64, o *entry.Opening, known *drawState) {
	s.report.Counts.Openings++
	if known != nil {
		s.report.findEntry(RepeatedEntry, index, "draw %s was opened before", o.Draw)
		return
	}
	d := &drawState{game: o.Game}
	d.plan(o)
	if o.StoredAt > s.latest {
		s.report.findEntry(Contradiction, index, "%s was stored at %s, which is still to come", o.ID(), instant.Format(o.StoredAt))
	}
	s.draws[o.Draw] = d
	s.tables[o.Table] = append(s.tables[o.Table], o.Sequence)
}

func (s *history) closings(index int64, e *entry.Closings, d *drawState) {
	s.report.Counts.Closings++
	if s.expect(index, e.ID(), d.state+1) {
		if d.closed {
			s.report.findEntry(RepeatedEntry, index, "%s were in the log before", e.ID())
		}
		s.agreeing(index, e, d)
		d.closed, d.visible = true, nil
		for _, round := range e.Rounds {
			if len(round.Visible) > 0 {
				d.visible = append(d.visible, visible{round: round.Round, cards: bytes.Clone(round.Visible)})
			}
		}
	}
}

func (s *history) state(index int64, e *entry.State, d *drawState, resolved bool) {
	counts := &s.report.Counts
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
	if !s.expect(index, e.ID(), d.state+1) {
		return
	}
	if e.State == 1 && !d.closed {
		s.report.findEntry(MisplacedEntry, index, "%s is there, but not the closings of its betting rounds", e.ID())
	}
	d.state, d.closed, d.off = e.State, false, append(d.off, e.Status != entry.Resolved)
	s.following(index, e, d)
	if resolved && len(e.Facts) > 0 && e.Correction == nil {
		s.contradicted(index, e, d)
	}
}

// contradicted notes where the facts of a state that corrects nothing are not the
// cards that lay open in a betting round.
func (s *history) contradicted(index int64, e *entry.State, d *drawState) {
	for _, v := range d.visible {
		why := entry.Contradiction(v.cards, e.Facts)
		if why == "" {
			continue
		}
		s.report.Counts.Contradicted++
		if len(s.report.Contradicted) < maxContradicted {
			s.report.Contradicted = append(s.report.Contradicted, Contradicted{
				Entry: index, Draw: e.Draw, State: e.State, Round: v.round, Message: why,
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
	case e.State > d.state:
		s.report.findEntry(MisplacedEntry, index, "%s is there, but not its state", e.ID())
	case e.State <= d.settled:
		s.report.findEntry(RepeatedEntry, index, "%s is logged after that of state %d", e.ID(), d.settled)
	case e.Replaces != d.settled:
		s.report.findEntry(MisplacedEntry, index, "%s replaces that of state %d, but the one before is of state %d", e.ID(), e.Replaces, d.settled)
	}
	s.adding(index, e, d)
	d.passed += max(0, e.State-d.settled-1)
	d.settled = max(d.settled, e.State)
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
	for name, numbers := range s.tables {
		slices.Sort(numbers)
		t := Table{Table: name, Draws: len(numbers)}
		for i := 1; i < len(numbers); i++ {
			if numbers[i] == numbers[i-1] && len(t.Repeated) < maxNumbers {
				t.Repeated = append(t.Repeated, numbers[i])
			}
			for missing := numbers[i-1] + 1; missing < numbers[i] && len(t.Missing) < maxNumbers; missing++ {
				t.Missing = append(t.Missing, missing)
			}
		}
		s.report.Tables = append(s.report.Tables, t)
	}
	slices.SortFunc(s.report.Tables, func(a, b Table) int { return strings.Compare(a.Table, b.Table) })
}

// finishDraws lists draws without a result, and those whose newest state was never
// settled. A state between, which a later one replaced before it was settled, is no loss:
// the bets were settled under the later one.
func (s *history) finishDraws() {
	r := s.report
	for id, d := range s.draws {
		r.Counts.PassedOver += d.passed
		switch {
		case d.state == 0:
			r.Pending = append(r.Pending, id)
		case d.settled < d.state:
			r.Unsettled = append(r.Unsettled, Unsettled{Draw: id, State: d.state, MadeAt: instant.Format(d.at), Settled: d.settled})
			r.Counts.PassedOver += d.state - d.settled - 1
		}
	}
	slices.Sort(r.Pending)
	slices.SortFunc(r.Unsettled, func(a, b Unsettled) int { return strings.Compare(a.Draw, b.Draw) })
	r.Counts.Pending, r.Counts.Unsettled = len(r.Pending), len(r.Unsettled)
	r.Pending, r.Unsettled = r.Pending[:min(len(r.Pending), maxPending)], r.Unsettled[:min(len(r.Unsettled), maxUnsettled)]
}
