package api_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/dynamotest"
	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/pipeline/disputes"
	"tally/lib/store"
)

// TestForgedCursors makes up cursors: a list refuses what is none of its own, and
// shows nothing that it would not show without one. On DynamoDB itself, which
// refuses keys that emulators take.
func TestForgedCursors(t *testing.T) {
	db := dynamotest.DynamoDBLocal(t)
	w := newWorldOn(t, store.New(db.NewClient(), db.Table(t)))
	w.allow(100_000)
	w.open("roulette", "rou-1", "")
	for i := range 3 {
		w.want(w.do(http.MethodPut, fmt.Sprintf("/v1/draws/rou-1/bets/b-%d", i), straight17), "201")
		w.want(w.do(http.MethodPut, fmt.Sprintf("/v1/disputes/d-%d", i), requestOf["openDispute"].body), "201")
	}
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1/cancellation", ""), "200")
	other := as(w.key("borealis", "bets:write", "disputes:write"))
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/theirs", straight17, other...), "201")
	w.want(w.do(http.MethodPut, "/v1/disputes/theirs", requestOf["openDispute"].body, other...), "201")
	service := &disputes.Service{Table: w.table, Orders: w, Now: w.now}
	if _, err := service.Reject(t.Context(), "acme", "d-1", "seen"); err != nil {
		t.Fatal(err)
	}
	w.pass(time.Second)
	long := strings.Repeat("a", 2000)
	for path, cursors := range map[string][]string{
		"/v1/draws/rou-1/bets": {"", "\n", "0", "0\n", "0\nBET#", "0\nBET#b-1", "0\nBET#b-1#", "0\nBET#b-1#cancel", "0\nBET#b-1#zzz", "0\nBET#~", "0\nBET#~~", "0\nBET#\x00", "0\nBET#\xff", "0\nBET#é",
			"0\nBET#" + long, "0\nBET", "0\nBES#", "0\n", "1\nBET#", "-1\nBET#", "x\nBET#", "00\nBET#", "0\nBET#\nBET#", "99999999999999999999\nBET#"},
		"/v1/disputes": {"", "\n", "DISPUTE#", "DISPUTE#d-1", "DISPUTE#d-1\x00", "DISPUTE#d-1#decision", "DISPUTE#d-1#decision\x00", "DISPUTE#~", "DISPUTE#~~", "DISPUTE#\xff", "DISPUTE#" + long, "KEY#", "SETTINGS", "DISPUTED"},
		"/v1/draws":    {"", "\n", "#", "0#", "-1#", "-000000000001#", "0000000000000#", "1796040000000#", "1796040000000#roulette", "1796040000000#\xff", "1796040000000#" + long, "9999999999999#", "1796040000000", "99999999999999999999#"},
	} {
		t.Run(path, func(t *testing.T) {
			for _, cursor := range cursors {
				a := w.do(http.MethodGet, path+"?limit=100&cursor="+base64.RawURLEncoding.EncodeToString([]byte(cursor)), "")
				if a.status != http.StatusOK && a.code(t) != "400 invalid_request" {
					t.Errorf("%s from %.40q: %d %s", path, cursor, a.status, a.body)
				}
				if strings.Contains(a.body, "theirs") {
					t.Errorf("%s from %.40q shows another's: %s", path, cursor, a.body)
				}
				if a.status == http.StatusOK && path == "/v1/disputes" {
					for _, d := range decoded[v1.Disputes](t, a).Disputes {
						if d.Draw != "rou-1" {
							t.Errorf("%s from %.40q: %+v", path, cursor, d)
						}
					}
				}
			}
		})
	}
	if w.count["failed internal"]+w.count["failed unavailable"] > 0 {
		t.Errorf("faults of ours: %v", w.count)
	}
}
