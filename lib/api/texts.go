package api

import (
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Most of what bookmakers send are texts: the parts of a path, and objects whose
// members are texts, as a bet is. For those the document says little: a length, a
// pattern, which members there have to be and that there are no others. Checking
// that here takes a fifth of the time that the validator takes, which goes through
// everything that a schema may say. What is not right here, or says more, is the
// validator's, which finds the faults: a test holds the two against each other.

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
	members  map[string]*textRule
	required []string
}

// textsRuleOf returns what a schema says of an object of texts; nil when it says
// more, or allows other members.
func textsRuleOf(s *jsonschema.Schema) *textsRule {
	for s.Ref != nil && saysOnly(s, []string{"DraftVersion", "Location", "Description", "Ref"}) {
		s = s.Ref
	}
	if s.Ref != nil || s.AdditionalProperties != false || s.Types == nil || !slices.Equal(s.Types.ToStrings(), []string{"object"}) ||
		!saysOnly(s, append([]string{"Properties", "Required", "AdditionalProperties"}, understood...)) {
		return nil
	}
	rule := &textsRule{members: map[string]*textRule{}, required: s.Required}
	for name, member := range s.Properties {
		if rule.members[name] = textRuleOf(member); rule.members[name] == nil {
			return nil
		}
	}
	return rule
}

// accepts reports whether a value is certainly right.
func (r *textsRule) accepts(value any) bool {
	object, ok := value.(map[string]any)
	if !ok {
		return false
	}
	for _, name := range r.required {
		if _, there := object[name]; !there {
			return false
		}
	}
	for name, member := range object {
		rule, known := r.members[name]
		if !known {
			return false
		}
		if text, ok := member.(string); !ok || !rule.accepts(text) {
			return false
		}
	}
	return true
}
