package config

import (
	"fmt"
	"reflect"
)

// Field describes one variable that a configuration struct reads.
type Field struct {
	Name     string // of the struct's field
	Variable string // of the environment
	Type     string // string, int, duration or bool
	Doc      string
	Required bool   // there is no default
	Default  string // as it would be written in the environment
	Min, Max string // inclusive; empty when unbounded

	goType reflect.Type
	index  []int
}

// Fields describes the variables that the struct of that type reads, in its
// order. It takes the struct or a pointer to it; the values don't matter.
func Fields(of any) ([]Field, error) {
	kind := reflect.TypeOf(of)
	if kind != nil && kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	if kind == nil || kind.Kind() != reflect.Struct {
		return nil, fmt.Errorf("describing a configuration: %T is not a struct", of)
	}
	fields, err := fieldsOf(kind)
	if err != nil {
		return nil, fmt.Errorf("describing a configuration: %w", err)
	}
	return fields, nil
}

func fieldsOf(kind reflect.Type) ([]Field, error) {
	var fields []Field
	seen := make(map[string]string) // the field that reads a variable
	for _, goField := range reflect.VisibleFields(kind) {
		if goField.Anonymous {
			continue // its own fields are visible, too
		}
		field, err := describe(goField)
		if err != nil {
			return nil, fmt.Errorf("field %s of %s: %w", goField.Name, kind, err)
		}
		if other, twice := seen[field.Variable]; twice {
			return nil, fmt.Errorf("fields %s and %s of %s both read %s", other, field.Name, kind, field.Variable)
		}
		seen[field.Variable] = field.Name
		fields = append(fields, field)
	}
	return fields, nil
}

func describe(goField reflect.StructField) (Field, error) {
	field := Field{
		Name:     goField.Name,
		Variable: goField.Tag.Get("env"),
		Doc:      goField.Tag.Get("doc"),
		Min:      goField.Tag.Get("min"),
		Max:      goField.Tag.Get("max"),
		goType:   goField.Type,
		index:    goField.Index,
	}
	byDefault, optional := goField.Tag.Lookup("default")
	field.Required, field.Default = !optional, byDefault
	switch {
	case !goField.IsExported():
		return field, fmt.Errorf("it is not exported")
	case field.Variable == "" || field.Doc == "":
		return field, fmt.Errorf("it needs the tags env and doc")
	}
	var err error
	field.Type, err = typeName(goField.Type)
	if err != nil {
		return field, err
	}
	bounded := field.Min != "" || field.Max != ""
	if bounded && field.Type != "int" && field.Type != "duration" {
		return field, fmt.Errorf("a %s has no bounds", field.Type)
	}
	return field, field.checkBounds()
}

func (f Field) checkBounds() error {
	for _, bound := range []string{f.Min, f.Max} {
		if bound == "" {
			continue
		}
		if _, err := f.unbounded().parse(bound); err != nil {
			return fmt.Errorf("the bound %q: %w", bound, err)
		}
	}
	return nil
}

// unbounded is the field without its bounds, to parse these themselves.
func (f Field) unbounded() Field {
	f.Min, f.Max = "", ""
	return f
}

func typeName(goType reflect.Type) (string, error) {
	switch kind := goType.Kind(); {
	case goType == durationType:
		return "duration", nil
	case kind == reflect.String || kind == reflect.Int || kind == reflect.Bool:
		return kind.String(), nil
	default:
		return "", fmt.Errorf("a %s can't be read from the environment", goType)
	}
}

// remedy says what to set the variable to.
func (f Field) remedy() string {
	remedy := "set it to " + f.form() + " (" + f.Doc + ")"
	if !f.Required && f.Default != "" {
		remedy += ", or leave it out for " + f.Default
	}
	return remedy
}

func (f Field) form() string {
	var form string
	switch f.Type {
	case "int":
		form = "a whole number"
	case "duration":
		form = "a duration such as 90s or 15m"
	case "bool":
		return "true or false"
	default:
		return "a text"
	}
	switch {
	case f.Min != "" && f.Max != "":
		return form + " from " + f.Min + " to " + f.Max
	case f.Min != "":
		return form + " of at least " + f.Min
	case f.Max != "":
		return form + " of at most " + f.Max
	default:
		return form
	}
}
