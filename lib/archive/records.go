package archive

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tally/lib/archive/entry"
	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/games"
	"tally/lib/store"
)

// records are a draw's stored items as [settle.Read] reads them: at least what was
// written before SWEEP said what it says.
type records struct {
	draw  string
	items map[string]store.Item
	head  *draw.Head
	swept []int    // the states that were settled, in order
	plan  []string // the bookmakers that the last of them settled, nil where that is not kept
}

// readRecords reads a draw's items. A draw that nothing is known of has no head.
func readRecords(id string, items map[string]store.Item) (*records, error) {
	r := &records{draw: id, items: items}
	head, found := items[store.HeadKey]
	if !found {
		return r, nil
	}
	var err error
	if r.head, err = decode[draw.Head](head); err != nil {
		return nil, err
	}
	if item, found := items[store.SweepKey]; found {
		past, err := settle.PastOf(item)
		if err != nil {
			return nil, err
		}
		r.swept, r.plan = past.Swept, past.Plan
	}
	return r, nil
}

func decode[T any](item store.Item) (*T, error) {
	value := new(T)
	if err := json.Unmarshal([]byte(item.Body), value); err != nil {
		return nil, fmt.Errorf("reading %s / %s: %w", item.PK, item.SK, err)
	}
	return value, nil
}

// message is a stored message: read, and the texts of it that a Message leaves
// out.
type message struct {
	*wire.Message
	stored store.Item
	raw    struct {
		Odds       map[string]json.RawMessage `json:"odds"`
		Visible    jsontext.Value             `json:"visible"`
		Facts      jsontext.Value             `json:"facts"`
		Correction *struct {
			Reason string  `json:"reason"`
			Note   *string `json:"note"`
		} `json:"correction"`
	}
}

// message reads a stored message back. What intake has stored and this version
// would refuse is an error, never a guess.
func (r *records) message(sk string) (*message, error) {
	item, found := r.items[sk]
	if !found {
		return nil, fmt.Errorf("draw %s lacks %s, which its records name", r.draw, sk)
	}
	game, err := r.head.Rules()
	if err != nil {
		return nil, fmt.Errorf("draw %s: %w", r.draw, err)
	}
	parsed, _, faults := wire.ParseUnder([]byte(item.Body), game)
	if len(faults) > 0 {
		return nil, fmt.Errorf("draw %s: stored %s is no longer valid: %s: %s", r.draw, sk, faults[0].Code, faults[0].Message)
	}
	m := &message{Message: parsed, stored: item}
	if err := json.Unmarshal([]byte(item.Body), &m.raw); err != nil {
		return nil, fmt.Errorf("reading %s of draw %s: %w", sk, r.draw, err)
	}
	return m, nil
}

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

// odds returns the message's odds board in short, nil when it has none.
func (m *message) odds() (*entry.List, error) {
	if len(m.raw.Odds) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(m.raw.Odds)
	if err != nil {
		return nil, fmt.Errorf("writing odds: %w", err)
	}
	board, err := canonical(text)
	if err != nil {
		return nil, err
	}
	return &entry.List{Count: len(m.raw.Odds), SHA256: entry.HashOf(string(board))}, nil
}

// opening returns the entry of the draw's opening.
func (r *records) opening() (*entry.Opening, error) {
	m, err := r.message(store.OpenedKey)
	if err != nil {
		return nil, err
	}
	e := &entry.Opening{Draw: r.draw, Game: m.Game.ID, Table: m.Table, Sequence: m.Sequence, StoredAt: m.stored.StoredAt, Message: m.stored.Hash}
	for _, round := range m.Rounds {
		e.Rounds = append(e.Rounds, entry.Planned{Round: round.Round, OpensAt: round.OpensAt, ClosesAt: round.ClosesAt})
	}
	e.Odds, err = m.odds()
	return e, err
}

// storedState reads a state as intake has stored it.
func (r *records) storedState(number int) (*draw.State, error) {
	item, found := r.items[store.StateKey(number)]
	if !found {
		return nil, fmt.Errorf("draw %s has no state %d", r.draw, number)
	}
	return decode[draw.State](item)
}

// closings returns the entry of the closings that a state has made final, nil
// when they are those of the state before.
func (r *records) closings(s *draw.State) (*entry.Closings, error) {
	if s.Number > 1 {
		before, err := r.storedState(s.Number - 1)
		if err != nil {
			return nil, err
		}
		if slices.EqualFunc(before.Rounds, s.Rounds, draw.FinalRound.Same) {
			return nil, nil
		}
	}
	e := &entry.Closings{Draw: r.draw, Game: s.Game, State: s.Number}
	for _, round := range s.Rounds {
		closed, err := r.closed(round)
		if err != nil {
			return nil, err
		}
		e.Rounds = append(e.Rounds, closed)
	}
	return e, nil
}

func (r *records) closed(round draw.FinalRound) (entry.Closed, error) {
	closed := entry.Closed{Round: round.Number, OpensAt: round.OpensAt, Closing: round.Closing}
	for _, stopped := range round.Stopped {
		closed.Selections = append(closed.Selections, entry.Stopped{Selection: stopped.Selection, Closing: stopped.Closing})
	}
	if round.Opened {
		m, err := r.message(store.RoundKey(round.Number))
		if err != nil {
			return closed, err
		}
		if closed.Visible, err = canonical(m.raw.Visible); err != nil {
			return closed, err
		}
	}
	boards := map[wire.Type]string{wire.DrawOpened: store.OpenedKey, wire.BettingOpened: store.RoundKey(round.Number)}
	if sk, priced := boards[round.Board]; priced {
		m, err := r.message(sk)
		if err != nil {
			return closed, err
		}
		if closed.Odds, err = m.odds(); err != nil {
			return closed, err
		}
	}
	return closed, nil
}

// state returns the entry of a state.
func (r *records) state(s *draw.State) (*entry.State, error) {
	game, err := games.Version(s.Game, s.Catalogue)
	if err != nil {
		return nil, fmt.Errorf("state %d of draw %s: %w", s.Number, r.draw, err)
	}
	e := &entry.State{Draw: r.draw, Game: s.Game, State: s.Number, Replaces: s.Number - 1, MadeAt: s.MadeAt, Catalogue: s.Catalogue, Revision: s.Revision}
	orders, err := r.orders(s.Orders)
	if err != nil {
		return nil, err
	}
	e.Orders = orders
	if s.Revision == draw.AutomaticRevision {
		e.Status, e.Reason, e.Rule = entry.Cancelled, settle.NoResult, game.CancelRule
		return e, nil
	}
	m, err := r.message(store.RevisionKey(s.Revision))
	if err != nil {
		return nil, err
	}
	e.Message = m.stored.Hash
	if c := m.raw.Correction; c != nil {
		e.Correction = &entry.Correction{Reason: entry.NoteOf(c.Reason)}
		if c.Note != nil {
			e.Correction.Note = entry.Note{SHA256: entry.HashOf(*c.Note)}
		}
	}
	if m.Type == wire.DrawCancelled {
		e.Status, e.Reason, e.Rule = entry.Cancelled, m.Reason, game.CancelRule
		return e, nil
	}
	facts, err := canonical(m.raw.Facts)
	if err != nil {
		return nil, err
	}
	e.ShowFacts(facts)
	if void := m.Resolution.Void; void.Reason != "" {
		e.Status, e.Reason, e.Rule = entry.Void, void.Reason, void.Rule
		return e, nil
	}
	e.Status, e.Outcome = entry.Resolved, m.Resolution.Outcome.AppendJSON(nil)
	return e, nil
}

// orders returns the orders that hold in short, nil for none.
func (r *records) orders(ids []string) (*entry.List, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	text := ""
	for _, id := range ids {
		item, found := r.items[store.OrderKey(id)]
		if !found {
			return nil, fmt.Errorf("draw %s lacks order %s, which a state names", r.draw, id)
		}
		text += id + " " + item.Hash + "\n"
	}
	return &entry.List{Count: len(ids), SHA256: entry.HashOf(text)}, nil
}
