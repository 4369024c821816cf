package api

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/bookmaker/keys"
	"tally/lib/pipeline/placing"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/clock"
)

// maxBody is the largest body of a request, in bytes.
const maxBody = 256 << 10

// Recorder is notified of what happened, for metrics.
type Recorder interface {
	placing.BetRecorder
	// Denied counts a request whose key did not open what it asked for, by code.
	Denied(code string)
	// Failed counts a request that was answered 5xx, by code.
	Failed(code string)
}

// Options are what an API is made of.
type Options struct {
	Table *store.Table
	Now   func() settlement.Instant
	// Clock tells whether Now can be trusted; nil for always.
	Clock clock.Check
	// Looks takes what asks settle to look at a draw again.
	Looks  placing.Sender
	Record Recorder
	Log    *slog.Logger
	// RequestID names a request where something before this API has done so; nil
	// for an id of its own.
	RequestID func(*http.Request) string
}

// API is the handler of all requests.
type API struct {
	table    *store.Table
	now      func() settlement.Instant
	clock    clock.Check
	record   Recorder
	log      *slog.Logger
	id       func(*http.Request) string
	keys     *keys.Checker
	rates    rates
	acceptor *placing.Acceptor
	document *document
	handlers map[string]handler
}

// handler answers the requests of one operation.
type handler func(context.Context, *request) (any, error)

// request is a request whose form is right.
type request struct {
	*keys.Grant // nil where no key is needed
	api         *API
	trail       *trail
	op          *operation
	path        map[string]string
	query       map[string]string
	body        any
}

// response is one that is not a plain 200 in JSON.
type response struct {
	status int
	body   any    // written as JSON, unless text is set
	media  string // of text
	text   []byte
	header map[string]string
}

// New returns the API. It fails when the document and the handlers don't agree.
func New(o Options) (*API, error) {
	d, err := loadDocument()
	if err != nil {
		return nil, err
	}
	a := &API{table: o.Table, now: o.Now, clock: o.Clock, record: o.Record, log: o.Log, id: o.RequestID, document: d}
	if a.id == nil {
		a.id = func(*http.Request) string { return NewRequestID() }
	}
	a.keys = &keys.Checker{Table: o.Table, Now: o.Now}
	a.acceptor = &placing.Acceptor{Table: o.Table, Terms: a.keys.Terms, Now: o.Now, Clock: o.Clock, Record: o.Record, Looks: o.Looks, Tables: &placing.Tables{}}
	a.handlers = handlers()
	for _, op := range d.operations {
		if a.handlers[op.ID] == nil {
			return nil, fmt.Errorf("the OpenAPI document has the operation %q, which has no handler", op.ID)
		}
	}
	if len(a.handlers) != len(d.operations) {
		return nil, fmt.Errorf("there are %d handlers for the OpenAPI document's %d operations", len(a.handlers), len(d.operations))
	}
	return a, nil
}

// handlers returns the handlers by the ids of their operations.
func handlers() map[string]handler {
	return map[string]handler{
		"health":        health,
		"getDocument":   getDocument,
		"getDocs":       getDocs,
		"listGames":     listGames,
		"getGame":       getGame,
		"listTables":    listTables,
		"listDraws":     listDraws,
		"getDraw":       getDraw,
		"getDrawTotals": getDrawTotals,
		"listBets":      listBets,
		"placeBet":      placeBet,
		"getBet":        getBet,
		"cancelBet":     cancelBet,
		"placeWager":    placeWager,
		"placeBets":     placeBets,
		"readFeed":      readFeed,
		"getPosition":   getPosition,
		"setPosition":   setPosition,
		"readPage":      readPage,
		"getDisclosure": getDisclosure,
		"getTotals":     getTotals,
		"listDisputes":  listDisputes,
		"openDispute":   openDispute,
		"getDispute":    getDispute,
		"getSettings":   getSettings,
	}
}

// bodies makes the value that an operation's body is decoded into.
var bodies = map[string]func() any{
	"placeBet":    func() any { return new(v1.BatchBet) },
	"placeWager":  func() any { return new(v1.BatchBet) },
	"placeBets":   func() any { return new(v1.BatchRequest) },
	"setPosition": func() any { return new(v1.Position) },
	"openDispute": func() any { return new(v1.DisputeRequest) },
}

// NewRequestID returns a new name of a request.
func NewRequestID() string {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails: it ends the process instead
	return hex.EncodeToString(random)
}

// trail is what the log says of a request.
type trail struct {
	id, operation, bookmaker, key, code string
	status                              int
}

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	started := time.Now()
	t := &trail{id: a.id(r), operation: "none"}
	w.Header().Set("X-Request-Id", t.id)
	value, err := a.respond(w, r, t)
	if err != nil {
		a.fail(r.Context(), w, t, err)
	} else {
		a.write(r.Context(), w, t, value)
	}
	a.logRequest(r.Context(), t, started)
}

// logRequest logs a request. One that went well is only for whoever looks closely: API
// Gateway's access log has it, under the same id, and writing of each bet that it
// was stored takes a tenth of the time that storing it does.
func (a *API) logRequest(ctx context.Context, t *trail, started time.Time) {
	level := slog.LevelDebug
	switch {
	case t.status == http.StatusUnauthorized, t.status == http.StatusForbidden, t.status >= http.StatusInternalServerError:
		level = slog.LevelWarn
	case t.status >= http.StatusBadRequest:
		level = slog.LevelInfo
	}
	if !a.log.Enabled(ctx, level) {
		return
	}
	a.log.LogAttrs(ctx, level, "request", slog.String("request", t.id), slog.String("operation", t.operation), slog.String("bookmaker", t.bookmaker),
		slog.String("key", t.key), slog.Int("status", t.status), slog.String("code", t.code), slog.Duration("took", time.Since(started)))
}

// respond handles a request: all pass these checks.
func (a *API) respond(w http.ResponseWriter, r *http.Request, t *trail) (value any, err error) {
	defer recovered(&err)
	op, path, methods := a.document.find(r.Method, r.URL.EscapedPath())
	switch {
	case op == nil && len(methods) == 0:
		return nil, newProblem(codePath, "there is no path %s", shorten(r.URL.Path, maxDetail))
	case op == nil:
		w.Header().Set("Allow", strings.Join(methods, ", "))
		return nil, newProblem(codeMethod, "%s is not for this path, only %s", shorten(r.Method, 20), strings.Join(methods, ", "))
	}
	t.operation = op.ID
	in := &request{api: a, trail: t, op: op, path: path}
	if op.Keyed {
		in.Grant, err = a.authenticate(r, op, t)
		// The check of a key is by the clock, too, and the answer to it may be what shows
		// that it is wrong.
		if wrong := a.clock.Passed(r.Context()); wrong != nil {
			return nil, wrong
		}
		if err != nil {
			return nil, err
		}
	}
	if err := a.read(w, r, in); err != nil {
		return nil, err
	}
	ctx := r.Context()
	if r.Method != http.MethodGet {
		var cancel context.CancelFunc
		ctx, cancel = steadfast(ctx, op.ID)
		defer cancel()
	}
	return a.handlers[op.ID](ctx, in)
}

// writeWithin bounds a request that writes.
const writeWithin = 15 * time.Second

// bounded are the operations that lib/pipeline/placing bounds, by seconds from the time of
// acceptance: another timer would be for nothing.
var bounded = map[string]bool{"placeBet": true, "placeWager": true, "cancelBet": true}

// steadfast returns a context for a request that writes: it does not end when the
// client goes away, so that what was begun gets a definite end.
func steadfast(ctx context.Context, operation string) (context.Context, context.CancelFunc) {
	lasting := context.WithoutCancel(ctx)
	if bounded[operation] {
		return lasting, func() {}
	}
	if deadline, limited := ctx.Deadline(); limited {
		return context.WithDeadline(lasting, deadline)
	}
	return context.WithTimeout(lasting, writeWithin)
}

// recovered makes an error of a panic.
func recovered(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
	}
}

// authenticate checks the key of a request and its bookmaker's rate.
func (a *API) authenticate(r *http.Request, op *operation, t *trail) (*keys.Grant, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		token = ""
	}
	grant, err := a.keys.Check(r.Context(), strings.TrimSpace(token), op.Scope)
	var denied *keys.DeniedError
	switch {
	case errors.As(err, &denied):
		t.key = denied.ID
		a.record.Denied(denied.Code)
		if denied.Code == keys.CodeScope {
			return nil, newProblem(denied.Code, "the key %s lacks the scope %s", denied.ID, denied.Scope)
		}
		return nil, newProblem(denied.Code, "%s", strings.ReplaceAll(denied.Code, "_", " "))
	case errors.Is(err, keys.ErrTooMany):
		a.record.Denied(codeTooMany)
		return nil, newProblem(codeTooMany, "there are too many requests with keys that this instance does not know")
	case err != nil:
		return nil, err
	}
	t.bookmaker, t.key = grant.Bookmaker, grant.KeyID
	if !a.rates.allow(grant.Bookmaker, grant.Settings.RequestsPerSecond) {
		return nil, newProblem(codeTooMany, "more than %d requests in a second", grant.Settings.RequestsPerSecond)
	}
	return grant, nil
}

// read checks the form of a request and decodes its body.
func (a *API) read(w http.ResponseWriter, r *http.Request, in *request) error {
	var wrong problems
	in.query = a.document.parameters(in.op, in.path, r.URL.RawQuery, &wrong)
	if in.op.Body != nil {
		media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		if !strings.EqualFold(strings.TrimSpace(media), "application/json") {
			return newProblem(codeMediaType, "the body has the Content-Type %q, not application/json", shorten(media, 60))
		}
		if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
			return newProblem(codeMediaType, "the body has the Content-Encoding %q: send it as it is", shorten(coding, 60))
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		var large *http.MaxBytesError
		switch {
		case errors.As(err, &large):
			return newProblem(codeTooLarge, "the body has more than %d bytes", maxBody)
		case err != nil:
			return newProblem(codeInvalid, "the body could not be read to its end")
		}
		in.body = bodies[in.op.ID]()
		a.document.read(in.op, body, in.body, &wrong)
	}
	return wrong.problem()
}

// write writes an answer.
func (a *API) write(ctx context.Context, w http.ResponseWriter, t *trail, value any) {
	full, other := value.(response)
	if !other {
		full = response{status: http.StatusOK, body: value}
	}
	if full.text == nil {
		text, err := json.Marshal(full.body)
		if err != nil {
			a.fail(ctx, w, t, fmt.Errorf("encoding a response: %w", err))
			return
		}
		full.media, full.text = "application/json", append(text, '\n')
	}
	t.status = full.status
	for name, value := range full.header {
		w.Header().Set(name, value)
	}
	send(w, full.status, full.media, full.text)
}

// The headers of every answer.
var noStore, noSniff = []string{"no-store"}, []string{"nosniff"}

// send sends an answer. A client that has gone away misses it.
func send(w http.ResponseWriter, status int, media string, text []byte) {
	w.Header()["Cache-Control"], w.Header()["X-Content-Type-Options"] = noStore, noSniff
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// fail answers an error.
func (a *API) fail(ctx context.Context, w http.ResponseWriter, t *trail, err error) {
	p := a.problemOf(ctx, err, t)
	t.status, t.code = p.Status, p.Code
	if p.Status >= http.StatusInternalServerError {
		a.record.Failed(p.Code)
	}
	if wait := kinds[p.Code].RetryAfter; wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(wait))
	}
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="tally"`)
	}
	p.RequestID = t.id
	text, err := json.Marshal(p.Problem)
	if err != nil {
		text = []byte("{}") // not reached: a problem is texts and numbers
	}
	send(w, p.Status, "application/problem+json", append(text, '\n'))
}

// problemOf returns what is answered to a bookmaker for an error. What went wrong inside
// goes to the log, not to the bookmaker.
func (a *API) problemOf(ctx context.Context, err error, t *trail) *problem {
	var known *problem
	var refusal *placing.RefusedError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &refusal):
		return ofRefusal(refusal)
	}
	a.log.LogAttrs(ctx, slog.LevelError, "request failed", slog.String("request", t.id), slog.String("operation", t.operation), slog.String("error", err.Error()))
	if wrong := (*clock.WrongError)(nil); errors.As(err, &wrong) {
		return newProblem(codeClockWrong, "this instance can't tell the time")
	}
	if errors.Is(err, placing.ErrBusy) {
		return newProblem(codeUnavailable, "too much is stored at once: nothing of this request is, and nothing will be")
	}
	if unavailable(err) {
		return newProblem(codeUnavailable, "the request could not be carried out, or its outcome is not known")
	}
	return newProblem(codeInternal, "the request met a fault")
}
