package lucky_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"tally/internal/testkit/showtest"
	"tally/lib/rulebook/games/lucky"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/show"
)

func TestShownByTheLaws(t *testing.T) {
	for _, game := range []*rules.Game{lucky.Five, lucky.Seven} {
		t.Run(game.ID, func(t *testing.T) { showtest.Laws(t, game, 200) })
	}
}

// TestShown: of Lucky 7 the eighth ball lies in the tube and counts for nothing.
func TestShown(t *testing.T) {
	showtest.Tell(t, lucky.Five, []showtest.Case{{`{"balls":[36,1,17,9,22]}`, "36 1 17 9 22 · sum_is 85",
		"sum 85, parity odd_and_even 3 2, first 36, last 22, white 2, green 1, red 1, blue 1",
		"36 blue; 1 white; 17 green; 9 white; 22 red; sum 85",
		"ball 36 1 17 9 22, colour white white green red blue, odd 3, sum 81-90"}})
	showtest.Tell(t, lucky.Seven, []showtest.Case{{`{"balls":[42,4,7,9,10,33,21,5]}`, "42 4 7 9 10 33 21 · sum_is 126",
		"sum 126, parity odd_and_even 4 3, first 42, last 21, yellow 4, black 3",
		"42 black; 4 yellow; 7 black; 9 yellow; 10 black; 33 yellow; 21 yellow; 5 yellow ignored; sum 126",
		"ball 42 4 7 9 10 33 21, colour yellow yellow yellow yellow black black black, odd 4, sum 121-130"}})
}

// TestVoidIsShown: four balls have no outcome, and are seen all the same.
func TestVoidIsShown(t *testing.T) {
	d, err := show.Read(lucky.Five.Show, []byte(`{"balls":[7,8,17,9]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := showtest.Pairs(d.Seen(showtest.Words{})), "balls 7 8 17 9"; got != want {
		t.Errorf("the facts are told as %s, want %s", got, want)
	}
}

// TestExpected: 18 of 36 balls are odd; the sums up to 20 are those of the five least
// balls with at most five added, which are the partitions of 0 to 5.
func TestExpected(t *testing.T) {
	choose := func(n, k int64) int64 { return new(big.Int).Binomial(n, k).Int64() }
	var odd []string
	for k := range int64(6) {
		odd = append(odd, fmt.Sprintf("%d %s", k, big.NewRat(choose(18, k)*choose(18, 5-k), choose(36, 5)).RatString()))
	}
	if got, want := showtest.Shares(t, lucky.Five, "odd"), strings.Join(odd, ", "); got != want {
		t.Errorf("odd balls are expected as %s, want %s", got, want)
	}
	sums := showtest.Shares(t, lucky.Five, "sum")
	if want := "15-20 19/376992, 21-30 "; !strings.HasPrefix(sums, want) { // 1+1+2+3+5+7
		t.Errorf("sums are expected as %s, want %s first", sums, want)
	}
	if want := ", 161-170 83/376992"; !strings.HasSuffix(sums, want) { // 1+1+2+3+5+7+10+13+18+23
		t.Errorf("sums are expected as %s, want %s last", sums, want)
	}
	if got, want := showtest.Shares(t, lucky.Five, "colour"), "white 1/4, green 1/4, red 1/4, blue 1/4"; got != want {
		t.Errorf("colours are expected as %s, want %s", got, want)
	}
	if got, want := showtest.Shares(t, lucky.Seven, "colour"), "yellow 1/2, black 1/2"; got != want {
		t.Errorf("colours are expected as %s, want %s", got, want)
	}
}
