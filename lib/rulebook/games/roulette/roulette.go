// Package roulette holds the rules of roulette with one zero, and its layout.
package roulette

import (
	"slices"

	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

const (
	highest        = 36
	minRevolutions = 3
)

// tries: a ball that did not go round three times is no spin; it is spun again
// as often as needed.
var tries = rules.Tries{Noun: "spin", Rule: "ROU-3.1.1"}

// Game is roulette.
var Game = rules.Define(rules.Spec[facts, *outcome]{
	ID: "roulette", Title: "Roulette", Prefix: "ROU", Version: 2, Equipment: "a wheel of 37 pockets, one zero",
	Rounds: []rules.Round{{Number: 1, When: "before the ball falls"}},
	Cancel: rules.WheelReasons, CancelRule: "ROU-2.1.6", LateRule: "ROU-2.1.1",
	Families: families(),
	Groups:   [][]string{{"straight"}},
	Read:     read,
	Resolve:  resolve,
	Show:     presentation{},
})

// facts are the spins; the last one counts.
type facts struct {
	Spins []spin `json:"spins"`
}

type spin struct {
	Revolutions int64 `json:"revolutions"`
	Pocket      int64 `json:"pocket"`
}

func read(o strictjson.Object) facts {
	var f facts
	for _, s := range o.NonEmptyObjects("spins") {
		f.Spins = append(f.Spins, spin{Revolutions: s.Uint("revolutions"), Pocket: s.Int("pocket")})
		s.Close()
	}
	return f
}

func resolve(f facts) rules.Resolution[*outcome] {
	faulty := make([]bool, len(f.Spins))
	var faults rules.Faults
	for i, s := range f.Spins {
		faulty[i] = s.Revolutions < minRevolutions
		if s.Pocket < 0 || s.Pocket > highest {
			faults.Add("unknown_pocket", "ROU-3.3.2", "spin %d: there is no pocket %s; they are 0 to 36", i+1, rules.Number(s.Pocket))
		}
	}
	if len(faults) > 0 {
		return rules.Resolution[*outcome]{Faults: faults}
	}
	if faults := tries.Play(faulty); len(faults) > 0 {
		return rules.Resolution[*outcome]{Faults: faults}
	}
	return rules.Resolution[*outcome]{Outcome: newOutcome(int(f.Spins[len(f.Spins)-1].Pocket))}
}

// outcome is the pocket, and for other numbers than the zero where it lies on the layout.
type outcome struct {
	Pocket int    `json:"pocket"`
	Colour string `json:"colour"`
	Parity string `json:"parity"`
	Half   string `json:"half"`
	Dozen  int    `json:"dozen"`
	Column int    `json:"column"`
}

var reds = []int{1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36}

func newOutcome(n int) *outcome {
	if n == 0 {
		return &outcome{Colour: "green"}
	}
	return &outcome{Pocket: n, Colour: choose(slices.Contains(reds, n), "red", "black"), Parity: choose(n%2 == 1, "odd", "even"),
		Half: choose(n <= 18, "low", "high"), Dozen: (n-1)/12 + 1, Column: (n-1)%3 + 1}
}

func choose(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// AppendJSON implements rules.Outcome.
func (o *outcome) AppendJSON(dst []byte) []byte {
	out := strictjson.Out(dst).Open().IntMember("pocket", o.Pocket).TextMember("colour", o.Colour)
	if o.Pocket == 0 {
		return out.Close()
	}
	return out.
		TextMember("parity", o.Parity).
		TextMember("half", o.Half).
		IntMember("dozen", o.Dozen).
		IntMember("column", o.Column).
		Close()
}
