package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:generate go test -run ^TestEmbedded$ -update

// documentJSON is docs/openapi.yaml as JSON, as the program embeds and serves it.
//
//go:embed openapi.json
var documentJSON []byte

// operation is an operation of the document: a path, a method, and what requests
// of it look like.
type operation struct {
	ID     string
	Method string
	Path   string   // the template, such as /v1/games/{game}
	parts  []string // of the template
	Keyed  bool     // it needs a key
	Scope  string
	Codes  []string // of the problems that it may answer
	params []parameter
	body   string // pointer to the body's schema; empty for none

	once    sync.Once
	failed  error                         // of compiling
	schemas map[string]*jsonschema.Schema // by pointer
	texts   map[string]*textRule          // of parameters, where they are plain texts
	object  *textsRule                    // of the body, where its members are
}

// parameter is a parameter of an operation.
type parameter struct {
	Name     string
	In       string // path or query
	Required bool
	Whole    bool // a whole number, not a text
	pointer  string
}

// document is the parsed document.
type document struct {
	operations []*operation
	compiler   *jsonschema.Compiler
	mutex      sync.Mutex // of the compiler
}

const documentName = "openapi.json"

// The parts of the document that are read here.
type (
	documentText struct {
		Paths      map[string]map[string]operationText `json:"paths"`
		Components struct {
			Parameters map[string]parameterText `json:"parameters"`
		} `json:"components"`
	}
	operationText struct {
		OperationID string                `json:"operationId"`
		Security    []map[string][]string `json:"security"`
		Parameters  []parameterText       `json:"parameters"`
		RequestBody *json.RawMessage      `json:"requestBody"`
		Codes       []string              `json:"x-codes"`
	}
	parameterText struct {
		Ref      string `json:"$ref"`
		Name     string `json:"name"`
		In       string `json:"in"`
		Required bool   `json:"required"`
		Schema   struct {
			Type string `json:"type"`
		} `json:"schema"`
	}
)

// loadDocument parses the embedded document. Schemas are compiled when they are
// first needed, so that a cold start costs a parse.
func loadDocument() (*document, error) {
	var text documentText
	if err := json.Unmarshal(documentJSON, &text); err != nil {
		return nil, fmt.Errorf("reading the OpenAPI document: %w", err)
	}
	d := &document{}
	for _, path := range slices.Sorted(maps.Keys(text.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(text.Paths[path])) {
			op, err := newOperation(path, method, text.Paths[path][method], text.Components.Parameters)
			if err != nil {
				return nil, fmt.Errorf("reading the OpenAPI document: %s %s: %w", method, path, err)
			}
			d.operations = append(d.operations, op)
		}
	}
	return d, nil
}

// pointer returns the address of a part of the document.
func pointer(parts ...string) string {
	text := documentName + "#"
	for _, part := range parts {
		text += "/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	return text
}

func newOperation(path, method string, text operationText, shared map[string]parameterText) (*operation, error) {
	op := &operation{ID: text.OperationID, Method: strings.ToUpper(method), Path: path, parts: strings.Split(path, "/")[1:], Codes: text.Codes,
		schemas: map[string]*jsonschema.Schema{}, texts: map[string]*textRule{}}
	for _, requirement := range text.Security {
		scopes, keyed := requirement["key"]
		op.Keyed = op.Keyed || keyed
		if len(scopes) > 0 {
			op.Scope = scopes[0]
		}
	}
	for _, p := range text.Parameters {
		name, isShared := strings.CutPrefix(p.Ref, "#/components/parameters/")
		referred, known := shared[name]
		if !isShared || !known {
			return nil, fmt.Errorf("%q is no parameter", p.Ref)
		}
		op.params = append(op.params, parameter{Name: referred.Name, In: referred.In, Required: referred.Required,
			Whole: referred.Schema.Type == "integer", pointer: pointer("components", "parameters", name, "schema")})
	}
	if text.RequestBody != nil {
		op.body = pointer("paths", path, method, "requestBody", "content", "application/json", "schema")
	}
	return op, nil
}

// find returns the operation of a path and a method, with the values of its path
// parameters; where there is none, the methods that the path takes.
func (d *document) find(method, escapedPath string) (op *operation, values map[string]string, methods []string) {
	given := strings.Split(strings.TrimPrefix(escapedPath, "/"), "/")
	for _, candidate := range d.operations {
		if !candidate.fits(given) {
			continue
		}
		found, ok := candidate.values(given)
		if !ok {
			continue
		}
		if candidate.Method == method {
			return candidate, found, nil
		}
		methods = append(methods, candidate.Method)
	}
	return nil, nil, methods
}

// fits reports whether a path has the operation's fixed parts.
func (op *operation) fits(given []string) bool {
	if len(given) != len(op.parts) {
		return false
	}
	for i, part := range op.parts {
		if given[i] != part && !strings.HasPrefix(part, "{") {
			return false
		}
	}
	return true
}

// values returns the values of the path's parameters; ok is false where one is
// empty or can't be read.
func (op *operation) values(given []string) (values map[string]string, ok bool) {
	values = make(map[string]string, len(op.params))
	for i, part := range op.parts {
		name, isParameter := strings.CutPrefix(part, "{")
		if !isParameter {
			continue
		}
		value, err := url.PathUnescape(given[i])
		if err != nil || value == "" {
			return nil, false
		}
		values[strings.TrimSuffix(name, "}")] = value
	}
	return values, true
}

// compile compiles the schemas of an operation when it is first asked for.
func (d *document) compile(op *operation) error {
	op.once.Do(func() {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		op.failed = d.compileAll(op)
	})
	return op.failed
}

func (d *document) compileAll(op *operation) (err error) {
	if d.compiler == nil {
		if d.compiler, err = newCompiler(); err != nil {
			return err
		}
	}
	var pointers []string
	for _, p := range op.params {
		pointers = append(pointers, p.pointer)
	}
	if op.body != "" {
		pointers = append(pointers, op.body)
	}
	for _, at := range pointers {
		if op.schemas[at], err = d.compiler.Compile(at); err != nil {
			return fmt.Errorf("compiling the schemas of %s: %w", op.ID, err)
		}
		op.texts[at] = textRuleOf(op.schemas[at])
	}
	if op.body != "" {
		op.object = textsRuleOf(op.schemas[op.body], reflect.TypeOf(bodies[op.ID]()).Elem())
	}
	return nil
}

func newCompiler() (*jsonschema.Compiler, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(documentJSON))
	if err != nil {
		return nil, fmt.Errorf("reading the OpenAPI document: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource(documentName, parsed); err != nil {
		return nil, fmt.Errorf("reading the OpenAPI document: %w", err)
	}
	return compiler, nil
}
