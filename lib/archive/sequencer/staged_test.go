package sequencer_test

import (
	"archive/tar"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/sequencer"
	"tally/lib/store"
)

// committed returns a log that died after a batch was committed and before any of its
// files was written, and the path of the staged batch.
func committed(t *testing.T, before, n int) (w *world, staged string) {
	t.Helper()
	w = grown(t, before, 0)
	w.intercept(intercept(func(call fakedynamo.Call) fakedynamo.Verdict {
		if applies(call) {
			return fakedynamo.FailBefore
		}
		return fakedynamo.Proceed
	}))
	had := w.files.Files()
	if _, err := w.appender().Append(t.Context(), leaves("d", n)); err == nil {
		t.Fatal("it did not die")
	}
	w.intercept(nil)
	for path := range w.files.Files() {
		if _, was := had[path]; !was {
			staged = path
		}
	}
	return w, staged
}

// file is a file of a staged batch.
type file struct {
	path string
	data []byte
}

// unpack returns the files of a staged batch.
func unpack(t *testing.T, packed []byte) (files []file) {
	t.Helper()
	for r := tar.NewReader(bytes.NewReader(packed)); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		data, readErr := io.ReadAll(r)
		if err := errors.Join(err, readErr); err != nil {
			t.Fatalf("unpacking a staged batch: %v", err)
		}
		files = append(files, file{header.Name, data})
	}
}

// pack returns a staged batch of files.
func pack(t *testing.T, files []file) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	for _, f := range files {
		err := w.WriteHeader(&tar.Header{Name: f.path, Mode: 0o444, Size: int64(len(f.data))})
		if _, writeErr := w.Write(f.data); errors.Join(err, writeErr) != nil {
			t.Fatalf("packing %s: %v", f.path, errors.Join(err, writeErr))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatalf("packing a staged batch: %v", err)
	}
	return packed.Bytes()
}

// TestStagedIsVerified has someone change a staged batch between its commit and the
// next append, in each way. None of it gets under a name that it keeps for ever.
func TestStagedIsVerified(t *testing.T) {
	in := func(files []file, prefix string) *file {
		return &files[slices.IndexFunc(files, func(f file) bool { return strings.HasPrefix(f.path, prefix) })]
	}
	tests := map[string]func([]file) []file{
		"another entry": func(files []file) []file {
			f := in(files, "tile/entries/")
			f.data = bytes.Replace(f.data, []byte("entry 0 of d"), []byte("entry 9 of d"), 1)
			return files
		},
		"a bundle that goes on": func(files []file) []file {
			f := in(files, "tile/entries/")
			f.data = append(f.data, 0, 0)
			return files
		},
		"another hash":  func(files []file) []file { in(files, "tile/0/").data[40] ^= 1; return files },
		"a tile is cut": func(files []file) []file { f := in(files, "tile/0/"); f.data = f.data[32:]; return files },
		"a tile is not there": func(files []file) []file {
			return slices.DeleteFunc(files, func(f file) bool { return strings.HasPrefix(f.path, "tile/0/") })
		},
		"a bundle is not there": func(files []file) []file {
			return slices.DeleteFunc(files, func(f file) bool { return strings.HasPrefix(f.path, "tile/entries/") })
		},
		"a file more":            func(files []file) []file { return append(files, file{"tile/0/777", []byte("x")}) },
		"a file of another kind": func(files []file) []file { return append(files, file{"verifier-key", []byte("x")}) },
		"no files":               func([]file) []file { return nil },
		"another draw": func(files []file) []file {
			f := in(files, "index")
			f.data = bytes.Replace(f.data, []byte(`"d"`), []byte(`"c"`), 1)
			return files
		},
		"the index is not there": func(files []file) []file {
			return slices.DeleteFunc(files, func(f file) bool { return f.path == "index" })
		},
		"a tile twice, the first wrong": func(files []file) []file {
			return append([]file{{in(files, "tile/0/").path, make([]byte, 32)}}, files...)
		},
		"a tile twice, the second wrong": func(files []file) []file { return append(files, file{in(files, "tile/0/").path, make([]byte, 32)}) },
	}
	for _, before := range []int{0, 3, 250} {
		for name, change := range tests {
			t.Run(name, func(t *testing.T) {
				w, staged := committed(t, before, 9)
				packed := w.files.Files()[staged].Data
				w.files.Set(staged, pack(t, change(unpack(t, packed))))
				had := w.files.Files()
				if _, err := w.appender().Append(t.Context(), leaves("e", 1)); !errors.Is(err, sequencer.ErrCorrupt) {
					t.Errorf("got %v", err)
				}
				if has := w.files.Files(); !slices.Equal(slices.Sorted(maps.Keys(has)), slices.Sorted(maps.Keys(had))) || !bytes.Equal(has[checkpoint.Path].Data, had[checkpoint.Path].Data) {
					t.Errorf("something was written: %v", slices.Sorted(maps.Keys(has)))
				}
				// As it was staged it is applied.
				w.files.Set(staged, packed)
				w.mustAppend(w.appender(), leaves("e", 1))
				w.check()
				if len(w.public) != before+10 {
					t.Errorf("%d entries", len(w.public))
				}
			})
		}
	}
}

// unreachable is a key that does not sign, as one of KMS that can't be reached.
type unreachable struct{ note.Signer }

var errUnreachable = errors.New("no signature")

func (unreachable) Sign([]byte) ([]byte, error) { return nil, errUnreachable }

// TestKeyThatDoesNotSign has the log's key fail for a while: what is committed stays,
// the public sees the tree before, and then all of it.
func TestKeyThatDoesNotSign(t *testing.T) {
	w := grown(t, 3, 0)
	for _, n := range []int{1, 2} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			appender := w.appender()
			appender.Signers = []note.Signer{unreachable{w.signer}}
			if _, err := appender.Append(t.Context(), leaves("d", n)); !errors.Is(err, errUnreachable) {
				t.Fatalf("got %v", err)
			}
			w.check()
			if len(w.public) != 3 {
				t.Errorf("%d entries are public", len(w.public))
			}
		})
	}
	w.mustAppend(w.appender(), leaves("d", 2))
	w.check()
	if len(w.public) != 5 {
		t.Errorf("%d entries are public", len(w.public))
	}
}

// A batch that an earlier version has committed does not say what its entries are about:
// the commit itself has put them into the index. It is applied as it is.
func TestStagedByEarlierVersion(t *testing.T) {
	w, staged := committed(t, 3, 9)
	files := slices.DeleteFunc(unpack(t, w.files.Files()[staged].Data), func(f file) bool { return f.path == "index" })
	w.files.Set(staged, pack(t, files))
	table := store.New(w.db, "tally")
	state, _, err := table.Get(t.Context(), store.LogKey(origin), store.LogStateKey)
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal([]byte(state.Body), &body); err != nil {
		t.Fatal(err)
	}
	delete(body, "index")
	state.Body = store.Encode(body)
	if err := table.Put(t.Context(), state); err != nil {
		t.Fatal(err)
	}
	list := leaves("d", 9)
	for i, leaf := range list {
		hash := tlog.RecordHash(leaf.Data)
		item := store.Item{PK: store.LogEntriesKey(origin, "d"), SK: leaf.Key, Body: fmt.Sprintf(`{"index":%d}`, 3+i), Hash: hex.EncodeToString(hash[:])}
		if err := table.Create(t.Context(), item); err != nil {
			t.Fatal(err)
		}
	}
	if done := w.mustAppend(w.appender(), append(list, leaves("e", 1)...)); done.New != 1 || len(w.public) != 13 {
		t.Errorf("appended %+v, the log has %d entries", done, len(w.public))
	}
}
