package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"tally/lib/rulebook/games"
)

// Two draws of a game for each way of closing that hangs on no clock go all the way, and the
// table has every step.
func TestCommand(t *testing.T) {
	var out, progress bytes.Buffer
	arguments := "-games war -closings message,result -draws 2 -bookmakers 2 -bets 2"
	if err := command(t.Context(), strings.Fields(arguments), &out, &progress); err != nil || strings.Contains(progress.String(), "left out") {
		t.Fatalf("%v\n%s", err, progress.String())
	}
	text := out.String()
	for _, closing := range []string{byMessage, byResult} {
		t.Run(closing, func(t *testing.T) {
			if heading := "by step, of all games, closed by " + closing; !strings.Contains(text, heading) {
				t.Errorf("there is no %q in\n%s", heading, text)
			}
		})
	}
	for _, step := range stepNames[delivered:] {
		if n := strings.Count(text, " "+step+" "); n < 2 { // and those that have a column
			t.Errorf("the step %s is there %d times, want it for each way of closing, in\n%s", step, n, text)
		}
	}
	if !strings.Contains(text, "a bet at its odds") || !strings.Contains(text, "the goal, 1000 and 3000 ms") {
		t.Errorf("boards or the goal are missing in\n%s", text)
	}
}

func TestArguments(t *testing.T) {
	for arguments, want := range map[string]string{
		"-games whist":   `there is no game "whist"`,
		"-closings noon": `"noon" closes no betting`,
		"-draws 0":       "at least one of each is needed",
	} {
		t.Run(arguments, func(t *testing.T) {
			if _, err := parse(strings.Fields(arguments), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want an error with %s", arguments, err, want)
			}
		})
	}
}

// A plan closes the last round a second before the result, and no other one.
func TestPlan(t *testing.T) {
	game, _ := games.Find("war")
	sample, err := sampleOf(game)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	d := &played{sample: sample, closing: byPlan, rounds: plan{}}
	d.planRound(1)
	d.planRound(2)
	if sample.rounds != 2 || d.rounds[1].closes.Sub(d.rounds[1].opens) != time.Hour || d.rounds[2].closes != d.resultAt.Add(-time.Second) {
		t.Errorf("of %d rounds: %v", sample.rounds, d.rounds)
	}
	text, err := sample.messages[0].text("lat.war.plan.1", "m-1", 7, at, plan{1: {at.Add(-time.Minute), at}})
	want := `"closes_at":"2026-12-01T12:00:00.000Z","opens_at":"2026-12-01T11:59:00.000Z","round":1`
	if err != nil || !strings.Contains(text, want) || !strings.Contains(text, `"sequence":7`) {
		t.Errorf("%s, %v: want %s", text, err, want)
	}
}

// Every game's sample has bets that a round takes, and a bookmaker's are so many in all.
func TestSamples(t *testing.T) {
	for _, game := range games.All() {
		sample, err := sampleOf(game)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for round := range sample.rounds {
			count += len(sample.betsOf(round+1, 5))
		}
		if count != 5 || sample.rounds != len(game.Rounds) {
			t.Errorf("%s: %d bets in %d rounds, want 5 in %d", game.ID, count, sample.rounds, len(game.Rounds))
		}
	}
}

func TestPercentile(t *testing.T) {
	var values []time.Duration
	for i := range 50 {
		values = append(values, time.Duration(50-i))
	}
	for hundredths, want := range map[int]time.Duration{50: 25, 99: 50, 100: 50} {
		t.Run(fmt.Sprint(hundredths), func(t *testing.T) {
			if got := percentile(values, hundredths); got != want {
				t.Errorf("%d of a hundred of 1 to 50: %d, want %d", hundredths, got, want)
			}
		})
	}
}
