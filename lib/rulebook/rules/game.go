package rules

import (
	"cmp"
	"slices"
	"strings"

	"tally/lib/rulebook/money"
	"tally/lib/strictjson"
)

// Game is a game's catalogue and rules behind one shape. It is immutable.
type Game struct {
	ID         string
	Title      string
	Prefix     string
	Version    int
	Equipment  string
	Decks      int
	Rounds     []Round
	Reasons    []CancelReason
	CancelRule string
	Groups     [][]string
	Families   []FamilyInfo
	Enumerates bool // see Spec
	Show       Show // nil for none

	byName      map[string]int
	judges      []func(Outcome, Selection) Verdict
	quotes      []func(Outcome, Selection) string
	terse       bool // see First
	read        func(strictjson.Object) any
	resolve     func(any) Resolution[Outcome]
	readVisible func(strictjson.Object) any
	decide      func(int, any) (map[string]Mark, []Fault)
}

// FamilyInfo is what a catalogue says about a family.
type FamilyInfo struct {
	Name  string
	Odds  money.Odds // zero when bets carry their own
	Rule  string
	Means string
	Round int    // the only betting round that takes it; 0 for all
	Until string // the paragraph by which no bet on it is taken any more

	params []Param
	check  func(Selection) string
	board  func(Selection) string
}

// Form is the family's selections as people write them, such as
// colour_exactly:<white|green|red|blue>:<0-5>.
func (f FamilyInfo) Form() string {
	text := f.Name
	for _, p := range f.params {
		text += ":" + p.form()
	}
	return text
}

// Facts are the facts of one draw whose form has been read.
type Facts struct{ value any }

// ReadFacts reads the form of a game's facts. The result is of use only when
// the document has no problems.
func (g *Game) ReadFacts(o strictjson.Object) Facts {
	value := g.read(o)
	o.Close()
	return Facts{value: value}
}

// Resolve answers facts that ReadFacts of the same game returned.
func (g *Game) Resolve(f Facts) Resolution[Outcome] { return g.resolve(f.value) }

// Judge returns the verdict on a selection of the same game.
func (g *Game) Judge(outcome Outcome, s Selection) Verdict {
	verdict := g.judges[s.family](outcome, s)
	if quote := g.quotes[s.family]; quote != nil && !g.terse {
		verdict.Rule = cmp.Or(quote(outcome, s), verdict.Rule)
	}
	return verdict
}

// First returns version 1 of a game whose version 2 differs in its quotes alone. It
// quoted the same paragraph whatever the outcome, and none for bets that were late,
// decided or voided. Its draws are audited by what their lines said.
func (g *Game) First() *Game {
	first := *g
	first.Version, first.terse = 1, true
	return &first
}

// The paragraphs that hold for the bets of every game.
const (
	decidedRule = "POK-3.6.3"
	voidedRule  = "POK-5.4"
)

// LateRule returns the paragraph quoted for a bet outside its betting round.
func (g *Game) LateRule(s Selection) string { return g.sinceSecond(g.Family(s).Until) }

// DecidedRule returns the paragraph quoted for a bet on a selection that was decided.
func (g *Game) DecidedRule() string { return g.sinceSecond(decidedRule) }

// VoidedRule returns the paragraph quoted for a bet that an order voids.
func (g *Game) VoidedRule() string { return g.sinceSecond(voidedRule) }

func (g *Game) sinceSecond(rule string) string {
	if g.terse {
		return ""
	}
	return rule
}

// Paytable reports whether the rulebook itself gives the odds, so that bets
// carry none.
func (g *Game) Paytable() bool { return g.Families[0].Odds != 0 }

// Odds returns the paytable's odds of a selection, or zero.
func (g *Game) Odds(s Selection) money.Odds { return g.Families[s.family].Odds }

// Family returns what the catalogue says about the selection's family.
func (g *Game) Family(s Selection) *FamilyInfo { return &g.Families[s.family] }

// CancelReason returns the game's reason of that code.
func (g *Game) CancelReason(code string) (CancelReason, bool) {
	for _, reason := range g.Reasons {
		if reason.Code == code {
			return reason, true
		}
	}
	return CancelReason{}, false
}

// Parse reads a selection. The error is a *SelectionError.
func (g *Game) Parse(text string) (Selection, error) {
	name, rest, hasParams := strings.Cut(text, ":")
	index, known := g.byName[name]
	switch {
	case len(text) > longestText && known && hasParams:
		return Selection{}, &SelectionError{Code: IllegalShape, Text: text, Reason: "no selection is as long"}
	case len(text) > longestText:
		return Selection{}, &SelectionError{Code: UnknownSelection, Text: text, Reason: g.Title + " has no such selection: none is as long"}
	case !known:
		return Selection{}, &SelectionError{Code: UnknownSelection, Text: text, Reason: g.Title + " has no such selection", Unlisted: true}
	}
	family := &g.Families[index]
	s := Selection{family: uint8(index)}
	if !hasParams {
		if len(family.params) == 0 {
			return s, nil
		}
		return s, &SelectionError{Code: UnknownSelection, Text: text, Reason: "it is written " + family.Form()}
	}
	if why := family.parse(rest, &s); why != "" {
		return s, &SelectionError{Code: IllegalShape, Text: text, Reason: why}
	}
	return s, nil
}

func (f *FamilyInfo) parse(rest string, s *Selection) (why string) {
	if len(f.params) == 0 {
		return f.Name + " has no parameters"
	}
	for i, param := range f.params {
		part, more := rest, false
		if i < len(f.params)-1 {
			part, rest, more = strings.Cut(rest, ":")
			if !more {
				return "it is written " + f.Form()
			}
		}
		if why := param.parse(part, s); why != "" {
			return why
		}
	}
	if f.check != nil {
		return f.check(*s)
	}
	return ""
}

// Append appends the selection's text.
func (g *Game) Append(dst []byte, s Selection) []byte {
	family := &g.Families[s.family]
	dst = append(dst, family.Name...)
	at := 0
	for _, param := range family.params {
		dst, at = param.print(append(dst, ':'), s, at)
	}
	return dst
}

// Text returns the selection's text.
func (g *Game) Text(s Selection) string { return string(g.Append(nil, s)) }

// BoardGroup returns the name under which a board may give this selection and
// its equals one odds, or "".
func (g *Game) BoardGroup(s Selection) string {
	if board := g.Families[s.family].board; board != nil {
		return board(s)
	}
	return ""
}

// BoardGroups returns the names of all groups of equally likely selections.
func (g *Game) BoardGroups() (names []string) {
	for i := range g.Families {
		if g.Families[i].board == nil {
			continue
		}
		for s := range g.SelectionsOf(g.Families[i].Name) {
			if name := g.BoardGroup(s); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Selections yields every selection of the catalogue, family by family.
func (g *Game) Selections(yield func(Selection) bool) {
	for i := range g.Families {
		if !g.selectionsOf(i, yield) {
			return
		}
	}
}

// SelectionsOf yields every selection of the family of that name.
func (g *Game) SelectionsOf(name string) func(func(Selection) bool) {
	return func(yield func(Selection) bool) {
		if index, known := g.byName[name]; known {
			g.selectionsOf(index, yield)
		}
	}
}

func (g *Game) selectionsOf(index int, yield func(Selection) bool) bool {
	family := &g.Families[index]
	return eachParam(family.params, Selection{family: uint8(index)}, func(s Selection) bool {
		return family.check != nil && family.check(s) != "" || yield(s)
	})
}

func eachParam(params []Param, s Selection, yield func(Selection) bool) bool {
	if len(params) == 0 {
		return yield(s)
	}
	return params[0].each(s, func(next Selection) bool {
		return eachParam(params[1:], next, yield)
	})
}

// ReadVisible reads the form of the cards visible when a betting round opens;
// ok is false when the game shows none.
func (g *Game) ReadVisible(o strictjson.Object) (f Facts, ok bool) {
	if g.readVisible == nil {
		return Facts{}, false
	}
	value := g.readVisible(o)
	o.Close()
	return Facts{value: value}, true
}

// Decide returns the selections that the visible cards have decided: MarkWin
// when no completion of the draw loses it, MarkLose when none wins it.
// Selections still open are not in it. The faults say why the cards can't be
// what is visible at the start of that betting round, one of the game's. Games
// with one round decide nothing before it.
func (g *Game) Decide(round int, visible Facts) (map[Selection]Mark, []Fault) {
	if g.decide == nil {
		return nil, nil
	}
	marks, faults := g.decide(round, visible.value)
	if len(faults) > 0 {
		return nil, faults
	}
	decided := make(map[Selection]Mark, len(marks))
	for text, mark := range marks {
		if s, err := g.Parse(text); err == nil {
			decided[s] = mark
		}
	}
	return decided, nil
}
