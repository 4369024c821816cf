package capacity

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// String returns the counts as an aligned table: a line for each operation, in
// the order of their names, and one for the sum. Units are whole ones.
//
//	operation  calls  attempts  items  reads  writes  unseen
//	PutItem        2         3      2      0       2       0
//	Query          1         1     40    2.5       0       0
//	total          3         4     42    2.5       2       0
func (s Snapshot) String() string {
	rows := [][]string{{"operation", "calls", "attempts", "items", "reads", "writes", "unseen"}}
	for _, operation := range s.Operations() {
		rows = append(rows, s[operation].row(operation))
	}
	return align(append(rows, s.Total().row("total")))
}

func (c Count) row(name string) []string {
	whole := func(n int64) string { return strconv.FormatInt(n, 10) }
	return []string{
		name, whole(c.Calls), whole(c.Attempts), whole(c.Items), c.Reads.String(), c.Writes.String(), whole(c.Unseen),
	}
}

// align pads the first column on its right and the others on their left.
func align(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				text.WriteString(cell + padding)
			} else {
				text.WriteString("  " + padding + cell)
			}
		}
		text.WriteByte('\n')
	}
	return text.String()
}
