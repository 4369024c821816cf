package war_test

import (
	"strings"
	"testing"

	"tally/internal/testkit/showtest"
	"tally/lib/rulebook/games/war"
)

func TestShownByTheLaws(t *testing.T) { showtest.Laws(t, war.Game, 200) }

func TestShown(t *testing.T) {
	showtest.Tell(t, war.Game, []showtest.Case{
		{`{"player":"KS","dealer":"AD"}`, "dealer · K♠ : A♦", "winner dealer", "player KS; dealer AD wins",
			"dealer_card A, player_card K, winner dealer"},
		{`{"player":"TS","dealer":"2D"}`, "player · 10♠ : 2♦", "winner player", "player TS wins; dealer 2D",
			"dealer_card 2, player_card T, winner player"},
		{`{"player":"KS","dealer":"KD","burned":["5C"]}`, "war · K♠ : K♦", "winner war", "player KS; dealer KD; war; 5C",
			"dealer_card K, player_card K, winner war"},
	})
}

// TestExpected: of the 311 cards left 23 have the first card's rank, and of two different
// ranks either is as likely the higher.
func TestExpected(t *testing.T) {
	if got, want := showtest.Shares(t, war.Game, "winner"), "player 144/311, war 23/311, dealer 144/311"; got != want {
		t.Errorf("winners are expected as %s, want %s", got, want)
	}
	var ranks []string
	for _, rank := range "23456789TJQKA" {
		ranks = append(ranks, string(rank)+" 1/13")
	}
	for _, aspect := range []string{"player_card", "dealer_card"} {
		t.Run(aspect, func(t *testing.T) {
			if got, want := showtest.Shares(t, war.Game, aspect), strings.Join(ranks, ", "); got != want {
				t.Errorf("ranks are expected as %s, want %s", got, want)
			}
		})
	}
}
