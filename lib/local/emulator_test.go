package local

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestCutAnswers has the emulator break off its answers. Clients are told what they
// try again after.
func TestCutAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   int
	}{
		"whole": {answer: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("x", 9000)) }, want: http.StatusOK},
		"cut": {answer: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("x", 9000))
			panic(http.ErrAbortHandler)
		}, want: http.StatusBadGateway},
		"none": {answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, want: http.StatusBadGateway},
	} {
		t.Run(name, func(t *testing.T) {
			emulator := httptest.NewServer(c.answer)
			defer emulator.Close()
			target, err := url.Parse(emulator.URL)
			if err != nil {
				t.Fatal(err)
			}
			front := httptest.NewServer(proxyTo(target))
			defer front.Close()
			answer, err := front.Client().Post(front.URL, "application/x-amz-json-1.0", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body)
			if err != nil || answer.StatusCode != c.want || c.want == http.StatusOK && len(body) != 9000 {
				t.Errorf("%d with %d bytes, %v; want %d", answer.StatusCode, len(body), err, c.want)
			}
		})
	}
}
