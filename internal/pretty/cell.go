package pretty

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// Style is how a text stands out on a terminal.
type Style string

// The styles; each is a parameter of the terminal's "select graphic rendition".
const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
)

// Printer writes cells, with colour or without.
type Printer struct{ Colour bool }

// Cell is a text with what a terminal needs to show it in its style, and the
// number of columns that it takes.
type Cell struct {
	text   string
	width  int
	number bool // to be aligned on the right
}

// Cell returns a text in a style. What can't be printed, control characters of
// a terminal above all, is written as an escape.
func (p Printer) Cell(text string, style Style) Cell {
	text = printable(text)
	c := Cell{text: text, width: uniseg.StringWidth(text), number: isNumber(text)}
	if p.Colour && style != Plain && text != "" {
		c.text = "\x1b[" + string(style) + "m" + text + "\x1b[0m"
	}
	return c
}

// Join returns the cells that are not empty as one, with a separator between
// them.
func Join(separator string, cells ...Cell) (joined Cell) {
	for _, c := range cells {
		switch {
		case c.width == 0:
		case joined.width == 0:
			joined = c
		default:
			joined.text += separator + c.text
			joined.width += uniseg.StringWidth(separator) + c.width
			joined.number = false
		}
	}
	return joined
}

// Wrap returns a text in lines of at most so many columns, but for words that are
// longer.
func Wrap(text string, columns int) (lines []string) {
	var line Cell
	for text := range strings.FieldsSeq(text) {
		word := Printer{}.Cell(text, Plain)
		if line.width > 0 && line.width+1+word.width > columns {
			lines, line = append(lines, line.text), Cell{}
		}
		line = Join(" ", line, word)
	}
	return append(lines, line.text)
}

// String returns the cell as it is written.
func (c Cell) String() string { return c.text }

func printable(text string) string {
	clean := func(r rune) bool { return unicode.IsPrint(r) && r != unicode.ReplacementChar }
	if strings.IndexFunc(text, func(r rune) bool { return !clean(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if clean(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\u{%x}", r)
		}
	}
	return b.String()
}

// isNumber reports a whole or decimal number.
func isNumber(text string) bool {
	whole, decimals, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	return whole != "" && strings.Trim(whole+decimals, "0123456789") == ""
}
