package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v4"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/bookmaker/api"
	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/bookmaker/keys"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/intake"
	"tally/lib/store"
	"tally/lib/store/clock"
)

// failing is a DynamoDB whose requests fail, as long as it is told to.
type failing struct {
	*fakedynamo.DB
	err  error
	puts int // so many puts still fail, and nothing else
}

func (d *failing) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if d.err != nil && d.puts == 0 {
		return nil, d.err
	}
	return d.DB.GetItem(ctx, in, o...)
}

func (d *failing) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	if d.puts > 0 {
		d.puts--
		return nil, d.err
	}
	return d.DB.PutItem(ctx, in, o...)
}

// TestEveryCode has every problem of the table answered, and every answer held
// against the document.
func TestEveryCode(t *testing.T) {
	db := &failing{DB: fakedynamo.New(t, "table")}
	w := newWorldOn(t, store.New(db, "table"))
	seen := map[string]bool{}
	want := func(code, method, path, body string, headers ...string) {
		t.Helper()
		p := w.want(w.do(method, path, body, headers...), codeOf(code)).problem(t)
		if p.Code == code && (p.Title == "" || p.Detail == "" || p.Action == "" || p.RequestID == "" || p.Type != "/docs#"+code) {
			t.Errorf("%+v", p)
		}
		seen[p.Code] = true
	}
	bet := func(selection, odds, stake, currency string) string {
		if odds != "" {
			odds = fmt.Sprintf(`,"odds":%q`, odds)
		}
		return fmt.Sprintf(`{"selection":%q,"stake":%q,"currency":%q%s}`, selection, stake, currency, odds)
	}
	const put, get = http.MethodPut, http.MethodGet
	w.allow(100_000)
	w.open("roulette", "rou-1", "")
	w.open("lucky5", "luc-1", `{"sum_odd":"1.95"}`)
	w.say(intake.Studio, "blackjack", "bj-1", "draw.opened", fmt.Sprintf(`,"sequence":1,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q},{"round":2,"opens_at":%q,"closes_at":%q}]`,
		instant.Format(w.now()), instant.Format(w.now()+60_000), instant.Format(w.now()+60_000), instant.Format(w.now()+120_000)))
	if _, err := w.keys.Set(t.Context(), "acme", func(s *keys.Settings) {
		s.MaxStake, s.MinStake = map[string]string{"CHF": "5.00"}, map[string]string{"CHF": "1.00"}
	}); err != nil {
		t.Fatal(err)
	}
	w.pass(time.Minute / 2) // what is remembered of the settings is read again
	w.want(w.do(put, "/v1/draws/rou-1/bets/b-1", straight17), "201")
	w.want(w.do(put, "/v1/draws/bj-1/bets/b-1", bet("seat:1", "", "10.00", "EUR")), "201")

	// The key.
	ended, key, err := w.keys.Create(t.Context(), keys.KeyParams{Bookmaker: "acme", Scopes: keys.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	short, _, err := w.keys.Create(t.Context(), keys.KeyParams{Bookmaker: "acme", Scopes: keys.Scopes(), ExpiresAt: w.now() + 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.keys.Revoke(t.Context(), "acme", key.ID); err != nil {
		t.Fatal(err)
	}
	w.pass(time.Millisecond)
	want("key_missing", get, "/v1/games", "", "Authorization", "")
	want("key_unknown", get, "/v1/games", "", as("tly_acme_x")...)
	want("key_expired", get, "/v1/games", "", as(short)...)
	want("key_revoked", get, "/v1/games", "", as(ended)...)
	want("scope_missing", get, "/v1/games", "", as(w.key("acme", keys.FeedRead))...)

	// The form and the path.
	want("invalid_request", put, "/v1/draws/rou-1/bets/b-2", `{}`)
	want("too_large", put, "/v1/draws/rou-1/bets/b-2", strings.Repeat(" ", 300<<10))
	want("unsupported_media_type", put, "/v1/draws/rou-1/bets/b-2", straight17, "Content-Type", "text/plain")
	want("unknown_path", get, "/v2/games", "")
	want("method_not_allowed", http.MethodDelete, "/v1/draws/rou-1/bets/b-1", "")
	want("unknown_game", get, "/v1/games/chess", "")
	want("unknown_draw", get, "/v1/draws/nosuch", "")
	want("unknown_bet", get, "/v1/draws/rou-1/bets/nosuch", "")
	want("unknown_dispute", get, "/v1/disputes/nosuch", "")
	want("unknown_report", get, "/v1/draws/rou-1/reports/1/0/1", "")
	want("position_ahead", put, "/v1/feed/position", `{"sequence":1}`)
	want("position_ahead", get, "/v1/feed?after=1", "")

	// Values.
	want("unknown_selection", put, "/v1/draws/rou-1/bets/b-2", bet("reed", "", "10.00", "EUR"))
	want("illegal_shape", put, "/v1/draws/rou-1/bets/b-2", bet("straight:37", "", "10.00", "EUR"))
	want("unknown_currency", put, "/v1/draws/rou-1/bets/b-2", bet("red", "", "10.00", "XXX"))
	want("bad_amount", put, "/v1/draws/rou-1/bets/b-2", bet("red", "", "10", "EUR"))
	want("odds_not_allowed", put, "/v1/draws/rou-1/bets/b-2", bet("red", "2.00", "10.00", "EUR"))
	want("odds_missing", put, "/v1/draws/luc-1/bets/b-2", bet("sum_odd", "", "10.00", "EUR"))
	want("odds_out_of_range", put, "/v1/draws/luc-1/bets/b-2", bet("sum_odd", "0.5", "10.00", "EUR"))
	want("payout_too_large", put, "/v1/draws/luc-1/bets/b-2", bet("sum_odd", "100000", "9999999999.99", "EUR"))
	want("stake_too_small", put, "/v1/draws/rou-1/bets/b-2", bet("red", "", "0.99", "CHF"))
	want("limit_exceeded", put, "/v1/draws/rou-1/bets/b-2", bet("red", "", "5.01", "CHF"))

	// What is stored, and the draw.
	want("reference_used", put, "/v1/draws/rou-1/bets/b-1", bet("red", "", "10.00", "EUR"))
	want("odds_changed", put, "/v1/draws/luc-1/bets/b-3", bet("sum_odd", "1.96", "10.00", "EUR"))
	want("not_offered", put, "/v1/draws/luc-1/bets/b-4", bet("sum_even", "1.95", "10.00", "EUR"))
	want("wrong_round", put, "/v1/draws/bj-1/bets/b-1/wagers/double:1:1", `{"stake":"10.00","currency":"EUR"}`)
	w.want(w.do(put, "/v1/disputes/d-1", `{"draw":"rou-1","reason":"r","evidence":"e"}`), "201")
	want("unknown_bets", put, "/v1/disputes/d-2", `{"draw":"rou-1","bets":["nosuch"],"reason":"r","evidence":"e"}`)
	want("dispute_used", put, "/v1/disputes/d-1", `{"draw":"rou-1","reason":"r","evidence":"other"}`)
	w.pass(time.Minute)
	w.say(intake.Studio, "blackjack", "bj-1", "betting.opened", fmt.Sprintf(`,"round":2,"opens_at":%q,"closes_at":%q,"visible":{"dealer":["AS"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D"]}]}]}`,
		instant.Format(noon+60_000), instant.Format(noon+120_000)))
	want("base_not_found", put, "/v1/draws/bj-1/bets/b-9/wagers/double:1:1", `{"stake":"10.00","currency":"EUR"}`)
	want("base_mismatch", put, "/v1/draws/bj-1/bets/b-1/wagers/double:1:1", `{"stake":"10.01","currency":"EUR"}`)
	want("betting_closed", put, "/v1/draws/rou-1/bets/b-5", straight17)
	w.open("poker", "pok-1", `{"hand:1":"5.80","hand:2":"win"}`)
	want("selection_decided", put, "/v1/draws/pok-1/bets/b-1", bet("hand:2", "1.00", "10.00", "EUR"))
	w.result("roulette", "rou-1", 1, facts17)
	want("not_logged", get, "/v1/draws/rou-1/reports/1/disclosure", "")

	// A report that has expired. DynamoDB deletes it some time after.
	if err := w.table.Delete(t.Context(), store.FeedKey("acme"), store.EntryKey(1)); err != nil {
		t.Fatal(err)
	}
	w.pass(8 * 24 * time.Hour)
	want("totals_expired", get, "/v1/totals?period=2026-11-30", "")

	// A table that takes no bets, for a while.
	w.open("roulette", "rou-2", "")
	w.sayOfTable("t-1", `"type":"table.suspended","reason":"equipment_error"`)
	want("table_suspended", put, "/v1/draws/rou-2/bets/b-0", straight17)
	w.pass(time.Second)
	w.sayOfTable("t-1", `"type":"table.resumed"`)
	w.pass(time.Second)

	// Faults.
	w.want(w.do(put, "/v1/draws/rou-2/bets/b-1", straight17), "201")
	db.err, db.puts = context.DeadlineExceeded, 1
	want("outcome_unknown", put, "/v1/draws/rou-2/bets/b-2", straight17)
	db.err, db.puts = &types.ThrottlingException{}, 1
	if a := w.do(put, "/v1/draws/rou-2/bets/b-3", straight17); a.status != 503 || a.header.Get("Retry-After") != "1" || !strings.Contains(a.body, "nothing of this request is") {
		t.Errorf("a bet whose write is throttled: %d, Retry-After %q, %s, want 503, 1, and that nothing is stored", a.status, a.header.Get("Retry-After"), a.body)
	}
	db.err = context.DeadlineExceeded
	want("unavailable", get, "/v1/draws/rou-2", "")
	want("totals_pending", get, "/v1/totals?period=2026-11-30", "")
	db.err = errors.New("secret of the inside")
	want("internal", get, "/v1/draws/rou-2", "")
	if a := w.do(get, "/v1/draws/rou-2", ""); strings.Contains(a.body, "secret") {
		t.Errorf("the response shows an internal error: %s", a.body)
	}
	db.err = nil
	w.wrong = &clock.WrongError{Off: 30_000}
	want("clock_wrong", put, "/v1/draws/rou-2/bets/b-3", straight17)
	want("clock_wrong", http.MethodPost, "/v1/bets", `{"bets":[{"draw":"rou-2","reference":"b-3","selection":"red","stake":"10.00","currency":"EUR"}]}`)
	want("clock_wrong", put, "/v1/draws/rou-2/bets/b-1/cancellation", "")
	want("clock_wrong", get, "/v1/totals?period=2026-11-30", "")
	want("clock_wrong", get, "/v1/games", "", as(short)...) // that it has expired is by the clock
	w.want(w.do(get, "/v1/health", ""), "200")
	w.wrong = nil
	w.allow(1)
	w.pass(31 * time.Second)
	for range 3 {
		if a := w.do(get, "/v1/games", ""); a.status == 429 {
			want("too_many_requests", get, "/v1/games", "")
		}
	}

	for _, kind := range api.ProblemKinds() {
		if !seen[kind.Code] {
			t.Errorf("%s was never answered", kind.Code)
		}
	}
}

// codeOf writes a code with its status, as answers are compared.
func codeOf(code string) string {
	for _, kind := range api.ProblemKinds() {
		if kind.Code == code {
			return fmt.Sprintf("%d %s", kind.Status, code)
		}
	}
	return code + " is not in the table"
}

// documented is what the tests read of the document, without the API's own reader.
type documented struct {
	Paths map[string]map[string]struct {
		OperationID string `yaml:"operationId"`
		Parameters  []struct {
			Ref string `yaml:"$ref"`
		}
		RequestBody struct {
			Content map[string]struct {
				Examples map[string]any
			}
		} `yaml:"requestBody"`
	}
	Components struct {
		Parameters map[string]struct{ Name, In string }
		Examples   map[string]struct{ Value any }
	}
}

func readDocument(t *testing.T) (d documented) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestEveryParameter gives every parameter of every operation a value that it can't
// have, every query parameter one that it can, and every operation one that it does
// not know.
func TestEveryParameter(t *testing.T) {
	w := newWorld(t)
	w.allow(100_000)
	w.open("roulette", "rou-1", "")
	w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", straight17)
	w.pass(time.Minute)
	w.result("roulette", "rou-1", 1, facts17)
	right := map[string]string{"from": "2026-11-30T00:00:00.000Z", "to": "2026-12-01T00:00:00.000Z", "game": "roulette", "table": "t-1", "status": "resulted", "board": "current",
		"limit": "1", "after": "0", "format": "csv", "period": "2026-11-30"}
	document := readDocument(t)
	for template, methods := range document.Paths {
		for method, op := range methods {
			method, in := strings.ToUpper(method), requestOf[op.OperationID]
			base, _, _ := strings.Cut(in.path, "?")
			refused := func(path, at string) {
				t.Helper()
				p := w.want(w.do(method, path, in.body), "400 invalid_request").problem(t)
				if !slices.ContainsFunc(p.Errors, func(f v1.FieldProblem) bool { return f.At == at }) {
					t.Errorf("%s %s: %+v does not name %s", method, path, p.Errors, at)
				}
			}
			refused(base+"?nosuch=1", "query nosuch")
			for _, ref := range op.Parameters {
				p := document.Components.Parameters[ref.Ref[strings.LastIndex(ref.Ref, "/")+1:]]
				if p.In == "path" {
					parts, places := strings.Split(base, "/"), strings.Split(template, "/")
					parts[slices.Index(places, "{"+p.Name+"}")] = "%01"
					refused(strings.Join(parts, "/"), "path "+p.Name)
					continue
				}
				query := "?"
				if p.Name != "period" && strings.Contains(in.path, "?") {
					query = in.path[len(base):] + "&"
				}
				refused(base+query+p.Name+"=%01", "query "+p.Name)
				if p.Name != "cursor" { // only lists know theirs: see the tests of lists
					w.want(w.do(method, base+query+p.Name+"="+right[p.Name], in.body), "200")
				}
			}
		}
	}
}

// TestExamplesAsRequests sends every example of a body.
func TestExamplesAsRequests(t *testing.T) {
	w := newWorld(t)
	w.open("poker", "pok-1.20261130.0042", `{"hand:1":"5.80"}`)
	w.open("roulette", "rou-1.0042", "")
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1.0042/bets/b-1", straight17), "201") // that the dispute names
	requests := map[string]struct{ path, want string }{
		"betRequest":         {"/v1/draws/pok-1.20261130.0042/bets/b-9", "201"},
		"betRequestPaytable": {"/v1/draws/rou-1.0042/bets/b-9", "201"},
		"wagerRequest":       {"/v1/draws/rou-1.0042/bets/b-9/wagers/double:1:1", "422 unknown_selection"}, // roulette has none
		"batchRequest":       {"/v1/bets", "200"},
		"position":           {"/v1/feed/position", "409 position_ahead"}, // nobody has a thousand reports here
		"disputeRequest":     {"/v1/disputes/d-1", "201"},
	}
	document, sent := readDocument(t), 0
	for _, methods := range document.Paths {
		for method, op := range methods {
			for name := range op.RequestBody.Content["application/json"].Examples {
				in, known := requests[name]
				if !known {
					t.Errorf("%s has the example %s, which this test does not send", op.OperationID, name)
					continue
				}
				body, err := json.Marshal(document.Components.Examples[name].Value)
				if err != nil {
					t.Fatal(err)
				}
				sent++
				a := w.want(w.do(strings.ToUpper(method), in.path, string(body)), in.want)
				if name == "batchRequest" {
					for _, result := range decoded[v1.BatchResponse](t, a).Results {
						if result.Problem != nil {
							t.Errorf("%+v, want no result.Problem", result)
						}
					}
				}
			}
		}
	}
	if sent != len(requests) {
		t.Errorf("%d examples were sent, not %d", sent, len(requests))
	}
}
