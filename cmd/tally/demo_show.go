//go:build !auditor

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"tally/internal/pretty"
	"tally/internal/studio"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/quarantine"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/show"
)

// demoShow writes what happens, a line for each event.
type demoShow struct {
	printer pretty.Printer
	words   show.Words
	began   time.Time
	out     io.Writer // a *demoOut, but in tests

	mutex  sync.Mutex // of all below
	storms int        // repeated messages
	what   func() string
}

// doing sets what is said when nothing else is to be said for a while.
func (s *demoShow) doing(what func() string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.what = what
}

// demoSilence is how long nothing may be said; people begin to wonder after two
// seconds.
const demoSilence = 1500 * time.Millisecond

// keepTalking says what is being done whenever nothing was said for a while.
func (s *demoShow) keepTalking(ctx context.Context, out *demoOut) {
	ticks := time.NewTicker(demoSilence / 10)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if out.silent() < demoSilence {
			continue
		}
		s.mutex.Lock()
		what := s.what
		s.mutex.Unlock()
		s.line("…", "%s", what())
	}
}

// demoOut is a writer that knows when it was last written to.
type demoOut struct {
	mutex sync.Mutex
	out   io.Writer
	last  time.Time
}

// Write implements io.Writer.
func (o *demoOut) Write(text []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.last = time.Now()
	return o.out.Write(text)
}

// silent is how long nothing was written.
func (o *demoOut) silent() time.Duration {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return time.Since(o.last)
}

// The width of a line and of what stands before its text.
const (
	demoColumns = 100
	demoBefore  = 18
)

// line writes what happened at a table, or to someone. Writing that fails is
// noticed by whoever gave the writer.
func (s *demoShow) line(where, format string, args ...any) {
	at := fmt.Sprintf("%5.1f s", time.Since(s.began).Seconds())
	var text []byte // in one piece: several tables write
	for _, line := range pretty.Wrap(fmt.Sprintf(format, args...), demoColumns-demoBefore) {
		text = fmt.Appendf(text, "%7s  %-9s%s\n", at, where, line)
		at, where = "", ""
	}
	_, _ = s.out.Write(text)
}

// paragraph writes a text under a table.
func (s *demoShow) paragraph(format string, args ...any) {
	for _, line := range pretty.Wrap(fmt.Sprintf(format, args...), demoColumns-2) {
		fmt.Fprintf(s.out, "  %s\n", line)
	}
}

// message shows a message that says something to people.
func (s *demoShow) message(m *studio.ScriptMessage) {
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
		s.line(d.Table, "corrected after a review of the video: %s", s.result(d, d.Facts))
	case m.Type == wire.DrawResulted:
		s.line(d.Table, "%s: %s", d.Game.Title, s.result(d, cmp.Or(d.First, d.Facts)))
	}
}

// result is what facts come to, in the words of the site.
func (s *demoShow) result(d *studio.Draw, facts string) string {
	outcome, resolved := d.OutcomeOf(facts)
	if !resolved {
		return "a ball too few, void"
	}
	shown, err := show.Read(d.Game.Show, []byte(facts), outcome.AppendJSON(nil))
	if err != nil {
		return err.Error() // not reached: the facts are the script's
	}
	return shown.Line(s.words)
}

// reply shows an answer that says something to people.
func (s *demoShow) reply(r wire.Reply) {
	if r.Status == wire.Quarantined && len(r.Errors) > 0 {
		table, _, _ := strings.Cut(r.Draw, ".")
		s.line(table, "quarantined: %s (%s)", r.Errors[0].Message, r.Errors[0].Code)
	}
}

// showSettled shows what was reported of a draw since a state.
func (d *demoDay) showSettled(draw *studio.Draw, after int) error {
	sum, what := newDemoSum(), "settled"
	for _, line := range d.books.reported(draw.ID(d.start), after) {
		if err := sum.add(line); err != nil {
			return err
		}
		if line.Replaces > 0 {
			what = "settled again, what changes"
		}
	}
	var parts []string
	for _, part := range []struct {
		count int
		what  string
	}{{sum.won, "won"}, {sum.lost, "lost"}, {sum.refunded, "refunded"}} {
		if part.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.count, part.what))
		}
	}
	if parts == nil {
		d.show.line(draw.Table, "%s: no bets", what)
		return nil
	}
	d.show.line(draw.Table, "%s: %s; %s", what, strings.Join(parts, ", "), sum.inWords())
	d.showFollowed(draw, after)
	return nil
}

// showFollowed tells how the followed bet was settled, where that has just changed.
func (d *demoDay) showFollowed(draw *studio.Draw, after int) {
	b := d.script.Followed
	if b == nil || b.Draw != draw {
		return
	}
	line, told := d.books.lines[d.key(b)]
	if !told || line.State <= after {
		return
	}
	how := "settled"
	if line.Replaces > 0 {
		how = fmt.Sprintf("corrected, in the place of state %d", line.Replaces)
	}
	d.show.line(b.Reference, "%s: %s, %s %s by %s, in %s's report of state %d", how, line.Status, line.Payout, line.Currency, line.Rule, b.Bookmaker, line.State)
}

// report writes the sums and what was checked, and fails when something does not
// hold.
func (d *demoDay) report(ctx context.Context) error {
	s := d.show
	held, err := d.quarantined(ctx)
	if err != nil {
		return err
	}
	findings, err := d.findings(ctx)
	if err != nil {
		return err
	}
	if err := d.sums(); err != nil {
		return err
	}
	if len(held) > 0 {
		fmt.Fprintf(s.out, "\n%s\n", s.printer.Cell("In quarantine", pretty.Bold))
		table := pretty.NewTable(s.printer, "  ", "id", "draw", "type", "why")
		for _, m := range held {
			table.Row(s.cell(m.ShortID()), s.cell(m.Draw), s.cell(string(m.Type)), s.cell(m.Faults[0].Code+" "+m.Faults[0].Rule))
		}
		fmt.Fprint(s.out, table)
	}
	if err := s.findings(findings); err != nil {
		return err
	}
	d.whereToLook()
	return nil
}

// findings checks everything.
func (d *demoDay) findings(ctx context.Context) ([]demoFinding, error) {
	d.show.doing(func() string { return "comparing every bet with what tally settle makes of it" })
	findings, err := d.check(ctx)
	if err != nil {
		return nil, err
	}
	d.show.doing(func() string { return "waiting for the public log to have everything, and verifying it" })
	log, err := d.publicLog(ctx)
	if err != nil {
		return nil, err
	}
	proved, err := d.proveFollowed(ctx)
	if err != nil {
		return nil, err
	}
	d.show.doing(func() string { return "making the public site from the log, twice, and comparing" })
	site, err := d.publicSite(ctx)
	return append(append(findings, log...), proved, site), err
}

func (s *demoShow) cell(text string) pretty.Cell { return s.printer.Cell(text, pretty.Plain) }

// findings writes what was checked.
func (s *demoShow) findings(findings []demoFinding) error {
	fmt.Fprintf(s.out, "\n%s\n", s.printer.Cell("Checked", pretty.Bold))
	failed := 0
	for _, f := range findings {
		mark, wrong := s.printer.Cell("✓", pretty.Green), f.wrong
		if len(wrong) > 0 {
			mark = s.printer.Cell("✗", pretty.Red)
			failed++
		}
		for i, line := range pretty.Wrap(f.what, demoColumns-4) {
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
	byGame, byBookmaker := map[string]*demoSum{}, map[string]*demoSum{}
	games := map[string]string{} // by draw
	for _, draw := range d.script.Draws {
		games[draw.ID(d.start)] = draw.Game.ID
	}
	for key, line := range d.books.lines {
		for _, sum := range []*demoSum{sumOf(byGame, games[key.draw]+line.Currency), sumOf(byGame, line.Currency), sumOf(byBookmaker, key.bookmaker+line.Currency)} {
			if err := sum.add(line); err != nil {
				return err
			}
		}
	}
	d.byGame(byGame)
	d.byBookmaker(byBookmaker)
	d.whyRefused()
	fmt.Fprintln(d.show.out)
	d.show.paragraph("%d bets were sent twice and answered as the first time. %d messages were stored, %d repeated, %d put in quarantine.",
		d.replayed, d.answers[wire.Stored], d.answers[wire.Replay], d.answers[wire.Quarantined])
	return nil
}

// demoRefusals says why bets of a script are refused.
var demoRefusals = map[string]string{
	placing.CodeBettingClosed: "sent after the round's closing: the last one of each bookmaker in each round",
	placing.CodeOddsChanged:   "sent at odds that the board never had",
	placing.CodeBaseNotFound:  "a double, a split or insurance on a bet that was itself refused",
}

// whyRefused writes a table of the refused bets.
func (d *demoDay) whyRefused() {
	s := d.show
	table := pretty.NewTable(s.printer, "  ", "", "bets", "why")
	for _, code := range slices.Sorted(maps.Keys(d.refused)) {
		refused := d.refused[code]
		table.Row(s.cell(code), s.cell(fmt.Sprint(refused.count)), s.cell(cmp.Or(demoRefusals[code], refused.example)))
	}
	fmt.Fprintf(s.out, "\n%s\n%s", s.printer.Cell("Refused", pretty.Bold), table)
}

func sumOf(sums map[string]*demoSum, name string) *demoSum {
	if sums[name] == nil {
		sums[name] = newDemoSum()
	}
	return sums[name]
}

// allGames is the title of the rows that add up the others.
const allGames = "all games"

func (d *demoDay) byGame(sums map[string]*demoSum) {
	s := d.show
	table := pretty.NewTable(s.printer, "  ", "", "bets", "won", "lost", "refunded", "corrected", "", "staked", "paid out", "net")
	row := func(title, id string) {
		for _, code := range demoCurrencies() {
			sum := sumOf(sums, id+code)
			table.Row(append(append([]pretty.Cell{s.cell(title)}, s.numbers(sum.bets, sum.won, sum.lost, sum.refunded, sum.corrected)...), s.money(sum, code)...)...)
			title = ""
		}
	}
	for _, game := range games.All() {
		row(game.Title, game.ID)
	}
	row(allGames, "")
	fmt.Fprintf(s.out, "\n%s\n%s", s.printer.Cell("By game", pretty.Bold), table)
}

// demoCurrencies are those that the bookmakers bet in.
func demoCurrencies() (codes []string) {
	for _, bookmaker := range studio.Bookmakers {
		codes = append(codes, bookmaker.Currency)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

func (d *demoDay) byBookmaker(sums map[string]*demoSum) {
	s := d.show
	table := pretty.NewTable(s.printer, "  ", "", "reports", "bets", "won", "lost", "refunded", "corrected", "", "staked", "paid out", "net")
	for _, bookmaker := range studio.Bookmakers {
		sum := sumOf(sums, bookmaker.ID+bookmaker.Currency)
		cells := append([]pretty.Cell{s.cell(bookmaker.ID)}, s.numbers(len(d.books.entries[bookmaker.ID]), sum.bets, sum.won, sum.lost, sum.refunded, sum.corrected)...)
		table.Row(append(cells, s.money(sum, bookmaker.Currency)...)...)
	}
	fmt.Fprintf(s.out, "\n%s\n%s", s.printer.Cell("By bookmaker", pretty.Bold), table)
}

// money are the cells of a sum in a currency.
func (s *demoShow) money(sum *demoSum, code string) []pretty.Cell {
	staked, paid, net := sum.money(code)
	return []pretty.Cell{s.cell(code), s.cell(staked), s.cell(paid), s.cell(net)}
}

func (s *demoShow) numbers(of ...int) (cells []pretty.Cell) {
	for _, n := range of {
		cells = append(cells, s.cell(fmt.Sprint(n)))
	}
	return cells
}
