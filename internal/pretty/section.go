package pretty

import (
	"slices"
	"strconv"
	"strings"

	"tally/lib/rulebook/cards"
)

// section is an object as people read it: a list of labelled values, and tables
// for what has rows of its own (six hands, seven seats, two spins).
type section struct {
	rows  []row
	grids []grid
}

type row struct {
	label string
	text  Cell
}

// grid is a list of objects or lists as a table. The first cells of a row say
// which one it is: seat 4, hand 2.
type grid struct {
	name    string
	keys    []string
	columns []string
	rows    []gridRow
}

type gridRow struct {
	keys  []string
	cells map[string]Cell
}

// draft makes sections of the facts and outcomes of one game.
type draft struct {
	printer   Printer
	withCards bool // the game has cards: two letters may be one
}

// section lays out an object.
func (d draft) section(object value) (s section) {
	var yes, no []Cell
	for _, m := range object.members {
		switch {
		case m.isNested():
			s.grids = append(s.grids, d.grid(m.name, m.value))
		case m.kind == 't':
			yes = append(yes, d.printer.Cell(words(m.name), Plain))
		case m.kind == 'f':
			no = append(no, d.printer.Cell(words(m.name), Plain))
		default:
			s.rows = append(s.rows, row{label: words(m.name), text: d.inline(m.value)})
		}
	}
	if len(yes) > 0 {
		s.rows = append(s.rows, row{label: "yes", text: Join(", ", yes...)})
	}
	if len(no) > 0 {
		s.rows = append(s.rows, row{label: "no", text: Join(", ", no...)})
	}
	return s
}

// grid lays out a list of objects or lists.
func (d draft) grid(name string, list value) grid {
	g := grid{name: name, keys: []string{singular(name)}}
	for i, element := range list.elements {
		key := strconv.Itoa(i + 1)
		if own := element.get(g.keys[0]); own.kind != 0 {
			key = own.text
		}
		d.addElement(&g, key, element)
	}
	return g
}

// addElement adds the rows of one element: those of the list within it, with
// what the element itself says in the first of them, or one.
func (d draft) addElement(g *grid, key string, element value) {
	own := map[string]Cell{}
	var inner grid
	if element.kind != '{' {
		own[g.column(d.ofLists())] = d.inline(element)
	}
	for _, m := range element.members {
		switch {
		case m.name == g.keys[0]:
		case m.isNested():
			inner = d.grid(m.name, m.value)
		default:
			own[g.column(words(m.name))] = d.inline(m.value)
		}
	}
	if len(inner.rows) == 0 {
		g.rows = append(g.rows, gridRow{keys: []string{key}, cells: own})
		return
	}
	if len(g.keys) == 1 {
		g.keys = append(g.keys, inner.keys...)
	}
	for _, column := range inner.columns {
		g.column(column)
	}
	for i, r := range inner.rows {
		if i == 0 {
			for name, cell := range own {
				r.cells[name] = cell
			}
		}
		g.rows = append(g.rows, gridRow{keys: append([]string{key}, r.keys...), cells: r.cells})
	}
}

// ofLists names the column of a grid whose elements are plain lists.
func (d draft) ofLists() string {
	if d.withCards {
		return "cards"
	}
	return "values"
}

// column returns the name of a column that the grid has from now on.
func (g *grid) column(name string) string {
	if !slices.Contains(g.columns, name) {
		g.columns = append(g.columns, name)
	}
	return name
}

// sameRows reports whether two grids speak of the same things.
func (g grid) sameRows(other grid) bool {
	return g.name == other.name && slices.Equal(g.keys, other.keys) &&
		slices.EqualFunc(g.rows, other.rows, func(a, b gridRow) bool { return slices.Equal(a.keys, b.keys) })
}

// merge moves the grids of the facts that the outcome says more about to the
// outcome: each hand's cards stand beside what they make.
func merge(facts, outcome *section) {
	facts.grids = slices.DeleteFunc(facts.grids, func(seen grid) bool {
		at := slices.IndexFunc(outcome.grids, seen.sameRows)
		if at < 0 {
			return false
		}
		outcome.grids[at] = seen.with(outcome.grids[at])
		return true
	})
}

// with returns the columns of both grids.
func (g grid) with(other grid) grid {
	for _, name := range other.columns {
		g.column(name)
	}
	for i, r := range other.rows {
		for name, cell := range r.cells {
			g.rows[i].cells[name] = cell
		}
	}
	return g
}

// appendTo appends the section's lines under a heading.
func (s section) appendTo(dst []byte, printer Printer, heading string) []byte {
	if len(s.rows)+len(s.grids) == 0 {
		return dst
	}
	dst = appendHeading(dst, printer, heading)
	list := NewList(indent)
	for _, r := range s.rows {
		list.Row(printer.Cell(r.label, Plain), r.text)
	}
	dst = list.AppendTo(dst)
	for _, g := range s.grids {
		dst = g.table(printer).AppendTo(dst)
	}
	return dst
}

func (g grid) table(printer Printer) *Table {
	t := NewTable(printer, indent, append(slices.Clone(g.keys), g.columns...)...)
	for _, r := range g.rows {
		cells := make([]Cell, len(g.keys), len(g.keys)+len(g.columns))
		for i, key := range r.keys {
			if i < len(g.keys) {
				cells[i] = printer.Cell(key, Plain)
			}
		}
		for _, name := range g.columns {
			cells = append(cells, r.cells[name])
		}
		t.Row(cells...)
	}
	return t
}

// inline shows a value within one line.
func (d draft) inline(v value) Cell {
	switch v.kind {
	case 't':
		return d.printer.Cell("yes", Plain)
	case 'f':
		return d.printer.Cell("no", Plain)
	case 'n':
		return d.printer.Cell("–", Plain)
	case '"':
		return d.word(v.text)
	case '[':
		return d.list(v)
	case '{':
		return d.object(v)
	}
	return d.printer.Cell(v.text, Plain)
}

func (d draft) list(v value) Cell {
	if len(v.elements) == 0 {
		return d.printer.Cell("none", Plain)
	}
	separator := " "
	cells := make([]Cell, 0, len(v.elements))
	for _, element := range v.elements {
		if element.kind == '"' && !d.isCard(element.text) {
			separator = ", "
		}
		cells = append(cells, d.inline(element))
	}
	return Join(separator, cells...)
}

func (d draft) object(v value) Cell {
	cells := make([]Cell, 0, len(v.members))
	for _, m := range v.members {
		cells = append(cells, Join(" ", d.printer.Cell(words(m.name), Plain), d.inline(m.value)))
	}
	return Join(", ", cells...)
}

func (d draft) isCard(text string) bool {
	_, ok := cards.Parse(text)
	return ok && d.withCards
}

// word shows a string: a card, a code in words, or the colour red in red.
func (d draft) word(text string) Cell {
	if d.isCard(text) {
		card, _ := cards.Parse(text)
		return d.card(card)
	}
	style := Plain
	if text == "red" {
		style = Red
	}
	return d.printer.Cell(words(text), style)
}

// suits are the signs of the suits in the order of their package.
const suits = "♠♥♦♣"

func (d draft) card(card cards.Card) Cell {
	style := Plain
	if card.Red() {
		style = Red
	}
	return d.printer.Cell(card.Rank().String()+string([]rune(suits)[card.Suit()]), style)
}

// words writes a code as people do: full_house is full house.
func words(code string) string { return strings.ReplaceAll(code, "_", " ") }

// singular names one element of a list.
func singular(name string) string { return words(strings.TrimSuffix(name, "s")) }
