package api

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// requestsOf returns what the API heeds of a document, as it is embedded. It fails where
// a schema of a request says more than the API's own check understands.
func requestsOf(t *testing.T, doc node) []byte {
	t.Helper()
	var lines []string // of the operations
	for _, path := range slices.Sorted(maps.Keys(doc.at("paths"))) {
		for _, method := range slices.Sorted(maps.Keys(doc.at("paths", path))) {
			line, err := json.Marshal(heededOperation(t, doc, path, method))
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(line))
		}
	}
	return []byte("[\n" + strings.Join(lines, ",\n") + "\n]\n")
}

func heededOperation(t *testing.T, doc node, path, method string) *operation {
	t.Helper()
	said := doc.at("paths", path, method)
	op := &operation{ID: said.text("operationId"), Method: strings.ToUpper(method), Path: path}
	for _, each := range said.list("security") {
		if scopes, keyed := each.(map[string]any)["key"].([]any); keyed {
			op.Keyed, op.Scope = true, append(scopes, "")[0].(string)
		}
	}
	for _, each := range said.list("parameters") {
		p := doc.at("components", "parameters", node(each.(map[string]any)).refName())
		required, _ := p["required"].(bool)
		op.Parameters = append(op.Parameters, parameter{Name: p.text("name"), In: p.text("in"), Required: required, Schema: heededSchema(t, doc, p.at("schema"))})
	}
	if body := said.at("requestBody", "content", "application/json", "schema"); body != nil {
		op.Body = heededSchema(t, doc, body)
	}
	return op
}

// heededSchema reads a schema, with its references put in.
func heededSchema(t *testing.T, doc, said node) *schema {
	t.Helper()
	text, err := json.Marshal(heeded(doc, said))
	if err != nil {
		t.Fatal(err)
	}
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	read := &schema{}
	if err := strict.Decode(read); err != nil {
		t.Fatalf("the API does not understand the schema %s of a request: %v", text, err)
	}
	return read
}

// heeded returns a schema without references, and without what says nothing about values.
func heeded(doc, said node) node {
	made := node{}
	if name := said.refName(); name != "" {
		made = heeded(doc, doc.at("components", "schemas", name))
	}
	for keyword, value := range said {
		switch keyword {
		case "$ref", "description", "examples", "default":
		case "items":
			made[keyword] = heeded(doc, value.(map[string]any))
		case "properties":
			properties := node{}
			for name, property := range value.(map[string]any) {
				properties[name] = heeded(doc, property.(map[string]any))
			}
			made[keyword] = properties
		default:
			made[keyword] = value
		}
	}
	return made
}

// TestPatternsHaveWords: what is said of a text that a pattern does not match.
func TestPatternsHaveWords(t *testing.T) {
	d, err := loadDocument()
	if err != nil {
		t.Fatal(err)
	}
	patterns := map[string]bool{}
	var gather func(*schema)
	gather = func(s *schema) {
		if s == nil {
			return
		}
		if s.Pattern != nil {
			patterns[s.Pattern.text] = true
		}
		gather(s.Items)
		for _, property := range s.Properties {
			gather(property)
		}
	}
	for _, op := range d.operations {
		gather(op.Body)
		for _, p := range op.Parameters {
			gather(p.Schema)
		}
	}
	if have, want := slices.Sorted(maps.Keys(written)), slices.Sorted(maps.Keys(patterns)); !slices.Equal(have, want) {
		t.Errorf("there are words for %q, and the patterns %q", have, want)
	}
}
