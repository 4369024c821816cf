package rules

import "fmt"

// Tries is the rule of games in which a faulty try is repeated: dice, wheel and
// roulette. The last try counts; all before it must be faulty.
type Tries struct {
	Noun string // such as roll
	Max  int    // how many are allowed; 0 for any number
	Rule string
}

// TooMany returns the fault of more tries than are allowed. It is a fault of
// counting: it stands whatever else is wrong.
func (t Tries) TooMany(n int) []Fault {
	if t.Max == 0 || n <= t.Max {
		return nil
	}
	return []Fault{{
		Code: "too_many_tries", Rule: t.Rule, Message: fmt.Sprintf("there are %d %ss, at most %d are allowed", n, t.Noun, t.Max),
	}}
}

// Play returns the faults of play; faulty says of each try whether it was.
func (t Tries) Play(faulty []bool) []Fault {
	faults := t.TooMany(len(faulty))
	last := len(faulty) - 1
	for i, isFaulty := range faulty {
		switch {
		case i < last && !isFaulty:
			faults = append(faults, Fault{
				Code: "valid_repeated", Rule: t.Rule, Message: fmt.Sprintf("%s %d was valid and must not be repeated", t.Noun, i+1),
			})
		case i == last && isFaulty:
			faults = append(faults, Fault{
				Code:    "fault_unresolved",
				Rule:    t.Rule,
				Message: fmt.Sprintf("the last %s is faulty: repeat it, or cancel the draw", t.Noun),
			})
		}
	}
	return faults
}
