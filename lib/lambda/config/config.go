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
// that whoever deploys mends them in one go. [Fields] lists what the struct
// reads: the documentation is made from it, and a test holds it against
// template.yaml.
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

// Problem is one variable that can't be used as it is.
type Problem struct {
	Variable string // the variable's name
	Fault    string // what is wrong with it
	Remedy   string // what to set it to
}

func (p Problem) String() string { return p.Variable + " " + p.Fault + ": " + p.Remedy }

// Error holds all problems of one configuration, in the order of its fields.
type Error struct {
	Problems []Problem
}

func (e *Error) Error() string {
	lines := make([]string, 0, len(e.Problems)+1)
	if len(e.Problems) == 1 {
		lines = append(lines, "1 environment variable to mend:")
	} else {
		lines = append(lines, fmt.Sprintf("%d environment variables to mend:", len(e.Problems)))
	}
	for _, problem := range e.Problems {
		lines = append(lines, "  "+problem.String())
	}
	return strings.Join(lines, "\n")
}

// Load fills the struct that into points to. Its error is an [*Error] with every
// problem of the environment, and then the struct is not to be used; or another
// error when the struct itself is at fault (a tag missing, an unusable default).
func Load(into any, lookup Lookup) error {
	pointer := reflect.ValueOf(into)
	if pointer.Kind() != reflect.Pointer || pointer.IsNil() || pointer.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("loading the configuration: %T is not a pointer to a struct", into)
	}
	fields, err := fieldsOf(pointer.Elem().Type())
	if err != nil {
		return fmt.Errorf("loading the configuration: %w", err)
	}
	var problems []Problem
	for _, field := range fields {
		value, err := field.read(lookup)
		var problem problemError
		switch {
		case errors.As(err, &problem):
			problems = append(problems, Problem(problem))
		case err != nil:
			return fmt.Errorf("loading the configuration: %w", err)
		default:
			pointer.Elem().FieldByIndex(field.index).Set(value)
		}
	}
	if len(problems) > 0 {
		return &Error{Problems: problems}
	}
	return nil
}

// problemError carries a problem on its way to Load.
type problemError Problem

func (p problemError) Error() string { return Problem(p).String() }

// read returns the field's value, from the environment or its default.
func (f Field) read(lookup Lookup) (reflect.Value, error) {
	text, _ := lookup(f.Variable)
	if text != "" {
		value, err := f.parse(text)
		if err != nil {
			return value, problemError{f.Variable, "is " + strconv.Quote(text), f.remedy()}
		}
		return value, nil
	}
	if f.Required {
		return reflect.Value{}, problemError{f.Variable, "is not set", f.remedy()}
	}
	value, err := f.parse(f.Default)
	if err != nil {
		return value, fmt.Errorf("the default %q of %s: %w", f.Default, f.Variable, err)
	}
	return value, nil
}

var durationType = reflect.TypeFor[time.Duration]()

// parse turns text into a value of the field's type, within its bounds.
func (f Field) parse(text string) (reflect.Value, error) {
	value := reflect.New(f.goType).Elem()
	switch {
	case f.goType == durationType:
		duration, err := time.ParseDuration(text)
		if err != nil {
			return value, fmt.Errorf("parsing a duration: %w", err)
		}
		value.SetInt(int64(duration))
	case f.goType.Kind() == reflect.Int:
		number, err := strconv.Atoi(text)
		if err != nil {
			return value, fmt.Errorf("parsing a whole number: %w", err)
		}
		value.SetInt(int64(number))
	case f.goType.Kind() == reflect.Bool:
		if text != "true" && text != "false" {
			return value, fmt.Errorf("%q is neither true nor false", text)
		}
		value.SetBool(text == "true")
	default:
		value.SetString(text)
		return value, nil
	}
	return value, f.within(value)
}

// within refuses a value outside the field's bounds.
func (f Field) within(value reflect.Value) error {
	for _, bound := range []struct {
		text string
		sign int64
	}{{f.Min, 1}, {f.Max, -1}} {
		if bound.text == "" {
			continue
		}
		limit, err := f.unbounded().parse(bound.text)
		if err != nil {
			return fmt.Errorf("the bound %q of %s: %w", bound.text, f.Variable, err)
		}
		if bound.sign*value.Int() < bound.sign*limit.Int() {
			return fmt.Errorf("%v is beyond %s", value.Interface(), bound.text)
		}
	}
	return nil
}
