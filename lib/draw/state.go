package draw

import (
	"fmt"
	"slices"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
)

// StateRecord is a fixed point of a draw's history, stored once. What it names
// (revision, boards, orders) is stored once too, so that a state says the same
// for ever.
type StateRecord struct {
	Draw      string `json:"draw"`
	Game      string `json:"game"`
	Number    int    `json:"state"`
	Catalogue int    `json:"catalogue"` // the version of the game's catalogue
	Revision  int    `json:"revision"`
	// Rounds are the betting rounds with their closings final, by number.
	Rounds []FinalRound       `json:"rounds"`
	Orders []string           `json:"orders,omitempty"` // the orders to void that hold
	MadeAt settlement.Instant `json:"made_at"`
}

// FinalRound is a betting round whose closing can't change any more.
type FinalRound struct {
	Number  int                `json:"round"`
	OpensAt settlement.Instant `json:"opens_at"`
	Closing settlement.Instant `json:"closing"`
	Board   wire.Type          `json:"board,omitempty"`   // the type of the message that has its odds board
	Opened  bool               `json:"opened,omitempty"`  // its betting.opened, with the visible cards, is stored
	Stopped []Stopped          `json:"stopped,omitempty"` // what was closed before the round
}

// Stopped is a selection, or a family with :*, with the moment from which it took no
// more bets.
type Stopped struct {
	Selection string             `json:"selection"`
	Closing   settlement.Instant `json:"closing"`
}

// Stops returns what was closed before the round, as bets are settled by it.
func (r FinalRound) Stops(game *rules.Game) (stops []settlement.Stop, err error) {
	for _, stopped := range r.Stopped {
		pattern, err := game.ParsePattern(stopped.Selection)
		if err != nil {
			return nil, fmt.Errorf("betting round %d: reading what was closed in it: %w", r.Number, err)
		}
		stops = append(stops, settlement.Stop{Pattern: pattern, Closing: stopped.Closing})
	}
	return stops, nil
}

// Same reports whether two rounds hold the same.
func (r FinalRound) Same(other FinalRound) bool {
	return r.Number == other.Number && r.OpensAt == other.OpensAt && r.Closing == other.Closing && r.Board == other.Board &&
		r.Opened == other.Opened && slices.Equal(r.Stopped, other.Stopped)
}

// same reports whether two states hold the same.
func (s *StateRecord) same(other *StateRecord) bool {
	return s.Revision == other.Revision && s.Catalogue == other.Catalogue &&
		slices.EqualFunc(s.Rounds, other.Rounds, FinalRound.Same) && slices.Equal(s.Orders, other.Orders)
}

// Next returns the state that the head calls for, or nil when the draw can't be
// settled yet or newest, the state that it has, already says it. The head is
// notified of the new state.
func (h *Head) Next(newest *StateRecord, game *rules.Game, now settlement.Instant) *StateRecord {
	if !h.Opened || h.Revision == NoRevision {
		return nil
	}
	next := &StateRecord{Draw: h.Draw, Game: h.Game, Number: h.State + 1, Catalogue: game.Version,
		Revision: h.Revision, Orders: h.holding(), MadeAt: now}
	for _, round := range h.Rounds {
		if round.OpensAt == 0 {
			continue // closed before it was opened: nothing is known of it
		}
		next.Rounds = append(next.Rounds, FinalRound{Number: round.Number, OpensAt: round.OpensAt, Closing: h.Closing(round.Number),
			Board: round.Board, Opened: round.OpenedAt != 0, Stopped: h.Stopped(round.Number)})
	}
	if newest != nil && newest.same(next) {
		return nil
	}
	h.State, h.StateAt = next.Number, now
	return next
}

// holding returns the orders to void that no order revokes.
func (h *Head) holding() (ids []string) {
	for _, order := range h.Orders {
		revoked := slices.ContainsFunc(h.Orders, func(o Order) bool { return o.Revokes == order.ID && !h.mismatched(o) })
		if order.Revokes == "" && !revoked && !h.mismatched(order) {
			ids = append(ids, order.ID)
		}
	}
	return ids
}
