// Package cards names the cards of a 52-card deck and counts how often each was
// dealt from a shoe of several decks.
//
// A card is written as its rank, one of A 2 3 4 5 6 7 8 9 T J Q K, and its suit,
// one of S H D C: "TH" is the ten of hearts. No other spelling is a card.
package cards

import "fmt"

// Card is one of the 52 cards: rank*4 + suit, ranks from two (0) to ace (12),
// suits in the order spades, hearts, diamonds, clubs.
type Card uint8

// Count is the number of different cards in a deck.
const Count = 52

// Rank is the height of a card, from Two to Ace.
type Rank uint8

// The ranks in ascending order, ace high.
const (
	Two Rank = iota
	Three
	Four
	Five
	Six
	Seven
	Eight
	Nine
	Ten
	Jack
	Queen
	King
	Ace
)

// Suit is one of the four suits.
type Suit uint8

// The suits in the order in which equal ranks are listed.
const (
	Spades Suit = iota
	Hearts
	Diamonds
	Clubs
)

const (
	rankCodes = "23456789TJQKA"
	suitCodes = "SHDC"
)

// New returns the card of a rank and a suit.
func New(rank Rank, suit Suit) Card { return Card(uint8(rank)<<2 | uint8(suit)) }

// Rank returns the card's rank.
func (c Card) Rank() Rank { return Rank(c >> 2) }

// Suit returns the card's suit.
func (c Card) Suit() Suit { return Suit(c & 3) }

// Red reports whether the card is a heart or a diamond.
func (c Card) Red() bool { return c.Suit() == Hearts || c.Suit() == Diamonds }

// String returns the card's two-letter code.
func (c Card) String() string {
	return string([]byte{rankCodes[c.Rank()], suitCodes[c.Suit()]})
}

// AppendTo appends the card's two-letter code to dst.
func (c Card) AppendTo(dst []byte) []byte {
	return append(dst, rankCodes[c.Rank()], suitCodes[c.Suit()])
}

// String returns the rank's letter.
func (r Rank) String() string { return rankCodes[r : r+1] }

// Parse reads a two-letter code; ok is false when the code names no card.
func Parse(code string) (card Card, ok bool) {
	if len(code) != 2 {
		return 0, false
	}
	rank, ok := index(rankCodes, code[0])
	if !ok {
		return 0, false
	}
	suit, ok := index(suitCodes, code[1])
	if !ok {
		return 0, false
	}
	return Card(rank<<2 | suit), true
}

// UnmarshalText reads a card's code.
func (c *Card) UnmarshalText(text []byte) error {
	card, ok := Parse(string(text))
	if !ok {
		return fmt.Errorf("%.10q is no card", text)
	}
	*c = card
	return nil
}

func index(codes string, code byte) (uint8, bool) {
	for i := range len(codes) {
		if codes[i] == code {
			return uint8(i), true
		}
	}
	return 0, false
}
