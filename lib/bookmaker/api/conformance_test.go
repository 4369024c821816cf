package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"

	"tally/lib/bookmaker/api"
)

// conformance stands before the API in tests and holds every answer against the
// document, with a validator that is not the API's own.
type conformance struct {
	t       testing.TB
	handler *api.API
	mutex   sync.Mutex // the validator is not for several goroutines
}

// second is the validator of the document, parsed once for all tests.
var second = sync.OnceValues(func() (validator.Validator, []error) {
	text, err := os.ReadFile("../../../docs/openapi.yaml")
	if err != nil {
		return nil, []error{err}
	}
	document, err := libopenapi.NewDocument(text)
	if err != nil {
		return nil, []error{err}
	}
	made, errs := validator.NewValidator(document)
	return made, errs
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
	c.check(r, body, recorded)
	for name, values := range recorded.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(recorded.Code)
	_, _ = w.Write(recorded.Body.Bytes())
}

func (c *conformance) check(r *http.Request, body []byte, recorded *httptest.ResponseRecorder) {
	second, errs := second()
	if len(errs) > 0 {
		c.t.Errorf("the document: %v", errs)
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
	again := r.Clone(r.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	c.mutex.Lock()
	defer c.mutex.Unlock()
	ok, problems := second.ValidateHttpResponse(again, recorded.Result())
	if !ok {
		for _, p := range problems {
			c.t.Errorf("%s %s answered %d, which the document does not say: %s: %s\n%s", r.Method, r.URL, recorded.Code, p.Message, p.Reason, recorded.Body)
		}
	}
}
