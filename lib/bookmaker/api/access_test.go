package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"tally/lib/bookmaker/keys"
)

// requestOf are requests of every operation, right in all but the key.
var requestOf = map[string]struct{ path, body string }{
	"health":        {"/v1/health", ""},
	"getDocument":   {"/openapi.json", ""},
	"getDocs":       {"/docs", ""},
	"listGames":     {"/v1/games", ""},
	"listTables":    {"/v1/tables", ""},
	"getGame":       {"/v1/games/roulette", ""},
	"listDraws":     {"/v1/draws", ""},
	"getDraw":       {"/v1/draws/rou-1", ""},
	"getDrawTotals": {"/v1/draws/rou-1/totals", ""},
	"listBets":      {"/v1/draws/rou-1/bets", ""},
	"placeBet":      {"/v1/draws/rou-1/bets/b-1", straight17},
	"getBet":        {"/v1/draws/rou-1/bets/b-1", ""},
	"cancelBet":     {"/v1/draws/rou-1/bets/b-1/cancellation", ""},
	"placeWager":    {"/v1/draws/rou-1/bets/b-1/wagers/double:1:1", `{"stake":"10.00","currency":"EUR"}`},
	"placeBets":     {"/v1/bets", `{"bets":[{"draw":"rou-1","reference":"b-1","selection":"straight:17","stake":"10.00","currency":"EUR"}]}`},
	"readFeed":      {"/v1/feed", ""},
	"getPosition":   {"/v1/feed/position", ""},
	"setPosition":   {"/v1/feed/position", `{"sequence":0}`},
	"readPage":      {"/v1/draws/rou-1/reports/1/0/1", ""},
	"getDisclosure": {"/v1/draws/rou-1/reports/1/disclosure", ""},
	"getTotals":     {"/v1/totals?period=2026-11-30", ""},
	"listDisputes":  {"/v1/disputes", ""},
	"openDispute":   {"/v1/disputes/d-1", `{"draw":"rou-1","reason":"r","evidence":"e"}`},
	"getDispute":    {"/v1/disputes/d-1", ""},
	"getSettings":   {"/v1/settings", ""},
}

// operation is an operation of the document.
type operation struct{ method, id, scope string }

// operations reads the document's operations, without the API's own reader.
func operations(t *testing.T) (list []operation) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string                `yaml:"operationId"`
			Security    []map[string][]string `yaml:"security"`
		} `yaml:"paths"`
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for _, path := range document.Paths {
		for method, op := range path {
			scope := ""
			if len(op.Security) > 0 {
				scope = op.Security[0]["key"][0]
			}
			list = append(list, operation{strings.ToUpper(method), op.OperationID, scope})
		}
	}
	return list
}

// TestAccess asks for every operation with every kind of key.
func TestAccess(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	expired, _, err := w.keys.Create(t.Context(), keys.KeyParams{Bookmaker: "acme", Scopes: keys.Scopes(), ExpiresAt: w.now() + 1})
	if err != nil {
		t.Fatal(err)
	}
	w.pass(time.Millisecond)
	revoked, key, err := w.keys.Create(t.Context(), keys.KeyParams{Bookmaker: "acme", Scopes: keys.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.keys.Revoke(t.Context(), "acme", key.ID); err != nil {
		t.Fatal(err)
	}
	elsewhere := newWorld(t)
	without := map[string]string{}
	for _, scope := range keys.Scopes() {
		var others []string
		for _, other := range keys.Scopes() {
			if other != scope {
				others = append(others, other)
			}
		}
		without[scope] = w.key("acme", others...)
	}
	all := operations(t)
	if len(all) != len(requestOf) {
		t.Fatalf("%d operations, %d requests", len(all), len(requestOf))
	}
	for _, op := range all {
		t.Run(op.id, func(t *testing.T) {
			in := requestOf[op.id]
			for _, test := range []struct{ name, header, want string }{
				{"no key", "", "401 key_missing"},
				{"another scheme", "Basic " + w.acme, "401 key_missing"},
				{"no such form", "Bearer tly_acme", "401 key_unknown"},
				{"unknown", "Bearer " + elsewhere.acme, "401 key_unknown"},
				{"expired", "Bearer " + expired, "401 key_expired"},
				{"revoked", "Bearer " + revoked, "401 key_revoked"},
				{"wrong scope", "Bearer " + without[op.scope], "403 scope_missing"},
			} {
				if op.scope == "" {
					test.want = "200"
				}
				got := w.do(op.method, in.path, in.body, "Authorization", test.header)
				if got.code(t) != test.want {
					t.Errorf("%s: answered %s, not %s", test.name, got.code(t), test.want)
				}
			}
		})
	}
	if w.count["denied key_expired"] == 0 || w.count["denied scope_missing"] == 0 {
		t.Errorf("counted %v", w.count)
	}
	for _, secret := range []string{expired, revoked, w.acme, elsewhere.acme} {
		t.Run(secret, func(t *testing.T) {
			if strings.Contains(w.log.String(), secret[len(secret)-59:]) {
				t.Error("a key is in the log")
			}
		})
	}
}

// TestAnotherBookmaker has one bookmaker's data be there, and another ask for all
// of it with a key of its own.
func TestAnotherBookmaker(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", straight17), "201")
	w.want(w.do(http.MethodPut, "/v1/disputes/d-1", requestOf["openDispute"].body), "201")
	other := as(w.key("borealis", keys.Scopes()...))
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1/cancellation", "", other...), "404 unknown_bet")
	w.pass(time.Minute)
	w.result("roulette", "rou-1", 1, facts17)
	w.want(w.do(http.MethodPut, "/v1/feed/position", `{"sequence":1}`), "200")
	for _, test := range []struct{ id, want string }{
		{"getBet", "404 unknown_bet"},
		{"listBets", `{"bets":[]}`},
		{"getDrawTotals", `{"draw":"rou-1","state":1,"totals":[]}`},
		{"readFeed", `{"entries":[],"next":0,"newest":0}`},
		{"readPage", "404 unknown_report"},
		{"getDisclosure", "404 unknown_report"},
		{"getPosition", `{"sequence":0}`},
		{"getTotals", `{"period":"2026-11-30","final":false,"first":0,"last":0,"totals":[]}`},
		{"listDisputes", `{"disputes":[]}`},
		{"getDispute", "404 unknown_dispute"},
		{"cancelBet", "404 unknown_bet"},
		{"placeWager", "422 unknown_selection"},
		{"placeBet", "409 betting_closed"},
		{"openDispute", "201"},
		{"setPosition", "200"},
	} {
		t.Run(test.id, func(t *testing.T) {
			id, want := test.id, test.want
			method := http.MethodGet
			if requestOf[id].body != "" || id == "cancelBet" {
				method = http.MethodPut
			}
			got := w.do(method, requestOf[id].path, requestOf[id].body, other...)
			if strings.HasPrefix(want, "{") {
				if got.body != want+"\n" {
					t.Errorf("%s: %s, not %s", id, got.body, want)
				}
			} else if got.code(t) != want {
				t.Errorf("%s: %s, not %s", id, got.code(t), want)
			}
		})
	}
	var settings struct{ Bookmaker string }
	if err := json.Unmarshal([]byte(w.do(http.MethodGet, "/v1/settings", "", other...).body), &settings); err != nil || settings.Bookmaker != "borealis" {
		t.Errorf("%+v, %v, want no error and settings.Bookmaker = \"borealis\"", settings, err)
	}
	// What the other wrote did not touch the first one's.
	if got := w.do(http.MethodGet, "/v1/feed/position", ""); got.body != "{\"sequence\":1}\n" {
		t.Errorf("the position is %s", got.body)
	}
}

func TestRate(t *testing.T) {
	w := newWorld(t)
	if _, err := w.keys.Set(t.Context(), "acme", func(s *keys.Settings) { s.RequestsPerSecond = 3 }); err != nil {
		t.Fatal(err)
	}
	codes := ""
	for range 5 {
		a := w.do(http.MethodGet, "/v1/settings", "")
		if codes += fmt.Sprint(a.status, " "); a.status == 429 && a.header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After: %q", a.header.Get("Retry-After"))
		}
	}
	if !strings.HasPrefix(codes, "200 200 200 429") {
		t.Errorf("statuses %s, want 200 200 200 429 first", codes)
	}
}

// TestLog reads what is logged of requests: of one that went well nothing, of one
// that was refused what to look for it by, and of none its key, its body or its path.
func TestLog(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	const secret = "riga-secret"
	bet := strings.Replace(straight17, `}`, `,"shop":"`+secret+`"}`, 1)
	for _, test := range []struct{ name, path, body, key, want string }{
		{"stored", "/v1/draws/rou-1/bets/b-1", bet, w.acme, ""},
		{"again", "/v1/draws/rou-1/bets/b-1", bet, w.acme, ""},
		{"another", "/v1/draws/rou-1/bets/b-1", strings.Replace(bet, "10.00", "11.00", 1), w.acme, `"level":"INFO","msg":"request","request":"ID","operation":"placeBet","bookmaker":"acme","key":"KEY","status":409,"code":"reference_used"`},
		{"form", "/v1/draws/rou-1/bets/" + secret + "!", bet, w.acme, `"level":"INFO","msg":"request","request":"ID","operation":"placeBet","bookmaker":"acme","key":"KEY","status":400,"code":"invalid_request"`},
		{"no path", "/v1/" + secret, bet, w.acme, `"level":"INFO","msg":"request","request":"ID","operation":"none","bookmaker":"","key":"","status":404,"code":"unknown_path"`},
		{"no such key", "/v1/draws/rou-1/bets/b-1", bet, "tly_" + secret, `"level":"WARN","msg":"request","request":"ID","operation":"placeBet","bookmaker":"","key":"","status":401,"code":"key_unknown"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			w.mutex.Lock()
			w.log.Reset()
			w.mutex.Unlock()
			a := w.do(http.MethodPut, test.path, test.body, as(test.key)...)
			w.mutex.Lock()
			got := w.log.String()
			w.mutex.Unlock()
			want := strings.NewReplacer(`"ID"`, fmt.Sprintf("%q", a.header.Get("X-Request-Id")), "KEY", strings.Split(w.acme, "_")[2]).Replace(test.want)
			if !strings.Contains(got, want) || (got == "") != (want == "") {
				t.Errorf("%s: logged %q, not %s", test.name, got, want)
			}
			if strings.Contains(got, secret) || strings.Contains(got, w.acme[len(w.acme)-59:]) {
				t.Errorf("%s: logged %q", test.name, got)
			}
		})
	}
}

// TestUnknownKeys has somebody make up keys: the table is asked for so many of them
// only, and keys that are known work on.
func TestUnknownKeys(t *testing.T) {
	w := newWorld(t)
	w.allow(100_000)
	w.want(w.do(http.MethodGet, "/v1/games", ""), "200")
	counts := map[string]int{}
	other := newWorld(t) // whose keys this one does not know
	for range 250 {
		counts[w.do(http.MethodGet, "/v1/games", "", as(other.key("nobody", keys.BetsRead))...).code(t)]++
	}
	if counts["429 too_many_requests"] == 0 || counts["401 key_unknown"] < 100 || counts["401 key_unknown"]+counts["429 too_many_requests"] != 250 {
		t.Errorf("%v", counts)
	}
	w.want(w.do(http.MethodGet, "/v1/games", ""), "200")
	w.pass(31 * time.Second) // what is remembered is read again
	counts = map[string]int{}
	for range 250 {
		counts[w.do(http.MethodGet, "/v1/games", "", as(other.key("nobody", keys.BetsRead))...).code(t)]++
	}
	w.want(w.do(http.MethodGet, "/v1/games", ""), "200")
	w.pass(10 * time.Second)
	w.want(w.do(http.MethodGet, "/v1/games", "", as(w.key("acme", keys.BetsRead))...), "200")
}
