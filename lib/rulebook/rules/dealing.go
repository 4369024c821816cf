package rules

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/show"
)

// Show is what a game brings beside its rules: how its draws are shown, and made up.
type Show interface {
	show.Game
	Dealing() Dealing
	// Example returns an example, nil for none.
	Example() *Example
}

// Dealing is how draws of a game come about, for programs that make draws up. What a
// draw brings are its symbols, in the order in which they appear: cards, balls, faces.
type Dealing struct {
	// Shuffle returns the symbols of a draw that begins with those known.
	Shuffle func(r *rand.Rand, known []string) []string
	// Facts are what comes of the symbols, to be written as JSON.
	Facts func(symbols []string) any
	// Open is how many symbols lie open when each betting round opens, Visible what is
	// seen of them.
	Open    []int
	Visible func(symbols []string) any
}

// mostDealt is how many cards of a shuffled shoe may be needed.
const mostDealt = 60

// Shoe shuffles so many decks. Only as many cards as may be needed are shuffled.
func Shoe(decks int) func(*rand.Rand, []string) []string {
	var all []string
	for range decks {
		for _, rank := range "A23456789TJQK" {
			for _, suit := range "SHDC" {
				all = append(all, string(rank)+string(suit))
			}
		}
	}
	return func(r *rand.Rand, known []string) []string {
		left := slices.Clone(all)
		for _, card := range known {
			at := slices.Index(left, card)
			left = slices.Delete(left, at, at+1)
		}
		need := min(mostDealt, len(left))
		for i := range need {
			j := i + r.IntN(len(left)-i)
			left[i], left[j] = left[j], left[i]
		}
		return append(slices.Clone(known), left[:need]...)
	}
}

// Read returns the cards of codes that are some.
func Read(codes []string) []cards.Card { return NewDeal(len(codes)).Cards("", codes) }

// Numbers reads symbols that are numbers.
func Numbers(symbols []string) []int64 {
	list := make([]int64, len(symbols))
	for i, symbol := range symbols {
		list[i], _ = strconv.ParseInt(symbol, 10, 64)
	}
	return list
}

// Example is a draw with what is particular about a game, for simulations.
type Example struct {
	Rounds []ExampleRound
	Facts  []string // results that can happen after what was visible
	Wrong  string   // facts that can't be
	Cancel string   // a reason to cancel
}

// ExampleRound is a betting round of an example.
type ExampleRound struct {
	Visible string            // JSON, empty before the first card
	Odds    map[string]string // the board; nil in a game with a paytable
	Bets    []string          // selections that are taken
	Wagers  map[string]string // side wagers by the selection of their bet
}
