package api

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strings"
)

//go:generate go test -run ^TestEmbedded$ -update

// requestsJSON is what the API itself heeds of docs/openapi.yaml: its operations, and what
// their requests look like. A start parses this and not the document, which has six times
// as much.
//
//go:embed requests.json
var requestsJSON []byte

// operation is an operation of the document: a path, a method, and what requests
// of it look like.
type operation struct {
	ID         string      `json:"id"`
	Method     string      `json:"method"`
	Path       string      `json:"path"`            // the template, such as /v1/games/{game}
	Keyed      bool        `json:"keyed,omitempty"` // it needs a key
	Scope      string      `json:"scope,omitempty"`
	Parameters []parameter `json:"parameters,omitempty"`
	Body       *schema     `json:"body,omitempty"` // nil for none

	parts []string   // of the template
	texts *textsRule // of the body, where its members are texts
}

// parameter is a parameter of an operation.
type parameter struct {
	Name     string  `json:"name"`
	In       string  `json:"in"` // path or query
	Required bool    `json:"required,omitempty"`
	Schema   *schema `json:"schema"`
}

// document is what the API heeds of the document.
type document struct{ operations []*operation }

// loadDocument parses what is embedded for it.
func loadDocument() (*document, error) {
	d := &document{}
	if err := json.Unmarshal(requestsJSON, &d.operations); err != nil {
		return nil, fmt.Errorf("reading what is embedded of the OpenAPI document: %w", err)
	}
	for _, op := range d.operations {
		op.parts = strings.Split(op.Path, "/")[1:]
		if op.Body != nil {
			op.texts = textsRuleOf(op.Body, reflect.TypeOf(bodies[op.ID]()).Elem())
		}
	}
	return d, nil
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
	values = make(map[string]string, len(op.Parameters))
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
