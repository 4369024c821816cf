package client_test

import (
	"context"
	"fmt"
	"time"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/bookmaker/client"
)

// Placing a bet. The same call again is answered by the same bet, so it can be
// repeated until there is an answer.
func ExampleClient_PlaceBet() {
	tally, err := client.New("https://tally.example.com", "key of the bookmaker")
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
}

// Reading what is to be paid, from the first report on, and saying what has been paid.
func ExampleClient_Follow() {
	tally, err := client.New("https://tally.example.com", "key of the bookmaker")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	for report, err := range tally.Follow(ctx, client.Acknowledged, time.Second) {
		if err != nil {
			fmt.Println(err)
			return
		}
		for line, err := range report.Lines(ctx) {
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(report.Draw, line)
		}
		if err := tally.Acknowledge(ctx, report.Sequence); err != nil {
			fmt.Println(err)
			return
		}
	}
}
