package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/strictjson"
)

// The codes of faults in a request's form; those of a value's meaning are
// lib/pipeline/placing's.
const (
	faultJSON     = string(strictjson.BadJSON)
	faultRepeated = string(strictjson.DuplicateField)
	faultMissing  = string(strictjson.MissingField)
	faultUnknown  = string(strictjson.UnknownField)
	faultType     = string(strictjson.WrongType)
	faultValue    = "bad_value"
	faultIdentity = "duplicate_bet"
)

// The limits of what is said about a request.
const (
	maxFaults = 100
	maxDetail = 200 // bytes of one detail
)

// faults gathers what is wrong with a request.
type faults struct{ list []v1.Fault }

func (f *faults) add(code, at, detail string) {
	if len(f.list) < maxFaults {
		f.list = append(f.list, v1.Fault{Code: code, At: at, Detail: shorten(detail, maxDetail)})
	}
}

// problem is the error that tells all faults; nil where there is none.
func (f *faults) problem() error {
	if len(f.list) == 0 {
		return nil
	}
	p := newProblem(codeInvalid, "%s: %s", f.list[0].At, f.list[0].Detail)
	if n := len(f.list); n > 1 {
		p.Detail = fmt.Sprintf("%d faults, the first at %s: %s", n, f.list[0].At, f.list[0].Detail)
	}
	p.Errors = f.list
	return p
}

// shorten cuts a text that a request may have made long.
func shorten(text string, most int) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// parameters checks the values of a request's parameters against the document
// and returns those of the query by name.
func (d *document) parameters(op *operation, path map[string]string, rawQuery string, f *faults) map[string]string {
	var query map[string]string
	if rawQuery != "" {
		query = op.query(rawQuery, f)
	}
	for _, p := range op.params {
		value, present := query[p.Name]
		if p.In == "path" {
			value, present = path[p.Name], true
		}
		if !present {
			if p.Required {
				f.add(faultMissing, p.In+" "+p.Name, "it is required")
			}
			continue
		}
		d.value(op, p, value, f)
	}
	return query
}

// query reads the parameters of the query.
func (op *operation) query(raw string, f *faults) map[string]string {
	query := map[string]string{}
	given, err := url.ParseQuery(raw)
	if err != nil {
		f.add(faultValue, "query", "the query can't be read")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch values := given[name]; {
		case !op.takes(name):
			f.add(faultUnknown, "query "+shorten(name, 60), "there is no such parameter")
		case len(values) > 1:
			f.add(faultRepeated, "query "+name, "it is given more than once")
		default:
			query[name] = values[0]
		}
	}
	return query
}

// takes reports whether an operation has a query parameter.
func (op *operation) takes(name string) bool {
	return slices.ContainsFunc(op.params, func(p parameter) bool { return p.In == "query" && p.Name == name })
}

// value checks the value of a parameter.
func (d *document) value(op *operation, p parameter, text string, f *faults) {
	if !utf8.ValidString(text) {
		f.add(faultValue, p.In+" "+p.Name, "it is no UTF-8")
		return
	}
	if rule := op.texts[p.pointer]; rule != nil && rule.accepts(text) {
		return
	}
	var value any = text
	if p.Whole {
		if !isWhole(text) {
			f.add(faultType, p.In+" "+p.Name, "it is no whole number")
			return
		}
		value = saturated(text)
	}
	reportFaults(op.schemas[p.pointer].Validate(value), f, func([]string) string { return p.In + " " + p.Name })
}

// isWhole reports whether a text is a whole number as this API writes them, whatever
// its size.
func isWhole(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || digits[0] == '0' && text != "0" {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

// saturated is a whole number as the validator knows them. No limit of the document
// has as many as 18 digits, so that one with more is as good as that.
func saturated(text string) json.Number {
	const most = "999999999999999999"
	switch digits, negative := strings.CutPrefix(text, "-"); {
	case len(digits) <= len(most):
		return json.Number(text)
	case negative:
		return "-" + most
	}
	return most
}

// byteOrderMark is what some editors put before a text in UTF-8. JSON has none.
var byteOrderMark = []byte("\ufeff")

// read checks a body against the document and decodes it.
func (d *document) read(op *operation, body []byte, into any, f *faults) {
	if bytes.HasPrefix(body, byteOrderMark) {
		f.add(faultJSON, "/", "the body begins with a byte order mark: send it without")
		return
	}
	if op.object != nil && op.object.read(body, into) {
		return
	}
	var value any
	if !jsontext.Value(body).IsValid() || json.Unmarshal(body, &value) != nil { // which has no name twice
		d.malformed(body, f)
		return
	}
	before := len(f.list)
	if tooLong(op.schemas[op.body], value, nil, f); len(f.list) > before {
		return // what is in a list without bound is not looked at
	}
	reportFaults(op.schemas[op.body].Validate(value), f, jsonPointer)
	if len(f.list) > before {
		return
	}
	if err := json.Unmarshal(body, into); err != nil {
		f.add(faultType, "/", "a value has another type than the document says")
	}
}

// tooLong counts the entries of the lists in a body, before anything in them is
// looked at: the validator takes a second for some thousands of them.
func tooLong(s *jsonschema.Schema, value any, at []string, f *faults) {
	for s.Ref != nil {
		s = s.Ref
	}
	switch value := value.(type) {
	case []any:
		if s.MaxItems != nil && len(value) > *s.MaxItems {
			f.add(faultValue, jsonPointer(at), limitOf(&kind.MaxItems{Got: len(value), Want: *s.MaxItems}))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			tooLong(s.Properties[name], value[name], append(slices.Clone(at), name), f)
		}
	}
}

// malformed says all that is wrong with a body that is not JSON, or repeats names.
func (d *document) malformed(body []byte, f *faults) {
	var strict strictjson.Document
	strict.Parse("", body)
	for _, p := range strict.Problems() {
		f.add(string(p.Code), "/"+formPath.Replace(p.Path), cmp.Or(p.Detail, "the field is there more than once"))
	}
	if len(strict.Problems()) == 0 {
		f.add(faultJSON, "/", "the body can't be read as JSON")
	}
}

// formPath makes a JSON pointer of a path of package form.
var formPath = strings.NewReplacer(".", "/", "[", "/", "]", "")

// jsonPointer writes a place in a body; "/" is all of it.
func jsonPointer(parts []string) string {
	if len(parts) == 0 {
		return "/"
	}
	var text strings.Builder
	for _, part := range parts {
		text.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	return text.String()
}

var english = message.NewPrinter(language.English)

// reportFaults adds the leaves of a validation error, in the order of their places.
func reportFaults(err error, f *faults, at func([]string) string) {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return
	}
	var list []v1.Fault
	leaves(invalid, func(leaf *jsonschema.ValidationError) {
		list = append(list, faultsOf(leaf, at)...)
	})
	slices.SortStableFunc(list, func(a, b v1.Fault) int { return strings.Compare(a.At, b.At) })
	for _, fault := range list {
		f.add(fault.Code, shorten(fault.At, maxDetail), fault.Detail)
	}
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

// faultsOf says what is wrong at one place.
func faultsOf(e *jsonschema.ValidationError, at func([]string) string) (list []v1.Fault) {
	add := func(code string, place []string, detail string) {
		list = append(list, v1.Fault{Code: code, At: at(place), Detail: detail})
	}
	below := func(name string) []string { return append(slices.Clone(e.InstanceLocation), name) }
	switch what := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range what.Missing {
			add(faultMissing, below(name), "it is required")
		}
	case *kind.AdditionalProperties:
		slices.Sort(what.Properties)
		for _, name := range what.Properties[:min(len(what.Properties), maxFaults)] {
			add(faultUnknown, below(name), "there is no such field")
		}
	case *kind.Type:
		add(faultType, e.InstanceLocation, fmt.Sprintf("it is %s, not %s", named(what.Got), named(what.Want...)))
	case *kind.OneOf:
		add(faultValue, e.InstanceLocation, "it has to have one of reference and base")
	default:
		add(faultValue, e.InstanceLocation, limitOf(e.ErrorKind))
	}
	return list
}

// named writes JSON types with their articles.
func named(types ...string) string {
	var names []string
	for _, name := range types {
		switch name {
		case "array", "object":
			name = "an " + name
		case "integer":
			name = "a whole number"
		case "null":
		default:
			name = "a " + name
		}
		names = append(names, name)
	}
	return strings.Join(names, " or ")
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
	return broken.LocalizedString(english)
}

// written says in words what the document's patterns allow.
var written = map[string]string{
	`^20[0-9]{2}-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?$`:                                                 "a day or a month, such as 2026-11-30 or 2026-11",
	`^2[0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$`: "a time in UTC with milliseconds, such as 2026-11-30T12:00:00.000Z",
	`^[ -~]+$`: "printable ASCII characters",
	`^[0-9]+$`: "digits",
	`^([A-Za-z0-9._-]{3,64}|[A-Za-z0-9_-][A-Za-z0-9._-]?|\.[A-Za-z0-9_-])$`: "1 to 64 of A-Z a-z 0-9 . _ -, but not . or ..",
	`^[a-z0-9_]{1,40}$`: "1 to 40 of a-z 0-9 _",
}
