package replay

// Resolver responds to lines of facts. It is not safe for concurrent use: each
// worker has its own.
type Resolver struct{ line line }

// ownNames are the names that responses use, of resolve or of settle: members of a
// line that have one of them are not copied, so that nothing in a response can be
// taken for tally's word that is not.
var ownNames = []string{"status", "game", "outcome", "reason", "rule", "errors", "settlements", "totals"}

// Respond appends the response to one line, with its line feed.
func (r *Resolver) Respond(dst, text []byte) []byte {
	l := &r.line
	if !l.begin(text) {
		return l.malformed(dst)
	}
	l.findGame()
	v, present := l.object.Required("facts")
	if present && l.game == nil {
		v.Object() // its fields can't be checked, but that it has some can
	}
	l.problems = append(l.problems, l.top.Problems()...)
	if !present {
		return l.malformed(dst)
	}
	facts, ok := l.readFacts(v)
	if !ok || len(l.problems) > 0 {
		return l.malformed(dst)
	}
	result := l.game.Resolve(facts)
	if len(result.Faults) > 0 {
		return l.invalid(dst, ownNames, result.Faults)
	}
	out := resolved(l.copied(dst, ownNames), l.game, result.Outcome, result.Void)
	return append(out.Close(), '\n')
}
