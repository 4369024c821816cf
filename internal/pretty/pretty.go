// Package pretty shows the answers of a replay to people: each line becomes a
// block with what was seen on the table (cards as K♠ 3♦), what the rules make of
// it, and the bets as an aligned table with what became of them.
//
// It works from the line and its JSON answer alone and knows no game: whatever
// members a game's facts and outcome have are shown in their order. So the text
// can't say anything else than the JSON that programs get.
package pretty

import (
	"strings"

	"tally/lib/rulebook/games"
	"tally/lib/rulebook/replay"
	"tally/lib/rulebook/rules"
)

// TextResponder writes the responses of a Responder as text. It is not safe for
// concurrent use.
type TextResponder struct {
	responder replay.Responder
	printer   Printer
	answer    []byte // of the line, as JSON
}

var _ replay.Responder = (*TextResponder)(nil)

// New returns a TextResponder that shows what another responds.
func New(responder replay.Responder, printer Printer) *TextResponder {
	return &TextResponder{responder: responder, printer: printer}
}

// Answer appends a block of lines for text, with an empty line after it.
func (a *TextResponder) Respond(dst, text []byte) []byte {
	a.answer = a.responder.Respond(a.answer[:0], text)
	return a.block(dst, text)
}

// TooLong appends the block of a line that was not read.
func (a *TextResponder) TooLong(dst []byte) []byte {
	a.answer = a.responder.TooLong(a.answer[:0])
	return a.block(dst, nil)
}

// indent stands before the lines of a section.
const indent = "    "

func (a *TextResponder) block(dst, text []byte) []byte {
	line, _ := parse(text) // what is no JSON is answered as malformed
	answer, _ := parse(a.answer)
	b := block{printer: a.printer, text: text, line: line}
	b.copied, b.answer = apart(answer)
	b.game, _ = games.Find(b.answer.get("game").text)
	return append(b.appendTo(dst), '\n')
}

// block is one line and its answer.
type block struct {
	printer Printer
	text    []byte
	line    value
	copied  value       // what the answer repeats of the line
	answer  value       // what the answer says itself
	game    *rules.Game // nil when the line is malformed
}

// apart takes an answer apart: members copied from the line come first, and
// whatever they are called they are not tally's word; its own begin with the
// status.
func apart(answer value) (copied, own value) {
	copied, own = answer, answer
	for i, m := range answer.members {
		if m.name == "status" {
			copied.members, own.members = answer.members[:i], answer.members[i:]
			break
		}
	}
	return copied, own
}

func (b *block) appendTo(dst []byte) []byte {
	dst = b.title(dst)
	if b.game == nil {
		return b.errors(b.source(dst))
	}
	d := draft{printer: b.printer, withCards: b.game.Decks > 0}
	seen, outcome := d.section(b.line.get("facts")), d.section(b.answer.get("outcome"))
	merge(&seen, &outcome)
	dst = seen.appendTo(dst, b.printer, "seen")
	dst = outcome.appendTo(dst, b.printer, "outcome")
	dst = b.void(dst)
	dst = b.errors(dst)
	return b.totals(b.bets(dst))
}

// title appends the game, the answer's status and what the line is called: its
// members that were copied to the answer.
func (b *block) title(dst []byte) []byte {
	name := "Line"
	if b.game != nil {
		name = b.game.Title
	}
	status := b.answer.get("status").text
	parts := []Cell{b.printer.Cell(name, Bold), b.printer.Cell(status, statusStyle(status))}
	for _, m := range b.copied.members {
		if m.kind == '"' || m.kind == '0' {
			parts = append(parts, b.printer.Cell(words(m.name)+" "+m.text, Plain))
		}
	}
	rounding := b.line.get("rounding") // settle reads it, resolve copies it
	if b.game != nil && rounding.kind == '"' && b.copied.get("rounding").kind == 0 {
		parts = append(parts, b.printer.Cell("rounding "+words(rounding.text), Plain))
	}
	return append(append(dst, Join(" · ", parts...).String()...), '\n')
}

func appendHeading(dst []byte, printer Printer, heading string) []byte {
	return append(append(append(dst, "  "...), printer.Cell(heading, Bold).String()...), '\n')
}

// source appends the beginning of a line that could not be read.
func (b *block) source(dst []byte) []byte {
	const most = 100 // bytes
	text, more := string(b.text), ""
	if len(text) > most {
		text, more = strings.ToValidUTF8(text[:most], ""), "…"
	}
	if strings.TrimSpace(text) == "" {
		return dst
	}
	dst = appendHeading(dst, b.printer, "line")
	return append(append(append(dst, indent...), b.printer.Cell(text+more, Plain).String()...), '\n')
}

// void appends why a draw is void.
func (b *block) void(dst []byte) []byte {
	reason := b.answer.get("reason").text
	if reason == "" {
		return dst
	}
	list := NewList(indent)
	list.Row(b.printer.Cell("reason", Plain), b.printer.Cell(words(reason), Plain))
	if known, ok := b.game.CancelReason(reason); ok {
		list.Row(b.printer.Cell("that is", Plain), b.printer.Cell(known.Text, Plain))
	}
	list.Row(b.printer.Cell("rule", Plain), b.printer.Cell(b.answer.get("rule").text, Plain))
	return list.AppendTo(appendHeading(dst, b.printer, "void"))
}

// errors appends everything that is wrong with the line, one fault a line.
func (b *block) errors(dst []byte) []byte {
	list := NewTable(b.printer, indent, "code", "rule", "what is wrong")
	for _, e := range b.answer.get("errors").elements {
		list.Row(b.printer.Cell(e.get("code").text, Red), b.printer.Cell(e.get("rule").text, Plain), b.printer.Cell(e.get("message").text, Plain))
	}
	if list.Empty() {
		return dst
	}
	return list.AppendTo(appendHeading(dst, b.printer, "errors"))
}

// bets appends what became of each bet, which only an answer of settle says.
func (b *block) bets(dst []byte) []byte {
	settlements := b.answer.get("settlements").elements
	if len(settlements) == 0 {
		return dst
	}
	table := NewTable(b.printer, indent, "bet", "selection", "odds", "stake", "currency", "status", "payout", "rule", "why")
	for i, settled := range settlements {
		bet := b.betOf(i, settled)
		cell := func(v value, name string) Cell { return b.printer.Cell(v.get(name).text, Plain) }
		status := settled.get("status").text
		table.Row(cell(settled, "bet"), cell(bet, "selection"), cell(bet, "odds"), cell(bet, "stake"), cell(bet, "currency"),
			b.printer.Cell(status, statusStyle(status)), cell(settled, "payout"), cell(settled, "rule"), b.why(settled))
	}
	return table.AppendTo(appendHeading(dst, b.printer, "bets"))
}

// betOf returns the bet that a settlement is about. The settlements stand in the
// order of the bets; should they not, a bet is left blank rather than mixed up.
func (b *block) betOf(i int, settled value) value {
	bets := b.line.get("bets").elements
	if i >= len(bets) || bets[i].get("bet").text != settled.get("bet").text {
		return value{}
	}
	return bets[i]
}

// why says why a bet was refunded or rejected.
func (b *block) why(settled value) Cell {
	if code := settled.get("code").text; code != "" {
		return b.printer.Cell(code+": "+settled.get("message").text, Plain)
	}
	return b.printer.Cell(words(settled.get("reason").text), Plain)
}

// totals appends the totals of each currency, under the names that they have in
// the answer.
func (b *block) totals(dst []byte) []byte {
	currencies := b.answer.get("totals").members
	if len(currencies) == 0 {
		return dst
	}
	headings := []string{"currency"}
	for _, m := range currencies[0].members {
		headings = append(headings, m.name)
	}
	table := NewTable(b.printer, indent, headings...)
	for _, currency := range currencies {
		cells := []Cell{b.printer.Cell(currency.name, Plain)}
		for _, m := range currency.members {
			cells = append(cells, b.printer.Cell(m.text, Plain))
		}
		table.Row(cells...)
	}
	return table.AppendTo(appendHeading(dst, b.printer, "totals"))
}

func statusStyle(status string) Style {
	switch status {
	case "resolved", "won":
		return Green
	case "void", "refunded":
		return Yellow
	case "invalid", "malformed", "rejected":
		return Red
	}
	return Dim
}
