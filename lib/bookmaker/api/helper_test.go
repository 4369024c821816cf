package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"tally/internal/testkit/dynamotest"
	"tally/lib/bookmaker/api"
	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/bookmaker/keys"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// noon is when the tests begin.
const noon settlement.Instant = 1_796_040_000_000 // 2026-11-30T12:00:00Z

// world is a studio, an API and a table.
type world struct {
	testing.TB
	table   *store.Table
	api     *api.API
	server  *httptest.Server
	keys    *keys.Registry
	intake  *intake.Intake
	settler *settle.Settler
	acme    string // a key with all scopes
	checks  *conformance

	mutex sync.Mutex
	at    settlement.Instant
	wrong error // of the clock
	log   strings.Builder
	count map[string]int // what the recorder was told
}

func newWorld(t testing.TB) *world {
	t.Helper()
	db := dynamotest.Kumo(t)
	return newWorldOn(t, store.New(db.Client, db.Table(t)))
}

func newWorldOn(t testing.TB, table *store.Table) *world {
	t.Helper()
	w := &world{TB: t, table: table, at: noon, count: map[string]int{}}
	quiet := slog.New(slog.DiscardHandler)
	var err error
	w.api, err = api.New(api.Options{Table: w.table, Now: w.now, Clock: func(context.Context) error { return w.wrong }, Record: w, Log: slog.New(slog.NewJSONHandler(w, nil))})
	if err != nil {
		t.Fatal(err)
	}
	w.checks = newConformance(t, w.api)
	w.server = httptest.NewServer(w.checks)
	t.Cleanup(w.server.Close)
	w.keys = &keys.Registry{Table: w.table, Now: w.now}
	w.intake = &intake.Intake{Table: w.table, Replies: w, Sweeps: w, Archive: w, Record: w, Settings: draw.Settings{Shards: 1}, Now: w.now, Log: quiet}
	w.settler = &settle.Settler{Table: w.table, Archive: w, Record: w, Now: w.now, Log: quiet, Parallel: 4}
	w.acme = w.key("acme", keys.Scopes()...)
	return w
}

// A world counts what is recorded.
func (w *world) Accepted(string)                                   { w.counted("accepted") }
func (w *world) Unlooked(string)                                   {}
func (w *world) Refused(_, code string)                            { w.counted("refused " + code) }
func (w *world) Denied(code string)                                { w.counted("denied " + code) }
func (w *world) Failed(code string)                                { w.counted("failed " + code) }
func (w *world) Quarantined(string)                                { w.counted("quarantined") }
func (*world) Stored(string, time.Duration, string)                {}
func (w *world) Settled(string, int, int, bool, time.Duration)     {}
func (w *world) Mismatch(string)                                   { w.counted("unequal") }
func (w *world) Send(context.Context, string, time.Duration) error { return nil }

func (w *world) counted(what string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.count[what]++
}

// Write takes the log.
func (w *world) Write(line []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.log.Write(line)
}

func (w *world) now() settlement.Instant {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.at
}

func (w *world) pass(d time.Duration) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.at += settlement.Instant(d.Milliseconds())
}

func (w *world) key(bookmaker string, scopes ...string) string {
	w.Helper()
	token, _, err := w.keys.Create(w.Context(), keys.KeyParams{Bookmaker: bookmaker, Scopes: scopes})
	if err != nil {
		w.Fatal(err)
	}
	return token
}

// allow lets acme make so many requests a second.
func (w *world) allow(perSecond int) {
	w.Helper()
	if _, err := w.keys.Set(w.Context(), "acme", func(s *keys.Settings) { s.RequestsPerSecond = perSecond }); err != nil {
		w.Fatal(err)
	}
}

// say has the studio, or an operator, say something of a draw.
func (w *world) say(from intake.Source, game, id, kind, rest string) {
	w.Helper()
	body := fmt.Sprintf(`{"schema":1,"id":"m-%d","type":%q,"game":%q,"table":"t-1","draw":%q,"at":%q%s}`, len(rest), kind, game, id, instant.Format(w.now()), rest)
	if err := w.intake.Handle(w.Context(), intake.Delivery{Body: []byte(body), SentAt: w.now() + 1, From: from}); err != nil {
		w.Fatal(err)
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.count["quarantined"] > 0 {
		w.Fatalf("quarantined: %s", body)
	}
}

// open opens a draw whose only betting round takes bets for a minute.
func (w *world) open(game, id, odds string) {
	w.Helper()
	if odds != "" {
		odds = `,"odds":` + odds
	}
	w.say(intake.Studio, game, id, "draw.opened", fmt.Sprintf(`,"sequence":1,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]%s`,
		instant.Format(w.now()), instant.Format(w.now()+60_000), odds))
}

// result gives a draw's facts and settles it.
func (w *world) result(game, id string, revision int, facts string) {
	w.Helper()
	correction := ""
	if revision > 1 {
		correction = `,"correction":{"reason":"video_review"}`
	}
	w.say(intake.Studio, game, id, "draw.resulted", fmt.Sprintf(`,"revision":%d,"facts":%s%s`, revision, facts, correction))
	w.settle(id)
}

func (w *world) settle(id string) {
	w.Helper()
	w.pass(12 * time.Second)
	if err := w.settler.Handle(w.Context(), id); err != nil {
		w.Fatal(err)
	}
}

// result is what a request was answered.
type result struct {
	status int
	header http.Header
	body   string
}

func (a result) problem(t testing.TB) v1.Problem {
	t.Helper()
	return decoded[v1.Problem](t, a)
}

// decoded reads an answer's body.
func decoded[T any](t testing.TB, a result) (value T) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), &value); err != nil {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	return value
}

// code is the answer's status, with the problem's code where it is one.
func (a result) code(t testing.TB) string {
	t.Helper()
	if a.status < 400 {
		return fmt.Sprint(a.status)
	}
	return fmt.Sprintf("%d %s", a.status, a.problem(t).Code)
}

// do makes a request with acme's key, or with the key that headers give.
func (w *world) do(method, path, body string, headers ...string) result {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), method, w.server.URL+path, strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+w.acme)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		w.Fatal(err)
	}
	return result{response.StatusCode, response.Header, string(text)}
}

// as is a request's header with another key.
func as(key string) []string { return []string{"Authorization", "Bearer " + key} }

// want compares an answer's code.
func (w *world) want(a result, code string) result {
	w.Helper()
	if got := a.code(w.TB); got != code {
		w.Errorf("answered %s, not %s: %s", got, code, a.body)
	}
	return a
}

const straight17 = `{"selection":"straight:17","stake":"10.00","currency":"EUR"}`
