// Package dice holds the rules of the dice game: five dice, one roll, repeated
// once when it was faulty.
package dice

import (
	"slices"
	"strconv"

	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

const diceCount = 5

// tries: one roll, repeated once when it was faulty.
var tries = rules.Tries{Noun: "roll", Max: 2, Rule: "DICE-2.3"}

// Game is the dice game.
var Game = rules.Define(rules.Spec[facts, *outcome]{
	ID: "dice", Title: "Dice", Prefix: "DICE", Version: 2, Equipment: "five dice",
	Rounds: []rules.Round{{Number: 1, When: "before the roll"}},
	Cancel: rules.DiceReasons, CancelRule: "DICE-5.1", LateRule: "DICE-3.1.1",
	Families: families(),
	Groups:   [][]string{{"combo"}, {"sum_odd", "sum_even"}},
	Read:     read,
	Resolve:  resolve,
	Show:     presentation{},
})

func families() []rules.Family[*outcome] {
	type selection = rules.Selection
	face := rules.Int{Min: 1, Max: 6}
	sums := rules.Line{Min: 5, Max: 29}
	return []rules.Family[*outcome]{
		{Name: "combo", Params: []rules.Param{rules.Word(combinations)}, Rule: "DICE-2.7", Means: "the dice show this combination",
			Wins: func(o *outcome, s selection) bool { return o.Combination == combinations[s.At(0)] }},
		{Name: "sum_under", Params: []rules.Param{sums}, Rule: "DICE-2.5", Means: "the sum of the faces is under the line",
			Wins: func(o *outcome, s selection) bool { return rules.Under(o.Sum, s.At(0)) }},
		{Name: "sum_over", Params: []rules.Param{sums}, Rule: "DICE-2.5", Means: "the sum of the faces is over the line",
			Wins: func(o *outcome, s selection) bool { return rules.Over(o.Sum, s.At(0)) }},
		{Name: "sum_odd", Rule: "DICE-2.5", Means: "the sum of the faces is odd",
			Wins: func(o *outcome, _ selection) bool { return o.Sum%2 == 1 }},
		{Name: "sum_even", Rule: "DICE-2.5", Means: "the sum of the faces is even",
			Wins: func(o *outcome, _ selection) bool { return o.Sum%2 == 0 }},
		{Name: "face", Params: []rules.Param{face}, Rule: "DICE-2.5", Board: func(selection) string { return "face" },
			Means: "at least one die shows the face",
			Wins:  func(o *outcome, s selection) bool { return o.faces[s.At(0)] > 0 }},
		{Name: "face_none", Params: []rules.Param{face}, Rule: "DICE-2.5", Board: func(selection) string { return "face_none" },
			Means: "no die shows the face",
			Wins:  func(o *outcome, s selection) bool { return o.faces[s.At(0)] == 0 }},
		{Name: "face_exactly", Params: []rules.Param{face, rules.Int{Min: 1, Max: diceCount}}, Rule: "DICE-2.5",
			Board: func(s selection) string { return "face_exactly/" + strconv.Itoa(s.At(1)) },
			Means: "exactly so many dice show the face",
			Wins:  func(o *outcome, s selection) bool { return o.faces[s.At(0)] == s.At(1) }},
	}
}

// facts are the rolls; the last one counts.
type facts struct {
	Rolls []roll `json:"rolls"`
}

type roll struct {
	Dice   []int64  `json:"dice"`
	Faults []string `json:"faults,omitempty"`
}

func read(o strictjson.Object) facts {
	var f facts
	for _, r := range o.NonEmptyObjects("rolls") {
		f.Rolls = append(f.Rolls, roll{Dice: r.Ints("dice"), Faults: r.OptionalTexts("faults")})
		r.Close()
	}
	return f
}

func resolve(f facts) rules.Resolution[*outcome] {
	faulty := make([]bool, len(f.Rolls))
	var faults []rules.Fault
	for i, r := range f.Rolls {
		faulty[i] = len(r.Faults) > 0
		faults = append(faults, r.impossible(i+1)...)
	}
	if len(faults) > 0 {
		return rules.Resolution[*outcome]{Faults: append(faults, tries.TooMany(len(f.Rolls))...)}
	}
	if faults := tries.Play(faulty); len(faults) > 0 {
		return rules.Resolution[*outcome]{Faults: faults}
	}
	return rules.Resolution[*outcome]{Outcome: newOutcome(f.Rolls[len(f.Rolls)-1].Dice)}
}

// faultReasons are the faults of a roll: the dice reasons, and of the common ones that
// picture or sound was lost, after which a roll is repeated, too.
var faultReasons = slices.DeleteFunc(rules.ReasonsOf(rules.DiceReasons), func(r rules.CancelReason) bool {
	return !r.Is(rules.DiceReasons) && r.Code != "stream_lost"
})

// impossible returns what can't be true of a roll. A faulty roll may show fewer
// dice: one of them fell.
func (r roll) impossible(number int) (faults rules.Faults) {
	if len(r.Dice) > diceCount || (len(r.Dice) < diceCount && len(r.Faults) == 0) {
		faults.Add("wrong_dice_count", "DICE-2.2", "roll %d shows %d dice instead of five", number, len(r.Dice))
	}
	for i, face := range r.Dice {
		if face < 1 || face > 6 {
			faults.Add("unknown_face", "DICE-2.2", "roll %d: die %d shows %s; faces are 1 to 6", number, i+1, rules.Number(face))
		}
	}
	for _, code := range r.Faults {
		if !slices.ContainsFunc(faultReasons, func(r rules.CancelReason) bool { return r.Code == code }) {
			faults.Add("unknown_reason", "DICE-5.2", "roll %d: %q is no fault of a roll", number, code)
		}
	}
	return faults
}

// combinations are the ids of what five dice can show; exactly one holds.
var combinations = []string{"pair", "two_pairs", "three_of_a_kind", "all_different", "low_line", "high_line",
	"full_house", "four_of_a_kind", "five_of_a_kind"}

// outcome is a resolved roll.
type outcome struct {
	Combination string  `json:"combination"`
	Arranged    []int64 `json:"arranged"`
	Sum         int     `json:"sum"`
	faces       [7]int  // how many dice show each face
}

func newOutcome(dice []int64) *outcome {
	o := &outcome{Arranged: slices.Clone(dice)}
	for _, face := range dice {
		o.Sum += int(face)
		o.faces[face]++
	}
	slices.SortFunc(o.Arranged, o.before)
	o.Combination = o.name()
	return o
}

// before orders the dice as they are shown: equal dice first, the three before
// the two and the higher pair before the lower, then the rest ascending.
func (o *outcome) before(a, b int64) int {
	if o.faces[a] != o.faces[b] {
		return o.faces[b] - o.faces[a]
	}
	if o.faces[a] > 1 {
		return int(b - a)
	}
	return int(a - b)
}

func (o *outcome) name() string {
	switch most, next := o.faces[o.Arranged[0]], o.faces[o.Arranged[4]]; {
	case most == 5:
		return "five_of_a_kind"
	case most == 4:
		return "four_of_a_kind"
	case most == 3 && next == 2:
		return "full_house"
	case most == 3:
		return "three_of_a_kind"
	case most == 2 && o.faces[o.Arranged[2]] == 2:
		return "two_pairs"
	case most == 2:
		return "pair"
	case o.faces[6] == 0:
		return "low_line"
	case o.faces[1] == 0:
		return "high_line"
	}
	return "all_different"
}

// AppendJSON implements rules.Outcome.
func (o *outcome) AppendJSON(dst []byte) []byte {
	out := strictjson.Out(dst).Open().
		TextMember("combination", o.Combination).
		Name("arranged").OpenList()
	for _, face := range o.Arranged {
		out = out.Int(int(face))
	}
	return out.CloseList().IntMember("sum", o.Sum).Close()
}
