package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tally/events"
	"tally/internal/pretty"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/replay"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
)

// playDemo plays the sample messages of games and returns what there is to see.
// It fails when the money does not add up.
func playDemo(pen pretty.Pen, played []*rules.Game) ([]byte, error) {
	p := &demoPlay{pen: pen}
	for _, game := range played {
		if err := p.game(game); err != nil {
			return p.out.Bytes(), fmt.Errorf("%s: %w", game.Title, err)
		}
	}
	return p.summary()
}

// demoPlay is a demo being played.
type demoPlay struct {
	out bytes.Buffer
	pen pretty.Pen

	headed   bool // the game's first table has been written
	lines    int  // reported, corrections included
	settler  replay.Settler
	replayed int // bets that it settled again
	rows     []*demoRow
}

// The width of a line, where its text starts after a label, and where tables
// start.
const (
	demoWidth  = 100
	demoIndent = 13
	demoTables = "  "
)

// game plays the messages of one game and adds up its bets.
func (p *demoPlay) game(game *rules.Game) error {
	draws, err := p.play(game)
	if err != nil {
		return err
	}
	for _, d := range draws {
		for _, bet := range d.bets {
			if err := p.add(d, bet); err != nil {
				return err
			}
		}
	}
	return nil
}

// play writes what comes of a game's messages and returns its draws.
func (p *demoPlay) play(game *rules.Game) (draws []*demoDraw, err error) {
	files, err := events.Messages(game)
	if err != nil {
		return nil, err
	}
	bets, err := events.Bets(game)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&p.out, "%s\n", p.pen.Cell(game.Title, pretty.Bold))
	p.headed = false
	byName := map[string]*demoDraw{}
	for _, file := range files {
		m, partial, faults := wire.Parse(file.Body)
		if len(faults) > 0 {
			p.refused(partial, faults)
			continue
		}
		if byName[m.Draw] == nil {
			byName[m.Draw] = newDemoDraw(game, m.Draw, bets)
			draws = append(draws, byName[m.Draw])
			p.label("draw", "%s", m.Draw)
		}
		if err := p.message(byName[m.Draw], m, file.Body); err != nil {
			return nil, err
		}
	}
	p.out.WriteByte('\n')
	return draws, nil
}

// label writes a text after a label.
func (p *demoPlay) label(label, format string, args ...any) {
	p.sentence(label, p.pen.Sentence(fmt.Sprintf(format, args...)))
}

// sentence writes a sentence after a label, in as many lines as it needs.
func (p *demoPlay) sentence(label string, s pretty.Sentence) {
	for _, line := range s.Lines(demoWidth - demoIndent) {
		fmt.Fprintf(&p.out, "  %-*s%s\n", demoIndent-2, label, line)
		label = ""
	}
}

// refused writes why an impossible message is put aside.
func (p *demoPlay) refused(partial wire.Partial, faults []wire.Fault) {
	p.label("refused", "%s: nothing is settled by it, and the studio may send a right one", partial.Type)
	table := pretty.NewTable(p.pen, demoTables)
	for _, f := range faults {
		table.Row(p.pen.Cell(f.Code, pretty.Red), p.plain(f.Rule), p.plain(f.Message))
	}
	p.out.Write(table.AppendTo(nil))
}

func (p *demoPlay) plain(text string) pretty.Cell { return p.pen.Cell(text, pretty.Plain) }

// message takes one message and writes what comes of it.
func (p *demoPlay) message(d *demoDraw, m *wire.Message, body []byte) error {
	var text demoText
	if err := json.Unmarshal(body, &text); err != nil {
		return fmt.Errorf("reading message %s: %w", m.ID, err)
	}
	base, next, err := d.take(m, text)
	if err != nil {
		return err
	}
	lines, err := d.lines(base, next)
	if err != nil {
		return err
	}
	p.lines += len(lines)
	switch m.Type {
	case wire.DrawResulted:
		p.result(m, text)
		p.settled(d.game, lines)
	case wire.DrawCancelled:
		reason, _ := m.Game.CancelReason(m.Reason)
		p.label("cancelled", "%s: %s", m.Reason, reason.Text)
		p.settled(d.game, lines)
	case wire.BetsVoided:
		p.label("voided", "%s, %s, %s: %s", m.Order, m.Reason, scopeText(m.Scope), inSentence(lines))
	case wire.OrderRevoked:
		p.label("revoked", "%s by %s, %s: %s", m.Revokes, m.Order, m.Reason, inSentence(lines))
	}
	return nil
}

// result writes the facts and what the rules make of them.
func (p *demoPlay) result(m *wire.Message, text demoText) {
	label := "result"
	if text.Correction.Reason != "" {
		p.label("corrected", "%s: %s", text.Correction.Reason, text.Correction.Note)
		label = ""
	}
	p.sentence(label, p.pen.Describe(m.Game, text.Facts))
	if void := m.Resolution.Void; void.Reason != "" {
		p.label("", "= void: %s, %s", void.Reason, void.Rule)
		return
	}
	p.sentence("", append(p.pen.Sentence("="), p.pen.Describe(m.Game, m.Resolution.Outcome.AppendJSON(nil))...))
}

// settled writes the lines of bets: the bet with its first line, or what a later
// line replaces.
func (p *demoPlay) settled(game *rules.Game, lines []demoLine) {
	table := pretty.NewTable(p.pen, demoTables)
	if !p.headed {
		table = pretty.NewTable(p.pen, demoTables, "bet", "by", "round", "selection", "odds", "stake", "is", "payout", "", "why")
		p.headed = true
	}
	for _, line := range lines {
		bet := line.bet
		var cells []pretty.Cell
		if line.now.Replaces == 0 {
			cells = p.placed(game, bet)
		} else {
			cells = append([]pretty.Cell{p.plain(bet.Reference)}, p.ended(line.before, bet.Currency)...)
			cells = append(cells, p.pen.Cell("→", pretty.Dim))
		}
		cells = append(cells, p.ended(line.now.Settlement, bet.Currency)...)
		why := line.now.Reason
		if byFacts(line.now.Settlement) { // the others say it all, and the line would be too long
			why = strings.TrimSpace(why + " " + line.now.Rule)
		}
		table.Row(append(cells, p.plain(why))...)
	}
	p.out.Write(table.AppendTo(nil))
}

// placed is a bet as it was placed.
func (p *demoPlay) placed(game *rules.Game, bet *events.Bet) []pretty.Cell {
	odds, round := bet.Odds, ""
	if odds == 0 {
		odds = game.Odds(bet.Selection)
	}
	if len(game.Rounds) > 1 {
		round = fmt.Sprint(bet.Round)
	}
	return []pretty.Cell{p.plain(bet.Reference), p.plain(strings.TrimSpace(bet.Bookmaker + " " + bet.Shop)), p.plain(round),
		p.plain(game.Text(bet.Selection)), p.plain(odds.String()), p.plain(amount(bet.Stake, bet.Currency))}
}

// ended is what became of a bet.
func (p *demoPlay) ended(s settlement.Settlement, c money.Currency) []pretty.Cell {
	style := map[rules.Result]pretty.Style{rules.Won: pretty.Green, rules.Refunded: pretty.Yellow, rules.Lost: pretty.Dim}[s.Result]
	return []pretty.Cell{p.pen.Cell(s.Result.String(), style), p.plain(amount(s.Payout, c)), p.plain(c.Code())}
}

// inSentence is lines in a sentence.
func inSentence(lines []demoLine) string {
	var texts []string
	for _, line := range lines {
		texts = append(texts, fmt.Sprintf("%s %v %s", line.bet.Reference, line.now.Result, amount(line.now.Payout, line.bet.Currency)))
	}
	if texts == nil {
		return "no line changes"
	}
	return strings.Join(texts, ", ")
}

func amount(a money.Amount, c money.Currency) string { return string(money.AppendAmount(nil, a, c)) }

// scopeText is the bets that an order names.
func scopeText(s settlement.Scope) string {
	parts := []string{"the bets"}
	add := func(is bool, format string, args ...any) {
		if is {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(len(s.Bets) > 0, "%s", strings.Join(s.Bets, " and "))
	add(s.Bookmaker != "", "of %s", s.Bookmaker)
	add(s.Shop != "", "at %s", s.Shop)
	add(s.Round != 0, "in round %d", s.Round)
	clock := func(at settlement.Instant) string {
		return wire.FormatTime(at)[len("2006-01-02T"):len("2006-01-02T15:04:05")]
	}
	add(s.AcceptedFrom != 0, "from %s", clock(s.AcceptedFrom))
	add(s.AcceptedTo != 0, "until %s", clock(s.AcceptedTo))
	return strings.Join(parts, " ")
}

// demoRow is a game's money in one currency, or the money of all games.
type demoRow struct {
	title  string
	totals settlement.Totals
	ended  [3]struct{ staked, paid money.Sum } // by rules.Result
}

// allGames is the title of the rows that add up the others.
const allGames = "all games"

// row returns the row of a title and a currency to add to.
func (p *demoPlay) row(title string, c money.Currency) *demoRow {
	for _, row := range p.rows {
		if row.title == title && row.totals.Currency == c {
			return row
		}
	}
	row := &demoRow{title: title, totals: settlement.Totals{Currency: c}}
	p.rows = append(p.rows, row)
	return row
}

// add adds a bet as its draw's newest state settles it, after settling it again,
// by `tally settle`, where the facts alone decide it.
func (p *demoPlay) add(d *demoDraw, bet *events.Bet) error {
	settled, err := settlement.Settle(&bet.Bet, d.settled)
	if err != nil {
		return err
	}
	for _, title := range []string{d.game.Title, allGames} {
		row := p.row(title, bet.Currency)
		row.totals.Add(bet.Stake, settled)
		row.ended[settled.Result].staked.Add(bet.Stake)
		row.ended[settled.Result].paid.Add(settled.Payout)
	}
	if !byFacts(settled) {
		return nil
	}
	p.replayed++
	return d.settleOffline(&p.settler, bet, settled)
}

// summary writes the table of all money and checks that it adds up.
func (p *demoPlay) summary() ([]byte, error) {
	slices.SortStableFunc(p.rows, func(a, b *demoRow) int { return totalsLast(a) - totalsLast(b) })
	table := pretty.NewTable(p.pen, "  ", "game", "", "bets", "won", "lost", "refunded", "staked", "= on won", "+ lost", "+ refunded", "paid out")
	var wrong []string
	for _, r := range p.rows {
		t := r.totals
		number := func(n int) pretty.Cell { return p.plain(fmt.Sprint(n)) }
		sum := func(s money.Sum) pretty.Cell { return p.plain(string(s.AppendTo(nil, t.Currency))) }
		table.Row(p.plain(r.title), p.plain(t.Currency.Code()), number(t.Bets), number(t.Won), number(t.Lost), number(t.Refunded),
			sum(t.Stake), sum(r.ended[rules.Won].staked), sum(r.ended[rules.Lost].staked), sum(r.ended[rules.Refunded].staked), sum(t.Payout))
		wrong = append(wrong, r.wrong()...)
	}
	fmt.Fprintf(&p.out, "%s\n%s\n", p.pen.Cell("Settled in all", pretty.Bold), table)
	if len(wrong) > 0 {
		return p.out.Bytes(), fmt.Errorf("the money does not add up: %s", strings.Join(wrong, "; "))
	}
	fmt.Fprintf(&p.out, `%d lines were reported, corrections included. Checked: in each row bets and stakes add up, refunds
are the stakes, payouts are the sum of the lines; `+"`tally settle`"+` gives the %d bets that the facts
alone decide the same result, payout and rule.
`, p.lines, p.replayed)
	return p.out.Bytes(), nil
}

func totalsLast(r *demoRow) int {
	if r.title == allGames {
		return 1
	}
	return 0
}

// wrong returns what does not add up in a row.
func (r *demoRow) wrong() (wrong []string) {
	won, lost, refunded := r.ended[rules.Won], r.ended[rules.Lost], r.ended[rules.Refunded]
	report := func(isWrong bool, what string) {
		if isWrong {
			wrong = append(wrong, r.title+": "+what)
		}
	}
	t := r.totals
	report(t.Won+t.Lost+t.Refunded != t.Bets, "bets")
	report(added(won.staked, lost.staked, refunded.staked) != t.Stake, "stakes")
	report(added(won.paid, lost.paid, refunded.paid) != t.Payout, "payouts")
	report(lost.paid != money.Sum{}, "a lost bet was paid")
	report(refunded.paid != refunded.staked, "a refund is not the stake")
	return wrong
}

// added adds sums that are far from the largest amount.
func added(sums ...money.Sum) (all money.Sum) {
	for _, sum := range sums {
		if amount, err := sum.Amount(); err == nil {
			all.Add(amount)
		}
	}
	return all
}
