package cards_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"tally/lib/rulebook/cards"
)

func TestEveryCard(t *testing.T) {
	next := cards.Card(0)
	for r, rank := range []string{"2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"} {
		t.Run(rank, func(t *testing.T) {
			for s, suit := range []string{"S", "H", "D", "C"} {
				card, ok := cards.Parse(rank + suit)
				if !ok || card != next || card != cards.New(cards.Rank(r), cards.Suit(s)) {
					t.Fatalf("Parse(%q) = %d, %t; want %d", rank+suit, card, ok, next)
				}
				if card.String() != rank+suit || string(card.AppendTo([]byte("x"))) != "x"+rank+suit {
					t.Errorf("%q is written %v", rank+suit, card)
				}
				if card.Rank() != cards.Rank(r) || card.Suit() != cards.Suit(s) || card.Rank().String() != rank {
					t.Errorf("%v has rank %v and suit %d", card, card.Rank(), card.Suit())
				}
				if want := suit == "H" || suit == "D"; card.Red() != want {
					t.Errorf("%v: red is %t", card, card.Red())
				}
				next++
			}
		})
	}
	if next != cards.Count {
		t.Errorf("%d cards", next)
	}
}

// TestNoOtherSpelling tries every text of two bytes, and some of other lengths.
func TestNoOtherSpelling(t *testing.T) {
	var known []string
	for i := range 1 << 16 {
		if text := string([]byte{byte(i >> 8), byte(i)}); isCard(text) {
			known = append(known, text)
		}
	}
	if len(known) != cards.Count || len(slices.Compact(known)) != cards.Count {
		t.Errorf("%d texts of two bytes are cards: %q", len(known), known)
	}
	for _, text := range []string{"", "A", "10S", "AS ", " AS", "ASS", "A\u2660", "A\u2660\ufe0f"} {
		t.Run(text, func(t *testing.T) {
			if isCard(text) {
				t.Errorf("%q is read as a card", text)
			}
		})
	}
}

func isCard(text string) bool {
	_, ok := cards.Parse(text)
	return ok
}

// TestReadFromJSON: the cards of a stored outcome are read as they are written, and what
// is none leaves the card as it was.
func TestReadFromJSON(t *testing.T) {
	var read []cards.Card
	if err := json.Unmarshal([]byte(`["TH","AS","2C"]`), &read); err != nil {
		t.Fatal(err)
	}
	if want := []cards.Card{cards.New(cards.Ten, cards.Hearts), cards.New(cards.Ace, cards.Spades), cards.New(cards.Two, cards.Clubs)}; !slices.Equal(read, want) {
		t.Errorf("TH, AS and 2C are read as %v, want %v", read, want)
	}
	for _, text := range []string{"", "1S", "10H", "ah"} {
		t.Run(text, func(t *testing.T) {
			card := read[0]
			if err := card.UnmarshalText([]byte(text)); err == nil || card != read[0] || !strings.Contains(err.Error(), "is no card") {
				t.Errorf("%q is read as %v, %v; want an error and the card as it was", text, card, err)
			}
		})
	}
}
