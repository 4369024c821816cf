package wire

import (
	"fmt"
	"slices"
	"strings"

	"tally/lib/draw/ids"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/strictjson"
)

// drawOpened reads the betting rounds that the studio plans and, where given,
// the odds board of the first.
func (r *reader) drawOpened(o strictjson.Object, m *Message) {
	m.Sequence = r.number(o, "sequence", MaxSequence, "it runs on for each table from 1, up to 2^53-1")
	for _, round := range o.NonEmptyObjects("rounds") {
		times := r.roundTimes(round, m)
		round.Close()
		if n := len(m.Rounds); n > 0 && (times.Round <= m.Rounds[n-1].Round || times.OpensAt < m.Rounds[n-1].ClosesAt) {
			r.fault(CodeBadTime, "", fmt.Sprintf("%s: betting rounds come in order, each opening after the one before has closed", round.Path()))
		}
		m.Rounds = append(m.Rounds, times)
	}
	r.odds(o, m)
}

func (r *reader) roundTimes(o strictjson.Object, m *Message) RoundTimes {
	times := RoundTimes{Round: r.round(o, m), OpensAt: r.time(o, "opens_at"), ClosesAt: r.time(o, "closes_at")}
	if times.OpensAt != 0 && times.ClosesAt != 0 && times.ClosesAt <= times.OpensAt {
		r.fault(CodeBadTime, "", fmt.Sprintf("betting round %d closes no later than it opens", times.Round))
	}
	return times
}

func (r *reader) round(o strictjson.Object, m *Message) int {
	v, present := o.Required("round")
	if !present {
		return 0
	}
	n, ok := v.Int()
	if ok && (n < 1 || n > int64(len(m.Game.Rounds))) {
		r.fault(CodeUnknownRound, "", fmt.Sprintf("%s: %s has betting rounds 1 to %d", v.Path(), m.Game.Title, len(m.Game.Rounds)))
		return 0
	}
	return int(n)
}

// bettingOpened reads a betting round's times, its board and the cards visible
// when it opens.
func (r *reader) bettingOpened(o strictjson.Object, m *Message) {
	m.Times = r.roundTimes(o, m)
	m.Round = m.Times.Round
	r.odds(o, m)
	m.Decided = r.decided(o, m)
}

// decided reads the visible cards, which every betting round after the first
// has, and returns what they decide.
func (r *reader) decided(o strictjson.Object, m *Message) DecidedMarks {
	v, present := o.Optional("visible")
	if !present {
		if m.Round > 1 {
			r.document.Report(strictjson.MissingField, "visible", "cards lie open when a later betting round opens")
		}
		return nil
	}
	m.Visible = v.Raw()
	visible, ok := v.Object()
	if !ok || m.Round == 0 {
		return nil
	}
	if m.Round == 1 {
		r.fault(CodeBadVisible, "", "visible: no card lies open before the first betting round")
		return nil
	}
	before := len(r.document.Problems())
	facts, ok := m.Game.ReadVisible(visible)
	if !ok || len(r.document.Problems()) > before || r.known != nil {
		return r.known
	}
	marks, faults := m.Game.Decide(m.Round, facts)
	for _, f := range faults {
		r.fault(CodeBadVisible, f.Rule, "visible: "+f.Message)
	}
	return marks
}

func (r *reader) bettingClosed(o strictjson.Object, m *Message) {
	m.Round = r.round(o, m)
	m.ClosedAt = r.time(o, "closed_at")
	if v, present := o.Optional("selections"); present {
		m.Selections = r.selections(v.Path(), o.Strings("selections"), m.Game)
	}
}

// selections reads a list of selections and families with :*, as a set.
func (r *reader) selections(path string, list []string, game *rules.Game) []string {
	if len(list) < 1 || len(list) > MaxClosed {
		r.fault(CodeTooManyEntries, "", fmt.Sprintf("%s: it names %d; name 1 to %d selections or families with :*, or leave it out for all", path, len(list), MaxClosed))
		return nil
	}
	for _, text := range list {
		if _, err := game.ParsePattern(text); err != nil {
			r.fault(err.(*rules.SelectionError).Code, "", path+": "+err.Error())
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(list)))
}

// patterns are selections that were read, to compare bets with.
func patterns(list []string, game *rules.Game) (patterns []rules.Pattern) {
	for _, text := range list {
		if p, err := game.ParsePattern(text); err == nil { // else it is a fault already
			patterns = append(patterns, p)
		}
	}
	return patterns
}

func (r *reader) revision(o strictjson.Object) int {
	return int(r.number(o, "revision", MaxRevision, fmt.Sprintf("revisions are numbered 1 to %d", MaxRevision)))
}

// number reads a required whole number from 1 to most.
func (r *reader) number(o strictjson.Object, name string, most int64, rule string) int64 {
	v, present := o.Required(name)
	if !present {
		return 0
	}
	n, isWhole := v.Int()
	if isWhole && (n < 1 || n > most) {
		r.fault(CodeBadNumber, "", name+": "+rule)
		return 0
	}
	return n
}

// drawResulted reads the facts and resolves them: facts that the rules make
// impossible are faults of the message.
func (r *reader) drawResulted(o strictjson.Object, m *Message) {
	m.Revision = r.revision(o)
	r.correction(o, m, m.Revision)
	r.equipment(o, m)
	r.video(o, m)
	v, present := o.Required("facts")
	if !present {
		return
	}
	m.Facts = v.Raw()
	object, ok := v.Object()
	if !ok {
		return
	}
	before := len(r.document.Problems())
	facts := m.Game.ReadFacts(object)
	if len(r.document.Problems()) > before {
		return
	}
	m.Resolution = m.Game.Resolve(facts)
	for _, f := range m.Resolution.Faults {
		r.fault(f.Code, f.Rule, f.Message)
	}
}

// correction reads why a result is corrected: every result above the first
// revision says so.
func (r *reader) correction(o strictjson.Object, m *Message, revision int) {
	v, present := o.Optional("correction")
	if !present {
		if revision > 1 {
			r.fault(CodeNoCorrection, "", fmt.Sprintf("correction: revision %d of a result needs a reason", revision))
		}
		return
	}
	m.Corrects = true
	if c, ok := v.Object(); ok {
		m.Correction = r.note(c, "reason")
		if _, noted := c.Optional("note"); noted {
			note := r.note(c, "note")
			m.Note = &note
		}
		c.Close()
	}
}

// note reads a required text of limited length.
func (r *reader) note(o strictjson.Object, name string) string {
	text := o.String(name)
	if len(text) > MaxNote {
		r.fault(CodeTooLarge, "", fmt.Sprintf("%s: it has %d bytes, at most %d are allowed", name, len(text), MaxNote))
	}
	return text
}

func (r *reader) drawCancelled(o strictjson.Object, m *Message) {
	m.Revision = r.revision(o)
	m.Reason = o.String("reason")
	if _, known := m.Game.CancelReason(m.Reason); !known && m.Reason != "" {
		r.fault(CodeUnknownReason, m.Game.CancelRule, fmt.Sprintf("reason: %.60q is no reason to cancel a draw of %s", m.Reason, m.Game.Title))
	}
	if _, corrects := o.Optional("correction"); corrects {
		r.correction(o, m, 1)
	}
}

func (r *reader) betsVoided(o strictjson.Object, m *Message) {
	m.Order = r.identifier(o, "order")
	m.Reason, m.Evidence = r.note(o, "reason"), r.note(o, "evidence")
	v, present := o.Required("scope")
	if !present {
		return
	}
	if scope, ok := v.Object(); ok {
		m.Scope = r.scope(scope, m)
		scope.Close()
	}
}

func (r *reader) scope(o strictjson.Object, m *Message) (s settlement.Scope) {
	named := false
	optional := func(name string, read func(strictjson.Value)) {
		if v, present := o.Optional(name); present {
			named = true
			read(v)
		}
	}
	optional("bookmaker", func(strictjson.Value) { s.Bookmaker = r.identifier(o, "bookmaker") })
	optional("shop", func(strictjson.Value) { s.Shop = r.identifier(o, "shop") })
	optional("round", func(strictjson.Value) { s.Round = r.round(o, m) })
	optional("accepted_from", func(v strictjson.Value) { s.AcceptedFrom = r.timeOf(v) })
	optional("accepted_to", func(v strictjson.Value) { s.AcceptedTo = r.timeOf(v) })
	optional("bets", func(strictjson.Value) {
		if s.Bets = o.Strings("bets"); len(s.Bets) == 0 { // else it would name all bets
			r.fault(CodeEmptyScope, "", "scope.bets: it names no bet")
		}
		for _, reference := range s.Bets {
			if !ids.Valid(reference) {
				r.fault(CodeBadID, "", fmt.Sprintf("scope.bets: %.80q is no reference", reference))
			}
		}
	})
	optional("selections", func(v strictjson.Value) {
		s.Selections = patterns(r.selections(v.Path(), o.Strings("selections"), m.Game), m.Game)
	})
	switch {
	case len(s.Bets) > MaxScopeBets:
		r.fault(CodeTooManyEntries, "", fmt.Sprintf("scope.bets: it names %d bets, at most %d are allowed", len(s.Bets), MaxScopeBets))
	case !named:
		r.fault(CodeEmptyScope, "", "scope: it must name at least one field")
	case s.Bookmaker == "" && (s.Shop != "" || len(s.Bets) > 0):
		r.fault(CodeEmptyScope, "", "scope: shop and bets need a bookmaker")
	case s.AcceptedFrom != 0 && s.AcceptedTo != 0 && s.AcceptedTo <= s.AcceptedFrom:
		r.fault(CodeBadTime, "", "scope: accepted_to is not after accepted_from")
	}
	return s
}

func (r *reader) betsFound(o strictjson.Object, m *Message) {
	m.Order = r.identifier(o, "order")
	m.Late = Late{Bookmaker: r.identifier(o, "bookmaker"), Records: o.Strings("records")}
	m.Reason, m.Evidence = r.note(o, "reason"), r.note(o, "evidence")
	if n := len(m.Late.Records); n > MaxLate {
		r.fault(CodeTooManyEntries, "", fmt.Sprintf("records: it names %d, at most %d are allowed", n, MaxLate))
	}
	for _, record := range m.Late.Records {
		reference, part, hangsOn := strings.Cut(record, "#")
		right := ids.Valid(reference)
		if hangsOn && part != "cancel" {
			_, err := m.Game.Parse(part)
			right = right && err == nil
		}
		if !right {
			r.fault(CodeBadID, "", fmt.Sprintf("records: %.80q is no record of a bet", record))
		}
	}
}

func (r *reader) orderRevoked(o strictjson.Object, m *Message) {
	m.Order = r.identifier(o, "order")
	m.Revokes = r.identifier(o, "revokes")
	m.Reason, m.Evidence = r.note(o, "reason"), r.note(o, "evidence")
	if m.Order != "" && m.Order == m.Revokes {
		r.fault(CodeBadID, "", "revokes: an order can't revoke itself")
	}
}
