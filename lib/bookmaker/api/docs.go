package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"

	"tally/lib/site/headers"
)

// docsPage is the document as a page to read, written by `go generate`.
//
//go:embed docs.html
var docsPage []byte

// getDocument answers the OpenAPI document.
func getDocument(context.Context, *request) (any, error) {
	return response{status: http.StatusOK, media: "application/json", text: documentJSON}, nil
}

// docsHeaders are those of a page that has its style within, named by its hash, and
// loads nothing.
var docsHeaders = headers.Security("default-src 'none'; style-src '" + styleHash() + "'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")

// styleHash names the page's style in a Content-Security-Policy.
func styleHash() string {
	_, rest, _ := bytes.Cut(docsPage, []byte("<style>"))
	style, _, _ := bytes.Cut(rest, []byte("</style>"))
	sum := sha256.Sum256(style)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// getDocs answers the document as a page to read. It loads nothing.
func getDocs(context.Context, *request) (any, error) {
	return response{status: http.StatusOK, media: "text/html; charset=utf-8", text: docsPage, header: docsHeaders}, nil
}
