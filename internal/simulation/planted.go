package simulation

import (
	"tally/lib/draw"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// planted are faults of the product, which runs have to find.
type planted struct {
	// settleFrom replaces Head.SettleFrom; nil for none.
	settleFrom func(*draw.Head) settlement.Instant
	// placing and settle replace the database of the processes that take bets, and that
	// settle; nil for none.
	placing func(w *world, db store.DynamoDB, now func() settlement.Instant) store.DynamoDB
	settle  func(db store.DynamoDB) store.DynamoDB
}

// early says that a draw may be settled before its SettleFrom: messages are not held until then.
func (p *planted) early() bool { return p != nil && p.settleFrom != nil }

// settling plants what settles a draw. When a draw may be settled first is compared with the
// clock: one that is ahead by what SettleFrom should say and does not is the same as that.
func (p *planted) settling(w *world, s *settle.Settler, id string) {
	if p.settle != nil {
		s.Table = store.New(p.settle(w.db), tableName)
	}
	now := s.Now
	if p.settleFrom == nil {
		return
	}
	s.Now = func() settlement.Instant {
		if heads := w.heads[id]; len(heads) > 0 {
			head := heads[len(heads)-1].head
			return now() + head.SettleFrom() - p.settleFrom(head)
		}
		return now()
	}
}
