package browsertest_test

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

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/lambda/pages"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
	"tally/lib/site/serve"
)

// quiet logs nothing.
var quiet = slog.New(slog.DiscardHandler)

// discard drops what is recorded.
type discard struct{}

func (discard) Behind(int64)    {}
func (discard) Written(int)     {}
func (discard) Mismatch(string) {}

// contents are files by their path from the root of the site; those of the log are
// under log/.
type contents map[string][]byte

// sampled is what the sample log and its site came to, made once for all tests.
type sampled struct {
	key    string   // the log's public key
	first  contents // when only the first half of the games was played
	all    contents
	folder string // where all is, in site and log
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
	s, made := archivetest.New(t), fakeobjects.New()
	m.key = s.VerifierKey
	for i, game := range games.All() {
		play(t, s, made, game)
		if i == len(games.All())/2 {
			m.first = contentsOf(made, s.Files)
		}
	}
	var err error
	if m.folder, err = os.MkdirTemp(temporary, "sample"); err != nil {
		t.Fatal(err)
	}
	m.all = contentsOf(made, s.Files)
	write(t, m.folder, m.all)
}

// play plays the sample draws of a game, and has the site follow the log.
func play(t testing.TB, s *archivetest.Sample, made *fakeobjects.Fake, game *rules.Game) {
	t.Helper()
	s.Play(game)
	s.ArchiveAll()
	verifier, err := note.NewVerifier(s.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	follow, err := pages.Follow(pages.Params{Origin: archivetest.Origin, PublicKeys: []string{s.VerifierKey}, Known: note.VerifierList(verifier),
		Log: s.Files, Site: made, Record: discard{}, Logger: quiet})
	if err == nil {
		err = follow(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// older are the changes that make the site and the log what they were when half of
// the games was played.
func older(t testing.TB) contents {
	s := sample(t)
	changed := maps.Clone(s.first)
	for path := range s.all {
		if s.first[path] == nil {
			changed[path] = nil
		}
	}
	return changed
}

func contentsOf(made, log *fakeobjects.Fake) contents {
	all := contents{}
	for path, file := range made.Files() {
		all[path] = file.Data
	}
	for path, file := range log.Files() {
		all[serve.LogFolder+path] = file.Data
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

// host serves the sample site over HTTP as `tally pages serve` does, with some
// files changed.
type host struct {
	*httptest.Server
	t      testing.TB
	folder string // of the changed files

	mu      sync.Mutex
	changed map[string]bool // by their paths
	status  int             // what is answered instead of the files whose path has a text
	on      string          // the text
}

// serving serves the sample with some files changed; nil takes one away.
func serving(t testing.TB, changed contents) *host {
	t.Helper()
	h := &host{t: t, folder: t.TempDir(), changed: map[string]bool{}}
	whole, others := filesIn(t, sample(t).folder), filesIn(t, h.folder)
	h.put(changed)
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		status, on := h.status, h.on
		_, differs := h.changed[strings.TrimPrefix(r.URL.Path, "/")]
		h.mu.Unlock()
		switch {
		case status > 0 && strings.Contains(r.URL.Path, on):
			w.WriteHeader(status)
		case status < 0 && strings.Contains(r.URL.Path, on): // the connection breaks
			panic(http.ErrAbortHandler)
		case differs:
			others.ServeHTTP(w, r)
		default:
			whole.ServeHTTP(w, r)
		}
	}))
	h.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	t.Cleanup(h.Close)
	return h
}

// filesIn opens the site and the log in a folder.
func filesIn(t testing.TB, folder string) *serve.Files {
	t.Helper()
	for _, part := range []string{"site", "log"} {
		if err := os.MkdirAll(filepath.Join(folder, part), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	files, err := serve.Open(filepath.Join(folder, "site"), filepath.Join(folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	})
	return files
}

// write writes contents into a folder, over what is there; nil takes a file away.
func write(t testing.TB, folder string, all contents) {
	t.Helper()
	for path, data := range all {
		name := filepath.Join(folder, "site", filepath.FromSlash(path))
		if inLog, is := strings.CutPrefix(path, serve.LogFolder); is {
			name = filepath.Join(folder, "log", filepath.FromSlash(inLog))
		}
		if data == nil {
			if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// put changes files, beside those that are changed already.
func (h *host) put(changed contents) {
	h.t.Helper()
	write(h.t, h.folder, changed)
	h.mu.Lock()
	defer h.mu.Unlock()
	for path := range changed {
		h.changed[path] = true
	}
}

// only changes these files and has all others be as they were.
func (h *host) only(changed contents) {
	h.t.Helper()
	h.mu.Lock()
	clear(h.changed)
	h.mu.Unlock()
	h.put(changed)
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
