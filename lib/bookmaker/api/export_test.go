package api

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// ProblemKinds returns the table of all problems.
func ProblemKinds() []ProblemKind { return problemKinds }

// documented is the document.
var documented = sync.OnceValues(func() (doc node, err error) {
	text, err := documentJSON()
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &doc)
	return doc, err
})

// Allows reports whether the operation of a request may answer a problem of a
// code, by the document.
func (a *API) Allows(method, path, code string) bool {
	op, _, _ := a.document.find(method, path)
	doc, err := documented()
	if op == nil || err != nil {
		return false
	}
	return slices.Contains(doc.at("paths", op.Path, strings.ToLower(op.Method)).list("x-codes"), any(code))
}
