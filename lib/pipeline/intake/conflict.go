package intake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"tally/lib/draw/wire"
)

// maxShown is how many differences a conflict shows.
const maxShown = 3

// conflictOf says in what a message differs from the stored one of its identity,
// and what can be done about it: that depends on its type.
func conflictOf(m *wire.Message, body []byte, stored string) string {
	what := "another message of this identity and other content is stored"
	differences := differing(body, []byte(stored))
	if more := len(differences) - maxShown; more > 0 {
		differences = append(differences[:maxShown], fmt.Sprintf("and %d more", more))
	}
	if len(differences) > 0 {
		what += ": " + strings.Join(differences, "; ")
	}
	return adviceOf(m.Type) + ". " + strings.ToUpper(what[:1]) + what[1:]
}

// adviceOf says what to send instead of a message whose identity is taken.
func adviceOf(t wire.Type) string {
	switch t {
	case wire.DrawOpened:
		return "A draw is opened once: give another draw another id; if this opening was wrong, cancel the draw"
	case wire.BettingOpened:
		return "A betting round is opened once: what was sent first holds; if that was wrong, cancel the draw"
	case wire.BettingClosed:
		return "A betting round is closed once: what was sent first holds; if that was wrong, an operator can void bets"
	case wire.DrawResulted, wire.DrawCancelled:
		return "A revision never changes: send what is right as the next revision"
	}
	return "An order never changes: send what is right under another order id"
}

// differing returns where two messages differ and what either has there, but for
// what is no part of the content.
func differing(sent, stored []byte) (differences []string) {
	var one, other map[string]any
	if decode(sent, &one) != nil || decode(stored, &other) != nil {
		return nil // one that an earlier version took: without values it is still a conflict
	}
	for _, own := range []string{"id", "at"} {
		delete(one, own)
		delete(other, own)
	}
	return compare(nil, "", one, other)
}

// decode reads JSON with its numbers as they are written.
func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// compare adds how two values differ, at the places in objects and in lists of
// one length where they do.
func compare(differences []string, path string, sent, stored any) []string {
	one, isObject := sent.(map[string]any)
	other, areObjects := stored.(map[string]any)
	if isObject && areObjects {
		names := slices.AppendSeq(slices.Collect(maps.Keys(one)), maps.Keys(other))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			differences = compare(differences, strings.TrimPrefix(path+"."+name, "."), valueOf(one, name), valueOf(other, name))
		}
		return differences
	}
	list, isList := sent.([]any)
	others, areLists := stored.([]any)
	if isList && areLists && len(list) == len(others) {
		for i := range list {
			differences = compare(differences, fmt.Sprintf("%s[%d]", path, i), list[i], others[i])
		}
		return differences
	}
	if reflect.DeepEqual(sent, stored) {
		return differences
	}
	return append(differences, fmt.Sprintf("%s: stored is %s, sent was %s", path, shown(stored), shown(sent)))
}

// absent stands for what a message does not have.
type absent struct{}

func valueOf(object map[string]any, name string) any {
	if value, has := object[name]; has {
		return value
	}
	return absent{}
}

// shown is a value as text, not too long for a reply that shows several.
func shown(value any) string {
	if value == (absent{}) {
		return "nothing"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	const most = 60
	if len(text) > most {
		return strings.ToValidUTF8(string(text[:most]), "") + "…"
	}
	return string(text)
}
