package api

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Most of what bookmakers send are texts: the parts of a path, and objects whose
// members are texts, as a bet is. For those the document says little: a length, a
// pattern, which members there have to be and that there are no others. Checking
// that here, while the body is read, takes a tenth of the time that the validator
// takes, which goes through everything that a schema may say. What is not right
// here, or says more, is the validator's, which finds the faults: a test holds the
// two against each other.

// textRule is what a schema says of a text.
type textRule struct {
	least, most int // characters; most is -1 for no limit
	patterns    []jsonschema.Regexp
}

// understood are the fields of a schema that textRuleOf heeds, or that say nothing
// about values.
var understood = []string{"DraftVersion", "Location", "Title", "Description", "Default", "Comment", "Examples", "Ref", "Types", "MinLength", "MaxLength", "Pattern"}

// textRuleOf returns what a schema says of a text; nil when it says more, or is not
// of texts alone.
func textRuleOf(s *jsonschema.Schema) *textRule {
	if !saysOnly(s, understood) {
		return nil
	}
	rule := &textRule{most: -1}
	if s.Ref != nil {
		if rule = textRuleOf(s.Ref); rule == nil {
			return nil
		}
	} else if s.Types == nil || !slices.Equal(s.Types.ToStrings(), []string{"string"}) {
		return nil
	}
	if s.MinLength != nil {
		rule.least = max(rule.least, *s.MinLength)
	}
	if s.MaxLength != nil && (rule.most < 0 || *s.MaxLength < rule.most) {
		rule.most = *s.MaxLength
	}
	if s.Pattern != nil {
		rule.patterns = append(rule.patterns, s.Pattern)
	}
	return rule
}

// saysOnly reports whether all that a schema says is in fields of these names.
func saysOnly(s *jsonschema.Schema, names []string) bool {
	value := reflect.ValueOf(s).Elem()
	for i := range value.NumField() {
		if field := value.Type().Field(i); field.IsExported() && !slices.Contains(names, field.Name) && !value.Field(i).IsZero() {
			return false
		}
	}
	return true
}

// accepts reports whether a text is certainly right.
func (r *textRule) accepts(text string) bool {
	if r.least > 0 || r.most >= 0 {
		if n := utf8.RuneCountInString(text); n < r.least || r.most >= 0 && n > r.most {
			return false
		}
	}
	for _, pattern := range r.patterns {
		if !pattern.MatchString(text) {
			return false
		}
	}
	return true
}

// textsRule is what a schema says of an object whose members are texts.
type textsRule struct {
	members  map[string]member
	required int // members that there have to be
}

// member is a member of such an object.
type member struct {
	rule     *textRule
	field    int // of the struct that it is decoded into
	required bool
}

// textsRuleOf returns what a schema says of an object of texts that is decoded into
// a struct; nil when it says more, allows other members, or the struct's fields are
// not its members.
func textsRuleOf(s *jsonschema.Schema, into reflect.Type) *textsRule {
	for s.Ref != nil && saysOnly(s, []string{"DraftVersion", "Location", "Description", "Ref"}) {
		s = s.Ref
	}
	if s.Ref != nil || s.AdditionalProperties != false || s.Types == nil || !slices.Equal(s.Types.ToStrings(), []string{"object"}) ||
		!saysOnly(s, append([]string{"Properties", "Required", "AdditionalProperties"}, understood...)) {
		return nil
	}
	rule := &textsRule{members: map[string]member{}, required: len(s.Required)}
	for i := range into.NumField() {
		name, _, _ := strings.Cut(into.Field(i).Tag.Get("json"), ",")
		property, known := s.Properties[name]
		if !known {
			continue // the path says it
		}
		if into.Field(i).Type.Kind() != reflect.String {
			return nil
		}
		of := member{rule: textRuleOf(property), field: i, required: slices.Contains(s.Required, name)}
		if of.rule == nil {
			return nil
		}
		rule.members[name] = of
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

// errNotCertain leaves it to the validator to say what is wrong, if anything is.
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
