package pages

import (
	"strconv"
)

// ball is a ball as it is drawn.
type ball struct {
	Number  int
	Colour  string
	Ignored bool // beyond those that count
}

// luckyTable is the table of both ball games.
type luckyTable struct {
	Facts struct {
		Balls []int `json:"balls"`
	}
	Outcome struct {
		Sum     int            `json:"sum"`
		Odd     int            `json:"odd"`
		Even    int            `json:"even"`
		Colours map[string]int `json:"colours"`
		First   int            `json:"first"`
		Last    int            `json:"last"`
	}
	counting int
	colours  []string
	colourOf func(number int) string
}

// lucky5Table and lucky7Table differ in the balls.
type (
	lucky5Table struct{ luckyTable }
	lucky7Table struct{ luckyTable }
)

var (
	lucky5Colours = []string{"white", "green", "red", "blue"}
	lucky7Colours = []string{"yellow", "black"}
)

func (t *lucky5Table) parts() (facts, outcome any) {
	t.counting, t.colours = 5, lucky5Colours
	t.colourOf = func(number int) string { return lucky5Colours[min(max(number-1, 0)/9, 3)] }
	return &t.Facts, &t.Outcome
}

func (t *lucky7Table) parts() (facts, outcome any) {
	t.counting, t.colours = 7, lucky7Colours
	t.colourOf = func(number int) string {
		if number%4 <= 1 {
			return "yellow"
		}
		return "black"
	}
	return &t.Facts, &t.Outcome
}

func (t *luckyTable) template() string { return "lucky" }

// Balls are the balls in their order.
func (t *luckyTable) Balls() (list []ball) {
	for i, number := range t.Facts.Balls {
		list = append(list, ball{number, t.colourOf(number), i >= t.counting})
	}
	return list
}

// Sum is the sum of the balls that count, 0 for a void draw.
func (t *luckyTable) Sum() int { return t.Outcome.Sum }

func (t *luckyTable) seen(w *words) []pair {
	return []pair{{w.text("lucky.balls"), numbers(t.Facts.Balls)}}
}

func (t *luckyTable) result(w *words) []pair {
	o := &t.Outcome
	list := []pair{
		{w.text("lucky.sum"), strconv.Itoa(o.Sum)},
		{w.text("lucky.parity"), w.text("lucky.odd_and_even", "Odd", o.Odd, "Even", o.Even)},
		{w.text("lucky.first"), strconv.Itoa(o.First)},
		{w.text("lucky.last"), strconv.Itoa(o.Last)},
	}
	for _, colour := range t.colours {
		list = append(list, pair{w.code("balls", colour), strconv.Itoa(o.Colours[colour])})
	}
	return list
}

func (t *luckyTable) line(w *words) string {
	balls := t.Facts.Balls
	return joined(" · ", numbers(balls[:min(len(balls), t.counting)]), w.text("lucky.sum_is", "Sum", t.Outcome.Sum))
}
