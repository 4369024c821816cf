package intake

import (
	"fmt"
	"slices"

	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
)

// replyTo answers a message that was handled, or had been before: what it came to,
// which closings took effect and why, and what holds instead of it.
func replyTo(m *wire.Message, r result) wire.Reply {
	reply := wire.Reply{ID: m.ID, Draw: m.Draw, Status: r.status, Type: m.Type, Table: m.Table, Round: m.Round,
		Revision: m.Revision, Order: m.Order, Outcome: wire.OutcomeOf(m)}
	switch m.Type {
	case wire.BettingClosed:
		reply.Closings = []wire.Closing{closingOf(m, r.head)}
	case wire.DrawResulted, wire.DrawCancelled:
		for _, round := range r.head.Rounds {
			if round.OpensAt != 0 {
				reply.Closings = append(reply.Closings, wire.Closing{Round: round.Number, Closing: instant.Format(r.head.Closing(round.Number)),
					Because: r.head.Because(round.Number, 0)})
			}
		}
		if m.Type == wire.DrawResulted && r.head.Unclosed(m.Game) {
			reply.Note = "no side wager was closed within its betting round: the round's own closing governs them"
		}
		if r.head.Revision > m.Revision {
			reply.Holds = &wire.Holds{Revision: r.head.Revision}
		}
	}
	reply.Say(wire.InWords(m))
	return reply
}

// closingOf says which closing took effect of what a betting.closed closes.
func closingOf(m *wire.Message, head *draw.Head) wire.Closing {
	c := wire.Closing{Round: m.Round, Selections: m.Selections}
	closing := head.Closing(m.Round)
	if closing == 0 {
		c.Closing, c.Because = instant.Format(m.ClosedAt), draw.ByClosing
		c.Message = "the round is not known yet: it closes then, or before"
		return c
	}
	c.Because = head.Because(m.Round, m.ClosedAt)
	if m.Selections != nil {
		closing, c.Because = stopOf(m, head, closing)
	}
	c.Closing = instant.Format(closing)
	if closing != m.ClosedAt {
		c.Message = explain(m, c.Because)
	}
	return c
}

// stopOf returns from when on the last of the message's selections takes no bets.
func stopOf(m *wire.Message, head *draw.Head, round settlement.Instant) (closing settlement.Instant, because string) {
	stopped := head.Stopped(m.Round)
	for _, selection := range m.Selections {
		at := slices.IndexFunc(stopped, func(s draw.Stopped) bool { return s.Selection == selection })
		if at < 0 {
			return round, draw.ByRound
		}
		closing = max(closing, stopped[at].Closing)
	}
	if closing == m.ClosedAt {
		return closing, draw.ByClosing
	}
	return closing, draw.ByClosingLag
}

// explain says why something else than closed_at took effect.
func explain(m *wire.Message, because string) string {
	said := "closed_at says " + instant.Format(m.ClosedAt)
	switch because {
	case draw.ByClosingLag:
		return fmt.Sprintf("%s: a closing takes effect at most %d seconds before its message was sent, and that counts for so long before it was stored as the template's LagBound says; "+
			"bets until then stand: an operator can void them by bets.voided", said, draw.ClosedGrace/1000)
	case draw.ByResult:
		return said + ": the first result or cancellation had closed the round by then, and what is stored after it moves no closing"
	case draw.ByOpening:
		return said + ": a betting round does not close before it opens"
	case draw.ByNextRound:
		return said + ": the opening of a later betting round closed it before"
	case draw.ByRound:
		return said + ": the round itself closed before, or a result had come"
	}
	return said + ": the studio's plan closed the round before"
}

// concern returns what an operator should know of a message that was stored just now.
func (in *Intake) concern(m *wire.Message, head *draw.Head) string {
	switch {
	case moved(m, head):
		return draw.ConcernMoved
	case m.Type == wire.DrawResulted && in.Demanding[m.Table] && head.Unclosed(m.Game):
		return draw.ConcernUnclosed
	}
	return ""
}

// moved reports whether a betting.closed has taken effect later than it says.
func moved(m *wire.Message, head *draw.Head) bool {
	if m.Type != wire.BettingClosed {
		return false
	}
	closing := head.Closing(m.Round)
	if m.Selections != nil {
		closing, _ = stopOf(m, head, closing)
	}
	round, known := head.Round(m.Round)
	return known && closing > max(m.ClosedAt, round.OpensAt)
}
