package draw

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
)

// ErrTooMany says that a draw has as many orders as it may have.
var ErrTooMany = errors.New("the draw has as many orders as are allowed")

// ErrTooManyStops says that a draw has as many closed selections as it may have.
var ErrTooManyStops = fmt.Errorf("selections: the draw would have more than %d closed selections: name families with :*, or close the round", maxStops)

// Apply changes the head by a message sent and stored at times; zero stands for sent
// when it was stored. What closes betting does so from when it was sent, no longer ago
// than the bound: from then on people knew what it says, however late it is stored. A message that
// contradicts the head is a *Conflict, one that comes too late a *TooLate, a revision
// that runs ahead an *AheadError; the head is then not to be stored.
func (h *Head) Apply(m *wire.Message, sentAt, storedAt settlement.Instant, settings Settings) error {
	if h.StoredAt == 0 {
		h.LagBound = settings.lag()
	}
	if h.Game == "" && !m.Type.IsOrder() {
		h.know(m.Game, m.Table)
	}
	if h.Game != "" && (h.Game != m.Game.ID || h.Table != m.Table) {
		return h.Another(m.Game.ID, m.Table)
	}
	if h.RetainUntil != 0 && storedAt >= h.RetainUntil-retainClosing {
		return &TooLate{Until: h.RetainUntil}
	}
	if h.RetainUntil == 0 && m.Type != wire.DrawOpened {
		h.RetainUntil = storedAt + settings.Retain() + unopenedLonger
	}
	if err := h.take(m, h.Effect(sentAt, storedAt), storedAt, settings); err != nil {
		return err
	}
	h.StoredAt = max(h.StoredAt, storedAt)
	return nil
}

// Another is the conflict of a message that names another game or table than the
// draw's.
func (h *Head) Another(game, table string) error {
	return conflict("the message names %s on table %s, and the draw is one of %s on table %s: send it with what the draw has, or with the id of the draw that it is about",
		cmp.Or(game, "no game"), cmp.Or(table, "no table"), h.Game, h.Table)
}

// know fixes the draw's game, with the version of its rules, and table. Orders that came before and agree are as if
// they had come after.
func (h *Head) know(game *rules.Game, table string) {
	h.Game, h.Table, h.Catalogue = game.ID, table, game.Version
	for i := range h.Orders {
		if order := &h.Orders[i]; !h.mismatched(*order) {
			order.Game, order.Table = "", ""
		}
	}
}

// Effect returns from when on a message counts that was sent and stored at times.
func (h *Head) Effect(sentAt, storedAt settlement.Instant) settlement.Instant {
	if sentAt == 0 {
		return storedAt
	}
	return max(min(sentAt, storedAt), storedAt-h.LagBound)
}

func (h *Head) take(m *wire.Message, from, storedAt settlement.Instant, settings Settings) error {
	switch m.Type {
	case wire.DrawOpened:
		return h.open(m, storedAt, settings)
	case wire.BettingOpened:
		return h.openRound(m, from, storedAt, settings)
	case wire.BettingClosed:
		return h.closeRound(m, from, storedAt)
	case wire.DrawResulted, wire.DrawCancelled:
		// Of those that come out of order a gap of up to five is filled later.
		if highest := max(h.Revision, 0); m.Revision > highest+wire.MaxAhead {
			return &AheadError{Revision: m.Revision, Highest: highest}
		}
		h.revise(m.Revision, from, storedAt)
	case wire.BetsVoided, wire.OrderRevoked, wire.BetsFound:
		return h.order(m)
	}
	return nil
}

// open takes the studio's plan. A round whose times are known already must have
// the same: bets have been answered by them.
func (h *Head) open(m *wire.Message, storedAt settlement.Instant, settings Settings) error {
	for _, times := range m.Rounds {
		if err := h.sameTimes(times); err != nil {
			return err
		}
	}
	if m.Board != nil {
		if err := h.board(1, m.Type); err != nil {
			return err
		}
	}
	h.Opened, h.Sequence, h.Shards = true, m.Sequence, settings.shardsOf(h.Game)
	last := storedAt
	for _, times := range m.Rounds {
		h.ensure(times.Round).plan(times, settings.lookWithin(h.Game))
		last = max(last, times.ClosesAt)
	}
	until := last + settings.Retain()
	if h.RetainUntil != 0 { // what came before the opening expires then, and the rest no later
		until = min(until, h.RetainUntil)
	}
	h.RetainUntil = until
	return nil
}

func (h *Head) sameTimes(times wire.RoundTimes) error {
	known, ok := h.Round(times.Round)
	if ok && known.OpensAt != 0 && (known.OpensAt != times.OpensAt || known.ClosesAt != times.ClosesAt) {
		return conflict("the message has betting round %d from %s to %s, and by what is stored it takes bets from %s to %s, by which bets were answered: send it with the times that are stored, or cancel the draw",
			times.Round, instant.Format(times.OpensAt), instant.Format(times.ClosesAt), instant.Format(known.OpensAt), instant.Format(known.ClosesAt))
	}
	return nil
}

// board notes which message has a round's odds board. Bets are priced by it, so
// there is only one.
func (h *Head) board(number int, from wire.Type) error {
	if known, ok := h.Round(number); ok && known.Board != "" {
		return conflict("the message has odds of betting round %d, and it has its odds from %s, by which bets were priced: send it without odds, or cancel the draw", number, known.Board)
	}
	h.ensure(number).Board = from
	return nil
}

// openRound takes a betting round's opening, which closes every earlier one.
// plan fixes a round's times, and with them from when on bets are looked after.
func (r *Round) plan(times wire.RoundTimes, within settlement.Instant) {
	if r.OpensAt == 0 && within > 0 {
		r.LookFrom = max(times.OpensAt, times.ClosesAt-within)
	}
	r.OpensAt, r.ClosesAt = times.OpensAt, times.ClosesAt
}

func (h *Head) openRound(m *wire.Message, from, storedAt settlement.Instant, settings Settings) error {
	if err := h.sameTimes(m.Times); err != nil {
		return err
	}
	if m.Board != nil {
		if err := h.board(m.Round, m.Type); err != nil {
			return err
		}
	}
	round := h.ensure(m.Round)
	round.plan(m.Times, settings.lookWithin(h.Game))
	round.OpenedAt = storedAt
	round.OpenedSent = unless(from, storedAt)
	return nil
}

// unless returns a time, or zero when it is another one.
func unless(at, other settlement.Instant) settlement.Instant {
	if at == other {
		return 0
	}
	return at
}

// closeRound takes a betting.closed, of a round or of selections in it.
func (h *Head) closeRound(m *wire.Message, from, storedAt settlement.Instant) error {
	at := max(m.ClosedAt, from-ClosedGrace)
	if m.Selections == nil {
		round := h.ensure(m.Round)
		round.Closed, round.ClosedStored = at, storedAt
		return nil
	}
	stops := len(m.Selections)
	for _, round := range h.Rounds {
		stops += len(round.Stops)
	}
	if stops > maxStops {
		return ErrTooManyStops
	}
	round := h.ensure(m.Round)
	for _, selection := range m.Selections {
		round.Stops = append(round.Stops, Stop{Selection: selection, At: at, Stored: storedAt})
	}
	slices.SortStableFunc(round.Stops, func(a, b Stop) int {
		return cmp.Or(cmp.Compare(a.Selection, b.Selection), cmp.Compare(a.Stored, b.Stored))
	})
	return nil
}

// revise takes a result or a cancellation: the highest revision holds.
func (h *Head) revise(revision int, from, storedAt settlement.Instant) {
	if h.ResultAt == 0 || storedAt < h.ResultAt {
		h.ResultAt, h.ResultSent = storedAt, unless(from, storedAt)
	}
	h.Revision = max(h.Revision, revision)
}

func (h *Head) order(m *wire.Message) error {
	at, found := slices.BinarySearchFunc(h.Orders, m.Order, func(o Order, id string) int {
		switch {
		case o.ID < id:
			return -1
		case o.ID > id:
			return 1
		}
		return 0
	})
	if found {
		return nil
	}
	if slices.ContainsFunc(h.Orders, func(o Order) bool { return o.ID == m.Revokes && o.Revokes != "" }) {
		return conflict("order %s is a revocation, which can't be revoked: to void bets again, send a new order", m.Revokes)
	}
	if len(h.Orders) >= wire.MaxOrders {
		return ErrTooMany
	}
	order := Order{ID: m.Order, Revokes: m.Revokes}
	if h.Game == "" {
		order.Game, order.Table = m.Game.ID, m.Table
	}
	h.Orders = slices.Insert(h.Orders, at, order)
	return nil
}

// Cancel takes tally's own cancellation of a draw that never got a result. It
// ranks below every revision of the studio's; it does nothing once there is one.
func (h *Head) Cancel(storedAt settlement.Instant) (changed bool) {
	if !h.Opened || h.Revision != NoRevision {
		return false
	}
	h.StoredAt = h.Clock(storedAt)
	h.revise(AutomaticRevision, h.StoredAt, h.StoredAt)
	return true
}
