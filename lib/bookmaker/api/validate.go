package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/strictjson"
)

// The codes of problems in a request's form; those of a value's meaning are
// lib/pipeline/placing's.
const (
	problemJSON     = string(strictjson.BadJSON)
	problemRepeated = string(strictjson.DuplicateField)
	problemMissing  = string(strictjson.MissingField)
	problemUnknown  = string(strictjson.UnknownField)
	problemType     = string(strictjson.WrongType)
	problemValue    = "bad_value"
	problemIdentity = "duplicate_bet"
)

// The limits of what is said about a request.
const (
	maxProblems = 100
	maxDetail   = 200 // bytes of one detail
)

// problems gathers what is wrong with a request.
type problems struct{ list []v1.FieldProblem }

func (f *problems) add(code, at, detail string) {
	if len(f.list) < maxProblems {
		f.list = append(f.list, v1.FieldProblem{Code: code, At: at, Detail: shorten(detail, maxDetail)})
	}
}

// problem is the error with all problems; nil where there is none.
func (f *problems) problem() error {
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
func (d *document) parameters(op *operation, path map[string]string, rawQuery string, f *problems) map[string]string {
	var query map[string]string
	if rawQuery != "" {
		query = op.query(rawQuery, f)
	}
	for i := range op.Parameters {
		p := &op.Parameters[i]
		value, present := query[p.Name]
		if p.In == "path" {
			value, present = path[p.Name], true
		}
		if !present {
			if p.Required {
				f.add(problemMissing, p.In+" "+p.Name, "it is required")
			}
			continue
		}
		p.check(value, f)
	}
	return query
}

// query reads the parameters of the query.
func (op *operation) query(raw string, f *problems) map[string]string {
	query := map[string]string{}
	given, err := url.ParseQuery(raw)
	if err != nil {
		f.add(problemValue, "query", "the query can't be read")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch values := given[name]; {
		case !op.takes(name):
			f.add(problemUnknown, "query "+shorten(name, 60), "there is no such parameter")
		case len(values) > 1:
			f.add(problemRepeated, "query "+name, "it is given more than once")
		default:
			query[name] = values[0]
		}
	}
	return query
}

// takes reports whether an operation has a query parameter.
func (op *operation) takes(name string) bool {
	return slices.ContainsFunc(op.Parameters, func(p parameter) bool { return p.In == "query" && p.Name == name })
}

// check checks the value of a parameter.
func (p *parameter) check(text string, f *problems) {
	if !utf8.ValidString(text) {
		f.add(problemValue, p.In+" "+p.Name, "it is no UTF-8")
		return
	}
	if p.Schema.accepts(text) {
		return
	}
	var value any = text
	if p.Schema.Type == "integer" {
		if !isWhole(text) {
			f.add(problemType, p.In+" "+p.Name, "it is no whole number")
			return
		}
		value, _ = strconv.ParseFloat(text, 64) // beyond all limits where there are too many digits
	}
	wrong := problemsByPlace{at: func([]string) string { return p.In + " " + p.Name }}
	p.Schema.check(value, nil, &wrong)
	wrong.report(f)
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

// byteOrderMark is what some editors put before a text in UTF-8. JSON has none.
var byteOrderMark = []byte("\ufeff")

// read checks a body against the document and decodes it.
func (d *document) read(op *operation, body []byte, into any, f *problems) {
	if bytes.HasPrefix(body, byteOrderMark) {
		f.add(problemJSON, "/", "the body begins with a byte order mark: send it without")
		return
	}
	if op.texts != nil && op.texts.read(body, into) {
		return
	}
	var value any
	if !jsontext.Value(body).IsValid() || json.Unmarshal(body, &value) != nil { // which has no name twice
		d.malformed(body, f)
		return
	}
	wrong := problemsByPlace{at: jsonPointer}
	if op.Body.tooLong(value, nil, &wrong); len(wrong.list) == 0 {
		op.Body.check(value, nil, &wrong)
	}
	if wrong.report(f); len(wrong.list) > 0 {
		return
	}
	if err := json.Unmarshal(body, into); err != nil {
		f.add(problemType, "/", "a value has another type than the document says")
	}
}

// malformed says all that is wrong with a body that is not JSON, or repeats names.
func (d *document) malformed(body []byte, f *problems) {
	var strict strictjson.Document
	strict.Parse("", body)
	for _, p := range strict.Problems() {
		f.add(string(p.Code), "/"+formPath.Replace(p.Path), cmp.Or(p.Detail, "the field is there more than once"))
	}
	if len(strict.Problems()) == 0 {
		f.add(problemJSON, "/", "the body can't be read as JSON")
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
