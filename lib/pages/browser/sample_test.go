package browser_test

import (
	"bytes"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"tally/lib/archive/archivetest"
	"tally/lib/archive/fakeobjects"
	"tally/lib/functions"
	"tally/lib/games"
	"tally/lib/pages/publish"
	"tally/lib/pages/serve"
)

// quiet logs nothing.
var quiet = slog.New(slog.DiscardHandler)

// nobody is told nothing.
type nobody struct{}

func (nobody) Behind(int64)   {}
func (nobody) Written(int)    {}
func (nobody) Unequal(string) {}

// contents are files by their path from the root of the site; those of the log are
// under log/.
type contents map[string][]byte

// sampled is what the sample log and its site came to, made once for all tests.
type sampled struct {
	key   string   // the log's public key
	first contents // when only the first half of the games was played
	all   contents
}

var (
	once sync.Once
	made sampled
)

// sample returns the sample log and its site. The first test that asks makes them.
func sample(t testing.TB) *sampled {
	t.Helper()
	once.Do(func() { made.make(t) })
	if made.all == nil {
		t.Fatal("the sample site could not be made")
	}
	return &made
}

// make plays the games one after the other. The site follows after each, so that
// the proofs of earlier draws are under older checkpoints.
func (m *sampled) make(t testing.TB) {
	t.Helper()
	s, pages := archivetest.New(t), fakeobjects.New()
	verifier, err := note.NewVerifier(s.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	m.key = s.VerifierKey
	follow, err := publish.Follow(functions.Pages{Origin: archivetest.Origin, PublicKeys: []string{s.VerifierKey}, Known: note.VerifierList(verifier),
		Log: s.Files, Site: pages, Record: nobody{}, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	for i, game := range games.All() {
		s.Play(game)
		s.ArchiveAll()
		if err := follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		if i == len(games.All())/2 {
			m.first = contentsOf(pages, s.Files)
		}
	}
	m.all = contentsOf(pages, s.Files)
}

func contentsOf(pages, log *fakeobjects.Store) contents {
	all := contents{}
	for path, file := range pages.Files() {
		all[path] = file.Data
	}
	for path, file := range log.Files() {
		all[serve.LogFolder+path] = file.Data
	}
	return all
}

// with returns the contents with some other files; nil takes one away.
func (c contents) with(changed contents) contents {
	all := maps.Clone(c)
	for path, data := range changed {
		if all[path] = data; data == nil {
			delete(all, path)
		}
	}
	return all
}

// flip returns a file with another bit, at the first byte of a text in it, or in
// the middle.
func (c contents) flip(t testing.TB, path, text string) contents {
	t.Helper()
	data := bytes.Clone(c[path])
	at := len(data) / 2
	if text != "" {
		at = bytes.Index(data, []byte(text))
	}
	if len(data) == 0 || at < 0 {
		t.Fatalf("%s is not there, or has no %q", path, text)
	}
	data[at] ^= 1
	return contents{path: data}
}

// host serves a site over HTTP as `tally pages serve` does.
type host struct {
	*httptest.Server
	t      testing.TB
	folder string

	mu     sync.Mutex
	status int    // what is answered instead of the files whose path has a text
	on     string // the text
}

// serving serves some contents, in a copy of their own.
func serving(t testing.TB, all contents) *host {
	t.Helper()
	h := &host{t: t, folder: t.TempDir()}
	h.put(all)
	files, err := serve.Open(filepath.Join(h.folder, "site"), filepath.Join(h.folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		status, on := h.status, h.on
		h.mu.Unlock()
		switch {
		case status == 0 || !strings.Contains(r.URL.Path, on):
			files.ServeHTTP(w, r)
		case status < 0: // the connection breaks
			panic(http.ErrAbortHandler)
		default:
			w.WriteHeader(status)
		}
	}))
	h.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	t.Cleanup(func() {
		h.Close()
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// put writes contents over what is there.
func (h *host) put(all contents) {
	h.t.Helper()
	for path, data := range all {
		name := filepath.Join(h.folder, "site", filepath.FromSlash(path))
		if inLog, is := strings.CutPrefix(path, serve.LogFolder); is {
			name = filepath.Join(h.folder, "log", filepath.FromSlash(inLog))
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			h.t.Fatal(err)
		}
	}
}

// only puts contents in the place of everything.
func (h *host) only(all contents) {
	h.t.Helper()
	for _, folder := range []string{"site", "log"} {
		parts, err := filepath.Glob(filepath.Join(h.folder, folder, "*"))
		if err != nil {
			h.t.Fatal(err)
		}
		for _, part := range parts {
			if err := os.RemoveAll(part); err != nil {
				h.t.Fatal(err)
			}
		}
	}
	h.put(all)
}

// fail answers requests for files whose path has a text with a status, or by
// breaking the connection when it is negative; 0 ends that.
func (h *host) fail(on string, status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.on, h.status = on, status
}

// page returns the address of a page.
func (h *host) page(path string) string { return h.URL + "/" + path }
