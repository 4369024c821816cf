package local_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tally/lib/local"
)

// The site is there after the first run of pages, with the log under it, where the
// stack says, and no more when the stack is closed; the folders that were named stay.
func TestSite(t *testing.T) {
	folder := t.TempDir()
	stack := start(t, local.Options{LogFolder: filepath.Join(folder, "log"), SiteFolder: filepath.Join(folder, "site")})
	if err := stack.RunScheduled(t.Context(), "pages"); err != nil {
		t.Fatal(err)
	}
	get := func(path string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, stack.Site+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, err.Error()
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(text)
	}
	for _, path := range []string{"/", "/en/", "/pt/war/index.html", "/cursor.json"} {
		if code, text := get(path); code != http.StatusOK {
			t.Errorf("%s: %d %.100s", path, code, text)
		}
	}
	if code, _ := get("/log/checkpoint"); code != http.StatusNotFound { // nothing was logged yet
		t.Errorf("the checkpoint of an empty log: %d", code)
	}
	if err := os.WriteFile(filepath.Join(stack.LogFolder, "checkpoint"), []byte("a log"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, text := get("/log/checkpoint"); code != http.StatusOK || text != "a log" {
		t.Errorf("the log: %d %s", code, text)
	}
	if key, err := os.ReadFile(filepath.Join(folder, "log.key")); err != nil || !strings.Contains(string(key), "PRIVATE+KEY") {
		t.Errorf("the log's key: %v", err)
	}
	stack.Close()
	if code, text := get("/"); code != 0 {
		t.Errorf("after its end: %d %.100s", code, text)
	}
	if _, err := os.Stat(filepath.Join(folder, "site", "index.html")); err != nil {
		t.Error(err)
	}
}
