package verify

import (
	"crypto/sha256"
	"slices"

	"tally/lib/archive/entry"
	"tally/lib/draw/instant"
	"tally/lib/rulebook/settlement"
)

// What a draw's entries say binds what its later ones can say: closings that are
// final don't move, a result is changed by a higher revision and a reason only, a
// draw that is cancelled has nobody win. Who runs the log can sign entries that
// break this, each of them right by itself.

// span is from when to when a betting round takes bets: as it is planned, or for
// good.
type span struct {
	round       int
	from, until settlement.Instant
	final       bool
	stopped     []entry.Stopped
}

// held is what the newest state of a draw holds.
type held struct {
	revision, catalogue int
	// message is over what came from the studio, all over all that may not change
	// while the revision and the rules stay.
	message, all [sha256.Size]byte
}

func heldBy(e *entry.State) held {
	h := held{revision: e.Revision, catalogue: e.Catalogue}
	bare := *e
	bare.State, bare.Replaces, bare.MadeAt, bare.Orders = 1, 0, 0, nil
	h.all = sha256.Sum256(bare.Append(nil))
	bare.Catalogue, bare.Status, bare.Outcome, bare.Reason, bare.Rule = 0, "", nil, "", ""
	h.message = sha256.Sum256(bare.Append(nil))
	return h
}

// plan keeps when the betting rounds of a draw are to take bets.
func (d *drawState) plan(o *entry.Opening) {
	d.at = o.StoredAt
	for _, r := range o.Rounds {
		d.rounds = append(d.rounds, span{round: r.Round, from: r.OpensAt, until: r.ClosesAt})
	}
}

// agreeing compares closings with the plan, and with the closings before.
func (s *history) agreeing(index int64, e *entry.Closings, d *drawState) {
	for _, before := range d.rounds {
		at := slices.IndexFunc(e.Rounds, func(r entry.Closed) bool { return r.Round == before.round })
		if at < 0 {
			s.report.findEntry(Contradiction, index, "%s: betting round %d is not there, which was in the log before", e.ID(), before.round)
			continue
		}
		if r := e.Rounds[at]; r.OpensAt != before.from || r.Closing > before.until || before.final && r.Closing != before.until {
			s.report.findEntry(Contradiction, index, "%s: betting round %d takes bets from %s to %s; before it was from %s to %s", e.ID(), r.Round,
				instant.Format(r.OpensAt), instant.Format(r.Closing), instant.Format(before.from), instant.Format(before.until))
		} else if before.final && !slices.Equal(r.Selections, before.stopped) {
			s.report.findEntry(Contradiction, index, "%s: what was closed within betting round %d is not what was in the log before", e.ID(), r.Round)
		}
	}
	d.rounds = d.rounds[:0]
	for _, r := range e.Rounds {
		d.rounds = append(d.rounds, span{round: r.Round, from: r.OpensAt, until: r.Closing, final: true, stopped: r.Selections})
	}
}

// following compares a state with the one before.
func (s *history) following(index int64, e *entry.State, d *drawState) {
	wrong := func(format string, args ...any) {
		s.report.findEntry(Contradiction, index, "%s "+format, append([]any{e.ID()}, args...)...)
	}
	if e.MadeAt < d.at {
		wrong("was made before what it follows, at %s", instant.Format(e.MadeAt))
	}
	if e.MadeAt > s.latest {
		wrong("was made at %s, which is still to come", instant.Format(e.MadeAt))
	}
	d.at = max(d.at, e.MadeAt)
	for _, r := range d.rounds {
		// A round that was to open after the result takes no bets, whenever that was.
		if r.final && r.until > e.MadeAt && r.until > r.from {
			wrong("was made while betting round %d took bets, until %s", r.round, instant.Format(r.until))
		}
	}
	before, now := d.held, heldBy(e)
	d.held = now
	switch {
	case e.Revision > 1 && e.Status != entry.Cancelled && e.Correction == nil:
		wrong("is revision %d of a result, and nothing says why", e.Revision)
	case e.State == 1:
	case now.revision < before.revision:
		wrong("says that revision %d holds after revision %d", now.revision, before.revision)
	case now.revision == before.revision && (now.message != before.message || now.catalogue == before.catalogue && now.all != before.all):
		wrong("is another one as revision %d, whose message was another: a result is changed by a higher revision only", now.revision)
	}
}

// noTotals says that a settlement did not show its totals.
const noTotals = -1

// adding compares a settlement with its state and with the settlement before.
func (s *history) adding(index int64, e *entry.Settlement, d *drawState) {
	wrong := func(format string, args ...any) {
		s.report.findEntry(Contradiction, index, "%s "+format, append([]any{e.ID()}, args...)...)
	}
	bets := noTotals
	if e.ShowTotals {
		bets = 0
	}
	if why := e.Impossible(); why != "" {
		wrong("%s", why)
	}
	for _, t := range e.Totals {
		bets += t.Bets
		if at := slices.IndexFunc(d.book, func(b settlement.Total) bool { return b.Currency == t.Currency }); at >= 0 && t.Stake.Compare(d.book[at].Stake) < 0 {
			wrong("has fewer stakes in %s than were settled before", t.Currency.Code())
		}
		if e.State <= len(d.off) && d.off[e.State-1] && t.Bets != t.Refunded {
			wrong("has bets in %s that won or lost, but the draw is off: all bets are refunded", t.Currency.Code())
		}
	}
	switch {
	case bets > 0 && e.Bookmakers.Count == 0:
		wrong("has %d bets of no bookmaker", bets)
	case bets != noTotals && bets < d.bets:
		wrong("has %d bets, there were %d", bets, d.bets)
	case e.Bookmakers.Count < d.bookmakers:
		wrong("has %d bookmakers, there were %d", e.Bookmakers.Count, d.bookmakers)
	}
	if e.ShowTotals {
		d.book = e.Totals
	}
	d.bets, d.bookmakers = max(d.bets, bets), max(d.bookmakers, e.Bookmakers.Count)
}
