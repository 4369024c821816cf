package pages

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"tally/lib/archive/entry"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/rulebook/show"
	"tally/lib/site/history"
)

// pending is the status of a draw that has no state yet.
const pending = "pending"

// drawPage is what the page of a draw tells.
type drawPage struct {
	Draw     string
	Game     string
	Day      string
	Table    string
	Sequence int64
	OpensAt  settlement.Instant
	Newest   *stateView // nil while there is no state
	Rounds   []roundView
	States   []*stateView // the newest first
	Settled  []settledView
	Leaves   []leafView
}

// Status is how the draw stands.
func (d *drawPage) Status() string {
	if d.Newest == nil {
		return pending
	}
	return string(d.Newest.Status)
}

// Corrected reports whether the newest state is not the first revision.
func (d *drawPage) Corrected() bool { return d.Newest != nil && d.Newest.Correction != nil }

// HasVisible reports whether cards lay open in a betting round.
func (d *drawPage) HasVisible() bool {
	return slices.ContainsFunc(d.Rounds, func(r roundView) bool { return r.Visible != nil || r.Raw != "" })
}

// Unclosed reports whether side wagers were taken until their betting round itself
// closed: nothing was closed within it.
func (d *drawPage) Unclosed() bool {
	game, known := games.Find(d.Game)
	if !known || d.Newest == nil {
		return false
	}
	unclosed := false
	for _, r := range d.Rounds {
		if len(r.Stopped) > 0 {
			return false
		}
		side := slices.ContainsFunc(game.Families, func(f rules.FamilyInfo) bool { return f.Round > 1 && f.Round == r.Number })
		unclosed = unclosed || side && r.Closing != 0
	}
	return unclosed
}

// HasOdds reports whether a betting round had an odds board.
func (d *drawPage) HasOdds() bool {
	return slices.ContainsFunc(d.Rounds, func(r roundView) bool { return r.Odds != nil })
}

// stateView is a state as a page shows it.
type stateView struct {
	*entry.State
	Index int64
	Entry string        // its bytes
	Table show.DrawView // nil where there are no facts, or none that can be drawn
	Raw   string        // facts that can't be drawn
	// RawOutcome is the outcome where it can't be read.
	RawOutcome string
	Before     *stateView
	Closings   *entry.Closings // those that hold under the state; nil for none
}

// Revised reports whether the state came with another revision of the studio, and
// so with its reason: an order makes a state of the same revision.
func (s *stateView) Revised() bool { return s.Before == nil || s.Before.Revision != s.Revision }

// change is a difference between two states. Before is empty for the first.
type change struct{ Label, Before, After string }

// roundView is a betting round.
type roundView struct {
	Number   int
	OpensAt  settlement.Instant
	Planned  settlement.Instant // its planned closing, 0 for one that was not planned
	Closing  settlement.Instant // 0 while it is not final
	Finished bool               // the closings are final: a round without one never opened
	Stopped  []entry.Stopped    // what was closed before the round
	Visible  []show.Place       // nil for none
	Raw      string             // visible cards that can't be read
	Odds     *entry.List
}

// settledView is a settlement.
type settledView struct {
	*entry.Settlement
	Index int64
}

// amounts are the totals of a currency as they are shown.
type amounts struct {
	Currency, Stake, Payout   string
	Bets, Won, Lost, Refunded int
}

// Amounts are the totals by currency.
func (s settledView) Amounts() (list []amounts) {
	for _, t := range s.Totals {
		list = append(list, amounts{
			Currency: t.Currency.Code(),
			Stake:    amount(t.Stake, t.Currency),
			Payout:   amount(t.Payout, t.Currency),
			Bets:     t.Bets,
			Won:      t.Won,
			Lost:     t.Lost,
			Refunded: t.Refunded,
		})
	}
	return list
}

func amount(sum money.Sum, c money.Currency) string { return string(sum.AppendTo(nil, c)) }

// leafView is an entry of the log.
type leafView struct {
	Index int64
	Kind  entry.Kind
	State int
}

// Draw makes the page of a draw in each language.
func (s *Site) Draw(d *history.Draw) ([]File, error) {
	view := viewOf(d)
	path := view.Game + "/" + view.Day + "/" + view.Draw + ".html"
	title := func(w *words) string {
		return w.Text("draw.title", "Draw", view.Draw, "Game", w.Code("game", view.Game))
	}
	return s.render("draw", path, title, func(p *page, out io.Writer) { p.writedraw(out, view) })
}

func viewOf(d *history.Draw) *drawPage {
	o := d.Opening
	view := &drawPage{Draw: o.Draw, Game: o.Game, Day: d.Day(), Table: o.Table, Sequence: o.Sequence, OpensAt: d.OpensAt(), Rounds: roundsOf(d)}
	var closings *entry.Closings
	for _, leaf := range d.Leaves {
		id := leaf.Entry.ID()
		view.Leaves = append(view.Leaves, leafView{Index: leaf.Index, Kind: id.Kind, State: id.State})
		switch e := leaf.Entry.(type) {
		case *entry.Closings:
			closings = e
		case *entry.State:
			view.Newest = stateOf(e, leaf, view.Newest)
			view.Newest.Closings = closings
			view.States = append([]*stateView{view.Newest}, view.States...)
		case *entry.Settlement:
			view.Settled = append([]settledView{{Settlement: e, Index: leaf.Index}}, view.Settled...)
		}
	}
	return view
}

func stateOf(e *entry.State, leaf history.Leaf, before *stateView) *stateView {
	view := &stateView{State: e, Index: leaf.Index, Entry: string(leaf.Data), Before: before}
	if e.Status == entry.Cancelled {
		return view
	}
	t, err := tableOf(e.Game, e.Facts, e.Outcome)
	if err != nil {
		view.Raw, view.RawOutcome = string(e.Facts), string(e.Outcome)
		return view
	}
	view.Table = t
	return view
}

// tableOf reads what happened in a draw.
func tableOf(id string, facts, outcome []byte) (show.DrawView, error) {
	game, known := games.Find(id)
	if !known {
		return nil, fmt.Errorf("there is no game %s", id)
	}
	return show.Read(game.Show, facts, outcome)
}

func roundsOf(d *history.Draw) (list []roundView) {
	closings := d.Closings()
	closed := map[int]entry.Closed{}
	if closings != nil {
		for _, r := range closings.Rounds {
			closed[r.Round] = r
		}
	}
	for _, planned := range d.Opening.Rounds {
		view := roundView{Number: planned.Round, OpensAt: planned.OpensAt, Planned: planned.ClosesAt, Finished: closings != nil}
		if planned.Round == 1 {
			view.Odds = d.Opening.Odds
		}
		if r, is := closed[planned.Round]; is {
			view.close(d.Opening.Game, r)
			delete(closed, planned.Round)
		}
		list = append(list, view)
	}
	if closings == nil {
		return list
	}
	for _, r := range closings.Rounds {
		if _, unplanned := closed[r.Round]; unplanned {
			view := roundView{Number: r.Round, Finished: true}
			view.close(d.Opening.Game, r)
			list = append(list, view)
		}
	}
	return list
}

// close adds what a closing says.
func (r *roundView) close(id string, closed entry.Closed) {
	r.OpensAt, r.Closing, r.Odds, r.Stopped = closed.OpensAt, closed.Closing, closed.Odds, closed.Selections
	if len(closed.Visible) == 0 {
		return
	}
	if game, known := games.Find(id); known {
		if places, err := show.ReadVisible(game.Show, closed.Visible); err == nil {
			r.Visible = places
			return
		}
	}
	r.Raw = string(closed.Visible)
}

// changes tells what a state changed against the one before it.
func (w *words) changes(s *stateView) (list []change) {
	b := s.Before
	if b == nil {
		return nil
	}
	differ := func(label, before, after string) {
		if before != after {
			list = append(list, change{Label: label, Before: before, After: after})
		}
	}
	differ(w.Text("state.status"), w.Code("status", string(b.Status)), w.Code("status", string(s.Status)))
	differ(w.Text("state.reason"), w.reason(b), w.reason(s))
	list = append(list, differences(w.facts(b), w.facts(s))...)
	list = append(list, differences(w.outcome(b), w.outcome(s))...)
	list = append(list, differences(w.rounds(b.Closings), w.rounds(s.Closings))...)
	differ(w.Text("state.orders"), w.orders(b.Orders), w.orders(s.Orders))
	if w.orders(b.Orders) == w.orders(s.Orders) && b.Orders != nil && b.Orders.SHA256 != s.Orders.SHA256 {
		list = append(list, change{Label: w.Text("state.orders"), Before: b.Orders.SHA256, After: s.Orders.SHA256})
	}
	differ(w.Text("state.revision"), strconv.Itoa(b.Revision), strconv.Itoa(s.Revision))
	differ(w.Text("state.catalogue"), strconv.Itoa(b.Catalogue), strconv.Itoa(s.Catalogue))
	return list
}

// rounds are closings in words: from when to when each betting round took bets, and
// on what. A later state may know more of them than the first.
func (w *words) rounds(closings *entry.Closings) (list []show.Pair) {
	if closings == nil {
		return nil
	}
	for _, r := range closings.Rounds {
		view := roundView{}
		view.close(closings.Game, r)
		shown := []string{clock(r.OpensAt) + " – " + clock(r.Closing), view.Raw}
		for _, s := range r.Selections {
			shown = append(shown, s.Selection+" "+clock(s.Closing))
		}
		for _, place := range view.Visible {
			p := place.Pair(w)
			shown = append(shown, p.Label+" "+p.Value)
		}
		if r.Odds != nil {
			shown = append(shown, w.Count("round.board", r.Odds.Count)+" "+r.Odds.SHA256)
		}
		list = append(list, show.Pair{Label: w.Text("round.round") + " " + strconv.Itoa(r.Round), Value: show.Join(" · ", shown...)})
	}
	return list
}

func (w *words) reason(s *stateView) string {
	if s.Reason == "" {
		return ""
	}
	return w.Code("reason", s.Reason)
}

func (w *words) orders(list *entry.List) string {
	if list == nil {
		return w.Count("state.orders_in_force", 0)
	}
	return w.Count("state.orders_in_force", list.Count)
}

// facts are a state's facts in words.
func (w *words) facts(s *stateView) []show.Pair {
	switch {
	case s.FactsSHA256 != "":
		return []show.Pair{{Label: w.Text("draw.facts_sha256"), Value: s.FactsSHA256}}
	case s.Table != nil:
		return show.Seen(w, s.Table)
	case s.Raw != "":
		return []show.Pair{{Label: w.Text("draw.facts"), Value: s.Raw}}
	}
	return nil
}

// outcome is a state's result in words.
func (w *words) outcome(s *stateView) []show.Pair {
	switch {
	case s.Status != entry.Resolved:
		return nil
	case s.Table != nil:
		return s.Table.Result(w)
	}
	return []show.Pair{{Label: w.Text("draw.result"), Value: s.RawOutcome}}
}

// differences are the values that differ, by label.
func differences(before, after []show.Pair) (list []change) {
	old := map[string]string{}
	for _, p := range before {
		old[p.Label] = p.Value
	}
	for _, p := range after {
		if old[p.Label] != p.Value {
			list = append(list, change{Label: p.Label, Before: old[p.Label], After: p.Value})
		}
		delete(old, p.Label)
	}
	for _, p := range before {
		if value, gone := old[p.Label]; gone {
			list = append(list, change{Label: p.Label, Before: value, After: ""})
		}
	}
	return list
}
