package api

import (
	"context"
	_ "embed"
	"net/http"
)

// docsPage is the document as a page to read, written by `go generate`.
//
//go:embed docs.html
var docsPage []byte

// getDocument answers the OpenAPI document.
func getDocument(context.Context, *request) (any, error) {
	return answered{status: http.StatusOK, media: "application/json", text: documentJSON}, nil
}

// getDocs answers the document as a page to read. It loads nothing.
func getDocs(context.Context, *request) (any, error) {
	return answered{status: http.StatusOK, media: "text/html; charset=utf-8", text: docsPage}, nil
}
