package api

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v4"

	"tally/lib/archive/commitment"
	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw/ids"
	"tally/lib/rulebook/catalogue"
)

const documentFile = "../../../docs/openapi.yaml"

var update = flag.Bool("update", false, "write what is embedded of the document")

// documentAsJSON converts docs/openapi.yaml: a Lambda that starts has JSON to parse
// rather than YAML.
func documentAsJSON(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(documentFile)
	if err != nil {
		t.Fatal(err)
	}
	var document any
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var made bytes.Buffer
	encoder := json.NewEncoder(&made)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		t.Fatal(err)
	}
	return made.Bytes()
}

// TestEmbedded holds what is embedded against the document.
func TestEmbedded(t *testing.T) {
	converted := documentAsJSON(t)
	page, err := docsPageOf(parsedDocument(t, converted), problemKinds)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]struct {
		want     []byte
		embedded func() ([]byte, error)
		write    func([]byte) []byte
	}{
		"openapi.json.gz": {want: converted, embedded: documentJSON, write: compressed},
		"docs.html.gz":    {want: page, embedded: docsPage, write: compressed},
		"requests.json":   {want: requestsOf(t, parsedDocument(t, converted)), embedded: func() ([]byte, error) { return requestsJSON, nil }, write: bytes.Clone},
	} {
		t.Run(name, func(t *testing.T) {
			if *update {
				if err := os.WriteFile(name, file.write(file.want), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if embedded, err := file.embedded(); err != nil || !bytes.Equal(embedded, file.want) {
				t.Errorf("%s is not docs/openapi.yaml: run `go generate ./lib/bookmaker/api` (%v)", name, err)
			}
		})
	}
}

func compressed(text []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // there is such a level
	_, _ = w.Write(text)                                    // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// embeddedDocument is the document as the API serves it.
func embeddedDocument(t *testing.T) node {
	t.Helper()
	text, err := documentJSON()
	if err != nil {
		t.Fatal(err)
	}
	return parsedDocument(t, text)
}

// TestDocumentIsOpenAPI has another reader check the document against OpenAPI's
// own schema.
func TestDocumentIsOpenAPI(t *testing.T) {
	text, err := os.ReadFile(documentFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		text []byte
		ok   bool
	}{"the document": {text, true}, "one with a fault": {bytes.Replace(text, []byte("      operationId: health"), []byte("      operationId: 7"), 1), false}} {
		t.Run(name, func(t *testing.T) {
			document, err := openapi3.NewLoader().LoadFromData(test.text)
			if err == nil {
				err = document.Validate(t.Context())
			}
			if (err == nil) != test.ok {
				t.Errorf("%s: %v, want (err == nil) = %v", name, err, test.ok)
			}
		})
	}
}

// TestIdentifiers holds the patterns of identifiers against what may be new, and what an
// earlier version may have stored.
func TestIdentifiers(t *testing.T) {
	schemas := embeddedDocument(t).at("components", "schemas")
	given, stored := regexp.MustCompile(schemas.at("Identifier").text("pattern")), regexp.MustCompile(schemas.at("StoredIdentifier").text("pattern"))
	for name, want := range map[string]struct{ given, stored bool }{
		".": {false, true}, "..": {false, true}, "...": {true, true}, ".a": {true, true}, "a.": {true, true}, "a": {true, true}, "-_": {true, true}, "a.b": {true, true},
		strings.Repeat(".", 64): {true, true}, "": {}, " ": {}, "a/": {}, "a#": {}, "é": {}, "a\n": {}, strings.Repeat("a", 65): {},
	} {
		t.Run(fmt.Sprintf("%.40q", name), func(t *testing.T) {
			if given.MatchString(name) != want.given || ids.ValidNew(name) != want.given || stored.MatchString(name) != want.stored || ids.Valid(name) != want.stored {
				t.Errorf("%q: the document takes it: %v, of stored ones: %v; messages: %v and %v", name, given.MatchString(name), stored.MatchString(name), ids.ValidNew(name), ids.Valid(name))
			}
		})
	}
}

// node is a part of the document that is read by name.
type node map[string]any

func (n node) at(names ...string) node {
	for _, name := range names {
		next, _ := n[name].(map[string]any)
		n = next
	}
	return n
}

func (n node) text(name string) string { text, _ := n[name].(string); return text }

func (n node) list(name string) []any { list, _ := n[name].([]any); return list }

// refName is the last part of a reference, empty for none.
func (n node) refName() string {
	ref := n.text("$ref")
	return ref[strings.LastIndex(ref, "/")+1:]
}

func parsedDocument(t *testing.T, text []byte) node {
	t.Helper()
	var doc node
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestCodes holds the table of problems against the document: the list of codes,
// and for each operation the statuses of its codes.
func TestCodes(t *testing.T) {
	doc := embeddedDocument(t)
	var listed []string
	for _, code := range doc.at("components", "schemas", "Code").list("enum") {
		listed = append(listed, code.(string))
	}
	var table []string
	for _, kind := range problemKinds {
		table = append(table, kind.Code)
		if kind.Title == "" || kind.Action == "" || (kind.RetryAfter > 0) != (kind.Status == 429 || kind.Status == 503) {
			t.Errorf("%+v, want kind.Title other than \"\" and kind.Action other than \"\" and (kind.RetryAfter > 0) = %v", kind, (kind.Status == 429 || kind.Status == 503))
		}
	}
	if !slices.Equal(listed, table) || len(kinds) != len(table) {
		t.Errorf("the document lists %q, the table %q", listed, table)
	}
	d, err := loadDocument()
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range d.operations {
		want := map[string]bool{}
		for _, code := range doc.at("paths", op.Path, strings.ToLower(op.Method)).list("x-codes") {
			want[strconv.Itoa(kinds[code.(string)].Status)] = true
		}
		for status := range doc.at("paths", op.Path, strings.ToLower(op.Method), "responses") {
			if status >= "400" && !want[status] {
				t.Errorf("%s may answer %s, but none of its codes has it", op.ID, status)
			}
			delete(want, status)
		}
		if len(want) > 0 {
			t.Errorf("%s lacks the answers %v of its codes", op.ID, slices.Collect(maps.Keys(want)))
		}
	}
}

// TestSchemasAreTheTypes holds the fields of the Go types against the schemas.
func TestSchemasAreTheTypes(t *testing.T) {
	schemas := embeddedDocument(t).at("components", "schemas")
	types := map[string]any{
		"Health": v1.Health{}, "Games": v1.Games{}, "Tables": v1.Tables{}, "Table": v1.Table{}, "GameSummary": v1.GameSummary{}, "Round": v1.Round{}, "ClosedSelection": v1.ClosedSelection{}, "Draw": v1.Draw{}, "Draws": v1.Draws{},
		"DrawDetail": v1.DrawDetail{}, "Board": v1.Board{}, "Revision": v1.Revision{}, "Video": v1.Video{}, "State": v1.State{}, "BetRequest": v1.BetRequest{},
		"WagerRequest": v1.WagerRequest{}, "BatchBet": v1.BatchBet{}, "BatchRequest": v1.BatchRequest{}, "BatchResult": v1.BatchResult{},
		"BatchAnswer": v1.BatchResponse{}, "Bet": v1.Bet{}, "BetDetail": v1.BetDetail{}, "Bets": v1.Bets{}, "Line": v1.Line{}, "Totals": v1.Totals{},
		"DrawTotals": v1.DrawTotals{}, "PeriodTotals": v1.PeriodTotals{}, "FeedEntry": v1.FeedEntry{}, "TableNews": v1.TableNews{}, "Page": v1.Page{}, "Feed": v1.Feed{},
		"ReportCreated": v1.ReportCreated{}, "WebhookTest": v1.WebhookTest{}, "WebhookTestData": v1.WebhookTestData{},
		"Position": v1.Position{}, "ReportPage": v1.ReportPage{}, "DisputeRequest": v1.DisputeRequest{}, "Dispute": v1.Dispute{},
		"Disclosure": commitment.Disclosure{}, "Commitment": commitment.Commitment{}, "Disputes": v1.Disputes{}, "Settings": v1.Settings{}, "Limits": v1.Limits{}, "Problem": v1.Problem{}, "Fault": v1.FieldProblem{},
		"Catalogue": catalogue.Catalogue{}, "CatalogueRound": catalogue.Round{}, "CatalogueCancel": catalogue.Cancel{},
		"CatalogueReason": catalogue.Reason{}, "CatalogueFamily": catalogue.Family{}, "CatalogueBoardGroup": catalogue.BoardGroup{},
	}
	for name := range schemas {
		schema := schemas.at(name)
		value, known := types[name]
		if !known {
			if schema.text("type") == "object" {
				t.Errorf("%s has no type", name)
			}
			continue
		}
		fields, required := map[string]bool{}, map[string]bool{}
		for field := range propertiesOf(schemas, schema, required) {
			fields[field] = true
		}
		for field, always := range fieldsOf(reflect.TypeOf(value)) {
			if !fields[field] {
				t.Errorf("%s lacks the field %s", name, field)
			}
			if required[field] != always {
				t.Errorf("%s.%s: required %v in the document, always written %v", name, field, required[field], always)
			}
			delete(fields, field)
		}
		for field := range fields {
			t.Errorf("%s has the field %s, the type has not", name, field)
		}
	}
}

// propertiesOf returns a schema's properties with those of the schemas that it
// takes in, and adds which are required.
func propertiesOf(schemas, schema node, required map[string]bool) node {
	all := node{}
	for _, each := range schema.list("allOf") {
		maps.Copy(all, propertiesOf(schemas, schemas.at(node(each.(map[string]any)).refName()), required))
	}
	maps.Copy(all, schema.at("properties"))
	for _, name := range schema.list("required") {
		required[name.(string)] = true
	}
	return all
}

// fieldsOf returns the JSON fields of a type, and whether each is always written.
func fieldsOf(kind reflect.Type) map[string]bool {
	fields := map[string]bool{}
	for i := range kind.NumField() {
		field := kind.Field(i)
		if field.Anonymous {
			maps.Copy(fields, fieldsOf(field.Type))
			continue
		}
		if name, options, _ := strings.Cut(field.Tag.Get("json"), ","); name != "-" {
			fields[name] = options != "omitempty"
		}
	}
	return fields
}

// TestExamples holds every example against the schema of its place, and bodies
// against what the API reads.
func TestExamples(t *testing.T) {
	doc := embeddedDocument(t)
	compiler := newCompiler(t)
	used := map[string]bool{}
	check := func(place string, content node) {
		for _, name := range slices.Sorted(maps.Keys(content.at("examples"))) {
			example := content.at("examples", name).refName()
			used[example] = true
			schema, err := compiler.Compile(pointer("components", "schemas", content.at("schema").refName()))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(doc.at("components", "examples", example)["value"]); err != nil {
				t.Errorf("%s, example %s: %v", place, example, err)
			}
		}
	}
	places := node{}
	maps.Copy(places, doc.at("paths"))
	maps.Copy(places, doc.at("webhooks"))
	for path, methods := range places {
		for method, each := range methods.(map[string]any) {
			op := node(each.(map[string]any))
			check(method+" "+path, op.at("requestBody", "content", "application/json"))
			for status := range op.at("responses") {
				check(method+" "+path+" "+status, op.at("responses", status, "content", "application/json"))
			}
		}
	}
	for name := range doc.at("components", "responses") {
		check(name, doc.at("components", "responses", name, "content", "application/problem+json"))
	}
	for name := range doc.at("components", "examples") {
		if !used[name] {
			t.Errorf("no place has the example %s", name)
		}
		if value := doc.at("components", "examples", name, "value"); value.text("code") != "" {
			kind := kinds[value.text("code")]
			if value.text("title") != kind.Title || int(value["status"].(float64)) != kind.Status || value.text("type") != "/docs#"+kind.Code || value.text("action") != kind.Action {
				t.Errorf("the example %s is not as the table: %+v", name, kind)
			}
		}
	}
}

// TestDocsPage looks whether the embedded page has every operation, schema and code, and
// loads nothing.
func TestDocsPage(t *testing.T) {
	page, err := docsPage()
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	d, err := loadDocument()
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range d.operations {
		if !strings.Contains(text, `id="`+op.ID+`"`) {
			t.Errorf("the page lacks %s", op.ID)
		}
	}
	for _, kind := range problemKinds {
		if !strings.Contains(text, `id="`+kind.Code+`"`) {
			t.Errorf("the page lacks %s", kind.Code)
		}
	}
	for _, loads := range []string{"<script", "<img", "src=", "@import", "url(", "http://", "stylesheet"} {
		t.Run(loads, func(t *testing.T) {
			if strings.Contains(text, loads) {
				t.Errorf("the page has %s", loads)
			}
		})
	}
}
