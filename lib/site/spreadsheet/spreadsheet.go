// Package spreadsheet keeps texts from outside from being formulas where CSV is
// opened by a spreadsheet.
package spreadsheet

import "strings"

// Harmless puts an apostrophe before a text that a spreadsheet would take for a
// formula: identifiers may begin with a hyphen.
func Harmless(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
