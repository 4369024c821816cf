package api_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	v1 "tally/lib/bookmaker/apitype"
)

// TestTwoClientsOneBet has two clients place the same bet at the same time, a
// thousand times.
func TestTwoClientsOneBet(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	w.allow(100_000)
	const times = 1000
	for i := range times {
		path := fmt.Sprintf("/v1/draws/rou-1/bets/b-%d", i)
		var answers [2]result
		var clients sync.WaitGroup
		for client := range answers {
			clients.Go(func() { answers[client] = w.do(http.MethodPut, path, straight17) })
		}
		clients.Wait()
		if got := answers[0].status + answers[1].status; got != 401 || answers[0].body != answers[1].body {
			t.Fatalf("%s: answered %d %s and %d %s", path, answers[0].status, answers[0].body, answers[1].status, answers[1].body)
		}
	}
	if w.count["accepted"] != times {
		t.Errorf("%d bets were accepted", w.count["accepted"])
	}
}

// TestClientDies has a client that goes away before it is answered, and comes
// back with the same request.
func TestClientDies(t *testing.T) {
	w := newWorld(t)
	w.open("roulette", "rou-1", "")
	for i := range 50 {
		path := fmt.Sprintf("/v1/draws/rou-1/bets/b-%d", i)
		dialer := net.Dialer{}
		conn, err := dialer.DialContext(context.Background(), "tcp", w.server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: tally\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			path, w.acme, len(straight17), straight17)
		time.Sleep(time.Duration(i%5) * 100 * time.Microsecond)
		_ = conn.Close() // between the request and its answer
		first := w.do(http.MethodPut, path, straight17)
		again := w.want(w.do(http.MethodPut, path, straight17), "200")
		if first.status != 200 && first.status != 201 || first.body != again.body {
			t.Errorf("%s: %d %s, then %s", path, first.status, first.body, again.body)
		}
	}
	bets := 0
	for next := ""; ; {
		list := decoded[v1.Bets](t, w.do(http.MethodGet, "/v1/draws/rou-1/bets?limit=20"+next, ""))
		if bets += len(list.Bets); list.Next == "" {
			break
		}
		next = "&cursor=" + list.Next
	}
	if bets != 50 {
		t.Errorf("%d bets", bets)
	}
}
