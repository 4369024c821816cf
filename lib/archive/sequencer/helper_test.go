package sequencer_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakedynamo"
	"tally/internal/testkit/fakeobjects"
	"tally/internal/testkit/witnesstest"
	"tally/lib/archive"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/witness"
	"tally/lib/store"
)

const origin = "example.com/tally"

// world is a log's table and files, which outlive its appenders.
type world struct {
	t        *testing.T
	db       *fakedynamo.DB
	files    *fakeobjects.Fake
	signer   note.Signer
	verifier note.Verifier
	public   []entrySeen // what the public saw last

	witnesses []*witnesstest.Server
	outcomes  outcomes
	now       func() time.Time
}

// outcomes counts what became of asking witnesses.
type outcomes struct {
	mutex sync.Mutex
	count map[witness.Outcome]int
}

func (o *outcomes) Witness(_ string, outcome witness.Outcome) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.count == nil {
		o.count = map[witness.Outcome]int{}
	}
	o.count[outcome]++
}

// entrySeen is an entry as a reader of the files saw it.
type entrySeen string

func newWorld(t *testing.T) *world {
	signer, verifier, _ := archivetest.Key(t, origin, 1)
	return &world{t: t, db: fakedynamo.New(t, "tally"), files: fakeobjects.New(), signer: signer, verifier: verifier, now: time.Now}
}

// appender returns a new appender, as a Lambda is that was just started.
func (w *world) appender() *sequencer.Log {
	l := &sequencer.Log{Origin: origin, Lock: archive.TableLock{Table: store.New(w.db, "tally"), Origin: origin}, Objects: w.files, Signers: []note.Signer{w.signer},
		Known: note.VerifierList(w.verifier), Log: slog.New(slog.DiscardHandler), Pause: func(ctx context.Context, _ int) error { return ctx.Err() }}
	if len(w.witnesses) > 0 {
		l.Witnesses = &witness.Client{Timeout: time.Hour, HTTP: witnesstest.Client(w.witnesses...), Record: &w.outcomes, Log: l.Log, Now: w.now}
		for _, server := range w.witnesses {
			l.Witnesses.Witnesses = append(l.Witnesses.Witnesses, server.Witness)
		}
	}
	return l
}

// witnessed gives the log a witness.
func (w *world) witnessed() *world {
	w.witnesses = append(w.witnesses, witnesstest.New(w.t, fmt.Sprintf("witness.example/w%d", len(w.witnesses)+1), w.verifier))
	return w
}

// cosigned returns the witnesses whose cosignatures the public checkpoint has.
func (w *world) cosigned() (names []string) {
	w.t.Helper()
	var keys []note.Verifier
	for _, server := range w.witnesses {
		keys = append(keys, server.Key)
	}
	found, err := checkpoint.Cosignatures(w.files.Files()[checkpoint.Path].Data, keys...)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range found {
		names = append(names, c.Witness)
	}
	return names
}

// intercept decides about the requests to the table, to the files and to the
// witnesses.
func (w *world) intercept(i fakedynamo.Interceptor) {
	w.db.Intercept, w.files.Intercept = i, i
	for _, server := range w.witnesses {
		server.Intercept = i
	}
}

// land lets everything arrive that is on its way.
func (w *world) land() {
	w.files.Land()
	w.db.Land()
	for _, server := range w.witnesses {
		server.Land()
	}
}

// leaves returns so many leaves of a group.
func leaves(group string, n int) (list []sequencer.Leaf) {
	for i := range n {
		list = append(list, sequencer.Leaf{Group: group, Key: fmt.Sprintf("%06d", i), Data: fmt.Appendf(nil, "entry %d of %s", i, group)})
	}
	return list
}

// check is the slow independent checker: it reads the files as a stranger would,
// computes every hash by the letter of RFC 6962, and looks for anything that is
// missing, wrong, or no longer what it was. It shares no code with what it checks.
func (w *world) check() {
	w.t.Helper()
	w.public = checkFiles(w.t, w.files.Files(), w.verifier, w.public)
}

func checkFiles(t *testing.T, files map[string]fakeobjects.Object, verifier note.Verifier, before []entrySeen) []entrySeen {
	t.Helper()
	signed, found := files["checkpoint"]
	if !found {
		if len(before) > 0 {
			t.Fatal("the checkpoint is gone")
		}
		return nil
	}
	opened, err := note.Open(signed.Data, note.VerifierList(verifier))
	if err != nil {
		t.Fatalf("the checkpoint: %v", err)
	}
	lines := strings.Split(opened.Text, "\n")
	var size int64
	if _, err := fmt.Sscan(lines[1], &size); err != nil || lines[0] != origin || len(lines) != 4 {
		t.Fatalf("the checkpoint is %q", opened.Text)
	}
	entries := readEntries(t, files, size)
	if root := slowRoot(entries); tlog.Hash(root).String() != lines[2] {
		t.Fatalf("the checkpoint of size %d has another root than its entries", size)
	}
	checkTiles(t, files, entries)
	if len(entries) < len(before) {
		t.Fatalf("the log shrank from %d to %d entries", len(before), len(entries))
	}
	seen := map[entrySeen]bool{}
	list := make([]entrySeen, len(entries))
	for i, e := range entries {
		list[i] = entrySeen(e)
		if seen[list[i]] {
			t.Fatalf("entry %d, %q, is there twice", i, e)
		}
		seen[list[i]] = true
		if i < len(before) && before[i] != list[i] {
			t.Fatalf("entry %d was %q and is %q", i, before[i], e)
		}
	}
	return list
}

// readEntries reads all entries of a log of that size.
func readEntries(t *testing.T, files map[string]fakeobjects.Object, size int64) (entries [][]byte) {
	t.Helper()
	for n := int64(0); n*256 < size; n++ {
		w := min(256, size-n*256)
		path := slowPath("entries", n, w)
		file, found := files[path]
		if !found {
			t.Fatalf("size %d: %s is missing", size, path)
		}
		rest := file.Data
		for range w {
			length := int(binary.BigEndian.Uint16(rest))
			entries, rest = append(entries, rest[2:2+length]), rest[2+length:]
		}
		if len(rest) > 0 {
			t.Fatalf("%s has %d bytes too many", path, len(rest))
		}
	}
	return entries
}

// checkTiles checks each tile of hashes of a tree.
func checkTiles(t *testing.T, files map[string]fakeobjects.Object, entries [][]byte) {
	t.Helper()
	for level, span := 0, 1; span <= len(entries); level, span = level+1, span*256 {
		for n := 0; n*256 < len(entries)/span; n++ {
			var want []byte
			w := min(256, len(entries)/span-n*256)
			for i := range w {
				first := (n*256 + i) * span
				hash := slowRoot(entries[first : first+span])
				want = append(want, hash[:]...)
			}
			path := slowPath(fmt.Sprint(level), int64(n), int64(w))
			if file, found := files[path]; !found || !bytes.Equal(file.Data, want) {
				t.Fatalf("size %d: %s is missing or wrong", len(entries), path)
			}
		}
	}
}

func slowPath(level string, n, w int64) string {
	path := fmt.Sprintf("tile/%s/%03d", level, n)
	if n > 999 {
		panic("the checker is for small logs")
	}
	if w < 256 {
		path += fmt.Sprintf(".p/%d", w)
	}
	return path
}

// slowRoot is MTH of RFC 6962, section 2.1.
func slowRoot(entries [][]byte) [32]byte {
	switch len(entries) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return sha256.Sum256(append([]byte{0}, entries[0]...))
	}
	k := 1
	for k*2 < len(entries) {
		k *= 2
	}
	left, right := slowRoot(entries[:k]), slowRoot(entries[k:])
	return sha256.Sum256(append(append([]byte{1}, left[:]...), right[:]...))
}
