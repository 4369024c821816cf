package dynamotest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// closedEarly is a body as the transport may meet it when the SDK closed it after all
// was sent: what is read beyond the end is io.EOF from WriteTo, which io.Copy takes as an error.
type closedEarly struct{ io.Reader }

func (closedEarly) Close() error { return nil }

func (c closedEarly) WriteTo(w io.Writer) (int64, error) { return 0, io.EOF }

func TestWholeBodies(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, closedEarly{strings.NewReader("all of it")})
	if err != nil {
		t.Fatal(err)
	}
	request.ContentLength = int64(len("all of it"))
	response, err := newWhole().Do(request)
	if err != nil {
		t.Fatalf("a body that is closed once it was sent: %v, want no error", err)
	}
	defer response.Body.Close()
	if got, err := io.ReadAll(response.Body); err != nil || string(got) != "all of it" {
		t.Errorf("the server was sent %q, %v, want %q", got, err, "all of it")
	}
}
