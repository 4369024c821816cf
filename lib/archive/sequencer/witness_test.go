package sequencer_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakedynamo"
	"tally/internal/testkit/witnesstest"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/witness"
)

// TestCosigned has every checkpoint cosigned by two witnesses, of either kind of
// key, and verifies the lines by a third implementation.
func TestCosigned(t *testing.T) {
	w := newWorld(t).witnessed()
	w.witnesses = append(w.witnesses, witnesstest.NewMLDSA(t, "witness.example/ml", w.verifier))
	began := time.Now()
	for i, n := range []int{1, 300, 5} {
		w.mustAppend(w.appender(), leaves(fmt.Sprint(i), n))
		if names := w.cosigned(); !slices.Equal(names, []string{"witness.example/w1", "witness.example/ml"}) {
			t.Fatalf("cosigned by %v", names)
		}
	}
	// An old size of 0 for the first one; then what was published says what each has
	// seen, although no appender has asked before.
	if got := strings.Join(w.witnesses[0].Requests(), ", "); got != "old 0, old 1, old 301" {
		t.Errorf("asked with %s", got)
	}
	signed := w.files.Files()[checkpoint.Path].Data
	if len(signed) > 8<<10 {
		t.Errorf("the checkpoint has %d bytes", len(signed))
	}
	opened, err := note.Open(signed, note.VerifierList(w.witnesses[0].Other))
	if err != nil || len(opened.Sigs) != 1 {
		t.Fatalf("%+v, %v, want no error and len(opened.Sigs) = 1", opened, err)
	}
	at, err := torchwood.CosignatureTimestamp(opened.Sigs[0])
	if err != nil || at < began.Unix() || at > time.Now().Unix() {
		t.Errorf("at %d, %v", at, err)
	}
	found, err := checkpoint.Cosignatures(signed, w.witnesses[0].Key)
	if err != nil || len(found) != 1 || found[0].At.Unix() != at {
		t.Errorf("%+v, %v, want no error and len(found) = 1 and found[0].At.Unix() = %v", found, err, at)
	}
}

// TestLateWitness has a witness that does not answer: the checkpoint is published
// without it, it is left alone for a while, and then cosigns what there is.
func TestLateWitness(t *testing.T) {
	w := newWorld(t).witnessed()
	clock := time.Now()
	w.now = func() time.Time { return clock }
	silent := w.witnesses[0]
	silent.Intercept = func(ctx context.Context, _ fakedynamo.Call) fakedynamo.Verdict {
		<-ctx.Done()
		return fakedynamo.FailBefore
	}
	appender := w.appender()
	appender.Witnesses.Timeout = 20 * time.Millisecond
	w.mustAppend(appender, leaves("a", 3))
	if names := w.cosigned(); len(names) > 0 || w.outcomes.count[witness.Late] != 1 {
		t.Fatalf("cosigned by %v; %v", names, w.outcomes.count)
	}
	appender.Witnesses.Timeout, silent.Intercept = time.Hour, nil
	w.mustAppend(appender, leaves("b", 3))
	if len(w.cosigned()) > 0 || len(silent.Requests()) > 0 {
		t.Errorf("it was asked while it rested: %v", silent.Requests())
	}
	clock = clock.Add(witness.Backoff)
	w.mustAppend(appender, leaves("b", 3)) // nothing new: the checkpoint that there is gets the line
	if len(w.cosigned()) != 1 || len(w.public) != 6 {
		t.Errorf("cosigned by %v", w.cosigned())
	}
	w.mustAppend(appender, leaves("c", 1))
	if len(w.cosigned()) != 1 {
		t.Errorf("cosigned by %v", w.cosigned())
	}
}

// TestWitnessThatSawAnother shows a log to a witness that has seen another one of
// that name, and one that was set back.
func TestWitnessThatSawAnother(t *testing.T) {
	for _, seen := range []int{4, 6, 9} {
		t.Run(fmt.Sprint(seen), func(t *testing.T) {
			other := newWorld(t).witnessed()
			other.mustAppend(other.appender(), leaves("other", seen))
			w := newWorld(t)
			w.witnesses = other.witnesses
			w.mustAppend(w.appender(), leaves("this", 6))
			if w.outcomes.count[witness.Contradicted] != 1 || len(w.cosigned()) > 0 {
				t.Errorf("of %d entries: %v", seen, w.outcomes.count)
			}
		})
	}
}

// TestWrongAnswers has witnesses answer what they may not.
func TestWrongAnswers(t *testing.T) {
	stranger := witnesstest.New(t, "witness.example/w1", newWorld(t).verifier) // of the same name, with another key
	var lines []byte
	tests := []struct {
		name string
		want witness.Outcome
		do   http.HandlerFunc
	}{
		{"nothing", witness.Failed, func(http.ResponseWriter, *http.Request) {}},
		{"no signature", witness.Failed, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello") }},
		{"an unfinished line", witness.Failed, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "— witness.example/w1 ") }},
		{"more than is read", witness.Failed, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("— a AAAA\n", 4000)) }},
		{"a flipped bit", witness.Failed, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(witnesstest.Flipped(lines)) }},
		{"a cosignature on another checkpoint", witness.Failed, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(lines) }},
		{"a redirect", witness.Failed, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example/", http.StatusTemporaryRedirect)
		}},
		{"that it is broken", witness.Failed, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }},
		{"that it does not know the log", witness.Refused, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }},
		{"that it does not know the key", witness.Refused, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }},
		{"that the proof fails", witness.Contradicted, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(422) }},
		{"a conflict without a size", witness.Failed, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(409) }},
		{"a proxy's conflict", witness.Failed, conflicts("text/html", "1")},
		{"this very size, and a conflict", witness.Contradicted, sizes("4")},
		{"that it has seen more", witness.Contradicted, sizes("900")},
		{"another size every time", witness.Late, sizes("1")},
		{"a size that is none", witness.Failed, sizes("-1")},
		{"a size that no log has", witness.Failed, sizes("281474976710657")},
		{"the largest size", witness.Contradicted, sizes("281474976710656")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t).witnessed()
			w.mustAppend(w.appender(), leaves("a", 2))
			signed := w.files.Files()[checkpoint.Path].Data
			lines = signed[bytes.LastIndex(signed, []byte("\n— "))+1:]
			w.witnesses[0].Answer, w.outcomes.count = test.do, nil
			w.mustAppend(w.appender(), leaves("b", 2))
			if w.outcomes.count[test.want] != 1 || len(w.cosigned()) > 0 || len(w.public) != 4 {
				t.Errorf("%v, cosigned by %v", w.outcomes.count, w.cosigned())
			}
		})
	}
	w := newWorld(t).witnessed()
	w.witnesses[0].Witness.URL = stranger.URL
	appender := w.appender()
	appender.Witnesses.HTTP = witnesstest.Client(stranger)
	w.mustAppend(appender, leaves("a", 2))
	if w.outcomes.count[witness.Failed]+w.outcomes.count[witness.Refused] != 1 || len(w.cosigned()) > 0 {
		t.Errorf("another key's: %v", w.outcomes.count)
	}
}

func sizes(text string) http.HandlerFunc { return conflicts("text/x.tlog.size", text) }

func conflicts(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(http.StatusConflict)
		fmt.Fprintln(w, text)
	}
}

// TestSizeWithParameters has a witness name the size that it has seen in other spellings
// of the media type: it gets the proof from there, and cosigns.
func TestSizeWithParameters(t *testing.T) {
	for _, kind := range []string{"text/x.tlog.size", "text/x.tlog.size; charset=utf-8", "Text/X.tlog.size;charset=us-ascii"} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t).witnessed()
			w.mustAppend(w.appender(), leaves("a", 2))
			inner, asked := w.witnesses[0].Handler(), 0
			w.witnesses[0].Answer = http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
				if asked++; asked == 1 {
					conflicts(kind, "2")(answer, r)
					return
				}
				inner.ServeHTTP(answer, r)
			})
			w.mustAppend(w.appender(), leaves("b", 2))
			if len(w.cosigned()) != 1 || asked != 2 {
				t.Errorf("%s: cosigned by %v after %v: %v", kind, w.cosigned(), w.witnesses[0].Requests(), w.outcomes.count)
			}
		})
	}
}

// TestSpoiltLine has someone put a line that is no cosignature under the public
// checkpoint: the next append does without it, and writes the right one.
func TestSpoiltLine(t *testing.T) {
	w := newWorld(t).witnessed()
	w.mustAppend(w.appender(), leaves("a", 2))
	signed := w.files.Files()[checkpoint.Path].Data
	at := bytes.LastIndex(signed, []byte("\n— ")) + 1
	w.files.Set(checkpoint.Path, append(bytes.Clone(signed[:at]), witnesstest.Flipped(signed[at:])...))
	w.mustAppend(w.appender(), leaves("a", 2))
	if len(w.cosigned()) != 1 {
		t.Errorf("cosigned by %v", w.cosigned())
	}
}

// TestNewKey replaces the log's key: both sign, then the new one alone. Whoever
// knows one of those that sign can verify, and a witness that knows both cosigns
// throughout.
func TestNewKey(t *testing.T) {
	w := newWorld(t)
	signer, verifier, _ := archivetest.Key(t, origin, 2)
	opens := func(with note.Verifier) bool {
		_, err := checkpoint.Open(w.files.Files()[checkpoint.Path].Data, origin, note.VerifierList(with))
		return err == nil
	}
	appender := func(signers []note.Signer, known ...note.Verifier) *sequencer.Log {
		l := w.appender()
		l.Signers, l.Known = signers, note.VerifierList(known...)
		return l
	}
	w.mustAppend(w.appender(), leaves("a", 2))
	// The new key alone does not know the log: that would be another one.
	if _, err := appender([]note.Signer{signer}, verifier).Append(t.Context(), leaves("b", 1)); err == nil {
		t.Fatal("appended under a key that has signed nothing")
	}
	// Both. A message about something that the log has is enough for the second line.
	both := appender([]note.Signer{signer, w.signer}, verifier, w.verifier)
	w.mustAppend(both, leaves("a", 2))
	if !opens(verifier) || !opens(w.verifier) {
		t.Fatalf("%s, want opens(verifier) and opens(w.verifier)", w.files.Files()[checkpoint.Path].Data)
	}
	w.mustAppend(both, leaves("b", 2))
	if !opens(verifier) || !opens(w.verifier) {
		t.Fatalf("%s, want opens(verifier) and opens(w.verifier)", w.files.Files()[checkpoint.Path].Data)
	}
	// The new one alone.
	old := w.verifier
	w.verifier = verifier
	w.mustAppend(appender([]note.Signer{signer}, verifier), leaves("c", 2))
	if !opens(verifier) || opens(old) || len(w.public) != 6 {
		t.Fatalf("%s", w.files.Files()[checkpoint.Path].Data)
	}
}
