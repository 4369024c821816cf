package wire

import (
	"tally/lib/strictjson"
)

// The types of what a studio says of a table, whatever is played on it.
const (
	TableSuspended Type = "table.suspended"
	TableResumed   Type = "table.resumed"
	TableAlive     Type = "table.alive"
)

// IsTable reports whether a message of the type is about a table, and so has neither
// draw nor game.
func (t Type) IsTable() bool {
	return t == TableSuspended || t == TableResumed || t == TableAlive
}

// typeOf is the type of a message, empty where it can't be read. It reports nothing.
func typeOf(o strictjson.Object) Type {
	v, present := o.Optional("type")
	if !present || len(v.Raw()) == 0 || v.Raw()[0] != '"' {
		return ""
	}
	text, _ := v.String()
	return Type(text)
}

// tableBodies read what each type of message about a table has beside the fields of all.
var tableBodies = map[Type]func(*reader, strictjson.Object, *Message){
	TableSuspended: func(r *reader, o strictjson.Object, m *Message) { m.Reason = r.note(o, "reason") },
	TableResumed:   func(*reader, strictjson.Object, *Message) {},
	TableAlive:     func(*reader, strictjson.Object, *Message) {},
}
