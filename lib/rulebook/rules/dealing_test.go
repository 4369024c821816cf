package rules_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tally/lib/rulebook/rules"
)

// A shoe deals the cards that it has, those that are known first, and none more often
// than there are decks.
func TestShuffle(t *testing.T) {
	known := []string{"AS", "AS", "KD"}
	for seed := range uint64(20) {
		dealt := rules.Shoe(2)(rand.New(rand.NewPCG(seed, 1)), known)
		copies := map[string]int{}
		for _, card := range dealt {
			copies[card]++
		}
		if !slices.Equal(dealt[:3], known) || copies["AS"] != 2 || len(rules.Read(dealt)) != len(dealt) {
			t.Fatalf("seed %d deals %v after %v", seed, dealt, known)
		}
		for card, n := range copies {
			if n > 2 {
				t.Errorf("seed %d deals %s %d times from two decks", seed, card, n)
			}
		}
	}
	one := rules.Shoe(1)(rand.New(rand.NewPCG(1, 1)), nil)
	slices.Sort(one)
	if len(slices.Compact(one)) != 52 {
		t.Errorf("one deck has %d cards", len(one))
	}
}

func TestNumbers(t *testing.T) {
	if got, want := rules.Numbers([]string{"36", "0", "7"}), []int64{36, 0, 7}; !slices.Equal(got, want) {
		t.Errorf("36, 0 and 7 are read as %v, want %v", got, want)
	}
}
