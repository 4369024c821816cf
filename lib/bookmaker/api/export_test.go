package api

import "slices"

// ProblemKinds returns the table of all problems.
func ProblemKinds() []ProblemKind { return problemKinds }

// Allows reports whether the operation of a request may answer a problem of a
// code, by the document.
func (a *API) Allows(method, path, code string) bool {
	op, _, _ := a.document.find(method, path)
	return op != nil && slices.Contains(op.Codes, code)
}
