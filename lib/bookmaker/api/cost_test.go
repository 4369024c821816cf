package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/capacity"
	"tally/internal/testkit/dynamotest"
	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/bookmaker/keys"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/intake"
	"tally/lib/store"
)

// TestCosts pins how many requests each operation makes of DynamoDB, and the
// units that they cost, with warm caches. Cost is behaviour.
func TestCosts(t *testing.T) {
	db := dynamotest.DynamoDBLocal(t)
	m := capacity.New(dynamotest.PartitionKey, dynamotest.SortKey)
	w := newWorldOn(t, store.New(db.NewClient(m.Attach), db.Table(t)))
	w.open("roulette", "rou-1", "")
	w.say(intake.Studio, "blackjack", "bj-1", "draw.opened", fmt.Sprintf(`,"sequence":1,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q},{"round":2,"opens_at":%q,"closes_at":%q}]`,
		instant.Format(w.now()), instant.Format(w.now()+60_000), instant.Format(w.now()+60_000), instant.Format(w.now()+120_000)))
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/warm", straight17), "201")
	w.want(w.do(http.MethodPut, "/v1/draws/bj-1/bets/warm", `{"selection":"seat:1","stake":"10.00","currency":"EUR"}`), "201")

	costs := func(name, method, path, body, want string) {
		t.Helper()
		m.Reset()
		a := w.do(method, path, body)
		total, requests := m.Snapshot().Total(), []string{}
		for _, operation := range m.Snapshot().Operations() {
			requests = append(requests, fmt.Sprintf("%d %s", m.Snapshot()[operation].Attempts, operation))
		}
		got := fmt.Sprintf("%d: %s, %v read, %v write", a.status, strings.Join(requests, " "), total.Reads, total.Writes)
		if got != want {
			t.Errorf("%s: %s, not %s", name, got, want)
		}
	}
	costs("placing a bet", "PUT", "/v1/draws/rou-1/bets/b-1", straight17, "201: 1 PutItem, 0 read, 1 write")
	costs("placing it again", "PUT", "/v1/draws/rou-1/bets/b-1", straight17, "200: 1 PutItem, 0 read, 1 write")
	costs("placing two", "POST", "/v1/bets", `{"bets":[{"draw":"rou-1","reference":"b-2","selection":"red","stake":"10.00","currency":"EUR"},{"draw":"rou-1","reference":"b-3","selection":"red","stake":"10.00","currency":"EUR"}]}`,
		"200: 2 PutItem, 0 read, 2 write")
	costs("cancelling", "PUT", "/v1/draws/rou-1/bets/b-2/cancellation", "", "200: 1 GetItem 1 PutItem, 1 read, 1 write")
	costs("a form that is wrong", "PUT", "/v1/draws/rou-1/bets/b-1", `{}`, "400: , 0 read, 0 write")
	costs("values that are wrong", "PUT", "/v1/draws/rou-1/bets/b-1", `{"selection":"reed","stake":"10.00","currency":"EUR"}`, "422: , 0 read, 0 write")
	costs("a game", "GET", "/v1/games/roulette", "", "200: , 0 read, 0 write")
	costs("settings", "GET", "/v1/settings", "", "200: , 0 read, 0 write")
	costs("a list of draws", "GET", "/v1/draws?from="+instant.Format(noon)+"&to="+instant.Format(noon+3_600_000), "", "200: 2 GetItem 1 Query, 3 read, 0 write")
	costs("with boards, of games with paytables", "GET", "/v1/draws?board=current&from="+instant.Format(noon)+"&to="+instant.Format(noon+3_600_000), "", "200: 2 GetItem 1 Query, 3 read, 0 write")
	costs("a draw", "GET", "/v1/draws/rou-1", "", "200: 1 GetItem 1 Query, 2 read, 0 write")
	w.pass(time.Minute)
	w.say(intake.Studio, "blackjack", "bj-1", "betting.opened", fmt.Sprintf(`,"round":2,"opens_at":%q,"closes_at":%q,"visible":{"dealer":["AS"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D"]}]}]}`,
		instant.Format(noon+60_000), instant.Format(noon+120_000)))
	w.want(w.do(http.MethodPut, "/v1/draws/bj-1/bets/warm/wagers/insurance:1", `{"stake":"5.00","currency":"EUR"}`), "201")
	costs("a side wager", "PUT", "/v1/draws/bj-1/bets/warm/wagers/double:1:1", `{"stake":"10.00","currency":"EUR"}`, "201: 1 GetItem 1 PutItem, 1 read, 1 write")
	w.result("roulette", "rou-1", 1, facts17)
	w.do("GET", "/v1/settings", "") // warms the key's cache
	costs("a bet", "GET", "/v1/draws/rou-1/bets/b-1", "", "200: 2 GetItem 2 Query, 4 read, 0 write")
	costs("the bets of a draw", "GET", "/v1/draws/rou-1/bets", "", "200: 2 GetItem 2 Query, 4 read, 0 write")
	costs("the feed", "GET", "/v1/feed?after=0", "", "200: 1 GetItem 1 Query, 2 read, 0 write")
	costs("the feed from the position", "GET", "/v1/feed", "", "200: 2 GetItem 1 Query, 3 read, 0 write")
	costs("a feed with nothing new", "GET", "/v1/feed?after=1", "", "200: 1 GetItem, 1 read, 0 write")
	costs("a page", "GET", "/v1/draws/rou-1/reports/1/0/1", "", "200: 2 GetItem, 2 read, 0 write")
	costs("a disclosure", "GET", "/v1/draws/rou-1/reports/1/disclosure", "", "404: 2 GetItem 1 Query, 3 read, 0 write") // nothing is logged here
	costs("a draw's totals", "GET", "/v1/draws/rou-1/totals", "", "200: 2 GetItem 1 Query, 3 read, 0 write")
	costs("acknowledging", "PUT", "/v1/feed/position", `{"sequence":1}`, "200: 1 GetItem 1 PutItem, 1 read, 1 write")
	costs("the position", "GET", "/v1/feed/position", "", "200: 1 GetItem, 1 read, 0 write")
	costs("a dispute", "PUT", "/v1/disputes/d-1", `{"draw":"rou-1","reason":"r","evidence":"e"}`, "201: 1 GetItem 1 TransactWriteItems, 1 read, 4 write")
	costs("opening it again", "PUT", "/v1/disputes/d-1", `{"draw":"rou-1","reason":"r","evidence":"e"}`, "200: 2 GetItem 1 Query 1 TransactWriteItems, 3 read, 4 write")
	costs("reading it", "GET", "/v1/disputes/d-1", "", "200: 1 GetItem 1 Query, 2 read, 0 write")
	costs("listing them", "GET", "/v1/disputes", "", "200: 1 GetItem 1 Query, 2 read, 0 write")
	costs("a dispute of two bets", "PUT", "/v1/disputes/d-0", `{"draw":"rou-1","bets":["b-1","b-2"],"reason":"r","evidence":"e"}`, "201: 3 GetItem 1 TransactWriteItems, 3 read, 4 write")
	costs("a dispute of an unknown bet", "PUT", "/v1/disputes/d-9", `{"draw":"rou-1","bets":["b-1","b-9"],"reason":"r","evidence":"e"}`, "422: 3 GetItem 1 Query, 4 read, 0 write")
	costs("a day's totals", "GET", "/v1/totals?period=2026-11-30", "", "200: 2 GetItem 3 Query, 5 read, 0 write")
	w.pass(31 * time.Second)
	costs("a cold key", "GET", "/v1/settings", "", "200: 2 GetItem, 2 read, 0 write")
}

// A bet is answered by what is stored of it and of the states that its bookmaker was notified
// of, however many others have bets on the draw.
func TestBetReadsNothingOfOthers(t *testing.T) {
	db := dynamotest.DynamoDBLocal(t)
	m := capacity.New(dynamotest.PartitionKey, dynamotest.SortKey)
	w := newWorldOn(t, store.New(db.NewClient(m.Attach), db.Table(t)))
	asked := func(id string, others int) capacity.Count {
		t.Helper()
		w.open("roulette", id, "")
		w.want(w.do(http.MethodPut, "/v1/draws/"+id+"/bets/b-1", straight17), "201")
		for n := range others {
			w.want(w.do(http.MethodPut, "/v1/draws/"+id+"/bets/b-1", straight17, as(w.key(fmt.Sprintf("other-%d", n), keys.Scopes()...))...), "201")
		}
		w.pass(time.Minute)
		w.result("roulette", id, 1, facts17)
		w.result("roulette", id, 2, `{"spins":[{"revolutions":5,"pocket":34}]}`)
		w.do(http.MethodGet, "/v1/settings", "") // warms the key's cache
		m.Reset()
		bet := decoded[v1.BetDetail](t, w.want(w.do(http.MethodGet, "/v1/draws/"+id+"/bets/b-1", ""), "200"))
		if len(bet.Settlements) != 2 {
			t.Errorf("with %d others the bet has the settlements %+v", others, bet.Settlements)
		}
		return m.Snapshot().Total()
	}
	alone, among := asked("rou-1", 0), asked("rou-2", 40)
	// The head, the bet, two results, two states, SWEEP, and the two states reported.
	if alone.Attempts != 5 || alone.Items != 9 || among != alone {
		t.Errorf("alone a bet takes %+v, among others %+v", alone, among)
	}
}
