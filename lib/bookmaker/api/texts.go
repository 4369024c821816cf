package api

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Most bodies that bookmakers send are objects whose members are texts, as a bet is. Those
// are checked while they are read, in one pass, which takes a tenth of the time of decoding
// them twice. What is not right here is left to the schema, which finds the problems.

// textsRule is what a schema says of an object whose members are texts.
type textsRule struct {
	members  map[string]member
	required int // members that there have to be
}

// member is a member of such an object.
type member struct {
	rule     *schema
	field    int // of the struct that it is decoded into
	required bool
}

// textsRuleOf returns what a schema says of an object of texts that is decoded into
// a struct; nil when it says more, allows other members, or the struct's fields are
// not its members.
func textsRuleOf(s *schema, into reflect.Type) *textsRule {
	if s.Type != "object" || s.Others == nil || *s.Others || s.OneOf != nil {
		return nil
	}
	rule := &textsRule{members: map[string]member{}, required: len(s.Required)}
	for i := range into.NumField() {
		name, _, _ := strings.Cut(into.Field(i).Tag.Get("json"), ",")
		property, known := s.Properties[name]
		if !known {
			continue // the path says it
		}
		if into.Field(i).Type.Kind() != reflect.String || property.Type != "string" {
			return nil
		}
		rule.members[name] = member{rule: property, field: i, required: slices.Contains(s.Required, name)}
	}
	if len(rule.members) != len(s.Properties) {
		return nil
	}
	return rule
}

// read decodes a body that is certainly right into a struct, in one pass. Otherwise
// it leaves the struct empty.
func (r *textsRule) read(body []byte, into any) bool {
	texts := reflect.ValueOf(into).Elem()
	from := jsontext.NewDecoder(bytes.NewBuffer(body))
	err := r.decode(from, texts)
	if _, end := from.ReadToken(); err != nil || end != io.EOF {
		texts.SetZero()
		return false
	}
	return true
}

// errNotCertain leaves it to the schema to say what is wrong, if anything is.
var errNotCertain = errors.New("not certainly right")

// decode takes what the decoder reads, which has no name twice.
func (r *textsRule) decode(from *jsontext.Decoder, into reflect.Value) error {
	if begin, err := from.ReadToken(); err != nil || begin.Kind() != '{' {
		return errNotCertain
	}
	required := 0
	for from.PeekKind() == '"' {
		name, err := from.ReadValue()
		if err != nil {
			return err
		}
		of, known := r.members[string(unquoted(name))]
		if !known {
			return errNotCertain
		}
		value, err := from.ReadValue()
		if err != nil {
			return err
		}
		if value.Kind() != '"' || bytes.IndexByte(value, '\\') >= 0 {
			return errNotCertain
		}
		text := string(unquoted(value))
		if !of.rule.accepts(text) {
			return errNotCertain
		}
		into.Field(of.field).SetString(text)
		if of.required {
			required++
		}
	}
	if _, err := from.ReadToken(); err != nil || required < r.required {
		return errNotCertain
	}
	return nil
}

// unquoted is what stands between the quotes of a JSON text, which may have escapes.
func unquoted(value jsontext.Value) []byte { return value[1 : len(value)-1] }
