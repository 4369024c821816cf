package pretty

import "strings"

// gap separates two columns.
const gap = "  "

// Table aligns cells in columns by the width that they have on a terminal.
// Columns of numbers stand on the right, empty columns are left out, and no
// line ends in a space.
type Table struct {
	Indent string
	header []Cell
	rows   [][]Cell
	labels bool
}

// NewTable returns a table with a line of headings.
func NewTable(printer Printer, indent string, headings ...string) *Table {
	t := &Table{Indent: indent}
	for _, heading := range headings {
		t.header = append(t.header, printer.Cell(heading, Dim))
	}
	return t
}

// NewList returns a table of labels and what they label, without headings.
func NewList(indent string) *Table { return &Table{Indent: indent, labels: true} }

// Row adds a row. It may be shorter than others.
func (t *Table) Row(cells ...Cell) { t.rows = append(t.rows, cells) }

// Empty reports that the table has no rows.
func (t *Table) Empty() bool { return len(t.rows) == 0 }

// String returns the lines of the table.
func (t *Table) String() string { return string(t.AppendTo(nil)) }

// column is how a column is laid out.
type column struct {
	width int
	right bool
}

// AppendTo appends the lines of the table.
func (t *Table) AppendTo(dst []byte) []byte {
	columns := t.columns()
	if len(t.header) > 0 {
		dst = t.line(dst, t.header, columns)
	}
	for _, row := range t.rows {
		dst = t.line(dst, row, columns)
	}
	return dst
}

// columns measures the columns; one whose rows are all empty has no width.
func (t *Table) columns() (columns []column) {
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(columns) {
				columns = append(columns, column{right: !t.labels})
			}
			columns[i].width = max(columns[i].width, cell.width)
			columns[i].right = columns[i].right && (cell.number || cell.width == 0)
		}
	}
	for i, heading := range t.header {
		if i < len(columns) && columns[i].width > 0 {
			columns[i].width = max(columns[i].width, heading.width)
		}
	}
	return columns
}

// line appends one line. Spaces are written only once something follows them.
func (t *Table) line(dst []byte, cells []Cell, columns []column) []byte {
	before := t.Indent
	for i, cell := range cells {
		if i >= len(columns) || columns[i].width == 0 {
			continue
		}
		padding := strings.Repeat(" ", columns[i].width-cell.width)
		if columns[i].right {
			before, padding = before+padding, ""
		}
		if cell.width > 0 {
			dst = append(append(dst, before...), cell.text...)
			before = ""
		}
		before += padding + gap
	}
	return append(dst, '\n')
}
