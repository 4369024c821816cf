// Package wheel holds the rules of the Wheel of Fortune: nineteen equal sectors,
// 1 to 18 and a cup that has no number, colour or parity.
package wheel

import (
	"strconv"

	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

const (
	numbers  = 18
	minTurns = 3
)

// tries: one spin, repeated once when it was faulty.
var tries = rules.Tries{Noun: "spin", Most: 2, Rule: "WHEEL-2.3"}

// Game is the Wheel of Fortune.
var Game = rules.Define(rules.Spec[facts, outcome]{
	ID: "wheel", Title: "Wheel of Fortune", Prefix: "WHEEL", Version: 2, Equipment: "a wheel of 19 equal sectors",
	Rounds: []rules.Round{{Number: 1, When: "before the spin"}},
	Cancel: rules.WheelReasons, CancelRule: "WHEEL-4.1", LateRule: "WHEEL-3.1.1",
	Families: families(),
	Groups: [][]string{{"under", "over", "fortune"}, {"even", "odd", "fortune"}, {"grey", "red", "black", "fortune"},
		{"range", "fortune"}, {"number", "fortune"},
		{"red_odd", "red_even", "black_odd", "black_even", "grey_odd", "grey_even", "fortune"}},
	Read:    read,
	Resolve: resolve,
})

var colours = [...]string{"red", "black", "grey"} // by n mod 3

func families() []rules.Family[outcome] {
	on := func(name string, odds int, means string, wins func(outcome, rules.Selection) bool, params ...rules.Param) rules.Family[outcome] {
		return rules.Family[outcome]{Name: name, Params: params, Odds: money.ToOne(odds - 1), Rule: "WHEEL-2.6",
			Means: "the pointer stops on " + means,
			Wins:  func(o outcome, s rules.Selection) bool { return o != cup && wins(o, s) }}
	}
	sector := func(f rules.Family[outcome]) rules.Family[outcome] {
		f.Quote = func(o outcome, _ rules.Selection) string { return o.paragraph() }
		return f
	}
	odd := func(o outcome) bool { return o%2 == 1 }
	nine := rules.Line{Min: 9, Max: 9}
	list := []rules.Family[outcome]{
		on("under", 2, "a number under 9.5", func(o outcome, s rules.Selection) bool { return rules.Under(int(o), s.At(0)) }, nine),
		on("over", 2, "a number over 9.5", func(o outcome, s rules.Selection) bool { return rules.Over(int(o), s.At(0)) }, nine),
		sector(on("even", 2, "an even number", func(o outcome, _ rules.Selection) bool { return !odd(o) })),
		sector(on("odd", 2, "an odd number", func(o outcome, _ rules.Selection) bool { return odd(o) })),
		on("range", 3, "a number of the range", func(o outcome, s rules.Selection) bool { return (int(o)-1)/6 == s.At(0) },
			rules.Word{"1-6", "7-12", "13-18"}),
		on("number", 18, "the number", func(o outcome, s rules.Selection) bool { return int(o) == s.At(0) },
			rules.Int{Min: 1, Max: numbers}),
		{Name: "fortune", Odds: money.ToOne(17), Rule: "WHEEL-2.6", Means: "the pointer stops on the cup",
			Wins: func(o outcome, _ rules.Selection) bool { return o == cup }},
	}
	for i, colour := range colours {
		list = append(list,
			sector(on(colour, 3, "a "+colour+" sector", func(o outcome, _ rules.Selection) bool { return int(o)%3 == i })),
			sector(on(colour+"_odd", 6, "an odd "+colour+" number", func(o outcome, _ rules.Selection) bool { return int(o)%3 == i && odd(o) })),
			sector(on(colour+"_even", 6, "an even "+colour+" number", func(o outcome, _ rules.Selection) bool { return int(o)%3 == i && !odd(o) })))
	}
	return list
}

// facts are the spins; the last one counts.
type facts struct{ spins []spin }

type spin struct {
	turns  int64
	sector string
	inside bool // false when the pointer stopped between two sectors
}

func read(o strictjson.Object) facts {
	var f facts
	for _, s := range o.NonEmptyObjects("spins") {
		sector, inside := s.NullableText("sector")
		f.spins = append(f.spins, spin{s.Natural("turns"), sector, inside})
		s.Close()
	}
	return f
}

func resolve(f facts) rules.Resolution[outcome] {
	faulty := make([]bool, len(f.spins))
	var faults rules.Faults
	var last outcome
	for i, s := range f.spins {
		faulty[i] = s.turns < minTurns || !s.inside
		sector, known := parseSector(s.sector)
		if s.inside && !known {
			faults.Add("unknown_sector", "WHEEL-1.2", "spin %d: %q is no sector; they are 1 to 18 and cup", i+1, s.sector)
		}
		last = sector
	}
	if len(faults) > 0 {
		return rules.Resolution[outcome]{Faults: append(faults, tries.TooMany(len(f.spins))...)}
	}
	if faults := tries.Play(faulty); len(faults) > 0 {
		return rules.Resolution[outcome]{Faults: faults}
	}
	return rules.Resolution[outcome]{Outcome: last}
}

// outcome is the sector: 1 to 18, or the cup.
type outcome int

const cup outcome = 0

// paragraph is the one that says the sector's colour and parity, or that it is the cup.
func (o outcome) paragraph() string {
	if o == cup {
		return "WHEEL-2.8.19"
	}
	return "WHEEL-2.8." + strconv.Itoa(int(o))
}

func parseSector(text string) (o outcome, ok bool) {
	if text == "cup" {
		return cup, true
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > numbers || strconv.Itoa(n) != text {
		return cup, false
	}
	return outcome(n), true
}

// AppendJSON implements rules.Outcome.
func (o outcome) AppendJSON(dst []byte) []byte {
	out := strictjson.Out(dst).Open()
	if o == cup {
		return out.TextMember("sector", "cup").Close()
	}
	parity := "even"
	if o%2 == 1 {
		parity = "odd"
	}
	return out.TextMember("sector", strconv.Itoa(int(o))).
		TextMember("colour", colours[int(o)%3]).
		TextMember("parity", parity).
		Close()
}
