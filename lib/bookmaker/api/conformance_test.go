package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"tally/lib/bookmaker/api"
)

// conformance stands before the API in tests and holds every answer against the
// document, with a validator that is not the API's own.
type conformance struct {
	t       testing.TB
	handler *api.API
}

// second has the operations of the document, read once for all tests.
var second = sync.OnceValues(func() (routers.Router, error) {
	document, err := openapi3.NewLoader().LoadFromFile("../../../docs/openapi.yaml")
	if err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(document)
})

func newConformance(t testing.TB, handler *api.API) *conformance {
	return &conformance{t: t, handler: handler}
}

// notOurs are the codes that no operation names, since they are of no operation.
var notOurs = []string{"unknown_path", "method_not_allowed"}

// ServeHTTP lets the API answer and checks the answer.
func (c *conformance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone away
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	recorded := httptest.NewRecorder()
	c.handler.ServeHTTP(recorded, r)
	c.check(r, recorded)
	for name, values := range recorded.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(recorded.Code)
	_, _ = w.Write(recorded.Body.Bytes())
}

func (c *conformance) check(r *http.Request, recorded *httptest.ResponseRecorder) {
	known, err := second()
	if err != nil {
		c.t.Errorf("the document: %v", err)
		return
	}
	if recorded.Header().Get("X-Request-Id") == "" {
		c.t.Errorf("%s %s: no request id", r.Method, r.URL)
	}
	code := ""
	if recorded.Code >= 400 {
		var problem struct{ Code string }
		if err := json.Unmarshal(recorded.Body.Bytes(), &problem); err != nil || problem.Code == "" {
			c.t.Errorf("%s %s: %d without a problem: %s", r.Method, r.URL, recorded.Code, recorded.Body)
		}
		code = problem.Code
	}
	if slices.Contains(notOurs, code) {
		return
	}
	if code != "" && !c.handler.Allows(r.Method, r.URL.EscapedPath(), code) {
		c.t.Errorf("%s %s answered %s, which the document does not list", r.Method, r.URL, code)
	}
	if media := recorded.Header().Get("Content-Type"); strings.HasPrefix(media, "text/") || media == "application/x-ndjson" {
		return // no schema says more than that it is a text
	}
	route, parameters, err := known.FindRoute(r)
	if err != nil {
		c.t.Errorf("%s %s answered %d, and is not in the document: %v", r.Method, r.URL, recorded.Code, err)
		return
	}
	err = openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: parameters, Route: route},
		Status:                 recorded.Code,
		Header:                 recorded.Header(),
		Body:                   io.NopCloser(bytes.NewReader(recorded.Body.Bytes())),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	})
	if err != nil {
		c.t.Errorf("%s %s answered %d, which the document does not say: %v\n%s", r.Method, r.URL, recorded.Code, err, recorded.Body)
	}
}
