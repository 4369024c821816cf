package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/bookmaker/client"
)

// answering is an API that gives one answer to everything.
func answering(status int, body string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	}))
}

// Placing a bet. The same call again is answered by the same bet, so it can be
// repeated until there is an answer.
func ExampleClient_PlaceBet() {
	server := answering(http.StatusCreated, `{"draw":"rou-1.20261130.1001","reference":"b-1","status":"accepted"}`)
	defer server.Close()
	tally, err := client.New(server.URL, "key of the bookmaker")
	if err != nil {
		fmt.Println(err)
		return
	}
	request := v1.BetRequest{Selection: "straight:17", Stake: "10.00", Currency: "EUR"}
	bet, err := tally.PlaceBet(context.Background(), "rou-1.20261130.1001", "b-1", request)
	for client.Undecided(err) {
		time.Sleep(time.Second)
		bet, err = tally.PlaceBet(context.Background(), "rou-1.20261130.1001", "b-1", request)
	}
	if err != nil {
		fmt.Println("refused:", client.Code(err), err)
		return
	}
	fmt.Println(bet.Status)
	// Output: accepted
}

// Reading what is to be paid, from the report after the first on.
func ExampleClient_Reports() {
	server := answering(http.StatusOK, `{"entries":[{"sequence":2,"draw":"rou-1.20261130.1001","state":1}],"next":2,"newest":2}`)
	defer server.Close()
	tally, err := client.New(server.URL, "key of the bookmaker")
	if err != nil {
		fmt.Println(err)
		return
	}
	for report, err := range tally.Reports(context.Background(), 1) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(report.Sequence, report.Draw, report.State) // and its Lines, then Acknowledge
	}
	// Output: 2 rou-1.20261130.1001 1
}
