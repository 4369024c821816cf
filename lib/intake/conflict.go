package intake

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"tally/lib/wire"
)

// conflictOf says in what a message differs from the stored one of its identity,
// and what can be done about it: that depends on its type.
func conflictOf(m *wire.Message, body []byte, stored string) string {
	what := "another message of this identity and other content is stored"
	if fields := differing(body, []byte(stored)); len(fields) > 0 {
		what += "; it differs in " + strings.Join(fields, ", ")
	}
	return what + ". " + adviceOf(m.Type)
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

// differing returns the fields in which two messages differ, but for those that are
// no part of the content.
func differing(a, b []byte) (fields []string) {
	var one, other map[string]any
	if json.Unmarshal(a, &one) != nil || json.Unmarshal(b, &other) != nil {
		return nil // one that an earlier version took: without names it is still a conflict
	}
	for name, value := range one {
		if there, has := other[name]; !has || !reflect.DeepEqual(value, there) {
			fields = append(fields, name)
		}
	}
	for name := range other {
		if _, has := one[name]; !has {
			fields = append(fields, name)
		}
	}
	fields = slices.DeleteFunc(fields, func(name string) bool { return name == "id" || name == "at" })
	slices.Sort(fields)
	return fields
}
