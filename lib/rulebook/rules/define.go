package rules

import (
	"cmp"
	"fmt"
	"strings"

	"tally/lib/strictjson"
)

// Define checks a spec and returns its game. It panics when the catalogue
// contradicts itself, with all that is wrong.
func Define[F any, O Outcome](spec Spec[F, O]) *Game {
	g := &Game{
		ID: spec.ID, Title: spec.Title, Prefix: spec.Prefix, Version: spec.Version,
		Equipment: spec.Equipment, Decks: spec.Decks, Rounds: spec.Rounds,
		Reasons: ReasonsOf(spec.Cancel), CancelRule: spec.CancelRule, Groups: spec.Groups, Enumerates: spec.Enumerates,
		byName: make(map[string]int, len(spec.Families)),
		Show:   spec.Show,
		read:   func(o strictjson.Object) any { return spec.Read(o) },
		resolve: func(facts any) Resolution[Outcome] {
			r := spec.Resolve(facts.(F))
			resolution := Resolution[Outcome]{Void: r.Void, Faults: r.Faults}
			if r.Void.Reason == "" && len(r.Faults) == 0 {
				resolution.Outcome = r.Outcome // otherwise a true nil, not a nil of type O
			}
			return resolution
		},
	}
	if spec.ReadVisible != nil {
		g.readVisible = func(o strictjson.Object) any { return spec.ReadVisible(o) }
		g.decide = func(round int, visible any) (map[string]Mark, []Fault) {
			facts, _ := visible.(F) // none are visible before the first card
			return spec.Decide(round, facts)
		}
	}
	wrong := addFamilies(g, spec.Families, spec.LateRule)
	if wrong = append(wrong, g.inspect(spec.ReadVisible != nil && spec.Decide != nil)...); len(wrong) > 0 {
		panic(fmt.Sprintf("catalogue of %s: %s", spec.ID, strings.Join(wrong, "; ")))
	}
	return g
}

// addFamilies adds the families to a game, and returns which are not judged in one way. It
// knows nothing of the facts, so that the games share it: each instance of it is in every
// program.
func addFamilies[O Outcome](g *Game, families []Family[O], lateRule string) (wrong []string) {
	for i, family := range families {
		if (family.Wins == nil) == (family.Judge == nil) {
			wrong = append(wrong, family.Name+": needs Wins or Judge")
		}
		g.byName[family.Name] = i
		g.Families = append(g.Families, FamilyInfo{
			Name: family.Name, Odds: family.Odds, Rule: family.Rule, Means: family.Means, Round: family.Round,
			Until:  cmp.Or(family.Until, lateRule),
			params: family.Params, check: family.Check, board: family.Board,
		})
		g.judges = append(g.judges, judge(family))
		g.quotes = append(g.quotes, quote(family))
	}
	return wrong
}

// judge returns the family's verdict with its rule and odds filled in.
func judge[O Outcome](f Family[O]) func(Outcome, Selection) Verdict {
	if f.Wins != nil {
		lost := Verdict{Result: Lost, Odds: f.Odds, Rule: f.Rule}
		won := Verdict{Result: Won, Odds: f.Odds, Rule: f.Rule}
		return func(o Outcome, s Selection) Verdict {
			if f.Wins(o.(O), s) {
				return won
			}
			return lost
		}
	}
	return func(o Outcome, s Selection) Verdict {
		v := f.Judge(o.(O), s)
		if v.Rule == "" {
			v.Rule = f.Rule
		}
		if v.Odds == 0 {
			v.Odds = f.Odds
		}
		return v
	}
}

// quote returns the family's quotes; nil when it has none beside those of its verdicts.
func quote[O Outcome](f Family[O]) func(Outcome, Selection) string {
	if f.Quote == nil {
		return nil
	}
	return func(o Outcome, s Selection) string { return f.Quote(o.(O), s) }
}

// inspect returns what contradicts itself in a catalogue; decides is whether the game can
// decide selections. It is not generic, for the same reason.
func (g *Game) inspect(decides bool) (wrong []string) {
	report := func(bad bool, format string, args ...any) {
		if bad {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	report(g.ID == "" || g.Title == "" || g.Prefix == "" || g.Version < 1, "id, title, prefix or version missing")
	report(len(g.Rounds) < 1 || len(g.Rounds) > 4, "%d betting rounds", len(g.Rounds))
	for i, round := range g.Rounds {
		report(round.Number != i+1, "betting round %d is numbered %d", i+1, round.Number)
	}
	report(len(g.Rounds) > 1 && !decides, "several rounds, but nothing decides selections")
	report(len(g.byName) != len(g.Families) || len(g.Families) == 0 || len(g.Families) > 256, "family names repeat, or there are none")
	report(!strings.HasPrefix(g.CancelRule, g.Prefix+"-"), "cancel rule %q", g.CancelRule)
	for i, family := range g.Families {
		report(!strings.HasPrefix(family.Rule, g.Prefix+"-"), "%s: rule %q", family.Name, family.Rule)
		report(family.Means == "", "%s: no meaning", family.Name)
		report((family.Odds != 0) != g.Paytable(), "%s: some families have paytable odds and some don't", family.Name)
		report(family.Until == "" || !strings.HasPrefix(family.Until, g.Prefix+"-"), "%s: late rule %q", family.Name, family.Until)
		report(family.Round < 0 || family.Round > len(g.Rounds), "%s: betting round %d", family.Name, family.Round)
		wrong = append(wrong, g.inspectSelections(i)...)
	}
	for _, group := range g.Groups {
		for _, name := range group {
			_, known := g.byName[name]
			report(!known, "group names %q", name)
		}
	}
	return wrong
}

// inspectSelections checks that a family has selections and that the first two
// read back as printed: all of them would be too slow at start, and a test does it.
func (g *Game) inspectSelections(index int) (wrong []string) {
	count := 0
	g.selectionsOf(index, func(s Selection) bool {
		text := g.Text(s)
		if back, err := g.Parse(text); err != nil || back != s {
			wrong = append(wrong, fmt.Sprintf("%s does not read back", text))
		}
		count++
		return count < 2
	})
	if count == 0 {
		wrong = append(wrong, g.Families[index].Name+" has no selections")
	}
	return wrong
}
