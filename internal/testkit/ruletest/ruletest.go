// Package ruletest helps to test rules: tables written as text, facts written as
// JSON, and the exact figures of the vectors.
package ruletest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"tally/internal/vectors"
	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// Rows reads a table: a row a line, columns separated by bars, the first row the
// heading. Empty lines and lines that start with # are passed over.
func Rows(t testing.TB, table string) (rows [][]string) {
	t.Helper()
	columns := 0
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		row := strings.Split(line, "|")
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		if columns == 0 {
			columns = len(row)
			continue
		}
		if len(row) != columns {
			t.Fatalf("the row has %d columns instead of %d: %s", len(row), columns, line)
		}
		rows = append(rows, row)
	}
	return rows
}

// Exact reads one part of the vectors' exact figures.
func Exact(t testing.TB, part string, into any) {
	t.Helper()
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(vectors.Read(t, vectors.Exact), &parts); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(parts[part], into); err != nil {
		t.Fatalf("exact figures of %s: %v", part, err)
	}
}

// Read reads the form of facts; problems are given as code and path.
func Read(g *rules.Game, facts string) (read rules.Facts, problems []string) {
	return document(facts, func(o strictjson.Object) rules.Facts { return g.ReadFacts(o) })
}

func document(text string, read func(strictjson.Object) rules.Facts) (facts rules.Facts, problems []string) {
	var d strictjson.Document
	if v, ok := d.Parse("facts", []byte(text)); ok {
		if o, ok := v.Object(); ok {
			facts = read(o)
		}
	}
	for _, p := range d.Problems() {
		problems = append(problems, string(p.Code)+" "+p.Path)
	}
	return facts, problems
}

// Answer is what becomes of facts, on one line: their outcome as JSON, "void:",
// "invalid:" or "malformed:". Faults are given as code and rule, sorted.
func Answer(g *rules.Game, facts string) string {
	read, problems := Read(g, facts)
	if len(problems) > 0 {
		slices.Sort(problems)
		return "malformed: " + strings.Join(problems, ", ")
	}
	switch r := g.Resolve(read); {
	case len(r.Faults) > 0:
		return Faults(r.Faults)
	case r.Void.Reason != "":
		return "void: " + r.Void.Reason + " " + r.Void.Rule
	default:
		return JSON(r.Outcome)
	}
}

// Faults is "invalid:" with the code and the rule of each, sorted.
func Faults(faults []rules.Fault) string {
	list := make([]string, 0, len(faults))
	for _, f := range faults {
		list = append(list, strings.TrimSpace(f.Code+" "+f.Rule))
	}
	slices.Sort(list)
	return "invalid: " + strings.Join(list, ", ")
}

// JSON is an outcome as text.
func JSON(o rules.Outcome) string { return string(o.AppendJSON(nil)) }

// Outcome resolves facts that must have an outcome.
func Outcome(t testing.TB, g *rules.Game, facts string) rules.Outcome {
	t.Helper()
	read, problems := Read(g, facts)
	if len(problems) > 0 {
		t.Fatalf("%s: %v", facts, problems)
	}
	r := g.Resolve(read)
	if len(r.Faults) > 0 || r.Void.Reason != "" {
		t.Fatalf("%s: no outcome: %v %v", facts, r.Faults, r.Void)
	}
	return r.Outcome
}

// Selection parses a selection that must exist.
func Selection(t testing.TB, g *rules.Game, text string) rules.Selection {
	t.Helper()
	s, err := g.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", g.ID, err)
	}
	return s
}

// Verdict is what becomes of a bet on the selection: "lost", "won" with the
// paytable's odds if there are any, or "refunded" with the reason.
func Verdict(g *rules.Game, o rules.Outcome, s rules.Selection) string {
	v := g.Judge(o, s)
	text := v.Result.String()
	if v.Result == rules.Won && v.Odds != 0 {
		text += " " + v.Odds.String()
	}
	return strings.TrimSpace(text + " " + v.Reason)
}

// Wins reports whether a bet on the selection wins.
func Wins(g *rules.Game, o rules.Outcome, s rules.Selection) bool {
	return g.Judge(o, s).Result == rules.Won
}

// Winners are the texts of the selections of a group of families that win.
func Winners(g *rules.Game, o rules.Outcome, group []string) (winners []string) {
	for _, family := range group {
		for s := range g.SelectionsOf(family) {
			if Wins(g, o, s) {
				winners = append(winners, g.Text(s))
			}
		}
	}
	return winners
}

// Decided is what the cards visible at the start of a betting round decide, on
// one line: "win:" and "lose:" with selections, or "invalid:", or "malformed:".
func Decided(g *rules.Game, round int, visible string) string {
	read, problems := document(visible, func(o strictjson.Object) rules.Facts {
		facts, _ := g.ReadVisible(o)
		return facts
	})
	if len(problems) > 0 {
		return "malformed: " + strings.Join(problems, ", ")
	}
	marks, faults := g.Decide(round, read)
	if len(faults) > 0 {
		return Faults(faults)
	}
	var texts []string
	for s, mark := range marks {
		texts = append(texts, mark.String()+" "+g.Text(s))
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}
