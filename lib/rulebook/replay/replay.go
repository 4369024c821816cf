// Package replay responds to draws written as JSON, one a line: `tally resolve` and
// `tally settle`. It is how an engineer of a bookmaker or an auditor gets, offline,
// the same outcome and the same settlements as production.
//
// A line is checked in three stages: its form, then what was seen (cards,
// copies, counts), then the play. All faults of a stage are given together; a
// later stage starts only when the one before found none.
package replay

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// line is one draw being answered. It is reused from line to line.
type line struct {
	top, facts strictjson.Document
	problems   []strictjson.Problem // of both
	object     strictjson.Object
	game       *rules.Game
}

// begin reads a line's members, leaving their contents for later; ok is false
// when there is nothing more to find out about it.
func (l *line) begin(text []byte) (ok bool) {
	l.problems, l.game, l.object = l.problems[:0], nil, strictjson.Object{}
	value, ok := l.top.ParseShallow("", text)
	if ok {
		l.object, ok = value.Object()
	}
	if !ok {
		l.problems = append(l.problems, l.top.Problems()...)
	}
	return ok
}

// findGame reads which game the line is about.
func (l *line) findGame() {
	v, present := l.object.Required("game")
	if !present {
		return
	}
	text, isText := v.String()
	if !isText {
		return
	}
	game, known := games.Find(string(text))
	if !known {
		l.top.Report(strictjson.UnknownGame, "game", "no game is called "+quote(text))
		return
	}
	l.game = game
}

// readFacts reads the facts of the line's game.
func (l *line) readFacts(v strictjson.Value) (facts rules.Facts, ok bool) {
	if l.game == nil {
		return rules.Facts{}, false
	}
	root, ok := l.facts.Parse("facts", v.Raw())
	if ok {
		var object strictjson.Object
		if object, ok = root.Object(); ok {
			facts = l.game.ReadFacts(object)
		}
	}
	for _, problem := range l.facts.Problems() {
		if problem.Code != strictjson.DuplicateField { // the line has reported those
			l.problems = append(l.problems, problem)
		}
	}
	return facts, ok && len(l.facts.Problems()) == 0
}

// quote shortens a text for a message.
func quote(text []byte) string {
	const most = 40
	if len(text) > most {
		return string(strictjson.Out(nil).Quoted(string(text[:most]))) + "…"
	}
	return string(strictjson.Out(nil).Quoted(string(text)))
}

// malformed responds to a line of wrong form.
func (l *line) malformed(dst []byte) []byte {
	out := strictjson.Out(dst).Open()
	if l.object != (strictjson.Object{}) {
		// An id that repeats a name in itself would make the response malformed too.
		if id, present := l.object.Optional("id"); present && jsontext.Value(id.Raw()).IsValid() {
			out = out.Name("id").Raw(oneLine(id.Raw()))
		}
	}
	out = out.TextMember("status", "malformed").Name("errors").OpenList()
	for _, p := range l.problems {
		out = out.Open().TextMember("code", string(p.Code)).Name("message").Quoted(p.Message()).Close()
	}
	return append(out.CloseList().Close(), '\n')
}

// copied copies the members that are nobody's to the response, except those that
// have a name of the response's own.
func (l *line) copied(dst []byte, own []string) strictjson.Out {
	out := strictjson.Out(dst).Open()
	for v := range l.object.Rest {
		if !slices.Contains(own, v.Name()) {
			out = append(append(out.Raw(v.RawName()), ':'), oneLine(v.Raw())...)
		}
	}
	return out
}

// oneLine returns JSON text without carriage returns, which some readers take
// for the end of a line. JSON has them only as space between its tokens.
func oneLine(text []byte) []byte {
	if bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	return bytes.ReplaceAll(text, []byte{'\r'}, nil)
}

// invalid responds to facts that the rules make impossible.
func (l *line) invalid(dst []byte, own []string, faults []rules.Fault) []byte {
	out := l.copied(dst, own).TextMember("status", "invalid").TextMember("game", l.game.ID).Name("errors").OpenList()
	for _, f := range faults {
		out = out.Open().TextMember("code", f.Code)
		if f.Rule != "" {
			out = out.TextMember("rule", f.Rule)
		}
		out = out.Name("message").Quoted(f.Message).Close()
	}
	return append(out.CloseList().Close(), '\n')
}

// resolved appends the members of an outcome or a void draw.
func resolved(out strictjson.Out, game *rules.Game, outcome rules.Outcome, void rules.Void) strictjson.Out {
	if void.Reason != "" {
		return out.TextMember("status", "void").TextMember("game", game.ID).
			TextMember("reason", void.Reason).TextMember("rule", void.Rule)
	}
	return append(out.TextMember("status", "resolved").TextMember("game", game.ID).Name("outcome"), outcome.AppendJSON(nil)...)
}
