package api_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"testing"

	"tally/lib/site/headers"
)

// TestDocsHeaders has the document to read come with the headers of the public site,
// and with a policy that names the style within it and nothing else.
func TestDocsHeaders(t *testing.T) {
	w := newWorld(t)
	a := w.want(w.do(http.MethodGet, "/docs", ""), "200")
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(a.body, -1)
	if len(style) != 1 || regexp.MustCompile(`<script|<link rel="stylesheet"|style=`).MatchString(a.body) {
		t.Fatalf("%d styles, or something else that the policy has to name", len(style))
	}
	sum := sha256.Sum256([]byte(style[0][1]))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	for name, want := range headers.Security(policy) {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: %q instead of %q", name, got, want)
		}
	}
}
