package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tally/lib/site/serve"
)

// folder returns a folder with files of these names and contents.
func folder(t *testing.T, contents map[string]string) string {
	t.Helper()
	path := t.TempDir()
	for name, text := range contents {
		file := filepath.Join(path, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// start serves a small site and its log.
func start(t *testing.T) *httptest.Server {
	t.Helper()
	site := folder(t, map[string]string{"index.html": "<p>root", "404.html": "<p>missing", "en/index.html": "<p>en", "cursor.json": "{}",
		"assets/site.0123.css": "a{}", "results/war/2026-11-30.csv": "draw\r\n", "results/war/2026-11-30/war-1.1.1.json": `{"schema":1,"entry":"state"}`, "results/war/2026-11-30/war-1.1.json": "{}", "results/war/2026-11-30/war-1.1.1.tlog-proof": "proof",
		"results/draws/war-1.1.json": "{}"})
	log := folder(t, map[string]string{"checkpoint": "log\n", "tile/0/000": "hashes"})
	if err := os.Symlink("/etc", filepath.Join(site, "etc")); err != nil {
		t.Fatal(err)
	}
	files, err := serve.Open(site, log)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(files)
	t.Cleanup(func() {
		server.Close()
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// ask asks for a path as it is written, without tidying it up.
func ask(t *testing.T, server *httptest.Server, method, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.URL.Opaque = path
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

func TestFiles(t *testing.T) {
	server := start(t)
	const lasting, minute, second = "public, max-age=31536000, immutable", "public, max-age=60", "public, max-age=1, must-revalidate"
	for path, want := range map[string][4]string{
		"/":                           {"<p>root", "text/html; charset=utf-8", minute, ""},
		"/en/":                        {"<p>en", "text/html; charset=utf-8", minute, ""},
		"/en/index.html":              {"<p>en", "text/html; charset=utf-8", minute, ""},
		"/cursor.json":                {"{}", "application/json; charset=utf-8", second, ""},
		"/assets/site.0123.css":       {"a{}", "text/css; charset=utf-8", lasting, ""},
		"/results/war/2026-11-30.csv": {"draw\r\n", "text/csv; charset=utf-8", minute, "*"},
		"/results/draws/war-1.1.json": {"{}", "application/json; charset=utf-8", lasting, "*"},
		"/results/war/2026-11-30/war-1.1.1.tlog-proof": {"proof", "text/plain; charset=utf-8", "public, max-age=86400", "*"},
		"/results/war/2026-11-30/war-1.1.json":         {"{}", "application/json; charset=utf-8", minute, "*"},
		"/results/war/2026-11-30/war-1.1.1.json":       {`{"schema":1,"entry":"state"}`, "application/json; charset=utf-8", lasting, "*"},
		"/log/checkpoint":                              {"log\n", "text/plain; charset=utf-8", second, "*"},
		"/log/tile/0/000":                              {"hashes", "application/octet-stream", lasting, "*"},
	} {
		t.Run(path, func(t *testing.T) {
			response, text := ask(t, server, http.MethodGet, path)
			got := [4]string{text, response.Header.Get("Content-Type"), response.Header.Get("Cache-Control"), response.Header.Get("Access-Control-Allow-Origin")}
			if response.StatusCode != http.StatusOK || got != want {
				t.Errorf("%s: %s %q, want %q", path, response.Status, got, want)
			}
			for name, value := range serve.Headers {
				if response.Header.Get(name) != value {
					t.Errorf("%s: %s is %q", path, name, response.Header.Get(name))
				}
			}
			if response.Header.Get("ETag") == "" {
				t.Errorf("%s has no tag", path)
			}
		})
	}
}

// TestMissing answers 404 to what is not there, to folders, and to everything that
// would lead out of the folders.
func TestMissing(t *testing.T) {
	server := start(t)
	for _, path := range []string{"/no.html", "/en", "/results", "/log", "/log/", "/log/tile", "/../index.html", "/..%2findex.html", "/%2e%2e/index.html",
		"/en/../index.html", "/log/../index.html", "//etc/passwd", "/etc/passwd", "/etc", "/index.html%00", "/..%5cindex.html", "/en//index.html", "/log//checkpoint"} {
		t.Run(path, func(t *testing.T) {
			response, text := ask(t, server, http.MethodGet, path)
			if response.StatusCode != http.StatusNotFound || text != "<p>missing" {
				t.Errorf("%s: %s %q, want response.StatusCode = http.StatusNotFound and \"<p>missing\"", path, response.Status, text)
			}
		})
	}
	files, err := serve.Open(folder(t, nil), "")
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	files.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/log/checkpoint", nil))
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "no such page") {
		t.Errorf("%d %s, want w.Code = http.StatusNotFound and \"no such page\" in w.Body.String()", w.Code, w.Body)
	}
	if err := files.Close(); err != nil {
		t.Error(err)
	}
}

func TestConditionsAndRanges(t *testing.T) {
	server := start(t)
	const path = "/results/war/2026-11-30.csv"
	first, _ := ask(t, server, http.MethodGet, path)
	if again, text := ask(t, server, http.MethodGet, path, "If-None-Match", first.Header.Get("ETag")); again.StatusCode != http.StatusNotModified || text != "" {
		t.Errorf("%s %q, want again.StatusCode = http.StatusNotModified and \"\"", again.Status, text)
	}
	if part, text := ask(t, server, http.MethodGet, path, "Range", "bytes=1-2"); part.StatusCode != http.StatusPartialContent || text != "ra" {
		t.Errorf("%s %q, want part.StatusCode = http.StatusPartialContent and \"ra\"", part.Status, text)
	}
	if head, text := ask(t, server, http.MethodHead, path); head.StatusCode != http.StatusOK || text != "" || head.ContentLength != 6 {
		t.Errorf("%s %q, want head.StatusCode = http.StatusOK and \"\" and head.ContentLength = 6", head.Status, text)
	}
	if options, _ := ask(t, server, http.MethodOptions, path); options.StatusCode != http.StatusNoContent || options.Header.Get("Access-Control-Allow-Methods") != "GET, HEAD" {
		t.Errorf("%s %v, want options.StatusCode = http.StatusNoContent and options.Header.Get(\"Access-Control-Allow-Methods\") = \"GET, HEAD\"",
			options.Status, options.Header)
	}
	if post, _ := ask(t, server, http.MethodPost, path); post.StatusCode != http.StatusMethodNotAllowed || post.Header.Get("Allow") == "" {
		t.Errorf("%s %v, want post.StatusCode = http.StatusMethodNotAllowed and post.Header.Get(\"Allow\") other than \"\"",
			post.Status, post.Header)
	}
}

func TestOpenFails(t *testing.T) {
	for _, folders := range [][2]string{{"/nowhere/at/all", ""}, {t.TempDir(), "/nowhere/at/all"}} {
		t.Run(fmt.Sprint(folders), func(t *testing.T) {
			if _, err := serve.Open(folders[0], folders[1]); err == nil {
				t.Errorf("%q is served", folders)
			}
		})
	}
}
