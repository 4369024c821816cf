package verify_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/objects"
	"tally/lib/archive/tiles"
	"tally/lib/archive/verify"
)

// TestPruned verifies the checkpoint of 150 entries on a log that has grown, and has
// dropped the partial files: the full ones begin with them.
func TestPruned(t *testing.T) {
	options, all := optionsOf(t, archivetest.New(t)), openings(513)
	for _, size := range []int{150, 300, 512} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			files, grown := logOf(t, all[:size]), logOf(t, all)
			for path := range files {
				if strings.Contains(path, ".p/") {
					delete(files, path)
				}
			}
			for path, data := range grown {
				if path != checkpoint.Path && files[path] == nil {
					files[path] = data
				}
			}
			level1 := "tile/1/000.p/" + fmt.Sprint(size/tiles.Width)
			if size >= tiles.Width { // whose full tile there is not yet
				files[level1] = logOf(t, all[:size])[level1]
			}
			r := verified(t, files, options)
			if len(r.Findings) > 0 || r.Counts.Openings != size {
				t.Fatalf("%d entries: %v", size, r.Findings)
			}
			for _, draw := range []string{"d.0", fmt.Sprintf("d.%d", size-1)} {
				t.Run(draw, func(t *testing.T) {
					one, err := verify.Draw(t.Context(), files, options, draw, nil)
					if err != nil || len(one.Findings) > 0 || len(one.History) != 1 {
						t.Errorf("%d entries, %s: %v, %v", size, draw, one.Findings, err)
					}
				})
			}
			for _, path := range []string{"tile/0/000", "tile/entries/000"} {
				t.Run(path, func(t *testing.T) {
					changed := maps.Clone(files)
					flip(changed, path, 100)
					if r := verified(t, changed, options); len(r.Findings) == 0 {
						t.Errorf("%d entries: a flipped bit in %s passes", size, path)
					}
					changed[path] = changed[path][:50]
					if r := verified(t, changed, options); len(r.Findings) == 0 {
						t.Errorf("%d entries: %s passes, of which the most is missing", size, path)
					}
				})
			}
		})
	}
}

// TestUnread names what lies in the folder and is no part of the log.
func TestUnread(t *testing.T) {
	s := archivetest.PlayAll(t)
	folder := s.Copy()
	for _, name := range []string{"notes.txt", "tile/0/001", "tile/entries/000.p/151", "tile/0/000.p/256"} {
		if err := os.WriteFile(filepath.Join(folder, filepath.FromSlash(name)), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	source, err := verify.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	u := verified(t, source, optionsOf(t, s)).Unread
	if u == nil || u.Partial == 0 || u.Staged == 0 || !slices.Equal(u.Names, []string{"notes.txt", "tile/0/000.p/256", "tile/0/001", "tile/entries/000.p/151"}) || u.Other != 4 {
		t.Errorf("%+v", u)
	}
	if u := verified(t, filesOf(s), optionsOf(t, s)).Unread; u != nil {
		t.Errorf("of files that can't be listed: %+v", u)
	}
}

// TestPublished compares the key with the ones that the log publishes.
func TestPublished(t *testing.T) {
	s := archivetest.PlayAll(t)
	options := optionsOf(t, s)
	_, _, other := archivetest.Key(t, archivetest.Origin, 9)
	for text, want := range map[string]verify.Published{
		"":                           verify.PublishedOthers,
		"hello":                      verify.PublishedOthers,
		other:                        verify.PublishedOthers,
		s.VerifierKey:                verify.PublishedSame,
		other + "\n" + s.VerifierKey: verify.PublishedSame,
		strings.Repeat(other+"\n", 16) + s.VerifierKey: verify.PublishedOthers,
		strings.Repeat(" ", 1<<16+1):                   verify.PublishedOthers,
	} {
		t.Run(fmt.Sprintf("%.40q", text), func(t *testing.T) {
			files := filesOf(s)
			files[tiles.KeysPath] = []byte(text)
			if r := verified(t, limited{files}, options); r.Published != want || len(r.Findings) > 0 {
				t.Errorf("%.80q: %s, %v, want r.Published = %v and len(r.Findings) = 0", text, r.Published, r.Findings, want)
			}
		})
	}
	if r := verified(t, filesOf(s), options); r.Published != verify.PublishedNothing {
		t.Errorf("no file: %s", r.Published)
	}
	// Who has another key is told that the log publishes the one that signed.
	files := filesOf(s)
	files[tiles.KeysPath] = []byte(s.VerifierKey + "\n")
	_, stranger, _ := archivetest.Key(t, archivetest.Origin, 9)
	options.Known = note.VerifierList(stranger)
	r := verified(t, files, options)
	if len(r.Findings) != 1 || r.Findings[0].Code != verify.BadSignature || !strings.Contains(r.Findings[0].Message, "which is not yours") {
		t.Errorf("another key: %v", r.Findings)
	}
}

// limited are files in memory with the limits of all sources.
type limited struct{ memory }

func (l limited) Get(ctx context.Context, path string) ([]byte, error) {
	data, err := l.memory.Get(ctx, path)
	if int64(len(data)) > tiles.MaxBytes(path) {
		return nil, objects.ErrTooLong
	}
	return data, err
}

// TestBombs has a server send more of each kind of file than there can be, packed small:
// it is refused at the bound, once, and named.
func TestBombs(t *testing.T) {
	s := archivetest.PlayAll(t)
	options, whole := optionsOf(t, s), filesOf(s)
	for path, want := range map[string]verify.Code{checkpoint.Path: verify.BadCheckpoint, bundlePath: verify.BadBundle, tilePath: verify.MismatchTile} {
		t.Run(path, func(t *testing.T) {
			most := tiles.MaxBytes(path)
			var sent, asked atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				name := strings.TrimPrefix(r.URL.Path, "/")
				if name != path {
					if whole[name] == nil {
						w.WriteHeader(http.StatusNotFound)
						return
					}
					_, _ = w.Write(whole[name])
					return
				}
				asked.Add(1)
				w.Header().Set("Content-Encoding", "gzip")
				packed := gzip.NewWriter(w)
				for block := make([]byte, 1<<20); sent.Load() < 1<<30; sent.Add(int64(len(block))) {
					if _, err := packed.Write(block); err != nil {
						return
					}
				}
			}))
			defer server.Close()
			source, err := verify.Open(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			r := verified(t, source, options)
			if !slices.ContainsFunc(r.Findings, func(f verify.Finding) bool { return f.Code == want && strings.Contains(f.Message, fmt.Sprint(most)) }) || asked.Load() != 1 {
				t.Errorf("found %v after %d requests, want %s", r.Findings, asked.Load(), want)
			}
		})
	}
	for path, most := range map[string]int64{checkpoint.Path: 1 << 20, tilePath: 8192, "tile/3/x001/000": 8192, bundlePath: 256 * 65537, tiles.KeysPath: 1 << 16} {
		t.Run(path, func(t *testing.T) {
			if got := tiles.MaxBytes(path); got != most {
				t.Errorf("%s has at most %d bytes, want %d", path, got, most)
			}
			if _, err := objects.ReadAll(bytes.NewReader(make([]byte, most)), most); err != nil {
				t.Error(err)
			}
			if _, err := objects.ReadAll(bytes.NewReader(make([]byte, most+1)), most); !errors.Is(err, objects.ErrTooLong) {
				t.Errorf("a byte more is read: %v", err)
			}
		})
	}
}

// TestPipes has pipes, devices and folders lie where files have to be: none is waited
// for.
func TestPipes(t *testing.T) {
	s := archivetest.PlayAll(t)
	for name, make := range map[string]func(string) error{
		"a pipe":             func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"a folder":           func(path string) error { return os.Mkdir(path, 0o755) },
		"a link out of here": func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{checkpoint.Path, bundlePath, tilePath} {
				folder := s.Copy()
				at := filepath.Join(folder, filepath.FromSlash(path))
				if err := errors.Join(os.Remove(at), make(at)); err != nil {
					t.Fatal(err)
				}
				source, err := verify.Open(folder)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := verify.Log(t.Context(), source, optionsOf(t, s)); err == nil || !strings.Contains(err.Error(), path) {
					t.Errorf("%s in the place of %s: %v", name, path, err)
				}
			}
		})
	}
}

// TestRedirects follows a server to another path of its own, and nowhere else.
func TestRedirects(t *testing.T) {
	s := archivetest.PlayAll(t)
	files := http.FileServer(http.Dir(s.Copy()))
	elsewhere := httptest.NewServer(files)
	defer elsewhere.Close()
	mux := http.NewServeMux()
	mux.Handle("/log/", http.StripPrefix("/log", files))
	mux.Handle("/old/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/log/"+strings.TrimPrefix(r.URL.Path, "/old/"), http.StatusFound)
	}))
	mux.Handle("/other/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+"/"+strings.TrimPrefix(r.URL.Path, "/other/"), http.StatusFound)
	}))
	mux.Handle("/ever/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }))
	server := httptest.NewServer(mux)
	defer server.Close()
	for path, says := range map[string]string{"/log": "", "/old": "", "/other": "another place", "/ever": "more than 5 times"} {
		t.Run(path, func(t *testing.T) {
			source, err := verify.Open(server.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			r, err := verify.Log(t.Context(), source, optionsOf(t, s))
			if says == "" && (err != nil || len(r.Findings) > 0) || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
				t.Errorf("%s: %v, %v", path, r.Findings, err)
			}
		})
	}
}
