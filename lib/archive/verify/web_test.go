package verify_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/verify"
)

// TestServerInTrouble verifies a log whose server refuses each file once: in all ways that
// mean that it may be asked again.
func TestServerInTrouble(t *testing.T) {
	s := archivetest.PlayAll(t)
	files := http.FileServer(http.Dir(s.Copy()))
	answers := []int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable}
	var mutex sync.Mutex
	asked := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mutex.Lock()
		asked[r.URL.Path]++
		first, n := asked[r.URL.Path] == 1, len(asked)
		mutex.Unlock()
		if first {
			w.Header().Set("Retry-After", "0")
			http.Error(w, "later", answers[n%len(answers)])
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	source, err := verify.Open(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if r := verified(t, source, optionsOf(t, s)); len(r.Findings) > 0 || r.Size != 150 {
		t.Errorf("%v, want len(r.Findings) = 0 and r.Size = 150", r.Findings)
	}
	for path, n := range asked {
		if n != 2 {
			t.Errorf("%s was asked for %d times, want 2", path, n)
		}
	}
	// What the server refuses for good is not asked for again.
	refused := 0
	closed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refused++
		http.Error(w, "no", http.StatusForbidden)
	}))
	defer closed.Close()
	if source, err = verify.Open(closed.URL); err != nil {
		t.Fatal(err)
	}
	if _, err := verify.Log(t.Context(), source, optionsOf(t, s)); err == nil || !strings.Contains(err.Error(), "403") || refused != 1 {
		t.Errorf("%v after %d requests, want that the server answers 403, once", err, refused)
	}
}

// TestConnections counts the connections that a verification opens: no more than files are
// read side by side, for all of a log's files.
func TestConnections(t *testing.T) {
	folder := t.TempDir()
	writeLog(t, folder, 10_000)
	var opened, asked atomic.Int64
	files := http.FileServer(http.Dir(folder))
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		files.ServeHTTP(w, r)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	verifyLarge(t, archivetest.New(t), server.URL, 10_000, nil)
	// 40 bundles, their tiles, one of level 1, the checkpoint, and the keys.
	if asked.Load() != 83 || opened.Load() > 2*16 {
		t.Errorf("%d requests by %d connections, want 83 by no more than twice the 16 of them that are made at once", asked.Load(), opened.Load())
	}
}
