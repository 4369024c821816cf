package pretty

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// value is JSON with its members in the order in which they are written. Any
// JSON can be shown, also what no game knows.
type value struct {
	kind     jsontext.Kind // of the first byte: { [ " 0 t f n
	text     string        // a string without its quotes, a number as written
	members  []member
	elements []value
}

type member struct {
	name string
	value
}

// parse reads one JSON value; ok is false when text is none.
func parse(text []byte) (v value, ok bool) {
	decoder := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	v, err := read(decoder)
	return v, err == nil
}

func read(decoder *jsontext.Decoder) (v value, err error) {
	token, err := decoder.ReadToken()
	if err != nil {
		return value{}, err
	}
	v.kind = token.Kind()
	if v.kind != '{' && v.kind != '[' {
		v.text = token.String()
		return v, nil
	}
	for next := decoder.PeekKind(); next != '}' && next != ']'; next = decoder.PeekKind() {
		name := ""
		if v.kind == '{' {
			token, err := decoder.ReadToken()
			if err != nil {
				return value{}, err
			}
			name = token.String()
		}
		child, err := read(decoder)
		if err != nil {
			return value{}, err
		}
		if v.kind == '{' {
			v.members = append(v.members, member{name: name, value: child})
		} else {
			v.elements = append(v.elements, child)
		}
	}
	_, err = decoder.ReadToken()
	return v, err
}

// get returns the first member of that name; its kind is 0 when there is none.
func (v value) get(name string) value {
	for _, m := range v.members {
		if m.name == name {
			return m.value
		}
	}
	return value{}
}

// isNested reports a value that needs rows of its own: a list of objects or of
// lists.
func (v value) isNested() bool {
	return v.kind == '[' && len(v.elements) > 0 && (v.elements[0].kind == '{' || v.elements[0].kind == '[')
}
