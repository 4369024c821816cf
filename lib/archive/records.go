package archive

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tally/lib/archive/entry"
	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
	"tally/lib/store"
	"tally/lib/store/record"
)

// records are what is stored of a draw, as the log says it.
type records struct{ *record.Draw }

// canonical returns a value as RFC 8785 has it, nil for none.
func canonical(value jsontext.Value) ([]byte, error) {
	if value == nil {
		return nil, nil
	}
	value = slices.Clone(value)
	if err := value.Canonicalize(); err != nil {
		return nil, fmt.Errorf("writing JSON canonically: %w", err)
	}
	return value, nil
}

// odds returns a message's odds board in short, nil when it has none.
func odds(m *wire.Message) (*entry.List, error) {
	if len(m.Board) == 0 {
		return nil, nil
	}
	board, err := canonical(m.Odds)
	return &entry.List{Count: len(m.Board), SHA256: entry.HashOf(string(board))}, err
}

// opening returns the entry of the draw's opening.
func (r records) opening(ctx context.Context) (*entry.Opening, error) {
	m, err := r.Message(ctx, store.OpenedKey)
	if err != nil {
		return nil, err
	}
	e := &entry.Opening{Draw: r.ID, Game: m.Game.ID, Table: m.Table, Sequence: m.Sequence, StoredAt: m.StoredAt, Message: m.Hash()}
	for _, round := range m.Rounds {
		e.Rounds = append(e.Rounds, entry.Planned{Round: round.Round, OpensAt: round.OpensAt, ClosesAt: round.ClosesAt})
	}
	e.Odds, err = odds(m)
	return e, err
}

// closings returns the entry of the closings that a state has made final, nil
// when they are those of the state before.
func (r records) closings(ctx context.Context, s *draw.StateRecord) (*entry.Closings, error) {
	if s.Number > 1 {
		before, err := r.State(ctx, s.Number-1)
		if err != nil {
			return nil, err
		}
		if slices.EqualFunc(before.Rounds, s.Rounds, draw.FinalRound.Same) {
			return nil, nil
		}
	}
	e := &entry.Closings{Draw: r.ID, Game: s.Game, State: s.Number}
	for _, round := range s.Rounds {
		closed, err := r.closed(ctx, round)
		if err != nil {
			return nil, err
		}
		e.Rounds = append(e.Rounds, closed)
	}
	return e, nil
}

func (r records) closed(ctx context.Context, round draw.FinalRound) (closed entry.Closed, err error) {
	closed = entry.Closed{Round: round.Number, OpensAt: round.OpensAt, Closing: round.Closing}
	for _, stopped := range round.Stopped {
		closed.Selections = append(closed.Selections, entry.Stopped{Selection: stopped.Selection, Closing: stopped.Closing})
	}
	opening, priced, err := r.Round(ctx, round.Number, round.Opened, round.Board)
	if err == nil && opening != nil {
		closed.Visible, err = canonical(opening.Visible)
	}
	if err == nil && priced != nil {
		closed.Odds, err = odds(priced)
	}
	return closed, err
}

// state returns the entry of a state.
func (r records) state(ctx context.Context, s *draw.StateRecord) (*entry.State, error) {
	game, err := games.Version(s.Game, s.Catalogue)
	if err != nil {
		return nil, fmt.Errorf("state %d of draw %s: %w", s.Number, r.ID, err)
	}
	e := &entry.State{Draw: r.ID, Game: s.Game, State: s.Number, Replaces: s.Number - 1, MadeAt: s.MadeAt, Catalogue: s.Catalogue, Revision: s.Revision}
	if e.Orders, err = r.orders(ctx, s.Orders); err != nil {
		return nil, err
	}
	if s.Revision == draw.AutomaticRevision {
		e.Status, e.Reason, e.Rule = entry.Cancelled, draw.AutomaticReason, game.CancelRule
		return e, nil
	}
	m, err := r.Message(ctx, store.RevisionKey(s.Revision))
	if err != nil {
		return nil, err
	}
	e.Message = m.Hash()
	if v := m.Video; v != nil {
		e.Video = &entry.Recording{URL: v.URL, SHA256: v.SHA256, From: v.From, To: v.To, KeptUntil: v.KeptUntil}
	}
	if m.Corrects {
		e.Correction = &entry.Correction{Reason: entry.NoteOf(m.Correction)}
		if m.Note != nil {
			e.Correction.Note = entry.Note{SHA256: entry.HashOf(*m.Note)}
		}
	}
	if facts, err := canonical(m.Facts); err != nil {
		return nil, err
	} else if facts != nil {
		e.ShowFacts(facts)
	}
	result := wire.OutcomeOf(m)
	e.Status, e.Outcome, e.Reason, e.Rule = entry.Status(result.Status), result.Outcome, result.Reason, result.Rule
	return e, nil
}

// orders returns the orders that hold in short, nil for none.
func (r records) orders(ctx context.Context, ids []string) (*entry.List, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	text := ""
	for _, id := range ids {
		m, err := r.Message(ctx, store.OrderKey(id))
		if err != nil {
			return nil, err
		}
		text += id + " " + m.Hash() + "\n"
	}
	return &entry.List{Count: len(ids), SHA256: entry.HashOf(text)}, nil
}
