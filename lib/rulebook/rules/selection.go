package rules

import "strings"

// Selection is what a bet is on, in the compact form that is parsed once: the
// family's place in the game's catalogue and up to four numbers. It is
// comparable; two selections of one game are equal when their texts are.
type Selection struct {
	family uint8
	count  uint8
	params [4]uint16
}

// At returns the selection's parameter i: a number, the whole part of a line
// (125 of 125.5), or the place of a word in its list.
func (s Selection) At(i int) int { return int(s.params[i]) }

// Numbers returns how many parameters the selection has.
func (s Selection) Numbers() int { return int(s.count) }

func (s *Selection) push(n int) {
	s.params[s.count] = uint16(n)
	s.count++
}

// The codes of texts that are no selection.
const (
	UnknownSelection = "unknown_selection"
	IllegalShape     = "illegal_shape"
)

// SelectionError says why a text is no selection of a game.
type SelectionError struct {
	Code   string // UnknownSelection or IllegalShape
	Text   string
	Reason string
	// Unlisted is set when the game has nothing of that name, so that its catalogue
	// helps: where to find that, those say who show the error.
	Unlisted bool
}

// longestText is more bytes than any selection has; a message does not repeat
// more of a text.
const longestText = 96

func (e *SelectionError) Error() string {
	if len(e.Text) > longestText {
		return strings.ToValidUTF8(e.Text[:longestText], "") + "…: " + e.Reason
	}
	return e.Text + ": " + e.Reason
}

// Over reports whether n is over a line whose whole part is line.
func Over(n, line int) bool { return n > line }

// Under reports whether n is under a line whose whole part is line.
func Under(n, line int) bool { return n <= line }
