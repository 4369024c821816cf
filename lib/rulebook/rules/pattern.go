package rules

import "strings"

// Pattern names one selection of a game, or all of a family that begin alike, such
// as insurance:* or double:3:*.
type Pattern struct {
	selection Selection // of which the first numbers count
	open      bool      // the rest may be anything
}

// everything ends the text of a pattern that names more than one selection.
const everything = ":*"

// ParsePattern reads a pattern. The error is a *SelectionError.
func (g *Game) ParsePattern(text string) (Pattern, error) {
	prefix, open := strings.CutSuffix(text, everything)
	if !open {
		s, err := g.Parse(text)
		return Pattern{selection: s}, err
	}
	name, rest, fixed := strings.Cut(prefix, ":")
	index, known := g.byName[name]
	if !known || len(text) > longestText {
		return Pattern{}, &SelectionError{Code: UnknownSelection, Text: text, Reason: g.Title + " has no such selections", Unlisted: true}
	}
	family, wrong := &g.Families[index], &SelectionError{Code: IllegalShape, Text: text}
	p := Pattern{selection: Selection{family: uint8(index)}, open: true}
	if wrong.Reason = family.begin(rest, fixed, &p.selection); wrong.Reason != "" {
		return Pattern{}, wrong
	}
	return p, nil
}

// begin reads the first parameters of a selection, of which some must be left.
func (f *FamilyInfo) begin(rest string, fixed bool, s *Selection) (why string) {
	for i := 0; fixed; i++ {
		var part string
		part, rest, fixed = strings.Cut(rest, ":")
		if i >= len(f.params)-1 {
			return "there is nothing left for the *: it is written " + f.Form()
		}
		if why := f.params[i].parse(part, s); why != "" {
			return why
		}
	}
	if len(f.params) == 0 {
		return f.Name + " has no parameters: it is named without :*"
	}
	return ""
}

// Covers reports whether the pattern names a selection of the same game.
func (p Pattern) Covers(s Selection) bool {
	if !p.open {
		return p.selection == s
	}
	n := p.selection.count
	return p.selection.family == s.family && s.count >= n && p.selection.params == s.first(n)
}

// first returns the selection's first numbers, and zeros.
func (s Selection) first(n uint8) (first [4]uint16) {
	copy(first[:n], s.params[:n])
	return first
}
