package witness_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakedynamo"
	"tally/internal/testkit/witnesstest"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/tree"
	"tally/lib/archive/witness"
)

func TestParse(t *testing.T) {
	one, other := witnesstest.New(t, "witness.example/w1"), witnesstest.NewMLDSA(t, "witness.example/w2")
	list, err := witness.Parse(" " + one.Public + "  https://w1.example/prefix/ ,\n" + other.Public + " http://127.0.0.1:8080,")
	if err != nil || len(list) != 2 || list[0].Key.Name() != "witness.example/w1" || list[1].URL.Port() != "8080" {
		t.Fatalf("%+v, %v, want no error and len(list) = 2 and list[0].Key.Name() = \"witness.example/w1\" and list[1].URL.Port() = \"8080\"",
			list, err)
	}
	if list, err := witness.Parse(""); err != nil || len(list) > 0 {
		t.Errorf("none: %+v, %v", list, err)
	}
	var many []string
	for i := range witness.MaxWitnesses + 1 {
		many = append(many, fmt.Sprint(witnesstest.New(t, fmt.Sprint("w", i)).Public, " https://w.example"))
	}
	if _, err := witness.Parse(strings.Join(many[1:], ",")); err != nil {
		t.Error(err)
	}
	name, id, rest := cut(one.Public)
	for _, wrong := range []string{
		strings.Join(many, ","), "w", one.Public, one.Public + " https://a https://b", one.Public + " https://", one.Public + " http://w1.example",
		one.Public + " ftp://w1.example", one.Public + " https://a," + one.Public + " https://b", "https://a " + one.Public,
		name + "+00000000+" + rest + " https://a", name + "+" + id + "+AAAA https://a",
		witnesstest.New(t, strings.Repeat("w", 201)).Public + " https://a",
	} {
		t.Run(fmt.Sprintf("%.40q", wrong), func(t *testing.T) {
			if _, err := witness.Parse(wrong); err == nil {
				t.Errorf("%.100q is taken", wrong)
			}
		})
	}
}

func cut(key string) (name, id, rest string) {
	name, key, _ = strings.Cut(key, "+")
	id, rest, _ = strings.Cut(key, "+")
	return name, id, rest
}

const origin = "log.example/tally"

// log is a log of which any size can be shown to witnesses.
type log struct {
	t      *testing.T
	hashes tree.InMemory
}

// checkpoint returns the log at a size. Entries of it that are not there yet are added.
func (l *log) checkpoint(size int64, before []byte, beforeSize int64) witness.Submission {
	l.t.Helper()
	for l.hashes.Size() < size {
		if err := l.hashes.Add(tlog.RecordHash(fmt.Append(nil, l.hashes.Size()))); err != nil {
			l.t.Fatal(err)
		}
	}
	root, err := tlog.TreeHash(size, &l.hashes)
	if err != nil {
		l.t.Fatal(err)
	}
	signer, _, _ := archivetest.Key(l.t, origin, 1)
	signed, err := checkpoint.Sign(origin, tlog.Tree{N: size, Hash: root}, signer)
	if err != nil {
		l.t.Fatal(err)
	}
	return witness.Submission{
		Signed: signed, Tree: tlog.Tree{N: size, Hash: root}, Before: before, BeforeSize: beforeSize,
		Prove: func(_ context.Context, from int64) (tlog.TreeProof, error) {
			return tlog.ProveTree(size, from, &l.hashes)
		},
		Newest: func(context.Context) (int64, error) { return size, nil },
	}
}

// outcomes records what became of asking, by witness.
type outcomes struct {
	mutex sync.Mutex
	last  map[string]witness.Outcome
}

// Witness implements witness.OutcomeRecorder.
func (o *outcomes) Witness(name string, outcome witness.Outcome) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.last[name] = outcome
}

// asking returns a client of these witnesses, whose clock a test moves, and what becomes of
// its requests.
func asking(t *testing.T, now *time.Time, servers ...*witnesstest.Server) (*witness.Client, *outcomes) {
	record := &outcomes{last: map[string]witness.Outcome{}}
	c := &witness.Client{
		Timeout: 5 * time.Minute, HTTP: witnesstest.Client(servers...), Record: record,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Now: func() time.Time { return *now },
	}
	for _, s := range servers {
		c.Witnesses = append(c.Witnesses, s.Witness)
	}
	return c, record
}

// Witnesses are asked with the size that their last cosignature tells, and cosign in their
// own order; with a checkpoint that all have cosigned there is no one left to ask.
func TestAsk(t *testing.T) {
	_, verifier, _ := archivetest.Key(t, origin, 1)
	one, two := witnesstest.New(t, "witness.example/w1", verifier), witnesstest.NewMLDSA(t, "witness.example/w2", verifier)
	now := time.Now()
	c, record := asking(t, &now, one, two)
	l := &log{t: t}
	var before []byte
	var beforeSize int64
	for _, size := range []int64{3, 7, 300} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			shown := l.checkpoint(size, before, beforeSize)
			lines := c.Ask(t.Context(), c.Lacking(nil), shown)
			before, beforeSize = checkpoint.WithCosignatures(shown.Signed, lines), size
			found, err := checkpoint.Cosignatures(before, c.Keys()...)
			if err != nil || len(found) != 2 || !found[0].By(one.Key) || !found[1].By(two.Key) {
				t.Fatalf("%d entries: cosigned by %+v, %v, want both in their order; %v", size, found, err, record.last)
			}
			if lacking := c.Lacking(found); len(lacking) > 0 {
				t.Errorf("%d entries: %d witnesses are still to be asked, want none", size, len(lacking))
			}
		})
	}
	for _, s := range []*witnesstest.Server{one, two} {
		if got, want := s.Requests(), []string{"old 0", "old 3", "old 7"}; !slices.Equal(got, want) {
			t.Errorf("%s was asked with %q, want %q", s.Key.Name(), got, want)
		}
	}
}

// A witness that has seen more than the public checkpoint says is asked again, from there.
func TestAskAgain(t *testing.T) {
	_, verifier, _ := archivetest.Key(t, origin, 1)
	w := witnesstest.New(t, "witness.example/w1", verifier)
	now := time.Now()
	c, record := asking(t, &now, w)
	l := &log{t: t}
	c.Ask(t.Context(), c.Witnesses, l.checkpoint(5, nil, 0)) // its cosignature was lost
	if lines := c.Ask(t.Context(), c.Witnesses, l.checkpoint(9, nil, 0)); len(lines) != 1 || record.last[w.Key.Name()] != witness.Cosigned {
		t.Errorf("%d cosignatures, %s, want one", len(lines), record.last[w.Key.Name()])
	}
	if got, want := w.Requests(), []string{"old 0", "old 0", "old 5"}; !slices.Equal(got, want) {
		t.Errorf("it was asked with %q, want %q", got, want)
	}
}

// One that failed rests for a while, and the others do not; where it was only overtaken, it
// does not rest.
func TestRest(t *testing.T) {
	_, verifier, _ := archivetest.Key(t, origin, 1)
	for name, test := range map[string]struct {
		answer    http.HandlerFunc
		intercept fakedynamo.Interceptor
		newest    int64
		want      witness.Outcome
		rests     bool
	}{
		"the log is unknown": {answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, want: witness.Refused, rests: true},
		"it is broken":       {answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, want: witness.Failed, rests: true},
		"it can't be reached": {intercept: func(context.Context, fakedynamo.Call) fakedynamo.Verdict { return fakedynamo.FailBefore },
			want: witness.Failed, rests: true},
		"a log that was set back": {answer: size("8"), newest: 4, want: witness.Contradicted, rests: true},
		"overtaken":               {answer: size("8"), newest: 8, want: witness.Late},
	} {
		t.Run(name, func(t *testing.T) {
			failing, good := witnesstest.New(t, "witness.example/w1", verifier), witnesstest.New(t, "witness.example/w2", verifier)
			failing.Intercept = test.intercept
			if test.answer != nil {
				failing.Answer = test.answer
			}
			now := time.Now()
			c, record := asking(t, &now, failing, good)
			shown := (&log{t: t}).checkpoint(4, nil, 0)
			shown.Newest = func(context.Context) (int64, error) { return test.newest, nil }
			if lines := c.Ask(t.Context(), c.Witnesses, shown); len(lines) != 1 || !lines[0].By(good.Key) {
				t.Errorf("%d cosignatures, want the other witness's", len(lines))
			}
			if got := record.last[failing.Key.Name()]; got != test.want {
				t.Errorf("it is recorded as %s, want %s", got, test.want)
			}
			if got := len(c.Lacking(nil)) == 1; got != test.rests {
				t.Errorf("it rests: %v, want %v", got, test.rests)
			}
			if now = now.Add(witness.Backoff); len(c.Lacking(nil)) != 2 {
				t.Errorf("%d witnesses are to be asked after %v, want both", len(c.Lacking(nil)), witness.Backoff)
			}
		})
	}
}

// size answers that another size was seen.
func size(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/x.tlog.size")
		w.WriteHeader(http.StatusConflict)
		fmt.Fprintln(w, text)
	}
}

// Where no proof can be made, a witness is not asked for anything.
func TestNoProof(t *testing.T) {
	_, verifier, _ := archivetest.Key(t, origin, 1)
	w := witnesstest.New(t, "witness.example/w1", verifier)
	now := time.Now()
	c, record := asking(t, &now, w)
	l := &log{t: t}
	first := l.checkpoint(3, nil, 0)
	before := checkpoint.WithCosignatures(first.Signed, c.Ask(t.Context(), c.Witnesses, first))
	second := l.checkpoint(6, before, 3)
	second.Prove = func(context.Context, int64) (tlog.TreeProof, error) { return nil, errors.New("a tile is missing") }
	if lines := c.Ask(t.Context(), c.Witnesses, second); len(lines) > 0 || record.last[w.Key.Name()] != witness.Failed {
		t.Errorf("%d cosignatures, %s, want none, failed", len(lines), record.last[w.Key.Name()])
	}
	if got, want := w.Requests(), []string{"old 0"}; !slices.Equal(got, want) {
		t.Errorf("it was asked with %q, want %q", got, want)
	}
}
