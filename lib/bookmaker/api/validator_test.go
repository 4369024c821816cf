package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	v1 "tally/lib/bookmaker/apitype"
)

const documentName = "openapi.json"

// pointer returns the address of a part of the document.
func pointer(parts ...string) string {
	text := documentName + "#"
	for _, part := range parts {
		text += "/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	return text
}

// newCompiler returns what compiles the schemas of the document for a validator of all of
// JSON Schema.
func newCompiler(t *testing.T) *jsonschema.Compiler {
	t.Helper()
	text, err := documentJSON()
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource(documentName, parsed); err != nil {
		t.Fatal(err)
	}
	return compiler
}

// validators are the validators of an operation's body and of its parameters.
func validators(t *testing.T, doc node, compiler *jsonschema.Compiler, op *operation) (body *jsonschema.Schema, parameters []*jsonschema.Schema) {
	t.Helper()
	compile := func(at string) *jsonschema.Schema {
		compiled, err := compiler.Compile(at)
		if err != nil {
			t.Fatal(err)
		}
		return compiled
	}
	said := doc.at("paths", op.Path, strings.ToLower(op.Method))
	for _, each := range said.list("parameters") {
		parameters = append(parameters, compile(pointer("components", "parameters", node(each.(map[string]any)).refName(), "schema")))
	}
	if op.Body != nil {
		body = compile(pointer("paths", op.Path, strings.ToLower(op.Method), "requestBody", "content", "application/json", "schema"))
	}
	return body, parameters
}

// problemsByValidator are the problems that the validator finds, in the words of the API.
func problemsByValidator(s *jsonschema.Schema, value any, at func([]string) string) (list []v1.FieldProblem) {
	var invalid *jsonschema.ValidationError
	if !errors.As(s.Validate(value), &invalid) {
		return nil
	}
	leaves(invalid, func(leaf *jsonschema.ValidationError) { list = append(list, problemsOf(leaf, at)...) })
	slices.SortStableFunc(list, func(a, b v1.FieldProblem) int { return strings.Compare(a.At, b.At) })
	return list
}

// leaves yields the errors that have no causes: what is wrong, rather than where
// that makes a schema fail. Where one of several shapes has to fit, the whole is
// one fault.
func leaves(e *jsonschema.ValidationError, yield func(*jsonschema.ValidationError)) {
	if _, oneOf := e.ErrorKind.(*kind.OneOf); oneOf || len(e.Causes) == 0 {
		yield(e)
		return
	}
	for _, cause := range e.Causes {
		leaves(cause, yield)
	}
}

// problemsOf says what is wrong at one place.
func problemsOf(e *jsonschema.ValidationError, at func([]string) string) (list []v1.FieldProblem) {
	add := func(code string, place []string, detail string) {
		list = append(list, v1.FieldProblem{Code: code, At: at(place), Detail: detail})
	}
	below := func(name string) []string { return append(slices.Clone(e.InstanceLocation), name) }
	switch what := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range what.Missing {
			add(problemMissing, below(name), "it is required")
		}
	case *kind.AdditionalProperties:
		slices.Sort(what.Properties)
		for _, name := range what.Properties[:min(len(what.Properties), maxProblems)] {
			add(problemUnknown, below(name), "there is no such field")
		}
	case *kind.Type:
		add(problemType, e.InstanceLocation, fmt.Sprintf("it is %s, not %s", named(what.Got), named(what.Want[0])))
	case *kind.OneOf:
		add(problemValue, e.InstanceLocation, "it has to have one of reference and base")
	default:
		add(problemValue, e.InstanceLocation, limitOf(e.ErrorKind))
	}
	return list
}

// limitOf says which limit of the document a value breaks.
func limitOf(broken jsonschema.ErrorKind) string {
	switch what := broken.(type) {
	case *kind.MinItems:
		return fmt.Sprintf("it has %d entries; at least %d are needed", what.Got, what.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("it has %d entries; at most %d are allowed", what.Got, what.Want)
	case *kind.MinLength:
		return fmt.Sprintf("it has %d characters; at least %d are needed", what.Got, what.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("it has %d characters; at most %d are allowed", what.Got, what.Want)
	case *kind.UniqueItems:
		return fmt.Sprintf("entries %d and %d are the same, counted from 0", what.Duplicates[0], what.Duplicates[1])
	case *kind.Minimum:
		return "it is below " + what.Want.RatString()
	case *kind.Maximum:
		return "it is above " + what.Want.RatString()
	case *kind.Pattern:
		if how, known := written[what.Want]; known {
			return fmt.Sprintf("%.80q is not written so: write %s", what.Got, how)
		}
	}
	return broken.LocalizedString(message.NewPrinter(language.English))
}

// values makes up values for schemas: right ones, and ones with something wrong.
type values struct{ *rand.Rand }

func (r values) text() string {
	texts := []string{"", "b-1", "a b", "é", "10.00", "EUR", "straight:17", "\x00", strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat("é", 100), strings.Repeat("é", 101),
		strings.Repeat("0", 1001), "2026-11-30T12:00:00.000Z", "2026-13-30T12:00:00.000Z", "2026-11-30", "rou-1.0042", "a\n", "open", "current", "json", "jsonl", "roulette", ".", ".."}
	return texts[r.IntN(len(texts))]
}

func (r values) any() any {
	return []any{nil, true, 0.0, 1.0, -1.0, 1.5, 999999999999.0, 1000000000000.0, 1e30, "", r.text(), []any{}, []any{nil, r.text()}, map[string]any{}, map[string]any{r.text(): 1.0}}[r.IntN(15)]
}

func (r values) number() float64 {
	return []float64{0, 1, 2, 100, 101, -1, 255, 256, 999999, 1000000, 999999999999, 1000000000000, 1e30, 1.5}[r.IntN(14)]
}

// of makes up a value for a schema.
func (r values) of(s *schema) any {
	if r.IntN(30) == 0 {
		return r.any()
	}
	switch s.Type {
	case "string":
		if r.IntN(3) > 0 {
			return "rou-1.0042"
		}
		return r.text()
	case "integer":
		return r.number()
	case "array":
		list := make([]any, []int{0, 1, 2, 3, 30, 100, 101}[r.IntN(7)])
		for i := range list {
			list[i] = r.of(s.Items)
		}
		if s.Unique && r.IntN(2) == 0 {
			for i := range list {
				list[i] = fmt.Sprintf("b-%d", i)
			}
			if last := len(list) - 1; last > 0 && r.IntN(2) == 0 {
				list[last] = list[r.IntN(last)]
			}
		}
		return list
	}
	object := map[string]any{}
	for name, property := range s.Properties {
		if r.IntN(6) > 0 {
			object[name] = r.of(property)
		}
	}
	for range r.IntN(3) - 1 {
		object[r.text()] = r.any()
	}
	return object
}

// TestFaultsAreAsTheValidatorSays makes up values of every operation's parameters and body,
// and has the validator find the same problems, in the same order.
func TestFaultsAreAsTheValidatorSays(t *testing.T) {
	d, err := loadDocument()
	if err != nil {
		t.Fatal(err)
	}
	doc, compiler, made := embeddedDocument(t), newCompiler(t), values{rand.New(rand.NewPCG(3, 4))}
	for _, op := range d.operations {
		body, parameters := validators(t, doc, compiler, op)
		right, wrong := 0, 0
		compare := func(s *schema, by *jsonschema.Schema, value any) {
			said := problemsByPlace{at: jsonPointer}
			s.check(value, nil, &said)
			var list []v1.FieldProblem
			for _, place := range slices.Sorted(maps.Keys(said.list)) {
				list = append(list, said.list[place]...)
			}
			if want := problemsByValidator(by, value, jsonPointer); !slices.Equal(list, want) {
				text, _ := json.Marshal(value)
				t.Fatalf("%s: of %s the API says %v, and the validator %v", op.ID, text, list, want)
			}
			if len(said.list) == 0 {
				right++
			} else {
				wrong++
			}
		}
		for i, p := range op.Parameters {
			for range 200 {
				compare(p.Schema, parameters[i], made.of(p.Schema))
			}
		}
		for range 400 {
			if op.Body != nil {
				compare(op.Body, body, made.of(op.Body))
			}
		}
		if len(op.Parameters) > 0 && (right == 0 || wrong == 0) {
			t.Errorf("%s: %d values were right and %d wrong", op.ID, right, wrong)
		}
	}
}
