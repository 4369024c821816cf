// Package schema says in JSON Schema what lib/draw/wire reads and writes: the messages of
// the studio, the orders of an operator, and the replies to both. Bounds are the constants
// that wire itself goes by, selections and reasons those of the games' catalogues; a test
// holds every field against the reader. What a schema can't say, such as which cards the
// rules allow, the reader alone refuses.
package schema

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// dialect is the version of JSON Schema.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// Schema is a JSON Schema, with the keywords that are needed, in the order in which
// people read them.
type Schema struct {
	Dialect     string `json:"$schema,omitempty"`
	ID          string `json:"$id,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Ref         string `json:"$ref,omitempty"`
	Type        string `json:"type,omitempty"`
	Const       any    `json:"const,omitzero"`
	Enum        []any  `json:"enum,omitempty"`
	Pattern     string `json:"pattern,omitempty"`
	Format      string `json:"format,omitempty"`
	Unit        string `json:"x-unit,omitempty"` // of a number, a text's length or a time: an annotation
	MaxLength   int    `json:"maxLength,omitzero"`
	Minimum     *int64 `json:"minimum,omitzero"`
	Maximum     *int64 `json:"maximum,omitzero"`

	MinItems int     `json:"minItems,omitzero"`
	MaxItems *int    `json:"maxItems,omitzero"`
	Unique   bool    `json:"uniqueItems,omitzero"`
	Items    *Schema `json:"items,omitzero"`

	Properties        Members             `json:"properties,omitempty"`
	Required          []string            `json:"required,omitempty"`
	MinProperties     int                 `json:"minProperties,omitzero"`
	DependentRequired map[string][]string `json:"dependentRequired,omitempty"`
	PropertyNames     *Schema             `json:"propertyNames,omitzero"`
	Additional        *Schema             `json:"additionalProperties,omitzero"`

	If    *Schema   `json:"if,omitzero"`
	Then  *Schema   `json:"then,omitzero"`
	Else  *Schema   `json:"else,omitzero"`
	Not   *Schema   `json:"not,omitzero"`
	AnyOf []*Schema `json:"anyOf,omitempty"`
	AllOf []*Schema `json:"allOf,omitempty"`

	Defs     Members `json:"$defs,omitempty"`
	Examples []any   `json:"examples,omitempty"`
}

// nothing is the schema that no value fits.
var nothing = &Schema{}

// MarshalJSON implements json.Marshaler.
func (s *Schema) MarshalJSON() ([]byte, error) {
	if s == nothing {
		return []byte("false"), nil
	}
	type plain Schema
	return json.Marshal((*plain)(s), json.Deterministic(true))
}

// Member is a named schema: a field of an object, or a definition.
type Member struct {
	Name   string
	Schema *Schema
}

// Members are named schemas in their order.
type Members []Member

// MarshalJSON implements json.Marshaler.
func (list Members) MarshalJSON() ([]byte, error) {
	out := bytes.NewBufferString("{")
	for i, m := range list {
		text, err := json.Marshal(m.Schema)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(out, "%q:%s", m.Name, text)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Find returns the schema of that name; nil for none.
func (list Members) Find(name string) *Schema {
	for _, m := range list {
		if m.Name == name {
			return m.Schema
		}
	}
	return nil
}

// with returns the members with some replaced, or added at the end.
func (list Members) with(others Members) Members {
	merged := append(Members{}, list...)
	for _, m := range others {
		if at := merged.index(m.Name); at >= 0 {
			merged[at] = m
			continue
		}
		merged = append(merged, m)
	}
	return merged
}

func (list Members) index(name string) int {
	for i, m := range list {
		if m.Name == name {
			return i
		}
	}
	return -1
}

// Text returns the schema as it is written to files and printed.
func (s *Schema) Text() ([]byte, error) {
	text, err := json.Marshal(s, jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("writing the schema %s: %w", s.ID, err)
	}
	return append(text, '\n'), nil
}

// The small parts that schemas are made of.

func object(required []string, members ...Member) *Schema {
	return &Schema{Type: "object", Properties: members, Required: required, Additional: nothing}
}

func list(of *Schema, least, most int) *Schema {
	return &Schema{Type: "array", Items: of, MinItems: least, MaxItems: &most}
}

// longList is a list without an upper bound of its own: the message's size is one.
func longList(of *Schema, least int) *Schema {
	return &Schema{Type: "array", Items: of, MinItems: least}
}

func whole(least, most int64) *Schema {
	return &Schema{Type: "integer", Minimum: &least, Maximum: &most}
}

func oneOf[T any](values ...T) *Schema {
	s := &Schema{}
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
	return s
}

func ref(name string) *Schema { return &Schema{Ref: "#/$defs/" + name} }

// about gives a schema its description and an example.
func (s *Schema) about(description string, examples ...any) *Schema {
	s.Description, s.Examples = description, examples
	return s
}

// raw is an example written as JSON.
func raw(text string) any { return jsontext.Value(text) }
