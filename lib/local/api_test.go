package local_test

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"tally"
	"tally/lib/lambda/runtime"
	"tally/lib/local"
)

// The API answers bookmakers where it says, and no more when the stack is closed.
func TestAPI(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	stack, err := local.Start(t.Context(), local.Options{Template: tally.Template, Stack: "api", Log: log,
		Build: local.Tally(runtime.Runtime{Log: log, Metrics: io.Discard, Now: time.Now})})
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) (string, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, stack.API+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return response.Status + " " + string(text), err
	}
	for path, want := range map[string]string{"/v1/health": `200 OK {"status":"ok"`, "/docs": "200 OK <!doctype html>", "/v1/settings": "401 Unauthorized"} {
		t.Run(path, func(t *testing.T) {
			if got, err := get(path); err != nil || !strings.HasPrefix(got, want) {
				t.Errorf("%s: %.200s, %v, want no error and got to begin with %q", path, got, err, want)
			}
		})
	}
	stack.Close()
	if got, err := get("/v1/health"); err == nil {
		t.Errorf("after its end: %s", got)
	}
}
