package api

// The OpenAPI document as a page that loads nothing: docs.html.

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed testdata/docs.html
var docsTemplate string

// docsView is what the page shows.
type docsView struct {
	Title, Version string
	Intro          template.HTML
	Tags           []tagView
	Schemas        []schemaView
	Problems       []ProblemKind
}

type tagView struct {
	Name, About string
	Operations  []operationView
}

type operationView struct {
	ID, Method, Path, Summary string
	About                     template.HTML
	Scope                     string
	Curl                      string
	Params                    []fieldView
	Body                      string // the name of its schema
	Examples                  []string
	Answers                   []responseView
	Codes                     []string
}

type responseView struct {
	Status, About, Schema string
	Examples              []string
}

type schemaView struct {
	Name   string
	About  template.HTML
	Fields []fieldView
}

type fieldView struct {
	Name, Type, Schema string
	About              template.HTML
	Required           bool
}

// docsPageOf writes the document as a page, with the table of problems.
func docsPageOf(doc node, problems []ProblemKind) ([]byte, error) {
	info := doc.at("info")
	view := docsView{Title: info.text("title"), Version: info.text("version"), Intro: prose(info.text("description")), Problems: problems}
	for _, each := range doc.list("tags") {
		tag := node(each.(map[string]any))
		view.Tags = append(view.Tags, tagView{tag.text("name"), tag.text("description"), operationsOf(doc, tag.text("name"))})
	}
	schemas := doc.at("components", "schemas")
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		view.Schemas = append(view.Schemas, schemaOf(name, schemas.at(name)))
	}
	page, err := template.New("docs").Funcs(template.FuncMap{"statusText": http.StatusText}).Parse(docsTemplate)
	if err != nil {
		return nil, fmt.Errorf("reading the template of the documentation: %w", err)
	}
	var out bytes.Buffer
	if err := page.Execute(&out, view); err != nil {
		return nil, fmt.Errorf("writing the documentation: %w", err)
	}
	return out.Bytes(), nil
}

func operationsOf(doc node, tag string) (list []operationView) {
	paths := doc.at("paths")
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range slices.Sorted(maps.Keys(paths.at(path))) {
			op := paths.at(path, method)
			if tags := op.list("tags"); len(tags) == 0 || tags[0] != tag {
				continue
			}
			list = append(list, operationOf(doc, op, strings.ToUpper(method), path))
		}
	}
	hooks := doc.at("webhooks")
	for _, name := range slices.Sorted(maps.Keys(hooks)) {
		if op := hooks.at(name, "post"); slices.Contains(op.list("tags"), any(tag)) {
			list = append(list, operationOf(doc, op, "POST", "to your address"))
		}
	}
	return list
}

func operationOf(doc, op node, method, path string) operationView {
	view := operationView{ID: op.text("operationId"), Method: method, Path: path, Summary: op.text("summary"), About: prose(op.text("description"))}
	for _, each := range op.list("security") {
		if scopes := node(each.(map[string]any)).list("key"); len(scopes) > 0 {
			view.Scope = scopes[0].(string)
		}
	}
	for _, each := range op.list("parameters") {
		p := doc.at("components", "parameters", node(each.(map[string]any)).refName())
		field := fieldOf(p.text("name"), p.at("schema"), p["required"] == true)
		field.About = joined(words(p.text("description")), field.About)
		field.Type = p.text("in") + ", " + field.Type
		view.Params = append(view.Params, field)
	}
	body := op.at("requestBody", "content", "application/json")
	view.Body, view.Examples = body.at("schema").refName(), examplesOf(doc, body)
	example := ""
	if len(view.Examples) > 0 {
		example = compact(view.Examples[0])
	}
	view.Curl = curl(method, filled(doc, op, path), view.Scope != "", example)
	responses := op.at("responses")
	for _, status := range slices.Sorted(maps.Keys(responses)) {
		if response := responses.at(status); response.refName() == "" {
			content := response.at("content", "application/json")
			view.Answers = append(view.Answers, responseView{status, response.text("description"), content.at("schema").refName(), examplesOf(doc, content)})
		}
	}
	for _, code := range op.list("x-codes") {
		view.Codes = append(view.Codes, code.(string))
	}
	return view
}

// filled returns a path with the examples of its parameters, and the query that it
// can't do without.
func filled(doc, op node, path string) string {
	query := "?"
	for _, each := range op.list("parameters") {
		p := doc.at("components", "parameters", node(each.(map[string]any)).refName())
		example, ok := p["example"]
		if !ok {
			continue
		}
		if name := p.text("name"); p.text("in") == "path" {
			path = strings.ReplaceAll(path, "{"+name+"}", fmt.Sprint(example))
		} else {
			path, query = path+query+name+"="+fmt.Sprint(example), "&"
		}
	}
	return path
}

// examplesOf returns the examples of a body, indented.
func examplesOf(doc, content node) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(content.at("examples"))) {
		text, err := json.MarshalIndent(doc.at("components", "examples", content.at("examples", name).refName())["value"], "", "  ")
		if err == nil {
			list = append(list, string(text))
		}
	}
	return list
}

func schemaOf(name string, schema node) schemaView {
	view := schemaView{Name: name, About: words(schema.text("description"))}
	if schema.text("type") != "object" {
		view.Fields = []fieldView{fieldOf("", schema, false)}
		view.Fields[0].About = ""
		return view
	}
	for _, each := range schema.list("allOf") {
		view.Fields = append(view.Fields, fieldView{Name: "…", Type: "the fields of", Schema: node(each.(map[string]any)).refName(), Required: true})
	}
	required := schema.list("required")
	for _, field := range slices.Sorted(maps.Keys(schema.at("properties"))) {
		view.Fields = append(view.Fields, fieldOf(field, schema.at("properties", field), slices.Contains(required, any(field))))
	}
	return view
}

func fieldOf(name string, schema node, required bool) fieldView {
	view := fieldView{Name: name, Schema: schema.refName(), About: words(schema.text("description")), Required: required, Type: schema.text("type")}
	if items := schema.at("items"); items != nil {
		view.Type, view.Schema = "list of "+items.text("type"), items.refName()
	}
	if values := schema.list("enum"); values != nil {
		words := make([]string, len(values))
		for i, value := range values {
			words[i] = fmt.Sprint(value)
		}
		view.Type = strings.Join(words, ", ")
	}
	for _, limit := range []string{"const", "pattern", "minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "default"} {
		if value, set := schema[limit]; set {
			if number, is := value.(float64); is {
				value = strconv.FormatFloat(number, 'f', -1, 64) // never as 1e+12
			}
			view.About = joined(view.About, words(fmt.Sprintf("(%s `%v`)", limits[limit], value)))
		}
	}
	view.Type = cmp.Or(view.Type, "")
	return view
}

var (
	inBold   = regexp.MustCompile(`\*\*([^*]+)\*\*`)
	inItalic = regexp.MustCompile(`\*([^*]+)\*`)
)

// limits are the words for what a schema says of a value.
var limits = map[string]string{"const": "always", "pattern": "pattern", "minimum": "at least", "maximum": "at most", "minItems": "entries at least",
	"maxItems": "entries at most", "minLength": "characters at least", "maxLength": "characters at most", "default": "by default"}

// prose writes the little Markdown that the document uses: paragraphs, code, bold
// and italic.
func prose(text string) template.HTML {
	var out strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if paragraph != "" {
			out.WriteString("<p>" + string(words(paragraph)) + "</p>\n")
		}
	}
	return template.HTML(out.String()) // of escaped words
}

// words writes a paragraph. What stands as code is left as it is.
func words(text string) template.HTML {
	var out strings.Builder
	for i, part := range strings.Split(text, "`") {
		safe := template.HTMLEscapeString(part)
		if i%2 == 1 {
			out.WriteString("<code>" + safe + "</code>")
			continue
		}
		safe = inBold.ReplaceAllString(safe, "<b>$1</b>")
		out.WriteString(inItalic.ReplaceAllString(safe, "<i>$1</i>"))
	}
	return template.HTML(out.String()) // escaped above
}

// joined puts a space between two texts.
func joined(a, b template.HTML) template.HTML {
	return template.HTML(strings.TrimSpace(string(a + " " + b))) // both are escaped
}

// curl is a request of an operation as it can be pasted.
func curl(method, path string, keyed bool, example string) string {
	line := "curl"
	if method != http.MethodGet {
		line += " -X " + method
	}
	line += ` "$TALLY_URL` + path + `"`
	if keyed {
		line += ` -H "Authorization: Bearer $TALLY_KEY"`
	}
	if example != "" {
		line += " \\\n  -H 'Content-Type: application/json' -d '" + example + "'"
	}
	return line
}

// compact writes JSON on one line.
func compact(text string) string {
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		return text // not reached: it was written from JSON
	}
	return out.String()
}
