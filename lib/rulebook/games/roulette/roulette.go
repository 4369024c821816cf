// Package roulette holds the rules of roulette with one zero, and its layout.
package roulette

import (
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
var Game = rules.Define(rules.Spec[facts, outcome]{
	ID: "roulette", Title: "Roulette", Prefix: "ROU", Version: 2, Equipment: "a wheel of 37 pockets, one zero",
	Rounds: []rules.Round{{Number: 1, When: "before the ball falls"}},
	Cancel: rules.WheelReasons, CancelRule: "ROU-2.1.6", LateRule: "ROU-2.1.1",
	Families: families(),
	Groups:   [][]string{{"straight"}},
	Read:     read,
	Resolve:  resolve,
})

// facts are the spins; the last one counts.
type facts struct{ spins []spin }

type spin struct{ revolutions, pocket int64 }

func read(o strictjson.Object) facts {
	var f facts
	for _, s := range o.NonEmptyObjects("spins") {
		f.spins = append(f.spins, spin{s.Natural("revolutions"), s.Whole("pocket")})
		s.Close()
	}
	return f
}

func resolve(f facts) rules.Resolution[outcome] {
	faulty := make([]bool, len(f.spins))
	var faults rules.Faults
	for i, s := range f.spins {
		faulty[i] = s.revolutions < minRevolutions
		if s.pocket < 0 || s.pocket > highest {
			faults.Add("unknown_pocket", "ROU-3.3.2", "spin %d: there is no pocket %s; they are 0 to 36", i+1, rules.Number(s.pocket))
		}
	}
	if len(faults) > 0 {
		return rules.Resolution[outcome]{Faults: faults}
	}
	if faults := tries.Play(faulty); len(faults) > 0 {
		return rules.Resolution[outcome]{Faults: faults}
	}
	return rules.Resolution[outcome]{Outcome: outcome(f.spins[len(f.spins)-1].pocket)}
}

// outcome is the pocket.
type outcome int

var reds = map[outcome]bool{1: true, 3: true, 5: true, 7: true, 9: true, 12: true, 14: true, 16: true, 18: true,
	19: true, 21: true, 23: true, 25: true, 27: true, 30: true, 32: true, 34: true, 36: true}

// AppendJSON implements rules.Outcome.
func (o outcome) AppendJSON(dst []byte) []byte {
	out := strictjson.Out(dst).Open().IntMember("pocket", int(o))
	if o == 0 {
		return out.TextMember("colour", "green").Close()
	}
	return out.
		TextMember("colour", choose(reds[o], "red", "black")).
		TextMember("parity", choose(o%2 == 1, "odd", "even")).
		TextMember("half", choose(o <= 18, "low", "high")).
		IntMember("dozen", o.dozen()).
		IntMember("column", o.column()).
		Close()
}

func (o outcome) dozen() int { return (int(o)-1)/12 + 1 }

func (o outcome) column() int { return (int(o)-1)%3 + 1 }

func choose(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
