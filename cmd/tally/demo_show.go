package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"tally/lib/form"
	"tally/lib/games"
	"tally/lib/pretty"
	"tally/lib/quarantine"
	"tally/lib/studio"
	"tally/lib/wire"
)

// demoShow writes what happens, a line for each event.
type demoShow struct {
	pen   pretty.Pen
	began time.Time

	mutex  sync.Mutex // of all below
	out    io.Writer
	storms int // repeated messages
}

// The width of a line and of what stands before its text.
const (
	demoColumns = 100
	demoBefore  = 18
)

// line writes what happened at a table, or to someone. Writing that fails is
// noticed by whoever gave the writer.
func (s *demoShow) line(where, format string, args ...any) {
	s.sentence(where, s.pen.Sentence(fmt.Sprintf(format, args...)))
}

func (s *demoShow) sentence(where string, words pretty.Sentence) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	at := fmt.Sprintf("%5.1f s", time.Since(s.began).Seconds())
	for _, line := range words.Lines(demoColumns - demoBefore) {
		fmt.Fprintf(s.out, "%7s  %-9s%s\n", at, where, line)
		at, where = "", ""
	}
}

// paragraph writes a text under a table.
func (s *demoShow) paragraph(format string, args ...any) {
	for _, line := range s.pen.Sentence(fmt.Sprintf(format, args...)).Lines(demoColumns - 2) {
		fmt.Fprintf(s.out, "  %s\n", line)
	}
}

// message shows a message that says something to people.
func (s *demoShow) message(m *studio.Message) {
	d := m.Draw
	switch {
	case m.Repeat:
		s.mutex.Lock()
		s.storms++
		first := s.storms == 1
		s.mutex.Unlock()
		if first {
			s.line(d.Table, "a storm: every message of this draw again, five times, in any order")
		}
	case m.Impossible:
		s.line(d.Table, "a result that the rules make impossible: no third card was dealt")
	case m.Type == wire.DrawCancelled:
		reason, _ := d.Game.CancelReason(d.Cancelled)
		s.line(d.Table, "%s: cancelled, %s", d.Game.Title, reason.Text)
	case m.Type == wire.BetsVoided:
		s.line(d.Table, "an order voids the bets of %s at %s: its screen showed other odds", d.Void.Bookmaker, d.Void.Shop)
	case m.Type == wire.DrawResulted && m.Revision > 1:
		s.sentence(d.Table, append(s.pen.Sentence("corrected after a review of the video:"), s.outcome(d)...))
	case m.Type == wire.DrawResulted && d.Event == studio.Correction:
		s.sentence(d.Table, append(s.pen.Sentence(d.Game.Title+":"), s.pen.Describe(d.Game, []byte(d.First))...))
	case m.Type == wire.DrawResulted:
		s.sentence(d.Table, append(s.pen.Sentence(d.Game.Title+":"), s.outcome(d)...))
	}
}

// outcome is what was seen; of games with too many cards for a line, what the
// rules make of it.
func (s *demoShow) outcome(d *studio.Draw) pretty.Sentence {
	if members, long := demoOutcome[d.Game.ID]; long {
		outcome, _ := d.Outcome()
		return s.pen.Describe(d.Game, only(outcome.AppendJSON(nil), members))
	}
	seen := s.pen.Describe(d.Game, []byte(d.Facts))
	if d.Event == studio.TooFew {
		return append(seen, s.pen.Sentence("· a ball too few, void")...)
	}
	return seen
}

// demoOutcome names what is shown of an outcome, in games with too many cards for
// a line.
var demoOutcome = map[string][]string{"poker": {"winners", "combination"}, "blackjack": {"dealer"}}

// only returns some members of a JSON object.
func only(object []byte, members []string) []byte {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(object, &all); err != nil {
		return object
	}
	out := form.Out(nil).Open()
	for _, name := range members {
		out = out.Name(name).Raw(all[name])
	}
	return out.Close()
}

// reply shows an answer that says something to people.
func (s *demoShow) reply(r wire.Reply) {
	if r.Status == wire.Quarantined && len(r.Errors) > 0 {
		table, _, _ := strings.Cut(r.Draw, ".")
		s.line(table, "quarantined: %s (%s)", r.Errors[0].Message, r.Errors[0].Code)
	}
}

// settled shows what bookmakers were told of a draw.
func (s *demoShow) settled(d *studio.Draw, lines []demoReport) {
	count := map[string]int{}
	for _, line := range lines {
		count[line.Status]++
		if line.Replaces > 0 {
			count["corrected"]++
		}
	}
	what := "settled"
	if count["corrected"] > 0 {
		what = "settled again, what changes"
	}
	var parts []string
	for _, status := range []string{"won", "lost", "refunded"} {
		if count[status] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[status], status))
		}
	}
	if parts == nil {
		parts = []string{"no bets"}
	}
	s.line(d.Table, "%s: %s", what, strings.Join(parts, ", "))
}

// report writes the sums and what was checked, and fails when something does not
// hold.
func (d *demoDay) report(ctx context.Context) error {
	s := d.show
	held, err := d.quarantined(ctx)
	if err != nil {
		return err
	}
	if err := d.sums(); err != nil {
		return err
	}
	if len(held) > 0 {
		fmt.Fprintf(s.out, "\n%s\n", s.pen.Cell("In quarantine", pretty.Bold))
		table := pretty.NewTable(s.pen, "  ", "id", "draw", "type", "why")
		for _, m := range held {
			table.Row(s.cell(m.ShortID()), s.cell(m.Draw), s.cell(string(m.Type)), s.cell(m.Faults[0].Code+" "+m.Faults[0].Rule))
		}
		fmt.Fprint(s.out, table)
	}
	findings, err := d.check(ctx)
	if err != nil {
		return err
	}
	log, err := d.publicLog(ctx)
	if err != nil {
		return err
	}
	site, err := d.publicSite(ctx)
	if err != nil {
		return err
	}
	if err := s.findings(append(findings, log, site)); err != nil {
		return err
	}
	d.whereToLook()
	return nil
}

func (s *demoShow) cell(text string) pretty.Cell { return s.pen.Cell(text, pretty.Plain) }

// findings writes what was checked.
func (s *demoShow) findings(findings []demoFinding) error {
	fmt.Fprintf(s.out, "\n%s\n", s.pen.Cell("Checked", pretty.Bold))
	failed := 0
	for _, f := range findings {
		mark, wrong := s.pen.Cell("✓", pretty.Green), f.wrong
		if len(wrong) > 0 {
			mark = s.pen.Cell("✗", pretty.Red)
			failed++
		}
		for i, line := range s.pen.Sentence(f.what).Lines(demoColumns - 4) {
			if i > 0 {
				mark = s.cell(" ")
			}
			fmt.Fprintf(s.out, "  %s %s\n", mark, line)
		}
		for _, reason := range wrong[:min(len(wrong), 5)] {
			fmt.Fprintf(s.out, "      %s\n", s.cell(reason))
		}
	}
	if failed > 0 {
		return errors.New("the money does not add up, or a message is lost: see above")
	}
	return nil
}

// quarantined returns what is in quarantine.
func (d *demoDay) quarantined(ctx context.Context) (held []*quarantine.Message, err error) {
	put := &quarantine.Quarantine{Table: d.table}
	for m, err := range put.Days(ctx, time.Now(), 2) {
		if err != nil {
			return nil, err
		}
		held = append(held, m)
	}
	return held, nil
}

// sums writes the tables by game and by bookmaker.
func (d *demoDay) sums() error {
	byGame, byBookmaker, all := map[string]*demoSum{}, map[string]*demoSum{}, newDemoSum()
	games := map[string]string{} // by draw
	for _, draw := range d.script.Draws {
		games[draw.ID(d.start)] = draw.Game.ID
	}
	for key, line := range d.books.lines {
		for _, sum := range []*demoSum{sumOf(byGame, games[key.draw]), sumOf(byBookmaker, key.bookmaker), all} {
			if err := sum.add(line); err != nil {
				return err
			}
		}
	}
	d.byGame(byGame, all)
	d.byBookmaker(byBookmaker)
	refused := 0
	for _, count := range d.refused {
		refused += count
	}
	d.show.paragraph("%d bets were refused (%s), %d answered again as they were. %d messages were stored, %d repeated, %d put in quarantine.",
		refused, counts(d.refused), d.replayed, d.answers[wire.Stored], d.answers[wire.Replay], d.answers[wire.Quarantined])
	return nil
}

func sumOf(sums map[string]*demoSum, name string) *demoSum {
	if sums[name] == nil {
		sums[name] = newDemoSum()
	}
	return sums[name]
}

// counts is counts by name in a few words.
func counts(of map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, fmt.Sprintf("%d %s", of[name], name))
	}
	return strings.Join(parts, ", ")
}

func (d *demoDay) byGame(sums map[string]*demoSum, all *demoSum) {
	s, codes := d.show, all.currencies()
	headings := []string{"", "bets", "won", "lost", "refunded", "corrected"}
	for _, code := range codes {
		headings = append(headings, code+" in", "out")
	}
	table := pretty.NewTable(s.pen, "  ", headings...)
	row := func(title string, sum *demoSum) {
		cells := append([]pretty.Cell{s.cell(title)}, s.numbers(sum.bets, sum.won, sum.lost, sum.refunded, sum.corrected)...)
		for _, code := range codes {
			cells = append(cells, s.cell(sum.text(sum.staked, code)), s.cell(sum.text(sum.paid, code)))
		}
		table.Row(cells...)
	}
	for _, game := range games.All() {
		row(game.Title, sumOf(sums, game.ID))
	}
	row(allGames, all)
	fmt.Fprintf(s.out, "\n%s\n%s", s.pen.Cell("By game", pretty.Bold), table)
}

func (d *demoDay) byBookmaker(sums map[string]*demoSum) {
	s := d.show
	table := pretty.NewTable(s.pen, "  ", "", "reports", "bets", "won", "lost", "refunded", "corrected", "", "staked", "paid out")
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		sum := sums[name]
		for _, code := range sum.currencies() {
			cells := append([]pretty.Cell{s.cell(name)}, s.numbers(len(d.books.entries[name]), sum.bets, sum.won, sum.lost, sum.refunded, sum.corrected)...)
			table.Row(append(cells, s.cell(code), s.cell(sum.text(sum.staked, code)), s.cell(sum.text(sum.paid, code)))...)
		}
	}
	fmt.Fprintf(s.out, "\n%s\n%s", s.pen.Cell("By bookmaker", pretty.Bold), table)
}

func (s *demoShow) numbers(of ...int) (cells []pretty.Cell) {
	for _, n := range of {
		cells = append(cells, s.cell(fmt.Sprint(n)))
	}
	return cells
}
