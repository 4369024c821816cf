package schema

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/rules"
)

// examplesOf are whole messages of a game, made of the examples of their fields: the
// plain one, and those whose fields depend on others.
func examplesOf(name string, fields Members, game *rules.Game) (list []any) {
	switch wire.Type(name) {
	case wire.DrawResulted, wire.DrawCancelled:
		list = append(list, compose(fields, Members{field("correction", nil)}),
			compose(fields, Members{field("revision", (&Schema{}).about("", 2))}))
	case wire.BettingOpened:
		known := byGame(game.ID)
		for _, r := range game.Rounds {
			visible := field("visible", nil)
			if text := known.examples[r.Number]; text != "" {
				visible.Schema = (&Schema{}).about("", raw(text))
			}
			list = append(list, compose(fields, Members{field("round", (&Schema{}).about("", r.Number)), visible}))
		}
	case wire.BettingClosed:
		list = append(list, compose(fields, Members{field("selections", nil)}), compose(fields, nil))
	default:
		list = append(list, compose(fields, nil))
	}
	return list
}

// compose makes an object of the examples of its fields, some of them replaced; those
// replaced by nil are left out.
func compose(fields, replaced Members) jsontext.Value {
	text := ""
	for _, m := range fields {
		s := m.Schema
		if replaced.index(m.Name) >= 0 {
			s = replaced.Find(m.Name)
		}
		if s == nil || s == nothing {
			continue
		}
		text += fmt.Sprintf(",%q:%s", m.Name, exampleOf(s))
	}
	return jsontext.Value("{" + text[1:] + "}")
}

func exampleOf(s *Schema) jsontext.Value {
	switch {
	case len(s.Examples) > 0:
		text, _ := json.Marshal(s.Examples[0]) // never fails: they are texts, numbers and JSON
		return text
	case s.Type == "array":
		return jsontext.Value("[" + string(exampleOf(s.Items)) + "]")
	}
	return compose(s.Properties, nil)
}
