// Package witnesstest runs witnesses for tests: another implementation of the
// protocol tlog-witness (github.com/transparency-dev/witness), whose cosignatures a
// third one makes (filippo.io/torchwood), asked without a network. Intercept decides what becomes of each request; its verdicts come in
// pairs, as those of internal/testkit/fakedynamo do.
package witnesstest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"filippo.io/torchwood"
	formats "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/witness/persistence/inmemory"
	independent "github.com/transparency-dev/witness/witness"
	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/witness"
)

// Server is a witness.
type Server struct {
	witness.Witness
	Public string // its verifier key
	// Other verifies its cosignatures, as another program does; nil for ML-DSA.
	Other note.Verifier
	// Intercept decides what becomes of a request; by default all proceed.
	Intercept fakedynamo.Interceptor
	// Answer replaces the answers, if it is set.
	Answer http.Handler

	mutex    sync.Mutex
	handler  http.Handler
	requests []string
	late     []func()
}

// Operation names requests to witnesses to an interceptor.
const Operation = "AddCheckpoint"

// ErrLost is the error of a request whose connection was lost.
var ErrLost = errors.New("the connection to the witness was lost")

// New returns a witness that knows logs by their keys.
func New(t testing.TB, name string, logs ...note.Verifier) *Server {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := torchwood.NewCosignatureSigner(name, private)
	if err != nil {
		t.Fatal(err)
	}
	made := newServer(t, signer, signer.Verifier().String(), logs)
	made.Other = signer.Verifier()
	return made
}

// NewMLDSA returns a witness whose key is ML-DSA-44, not Ed25519.
func NewMLDSA(t testing.TB, name string, logs ...note.Verifier) *Server {
	t.Helper()
	secret, public, err := formats.GenerateMLDSAKey(name)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := formats.NewMLDSASigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	return newServer(t, signer, public, logs)
}

func newServer(t testing.TB, signer note.Signer, public string, logs []note.Verifier) *Server {
	t.Helper()
	key, err := checkpoint.NewWitnessKey(public)
	if err != nil {
		t.Fatal(err)
	}
	w, err := independent.New(t.Context(), independent.Opts{Persistence: inmemory.New(), Signers: []note.Signer{signer},
		VerifierForLog: func(_ context.Context, origin string) (note.Verifier, bool, error) {
			for _, log := range logs {
				if log.Name() == origin {
					return log, true, nil
				}
			}
			return nil, false, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	handler := http.NewServeMux()
	handler.HandleFunc("POST /add-checkpoint", independent.NewHTTPHandler(w).AddCheckpoint)
	at, err := url.Parse("https://" + strings.ReplaceAll(signer.Name(), "/", "."))
	if err != nil {
		t.Fatal(err)
	}
	return &Server{Witness: witness.Witness{Key: key, URL: at}, Public: public, handler: handler}
}

// Handler serves the witness over HTTP.
func (s *Server) Handler() http.Handler { return s.handler }

// Requests returns the first lines of the requests so far: the old sizes.
func (s *Server) Requests() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.requests
}

// Land lets the request arrive that is longest on its way, if any.
func (s *Server) Land() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.late) > 0 {
		first := s.late[0]
		s.late = s.late[1:]
		first()
	}
}

// Client returns a client that reaches these witnesses and no one else.
func Client(servers ...*Server) *http.Client {
	return &http.Client{Transport: network(servers)}
}

// network brings requests to the witnesses.
type network []*Server

// RoundTrip implements http.RoundTripper.
func (n network) RoundTrip(r *http.Request) (*http.Response, error) {
	for _, s := range n {
		if s.URL.Host == r.URL.Host {
			return s.roundTrip(r)
		}
	}
	return nil, ErrLost
}

func (s *Server) roundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	verdict := fakedynamo.Proceed
	if s.Intercept != nil {
		verdict = s.Intercept(r.Context(), fakedynamo.Call{Operation: Operation, Keys: []string{s.Key.Name()}, Write: true})
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	answer := func() *http.Response {
		handler := s.handler
		if s.Answer != nil {
			handler = s.Answer
		}
		line, _, _ := strings.Cut(string(body), "\n")
		s.requests = append(s.requests, line)
		recorder := httptest.NewRecorder()
		request := httptest.NewRequest(r.Method, r.URL.String(), bytes.NewReader(body))
		handler.ServeHTTP(recorder, request)
		answer := recorder.Result()
		answer.Request = r
		return answer
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch verdict {
	case fakedynamo.Proceed:
		return answer(), nil
	case fakedynamo.SendTwice:
		answer()
		return answer(), nil
	case fakedynamo.FailAfter:
		answer() // is lost
	case fakedynamo.FailLate:
		s.late = append(s.late, func() { answer() })
	}
	return nil, ErrLost
}

// Flipped returns signature lines with a flipped bit in the last one.
func Flipped(lines []byte) []byte {
	at := bytes.LastIndexByte(bytes.TrimSuffix(lines, []byte("\n")), ' ') + 1
	signature, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(lines[at:])))
	if err != nil {
		panic(err)
	}
	signature[len(signature)-1] ^= 1
	return append(append(bytes.Clone(lines[:at]), base64.StdEncoding.EncodeToString(signature)...), '\n')
}
