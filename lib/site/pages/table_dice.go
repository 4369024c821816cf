package pages

import (
	"strconv"
	"strings"
)

type roll struct {
	Dice   []int    `json:"dice"`
	Faults []string `json:"faults"`
}

type diceTable struct {
	Facts struct {
		Rolls []roll `json:"rolls"`
	}
	Outcome struct {
		Combination string `json:"combination"`
		Arranged    []int  `json:"arranged"`
		Sum         int    `json:"sum"`
	}
}

func (t *diceTable) parts() (facts, outcome any) { return &t.Facts, &t.Outcome }
func (t *diceTable) template() string            { return "dice" }

// diceRoll is a roll as it is drawn.
type diceRoll struct {
	Number int
	roll
}

// Rolls are the rolls, those that did not count too.
func (t *diceTable) Rolls() (list []diceRoll) {
	for i, r := range t.Facts.Rolls[:min(len(t.Facts.Rolls), maxTries)] {
		list = append(list, diceRoll{i + 1, r})
	}
	return list
}

// numbers writes numbers with spaces between them.
func numbers(list []int) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, " ")
}

// faults writes the faults of a roll in words.
func (w *words) faults(codes []string) string {
	texts := make([]string, len(codes))
	for i, code := range codes {
		texts[i] = w.code("reason", code)
	}
	return strings.Join(texts, ". ")
}

func (t *diceTable) seen(w *words) (list []pair) {
	for i, r := range t.Facts.Rolls {
		text := numbers(r.Dice)
		if len(r.Faults) > 0 {
			text = joined(" · ", text, w.faults(r.Faults))
		}
		list = append(list, pair{w.text("dice.roll", "Number", i+1), text})
	}
	return list
}

func (t *diceTable) result(w *words) []pair {
	return []pair{
		{w.text("dice.combination"), w.code("combination", t.Outcome.Combination)},
		{w.text("dice.arranged"), numbers(t.Outcome.Arranged)},
		{w.text("dice.sum"), strconv.Itoa(t.Outcome.Sum)},
	}
}

func (t *diceTable) line(w *words) string {
	return numbers(t.Outcome.Arranged) + " · " + w.code("combination", t.Outcome.Combination) + " · " + strconv.Itoa(t.Outcome.Sum)
}

// dots are the places of the pips of each face, on a die that is 100 wide.
var dots = [7][][2]int{
	1: {{50, 50}},
	2: {{28, 28}, {72, 72}},
	3: {{26, 26}, {50, 50}, {74, 74}},
	4: {{28, 28}, {72, 28}, {28, 72}, {72, 72}},
	5: {{27, 27}, {73, 27}, {50, 50}, {27, 73}, {73, 73}},
	6: {{29, 25}, {71, 25}, {29, 50}, {71, 50}, {29, 75}, {71, 75}},
}

// dotsOf returns the places of the pips of a face.
func dotsOf(face int) [][2]int {
	if face < 1 || face > 6 {
		return nil
	}
	return dots[face]
}
