package replay

// Resolver answers lines of facts. It is not safe for concurrent use: each
// worker has its own.
type Resolver struct{ line line }

// ownNames are the names that answers use, of resolve or of settle: members of a
// line that have one of them are not copied, so that nothing in an answer can be
// taken for tally's word that is not.
var ownNames = []string{"status", "game", "outcome", "reason", "rule", "errors", "settlements", "totals"}

// Answer appends the answer to one line, with its line feed.
func (r *Resolver) Answer(dst, text []byte) []byte {
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
	answer := l.game.Resolve(facts)
	if len(answer.Faults) > 0 {
		return l.invalid(dst, ownNames, answer.Faults)
	}
	out := resolved(l.copied(dst, ownNames), l.game, answer.Outcome, answer.Void)
	return append(out.Close(), '\n')
}
