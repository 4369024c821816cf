// Package witness asks witnesses for cosignatures on the log's checkpoints, by the
// protocol tlog-witness of C2SP.
//
// A witness remembers the newest checkpoint of a log that it has seen. It is shown
// the next one with a proof that it grew out of that one, and says so by a
// cosignature with the time. Whoever demands cosignatures of witnesses that they
// trust can't be shown another log than everyone else is.
//
// Witnesses are others' servers: they may be slow, absent or wrong. They are asked
// all at once, for a limited time; a checkpoint is published with the cosignatures
// that came by then, and a witness that failed is left alone for a while.
package witness

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
)

// The limits of witnesses. A checkpoint with all of their lines has less than 40 KB.
const (
	MaxWitnesses = 8        // witnesses of a log
	maxResponse  = 16 << 10 // bytes of an answer
	maxProof     = 63       // hashes of a proof
)

// Backoff is how long a witness is left alone after it has failed.
const Backoff = time.Minute

// Witness is a witness of the log.
type Witness struct {
	Key note.Verifier
	URL *url.URL // its submission prefix
}

// Parse reads a list of witnesses: each a verifier key, a space and a URL, with
// commas between them.
func Parse(list string) (witnesses []Witness, err error) {
	for one := range strings.SplitSeq(list, ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		w, err := parse(one)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(witnesses, func(other Witness) bool {
			return other.Key.Name() == w.Key.Name() && other.Key.KeyHash() == w.Key.KeyHash()
		}) {
			return nil, fmt.Errorf("the witness %s is there twice", w.Key.Name())
		}
		witnesses = append(witnesses, w)
	}
	if len(witnesses) > MaxWitnesses {
		return nil, fmt.Errorf("there are %d witnesses; a log has at most %d", len(witnesses), MaxWitnesses)
	}
	return witnesses, nil
}

// maxName bounds a witness's name, which is in every checkpoint.
const maxName = 200

func parse(one string) (w Witness, err error) {
	fields := strings.Fields(one)
	if len(fields) != 2 {
		return w, fmt.Errorf("%.200q is no verifier key and URL of a witness, with a space between them", one)
	}
	if w.Key, err = checkpoint.NewWitnessKey(fields[0]); err != nil {
		return w, err
	}
	if len(w.Key.Name()) > maxName {
		return w, fmt.Errorf("a witness's name has at most %d bytes: %.40s…", maxName, w.Key.Name())
	}
	w.URL, err = url.Parse(fields[1])
	local := err == nil && w.URL.Scheme == "http" && (w.URL.Hostname() == "127.0.0.1" || w.URL.Hostname() == "localhost")
	if err != nil || w.URL.Host == "" || w.URL.Scheme != "https" && !local {
		return w, fmt.Errorf("%.200q is no URL of a witness: write https://…", fields[1])
	}
	return w, nil
}

// Outcome is what became of asking a witness.
type Outcome string

// The outcomes.
const (
	Cosigned Outcome = "cosigned"
	Late     Outcome = "late"    // no answer in time
	Failed   Outcome = "failed"  // no answer, or not one that the protocol has
	Refused  Outcome = "refused" // it does not know the log, or its key
	// Contradicted says that it has seen a log that this one did not grow out of.
	Contradicted Outcome = "contradicted"
)

// OutcomeRecorder is notified of what became of asking, for metrics and alarms.
type OutcomeRecorder interface {
	Witness(name string, outcome Outcome)
}

// Submission is a signed checkpoint to be cosigned.
type Submission struct {
	Signed []byte
	Tree   tlog.Tree
	// Before is the checkpoint that the public has, nil for none: its cosignatures
	// know what witnesses have seen.
	Before     []byte
	BeforeSize int64
	// Prove proves that the tree grew out of its first so many entries. It may be
	// called by several goroutines.
	Prove func(ctx context.Context, size int64) (tlog.TreeProof, error)
	// Newest returns the size of the log by now: another appender may have gone on.
	Newest func(ctx context.Context) (int64, error)
}

// Client asks the witnesses of one log. Its fields are set once, before it is used.
type Client struct {
	Witnesses []Witness
	Timeout   time.Duration // for which all of them are waited for
	HTTP      *http.Client  // http.DefaultClient if nil; redirects are not followed
	Record    OutcomeRecorder
	Log       *slog.Logger
	Now       func() time.Time

	mutex   sync.Mutex
	resting map[string]time.Time // until when, by key
}

// Keys returns the witnesses' keys.
func (a *Client) Keys() (keys []note.Verifier) {
	for _, w := range a.Witnesses {
		keys = append(keys, w.Key)
	}
	return keys
}

// Lacking returns the witnesses that are not resting and whose cosignature is not
// among those that there are.
func (a *Client) Lacking(there []checkpoint.Cosignature) (lacking []Witness) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for _, w := range a.Witnesses {
		has := slices.ContainsFunc(there, func(c checkpoint.Cosignature) bool { return c.By(w.Key) })
		if !has && !a.Now().Before(a.resting[name(w)]) {
			lacking = append(lacking, w)
		}
	}
	return lacking
}

func name(w Witness) string { return fmt.Sprintf("%s+%08x", w.Key.Name(), w.Key.KeyHash()) }

// Ask asks witnesses at once and returns the cosignatures that came in time, in
// the witnesses' order. It never fails: what went wrong is logged and recorded.
func (a *Client) Ask(ctx context.Context, witnesses []Witness, c Submission) (all []checkpoint.Cosignature) {
	ctx, cancel := context.WithTimeout(ctx, a.Timeout)
	defer cancel()
	seen, err := checkpoint.Cosignatures(c.Before, a.Keys()...)
	if err != nil {
		seen = nil // they say again what they have seen
	}
	answers := make([][]checkpoint.Cosignature, len(witnesses))
	var group sync.WaitGroup
	for i, w := range witnesses {
		group.Go(func() {
			size := int64(0)
			if slices.ContainsFunc(seen, func(s checkpoint.Cosignature) bool { return s.By(w.Key) }) {
				size = c.BeforeSize
			}
			cosignature, outcome, err := a.ask(ctx, w, c, size)
			a.note(ctx, w, outcome, err)
			if err == nil {
				answers[i] = cosignature
			}
		})
	}
	group.Wait()
	return slices.Concat(answers...)
}

// note records what became of asking a witness.
func (a *Client) note(ctx context.Context, w Witness, outcome Outcome, err error) {
	a.Record.Witness(w.Key.Name(), outcome)
	if err == nil {
		return
	}
	level := slog.LevelWarn
	if outcome == Contradicted {
		level = slog.LevelError
	}
	a.Log.LogAttrs(ctx, level, "no cosignature", slog.String("witness", w.Key.Name()), slog.String("outcome", string(outcome)), slog.String("reason", err.Error()))
	if errors.Is(err, errOvertaken) {
		return // it answers, and is asked about the next one
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.resting == nil {
		a.resting = map[string]time.Time{}
	}
	a.resting[name(w)] = a.Now().Add(Backoff)
}

// errSize says that a witness has seen a checkpoint of another size than it was
// told.
type errSize struct{ size int64 }

func (e errSize) Error() string { return fmt.Sprintf("it has seen %d entries", e.size) }

// errContradicted says that a witness has seen another log.
var errContradicted = errors.New("it has seen a log that this one did not grow out of")

// ask asks one witness, and once more when it names the size that it has seen.
func (a *Client) ask(ctx context.Context, w Witness, c Submission, size int64) ([]checkpoint.Cosignature, Outcome, error) {
	cosignatures, err := a.once(ctx, w, c, size)
	if named := (errSize{}); errors.As(err, &named) {
		if named.size > c.Tree.N {
			outcome, err := a.ahead(ctx, c, named)
			return nil, outcome, err
		}
		cosignatures, err = a.once(ctx, w, c, named.size)
		// Who has seen this very size, and refuses it, has seen another root.
		if named.size == c.Tree.N && (errors.Is(err, named) || errors.Is(err, errStatus(http.StatusConflict))) {
			err = errContradicted
		}
	}
	return cosignatures, outcomeOf(ctx, err), err
}

// errOvertaken says that a witness has cosigned a later checkpoint of the log already.
var errOvertaken = errors.New("it has seen a later checkpoint")

// ahead decides about a witness that has seen more than it is shown. Another
// appender may have shown it the next checkpoint; otherwise the log was set back.
func (a *Client) ahead(ctx context.Context, c Submission, named errSize) (Outcome, error) {
	if newest, err := c.Newest(ctx); err != nil || newest >= named.size {
		return Late, errOvertaken
	}
	return Contradicted, named
}

func outcomeOf(ctx context.Context, err error) Outcome {
	var refused errStatus
	switch {
	case err == nil:
		return Cosigned
	case errors.Is(err, errContradicted):
		return Contradicted
	case errors.As(err, new(errSize)), ctx.Err() != nil:
		return Late
	case errors.As(err, &refused) && (refused == http.StatusNotFound || refused == http.StatusForbidden):
		return Refused
	}
	return Failed
}

// errStatus is an answer that is no cosignature.
type errStatus int

func (e errStatus) Error() string {
	return fmt.Sprintf("it answers %d %s", int(e), http.StatusText(int(e)))
}

// once sends one request.
func (a *Client) once(ctx context.Context, w Witness, c Submission, size int64) ([]checkpoint.Cosignature, error) {
	body, err := request(ctx, c, size)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL.JoinPath("add-checkpoint").String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("making a request: %w", err)
	}
	request.Header.Set("Content-Type", "text/plain; charset=utf-8")
	response, err := a.client().Do(request)
	if err != nil {
		return nil, fmt.Errorf("asking: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if err == nil && len(text) > maxResponse {
		err = fmt.Errorf("it has more than %d bytes", maxResponse)
	}
	if err != nil {
		return nil, fmt.Errorf("reading an answer: %w", err)
	}
	switch response.StatusCode {
	case http.StatusOK:
		return read(text, w, c)
	case http.StatusConflict:
		if n, is := seenSize(response.Header, text); is {
			return nil, errSize{size: n}
		}
	case http.StatusUnprocessableEntity:
		return nil, errContradicted
	}
	return nil, errStatus(response.StatusCode)
}

// seenSize reads the size that a witness has seen from an answer of conflict. An answer
// of another type, such as a proxy's, says nothing about the log.
func seenSize(header http.Header, text []byte) (int64, bool) {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	digits, isLine := strings.CutSuffix(string(text), "\n")
	n, isSize := checkpoint.ParseSize(digits)
	return n, err == nil && kind == "text/x.tlog.size" && isLine && isSize
}

// client returns the client, which does not follow redirects: a witness is where
// its URL says.
func (a *Client) client() *http.Client {
	client := http.Client{}
	if a.HTTP != nil {
		client = *a.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// request writes the body of add-checkpoint.
func request(ctx context.Context, c Submission, size int64) ([]byte, error) {
	var proof tlog.TreeProof
	if size > 0 && size < c.Tree.N {
		var err error
		if proof, err = c.Prove(ctx, size); err != nil {
			return nil, fmt.Errorf("proving that the log grew out of its first %d entries: %w", size, err)
		}
	}
	if len(proof) > maxProof {
		return nil, fmt.Errorf("a proof has at most %d hashes, this one %d", maxProof, len(proof))
	}
	body := fmt.Appendf(nil, "old %d\n", size)
	for _, hash := range proof {
		body = append(base64.StdEncoding.AppendEncode(body, hash[:]), '\n')
	}
	return append(append(body, '\n'), c.Signed...), nil
}

// read reads the witness's cosignature from an answer. Other lines are ignored.
func read(text []byte, w Witness, c Submission) ([]checkpoint.Cosignature, error) {
	unsigned := append(checkpoint.Without(c.Signed), '\n')
	found, err := checkpoint.Cosignatures(append(unsigned, text...), w.Key)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading a cosignature: %w", err)
	case len(found) == 0:
		return nil, errors.New("its answer has no cosignature of its key")
	}
	return found, nil
}
