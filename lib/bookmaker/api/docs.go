package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"sync"

	"tally/lib/site/headers"
)

// What the API serves of docs/openapi.yaml, written by `go generate`: the document as JSON,
// and as a page to read. Few requests ask for either, so that they take little room.
var (
	//go:embed openapi.json.gz
	compressedJSON []byte
	//go:embed docs.html.gz
	compressedPage []byte
)

// documentJSON and docsPage return them whole.
var (
	documentJSON = sync.OnceValues(func() ([]byte, error) { return expanded(compressedJSON) })
	docsPage     = sync.OnceValues(func() ([]byte, error) { return expanded(compressedPage) })
)

func expanded(compressed []byte) ([]byte, error) {
	from, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, fmt.Errorf("expanding what is embedded of the OpenAPI document: %w", err)
	}
	text, err := io.ReadAll(from)
	if err != nil {
		return nil, fmt.Errorf("expanding what is embedded of the OpenAPI document: %w", err)
	}
	return text, nil
}

// getDocument answers the OpenAPI document.
func getDocument(context.Context, *request) (any, error) {
	text, err := documentJSON()
	return response{status: http.StatusOK, media: "application/json", text: text}, err
}

// docsHeaders are those of a page that has its style within, named by its hash, and
// loads nothing.
func docsHeaders(page []byte) map[string]string {
	return headers.Security("default-src 'none'; style-src '" + styleHash(page) + "'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
}

// styleHash names the page's style in a Content-Security-Policy.
func styleHash(page []byte) string {
	_, rest, _ := bytes.Cut(page, []byte("<style>"))
	style, _, _ := bytes.Cut(rest, []byte("</style>"))
	sum := sha256.Sum256(style)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// getDocs answers the document as a page to read. It loads nothing.
func getDocs(context.Context, *request) (any, error) {
	page, err := docsPage()
	return response{status: http.StatusOK, media: "text/html; charset=utf-8", text: page, header: docsHeaders(page)}, err
}
