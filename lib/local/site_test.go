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
		t.Run(path, func(t *testing.T) {
			if code, text := get(path); code != http.StatusOK {
				t.Errorf("%s: %d %.100s, want code = http.StatusOK", path, code, text)
			}
		})
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

// A run begins with an empty table: a folder with the log or the site of another run is
// refused, and left as it is.
func TestFoldersInUse(t *testing.T) {
	used, file := t.TempDir(), filepath.Join(t.TempDir(), "a file")
	for _, path := range []string{filepath.Join(used, "checkpoint"), file} {
		if err := os.WriteFile(path, []byte("of another run"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		options local.Options
		want    string
	}{
		"the log's":               {local.Options{LogFolder: used}, "the folder for the public log is " + used + ": it is not empty"},
		"the site's":              {local.Options{SiteFolder: used}, "the folder for the public site is " + used + ": it is not empty"},
		"a file where one is":     {local.Options{LogFolder: file}, "looking into the folder for the public log"},
		"both, and both are said": {local.Options{LogFolder: used, SiteFolder: file}, "looking into the folder for the public site"},
	} {
		t.Run(name, func(t *testing.T) {
			stack, err := local.Start(t.Context(), test.options)
			if err == nil {
				stack.Close()
				t.Fatalf("it was started, want %q", test.want)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	for _, path := range []string{filepath.Join(used, "checkpoint"), file} {
		t.Run(path, func(t *testing.T) {
			if text, err := os.ReadFile(path); err != nil || string(text) != "of another run" {
				t.Errorf("%s has %q, %v, want it as it was", path, text, err)
			}
		})
	}
}
