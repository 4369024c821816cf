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
var tries = rules.Tries{Noun: "spin", Max: 2, Rule: "WHEEL-2.3"}

// Game is the Wheel of Fortune.
var Game = rules.Define(rules.Spec[facts, *outcome]{
	ID: "wheel", Title: "Wheel of Fortune", Prefix: "WHEEL", Version: 2, Equipment: "a wheel of 19 equal sectors",
	Rounds: []rules.Round{{Number: 1, When: "before the spin"}},
	Cancel: rules.WheelReasons, CancelRule: "WHEEL-4.1", LateRule: "WHEEL-3.1.1",
	Families: families(),
	Groups: [][]string{{"under", "over", "fortune"}, {"even", "odd", "fortune"}, {"grey", "red", "black", "fortune"},
		{"range", "fortune"}, {"number", "fortune"},
		{"red_odd", "red_even", "black_odd", "black_even", "grey_odd", "grey_even", "fortune"}},
	Read:    read,
	Resolve: resolve,
	Show:    presentation{},
})

var colours = [...]string{"red", "black", "grey"} // by n mod 3

func families() []rules.Family[*outcome] {
	on := func(name string, odds int, means string, wins func(*outcome, rules.Selection) bool, params ...rules.Param) rules.Family[*outcome] {
		return rules.Family[*outcome]{Name: name, Params: params, Odds: money.ToOne(odds - 1), Rule: "WHEEL-2.6",
			Means: "the pointer stops on " + means,
			Wins:  func(o *outcome, s rules.Selection) bool { return o.number != cup && wins(o, s) }}
	}
	sector := func(f rules.Family[*outcome]) rules.Family[*outcome] {
		f.Quote = func(o *outcome, _ rules.Selection) string { return o.paragraph() }
		return f
	}
	odd := func(o *outcome) bool { return o.number%2 == 1 }
	nine := rules.Line{Min: 9, Max: 9}
	list := []rules.Family[*outcome]{
		on("under", 2, "a number under 9.5", func(o *outcome, s rules.Selection) bool { return rules.Under(o.number, s.At(0)) }, nine),
		on("over", 2, "a number over 9.5", func(o *outcome, s rules.Selection) bool { return rules.Over(o.number, s.At(0)) }, nine),
		sector(on("even", 2, "an even number", func(o *outcome, _ rules.Selection) bool { return !odd(o) })),
		sector(on("odd", 2, "an odd number", func(o *outcome, _ rules.Selection) bool { return odd(o) })),
		on("range", 3, "a number of the range", func(o *outcome, s rules.Selection) bool { return (o.number-1)/6 == s.At(0) },
			rules.Word{"1-6", "7-12", "13-18"}),
		on("number", 18, "the number", func(o *outcome, s rules.Selection) bool { return o.number == s.At(0) },
			rules.Int{Min: 1, Max: numbers}),
		{Name: "fortune", Odds: money.ToOne(17), Rule: "WHEEL-2.6", Means: "the pointer stops on the cup",
			Wins: func(o *outcome, _ rules.Selection) bool { return o.number == cup }},
	}
	for i, colour := range colours {
		list = append(list,
			sector(on(colour, 3, "a "+colour+" sector", func(o *outcome, _ rules.Selection) bool { return o.number%3 == i })),
			sector(on(colour+"_odd", 6, "an odd "+colour+" number", func(o *outcome, _ rules.Selection) bool { return o.number%3 == i && odd(o) })),
			sector(on(colour+"_even", 6, "an even "+colour+" number", func(o *outcome, _ rules.Selection) bool { return o.number%3 == i && !odd(o) })))
	}
	return list
}

// facts are the spins; the last one counts.
type facts struct {
	Spins []spin `json:"spins"`
}

type spin struct {
	Turns  int64   `json:"turns"`
	Sector *string `json:"sector"` // nil when the pointer stopped between two sectors
}

func read(o strictjson.Object) facts {
	var f facts
	for _, s := range o.NonEmptyObjects("spins") {
		read := spin{}
		if sector, inside := s.NullableText("sector"); inside {
			read.Sector = &sector
		}
		read.Turns = s.Uint("turns")
		f.Spins = append(f.Spins, read)
		s.Close()
	}
	return f
}

func resolve(f facts) rules.Resolution[*outcome] {
	faulty := make([]bool, len(f.Spins))
	var faults rules.Faults
	last := cup
	for i, s := range f.Spins {
		faulty[i] = s.Turns < minTurns || s.Sector == nil
		if s.Sector == nil {
			continue
		}
		number, known := parseSector(*s.Sector)
		if !known {
			faults.Add("unknown_sector", "WHEEL-1.2", "spin %d: %q is no sector; they are 1 to 18 and cup", i+1, *s.Sector)
		}
		last = number
	}
	if len(faults) > 0 {
		return rules.Resolution[*outcome]{Faults: append(faults, tries.TooMany(len(f.Spins))...)}
	}
	if faults := tries.Play(faulty); len(faults) > 0 {
		return rules.Resolution[*outcome]{Faults: faults}
	}
	return rules.Resolution[*outcome]{Outcome: newOutcome(last)}
}

// outcome is the sector.
type outcome struct {
	number int    // 1 to 18, or the cup
	Sector string `json:"sector"`
	Colour string `json:"colour"` // of a number
	Parity string `json:"parity"`
}

const cup = 0

// name is the sector of a number, as it is written.
func name(number int) string {
	if number == cup {
		return "cup"
	}
	return strconv.Itoa(number)
}

func newOutcome(number int) *outcome {
	o := &outcome{number: number, Sector: name(number)}
	if number != cup {
		o.Colour, o.Parity = colours[number%3], [...]string{"even", "odd"}[number%2]
	}
	return o
}

// paragraph is the one that says the sector's colour and parity, or that it is the cup.
func (o *outcome) paragraph() string {
	if o.number == cup {
		return "WHEEL-2.8.19"
	}
	return "WHEEL-2.8." + o.Sector
}

func parseSector(text string) (number int, ok bool) {
	for number := range numbers + 1 {
		if text == name(number) {
			return number, true
		}
	}
	return cup, false
}

// AppendJSON implements rules.Outcome.
func (o *outcome) AppendJSON(dst []byte) []byte {
	out := strictjson.Out(dst).Open().TextMember("sector", o.Sector)
	if o.Colour != "" {
		out = out.TextMember("colour", o.Colour).TextMember("parity", o.Parity)
	}
	return out.Close()
}
