package pages

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// pokerCards are the six hands and the board.
type pokerCards struct {
	Hands  [][]face `json:"hands"`
	Board  []face   `json:"board"`
	Burned []face   `json:"burned"`
}

func (c *pokerCards) groups(w *words) (list []group) {
	for i, hand := range c.Hands {
		list = append(list, group{w.text("poker.hand", "Number", i+1), hand})
	}
	return withBurned(w, filled(append(list, group{w.text("poker.board"), c.Board})...), c.Burned)
}

type pokerTable struct {
	Cards   pokerCards
	Outcome struct {
		Winners     []int  `json:"winners"`
		Combination string `json:"combination"`
		Hands       []struct {
			Category string `json:"category"`
			Best     []face `json:"best"`
		} `json:"hands"`
	}
}

func (t *pokerTable) parts() (facts, outcome any) { return &t.Cards, &t.Outcome }
func (t *pokerTable) template() string            { return "poker" }

func (t *pokerTable) check() error {
	if len(t.Outcome.Hands) > 0 && len(t.Cards.Hands) > 0 && len(t.Outcome.Hands) != len(t.Cards.Hands) {
		return fmt.Errorf("reading what happened in a draw: %d hands, %d of them judged", len(t.Cards.Hands), len(t.Outcome.Hands))
	}
	return nil
}

// pokerHand is a hand with what it makes of the board.
type pokerHand struct {
	Number   int
	Cards    []face
	Wins     bool
	Category string
	Best     []face
}

// Hands are the hands. In those that win the cards of the best five are marked.
func (t *pokerTable) Hands() (list []pokerHand) {
	for i := range max(len(t.Cards.Hands), len(t.Outcome.Hands)) {
		hand := pokerHand{Number: i + 1, Wins: slices.Contains(t.Outcome.Winners, i+1)}
		if i < len(t.Outcome.Hands) {
			hand.Category, hand.Best = t.Outcome.Hands[i].Category, t.Outcome.Hands[i].Best
		}
		if i < len(t.Cards.Hands) {
			hand.Cards = with(t.Cards.Hands[i], func(_ int, f *face) { f.Marked = hand.Wins && has(hand.Best, *f) })
		}
		list = append(list, hand)
	}
	return list
}

// Board is the board; the cards that a winner's best five have are marked.
func (t *pokerTable) Board() []face {
	return with(t.Cards.Board, func(_ int, f *face) {
		for _, number := range t.Outcome.Winners {
			if number > 0 && number <= len(t.Outcome.Hands) && has(t.Outcome.Hands[number-1].Best, *f) {
				f.Marked = true
			}
		}
	})
}

func has(list []face, f face) bool {
	return slices.ContainsFunc(list, func(other face) bool { return other.Card == f.Card })
}

func (t *pokerTable) seen(w *words) []pair { return pairs(t.Cards.groups(w)) }

func (t *pokerTable) winners() string {
	texts := make([]string, 0, len(t.Outcome.Winners))
	for _, number := range t.Outcome.Winners {
		texts = append(texts, strconv.Itoa(number))
	}
	return strings.Join(texts, ", ")
}

func (t *pokerTable) result(w *words) []pair {
	return []pair{
		{w.text("poker.winners"), w.count("poker.hands", len(t.Outcome.Winners), "Numbers", t.winners())},
		{w.text("poker.combination"), w.code("category", t.Outcome.Combination)},
	}
}

func (t *pokerTable) line(w *words) string {
	return w.count("poker.hands", len(t.Outcome.Winners), "Numbers", t.winners()) + " · " + w.code("category", t.Outcome.Combination)
}
