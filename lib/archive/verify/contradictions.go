package verify

import (
	"crypto/sha256"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

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
	Round   int                `json:"round"`
	From    settlement.Instant `json:"from"`
	Until   settlement.Instant `json:"until"`
	Final   bool               `json:"final,omitempty"`
	Stopped []entry.Stopped    `json:"stopped,omitempty"`
}

// held is what the newest state of a draw holds.
type held struct {
	Revision  int `json:"revision"`
	Catalogue int `json:"catalogue"`
	// Message is over what came from the studio, All over all that may not change
	// while the revision and the rules stay.
	Message tlog.Hash `json:"message"`
	All     tlog.Hash `json:"all"`
}

// heldBy returns what a state holds. The bytes are scratch space.
func heldBy(e *entry.State, scratch []byte) (held, []byte) {
	h := held{Revision: e.Revision, Catalogue: e.Catalogue}
	bare := *e
	bare.State, bare.Replaces, bare.MadeAt, bare.Orders = 1, 0, 0, nil
	scratch = bare.Append(scratch[:0])
	h.All = sha256.Sum256(scratch)
	bare.Catalogue, bare.Status, bare.Outcome, bare.Reason, bare.Rule = 0, "", nil, "", ""
	scratch = bare.Append(scratch[:0])
	h.Message = sha256.Sum256(scratch)
	return h, scratch
}

// plan keeps when the betting rounds of a draw are to take bets.
func (d *drawState) plan(o *entry.Opening) {
	d.At = o.StoredAt
	for _, r := range o.Rounds {
		d.Rounds = append(d.Rounds, span{Round: r.Round, From: r.OpensAt, Until: r.ClosesAt})
	}
}

// agreeing compares closings with the plan, and with the closings before.
func (s *history) agreeing(index int64, e *entry.Closings, d *drawState) {
	for _, before := range d.Rounds {
		at := slices.IndexFunc(e.Rounds, func(r entry.Closed) bool { return r.Round == before.Round })
		if at < 0 {
			s.report.findEntry(Contradiction, index, "%s: betting round %d is not there, which was in the log before", e.ID(), before.Round)
			continue
		}
		if r := e.Rounds[at]; r.OpensAt != before.From || r.Closing > before.Until || before.Final && r.Closing != before.Until {
			s.report.findEntry(Contradiction, index, "%s: betting round %d takes bets from %s to %s; before it was from %s to %s", e.ID(), r.Round,
				instant.Format(r.OpensAt), instant.Format(r.Closing), instant.Format(before.From), instant.Format(before.Until))
		} else if before.Final && !slices.Equal(r.Selections, before.Stopped) {
			s.report.findEntry(Contradiction, index, "%s: what was closed within betting round %d is not what was in the log before", e.ID(), r.Round)
		}
	}
	d.Rounds = d.Rounds[:0]
	for _, r := range e.Rounds {
		d.Rounds = append(d.Rounds, span{Round: r.Round, From: r.OpensAt, Until: r.Closing, Final: true, Stopped: r.Selections})
	}
}

// following compares a state with the one before.
func (s *history) following(index int64, e *entry.State, now held, d *drawState) {
	wrong := func(format string, args ...any) {
		s.report.findEntry(Contradiction, index, "%s "+format, append([]any{e.ID()}, args...)...)
	}
	if e.MadeAt < d.At {
		wrong("was made before what it follows, at %s", instant.Format(e.MadeAt))
	}
	if e.MadeAt > s.latest {
		wrong("was made at %s, which is still to come", instant.Format(e.MadeAt))
	}
	d.At = max(d.At, e.MadeAt)
	for _, r := range d.Rounds {
		// A round that was to open after the result takes no bets, whenever that was.
		if r.Final && r.Until > e.MadeAt && r.Until > r.From {
			wrong("was made while betting round %d took bets, until %s", r.Round, instant.Format(r.Until))
		}
	}
	before := d.Held
	d.Held = now
	switch {
	case e.Revision > 1 && e.Status != entry.Cancelled && e.Correction == nil:
		wrong("is revision %d of a result, and nothing says why", e.Revision)
	case e.State == 1:
	case now.Revision < before.Revision:
		wrong("says that revision %d holds after revision %d", now.Revision, before.Revision)
	case now.Revision == before.Revision && (now.Message != before.Message || now.Catalogue == before.Catalogue && now.All != before.All):
		wrong("is another one as revision %d, whose message was another: a result is changed by a higher revision only", now.Revision)
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
		if at := slices.IndexFunc(d.Book, func(b settlement.Total) bool { return b.Currency == t.Currency }); at >= 0 && t.Stake.Compare(d.Book[at].Stake) < 0 {
			wrong("has fewer stakes in %s than were settled before", t.Currency.Code())
		}
		if e.State <= len(d.Off) && d.Off[e.State-1] && t.Bets != t.Refunded {
			wrong("has bets in %s that won or lost, but the draw is off: all bets are refunded", t.Currency.Code())
		}
	}
	switch {
	case bets > 0 && e.Bookmakers.Count == 0:
		wrong("has %d bets of no bookmaker", bets)
	case bets != noTotals && bets < d.Bets:
		wrong("has %d bets, there were %d", bets, d.Bets)
	case e.Bookmakers.Count < d.Bookmakers:
		wrong("has %d bookmakers, there were %d", e.Bookmakers.Count, d.Bookmakers)
	}
	if e.ShowTotals {
		d.Book = e.Totals
	}
	d.Bets, d.Bookmakers = max(d.Bets, bets), max(d.Bookmakers, e.Bookmakers.Count)
}
