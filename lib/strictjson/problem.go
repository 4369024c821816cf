package strictjson

// Code names a fault of form. The codes are part of the public formats.
type Code string

// The codes of malformed input.
const (
	BadJSON         Code = "bad_json"
	DuplicateField  Code = "duplicate_field"
	UnknownField    Code = "unknown_field"
	MissingField    Code = "missing_field"
	WrongType       Code = "wrong_type"
	UnknownGame     Code = "unknown_game"
	UnknownRounding Code = "unknown_rounding"
)

// Problem is one fault of form at one place.
type Problem struct {
	Code   Code
	Path   string // such as facts.rolls[0].dice[4]
	Detail string // what was expected; empty where the code says it all
}

// Message names the place and, where there is more to say, what was expected.
func (p Problem) Message() string {
	switch {
	case p.Detail == "":
		return p.Path
	case p.Path == "":
		return p.Detail
	}
	return p.Path + ": " + p.Detail
}

// maxProblems bounds what is reported of one document: whoever sent a
// hundred faults has the same cause for all of them.
const maxProblems = 100
