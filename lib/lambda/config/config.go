// Package config fills a function's configuration struct from its environment.
//
// A Lambda learns everything that differs between deployments from environment
// variables. Each function has one struct that names them all, field by field:
//
//	type Config struct {
//		Table   string        `env:"TALLY_TABLE" doc:"name of the DynamoDB table"`
//		Shards  int           `env:"TALLY_SHARDS" doc:"shards of a new draw" default:"1" min:"1" max:"256"`
//		Timeout time.Duration `env:"TALLY_TIMEOUT" doc:"time for one message" default:"20s"`
//	}
//
// [Load] fills it and reports every problem at once, each with its remedy, so
// that whoever deploys can fix them in one go.
//
// # Tags
//
//	env      the variable's name; required on every field
//	doc      what it holds, with its unit, as a clause without a full stop; required
//	default  the value when the variable is absent; without it, absence is a problem
//	min max  inclusive bounds of an int or a duration
//
// Fields are strings, ints, time.Durations or bools, or embedded structs of such
// fields. A variable that is set but empty counts as absent: CloudFormation can't
// leave one out by a condition as easily as it can empty it.
package config

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Lookup tells the value of a variable and whether it is set, as os.LookupEnv does.
type Lookup func(name string) (value string, set bool)

// Error holds all problems of one environment, in the order of the struct's fields: of
// each the variable, what is wrong with it, and what to set it to.
type Error struct{ Problems []string }

func (e *Error) Error() string {
	plural := "s"
	if len(e.Problems) == 1 {
		plural = ""
	}
	return fmt.Sprintf("%d environment variable%s to fix:\n  %s", len(e.Problems), plural, strings.Join(e.Problems, "\n  "))
}

// Load fills the struct that into points to. Its error is an [*Error] with every
// problem of the environment; then the struct is not to be used.
func Load(into any, lookup Lookup) error {
	var problems []string
	value := reflect.ValueOf(into).Elem()
	for _, field := range reflect.VisibleFields(value.Type()) {
		if field.Anonymous {
			continue // its own fields are visible, too
		}
		if problem := set(value.FieldByIndex(field.Index), field.Tag, lookup); problem != "" {
			problems = append(problems, field.Tag.Get("env")+" "+problem+": "+remedy(field))
		}
	}
	if len(problems) > 0 {
		return &Error{Problems: problems}
	}
	return nil
}

// set sets a field from the environment or to its default, or tells what is wrong.
func set(field reflect.Value, tag reflect.StructTag, lookup Lookup) (problem string) {
	text, _ := lookup(tag.Get("env"))
	if text == "" {
		byDefault, optional := tag.Lookup("default")
		if !optional {
			return "is not set"
		}
		text = byDefault
	}
	value, err := parse(field.Type(), text)
	if err != nil || isBeyond(value, tag.Get("min"), 1) || isBeyond(value, tag.Get("max"), -1) {
		return "is " + strconv.Quote(text)
	}
	field.Set(value)
	return ""
}

var durationType = reflect.TypeFor[time.Duration]()

// parse turns a text into a value of a field's type.
func parse(kind reflect.Type, text string) (reflect.Value, error) {
	var made any = text
	var err error
	switch {
	case kind == durationType:
		made, err = time.ParseDuration(text)
	case kind.Kind() == reflect.Int:
		made, err = strconv.Atoi(text)
	case kind.Kind() == reflect.Bool:
		made = text == "true"
		if text != "true" && text != "false" {
			err = errors.New("neither true nor false")
		}
	}
	return reflect.ValueOf(made), err
}

// isBeyond tells whether a value is below a bound, or above it where sign is -1. An
// unusable bound leaves no value.
func isBeyond(value reflect.Value, bound string, sign int64) bool {
	if bound == "" {
		return false
	}
	limit, err := parse(value.Type(), bound)
	return err != nil || sign*value.Int() < sign*limit.Int()
}

// remedy says what to set a variable to.
func remedy(field reflect.StructField) string {
	form := "a text"
	switch {
	case field.Type == durationType:
		form = "a duration such as 90s or 15m"
	case field.Type.Kind() == reflect.Int:
		form = "a whole number"
	case field.Type.Kind() == reflect.Bool:
		form = "true or false"
	}
	switch least, most := field.Tag.Get("min"), field.Tag.Get("max"); {
	case least != "" && most != "":
		form += " from " + least + " to " + most
	case least != "":
		form += " of at least " + least
	case most != "":
		form += " of at most " + most
	}
	text := "set it to " + form + " (" + field.Tag.Get("doc") + ")"
	if byDefault := field.Tag.Get("default"); byDefault != "" {
		text += ", or leave it out for " + byDefault
	}
	return text
}
