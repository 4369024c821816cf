package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	v1 "tally/lib/bookmaker/apitype"
)

// schema is what the document says of a value in a request: the keywords of JSON Schema
// that the document has there, with their references put in. A schema that says more can't
// be embedded, and a test holds what is found here against a validator of all of JSON Schema.
type schema struct {
	Type       string             `json:"type,omitempty"`
	Properties map[string]*schema `json:"properties,omitempty"`
	Required   []string           `json:"required,omitempty"`
	// Others is whether an object may have other properties.
	Others    *bool     `json:"additionalProperties,omitempty"`
	OneOf     []*schema `json:"oneOf,omitempty"` // which require one property each
	Items     *schema   `json:"items,omitempty"`
	MinItems  int       `json:"minItems,omitempty"`
	MaxItems  *int      `json:"maxItems,omitempty"`
	Unique    bool      `json:"uniqueItems,omitempty"`
	Enum      []string  `json:"enum,omitempty"`
	MinLength int       `json:"minLength,omitempty"` // in characters
	MaxLength *int      `json:"maxLength,omitempty"`
	Pattern   *pattern  `json:"pattern,omitempty"`
	Minimum   *int64    `json:"minimum,omitempty"`
	Maximum   *int64    `json:"maximum,omitempty"`
}

// pattern is a pattern of the document, compiled when the first text is held against it.
type pattern struct {
	text    string
	matches func() *regexp.Regexp
}

// UnmarshalJSON reads a pattern.
func (p *pattern) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &p.text); err != nil {
		return fmt.Errorf("reading a pattern: %w", err)
	}
	p.matches = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(p.text) })
	return nil
}

// MarshalJSON writes a pattern.
func (p *pattern) MarshalJSON() ([]byte, error) { return json.Marshal(p.text) }

// accepts reports whether a text is right.
func (s *schema) accepts(text string) bool {
	if s.Type != "string" || s.Enum != nil && !slices.Contains(s.Enum, text) {
		return false
	}
	if n := utf8.RuneCountInString(text); n < s.MinLength || s.MaxLength != nil && n > *s.MaxLength {
		return false
	}
	return s.Pattern == nil || s.Pattern.matches().MatchString(text)
}

// check adds what is wrong with a value as encoding/json decodes it. What is wrong with its
// kind is all that is said of it.
func (s *schema) check(value any, at []string, wrong *problemsByPlace) {
	if kind := kindOf(value); s.Type != "" && kind != s.Type && (s.Type != "integer" || !isInteger(value)) {
		wrong.add(problemType, at, fmt.Sprintf("it is %s, not %s", named(kind), named(s.Type)))
		return
	}
	switch value := value.(type) {
	case string:
		s.checkText(value, at, wrong)
	case float64:
		s.checkNumber(value, at, wrong)
	case []any:
		s.checkList(value, at, wrong)
	case map[string]any:
		s.checkObject(value, at, wrong)
	}
	if s.OneOf != nil && s.fitting(value) != 1 {
		wrong.add(problemValue, at, "it has to have one of reference and base")
	}
}

// fitting counts the schemas of oneOf that a value fits.
func (s *schema) fitting(value any) (count int) {
	for _, one := range s.OneOf {
		own := problemsByPlace{at: jsonPointer}
		if one.check(value, nil, &own); len(own.list) == 0 {
			count++
		}
	}
	return count
}

func (s *schema) checkText(text string, at []string, wrong *problemsByPlace) {
	if s.accepts(text) {
		return
	}
	if s.Enum != nil && !slices.Contains(s.Enum, text) {
		wrong.add(problemValue, at, oneOf(s.Enum))
		return
	}
	n := utf8.RuneCountInString(text)
	if n < s.MinLength {
		wrong.add(problemValue, at, fmt.Sprintf("it has %d characters; at least %d are needed", n, s.MinLength))
	}
	if s.MaxLength != nil && n > *s.MaxLength {
		wrong.add(problemValue, at, fmt.Sprintf("it has %d characters; at most %d are allowed", n, *s.MaxLength))
	}
	if s.Pattern != nil && !s.Pattern.matches().MatchString(text) {
		wrong.add(problemValue, at, fmt.Sprintf("%.80q is not written so: write %s", text, written[s.Pattern.text]))
	}
}

func (s *schema) checkNumber(number float64, at []string, wrong *problemsByPlace) {
	if s.Minimum != nil && number < float64(*s.Minimum) {
		wrong.add(problemValue, at, "it is below "+strconv.FormatInt(*s.Minimum, 10))
	}
	if s.Maximum != nil && number > float64(*s.Maximum) {
		wrong.add(problemValue, at, "it is above "+strconv.FormatInt(*s.Maximum, 10))
	}
}

func (s *schema) checkList(list []any, at []string, wrong *problemsByPlace) {
	if len(list) < s.MinItems {
		wrong.add(problemValue, at, fmt.Sprintf("it has %d entries; at least %d are needed", len(list), s.MinItems))
	}
	s.checkEntries(list, at, wrong)
	if s.Unique {
		if first, second, is := sameEntries(list); is {
			wrong.add(problemValue, at, fmt.Sprintf("entries %d and %d are the same, counted from 0", first, second))
		}
	}
	for i, item := range list {
		if s.Items != nil {
			s.Items.check(item, append(at, strconv.Itoa(i)), wrong)
		}
	}
}

// checkEntries adds that a list is too long.
func (s *schema) checkEntries(list []any, at []string, wrong *problemsByPlace) {
	if s.MaxItems != nil && len(list) > *s.MaxItems {
		wrong.add(problemValue, at, fmt.Sprintf("it has %d entries; at most %d are allowed", len(list), *s.MaxItems))
	}
}

// sameEntries returns the first two entries of a list that are the same.
func sameEntries(list []any) (first, second int, is bool) {
	for second := range list {
		for first := range second {
			if reflect.DeepEqual(list[first], list[second]) {
				return first, second, true
			}
		}
	}
	return 0, 0, false
}

func (s *schema) checkObject(object map[string]any, at []string, wrong *problemsByPlace) {
	for _, name := range s.Required {
		if _, present := object[name]; !present {
			wrong.add(problemMissing, append(at, name), "it is required")
		}
	}
	unknown := 0
	for _, name := range slices.Sorted(maps.Keys(object)) {
		switch property, known := s.Properties[name]; {
		case known:
			property.check(object[name], append(at, name), wrong)
		case s.Others != nil && !*s.Others && unknown < maxProblems:
			wrong.add(problemUnknown, append(at, name), "there is no such field")
			unknown++
		}
	}
}

// tooLong counts the entries of the lists in a value, before anything in them is looked at:
// where there are too many, nothing else is said.
func (s *schema) tooLong(value any, at []string, wrong *problemsByPlace) {
	switch value := value.(type) {
	case []any:
		s.checkEntries(value, at, wrong)
	case map[string]any:
		for name, property := range s.Properties {
			property.tooLong(value[name], append(at, name), wrong)
		}
	}
}

// problemsByPlace gathers what is wrong with a value; at writes the places.
type problemsByPlace struct {
	at   func([]string) string
	list map[string][]v1.FieldProblem
}

func (f *problemsByPlace) add(code string, at []string, detail string) {
	place := f.at(at)
	if f.list == nil {
		f.list = map[string][]v1.FieldProblem{}
	}
	f.list[place] = append(f.list[place], v1.FieldProblem{Code: code, At: place, Detail: detail})
}

// report adds what was found to the problems of a request, in the order of the places.
func (f *problemsByPlace) report(to *problems) {
	for _, place := range slices.Sorted(maps.Keys(f.list)) {
		for _, problem := range f.list[place] {
			to.add(problem.Code, shorten(place, maxDetail), problem.Detail)
		}
	}
}

// kindOf returns the type of JSON that a value has.
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// isInteger reports whether a value is a whole number, which may be written with an exponent.
func isInteger(value any) bool {
	number, is := value.(float64)
	return is && number == math.Trunc(number)
}

// named writes a JSON type with its article.
func named(kind string) string {
	switch kind {
	case "array", "object":
		return "an " + kind
	case "integer":
		return "a whole number"
	case "null":
		return kind
	}
	return "a " + kind
}

// oneOf says which texts are allowed.
func oneOf(texts []string) string {
	quoted := "'" + strings.Join(texts, "', '") + "'"
	if len(texts) == 1 {
		return "value must be " + quoted
	}
	return "value must be one of " + quoted
}

// written says in words what the patterns allow.
var written = map[string]string{
	`^20[0-9]{2}-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?$`:                                                 "a day or a month, such as 2026-11-30 or 2026-11",
	`^2[0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$`: "a time in UTC with milliseconds, such as 2026-11-30T12:00:00.000Z",
	`^[ -~]+$`: "printable ASCII characters",
	`^([A-Za-z0-9._-]{3,64}|[A-Za-z0-9_-][A-Za-z0-9._-]?|\.[A-Za-z0-9_-])$`: "1 to 64 of A-Z a-z 0-9 . _ -, but not . or ..",
	`^[a-z0-9_]{1,40}$`: "1 to 40 of a-z 0-9 _",
}
