// Package history is what the public log says of one draw: its entries in their
// order, and what they come to. The public pages and files are made of it and of
// nothing else, so that anyone who has the log can make them again.
package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"tally/lib/archive/entry"
	"tally/lib/draw/instant"
	"tally/lib/rulebook/settlement"
)

// Leaf is an entry with its place in the log.
type Leaf struct {
	Index int64
	Entry entry.Entry
	Data  []byte // the entry's bytes
}

// Read reads a leaf's bytes.
func Read(index int64, data []byte) (Leaf, error) {
	e, err := entry.Parse(data)
	if err != nil {
		return Leaf{}, fmt.Errorf("reading leaf %d: %w", index, err)
	}
	return Leaf{Index: index, Entry: e, Data: data}, nil
}

// Draw is the history of a draw.
type Draw struct {
	// Opening is what it began with.
	Opening *entry.Opening
	// Leaves are all entries in the order of the log; the opening comes first.
	Leaves []Leaf
}

// ErrNotOpened says that a draw's first entry is not its opening.
var ErrNotOpened = errors.New("the draw's opening is not its first entry")

// New returns the history that leaves tell, in the order of the log.
func New(leaves []Leaf) (*Draw, error) {
	if len(leaves) == 0 {
		return nil, ErrNotOpened
	}
	opening, is := leaves[0].Entry.(*entry.Opening)
	if !is {
		return nil, ErrNotOpened
	}
	return &Draw{Opening: opening, Leaves: leaves}, nil
}

// Day returns the day of a draw, such as 2026-11-30: that of its first betting
// round's planned opening, in UTC. It never changes.
func (d *Draw) Day() string {
	return instant.Format(d.OpensAt())[:len("2026-11-30")]
}

// OpensAt returns when the first betting round was planned to open.
func (d *Draw) OpensAt() settlement.Instant { return d.Opening.Rounds[0].OpensAt }

// newest returns the last entry of a kind, and its place.
func newest[E entry.Entry](d *Draw) (found E, index int64) {
	for _, leaf := range slices.Backward(d.Leaves) {
		if e, is := leaf.Entry.(E); is {
			return e, leaf.Index
		}
	}
	return found, -1
}

// State returns the newest state, nil for a draw that has none yet, and its place
// in the log.
func (d *Draw) State() (*entry.State, int64) { return newest[*entry.State](d) }

// Closings returns the newest closings, nil for none.
func (d *Draw) Closings() *entry.Closings {
	closings, _ := newest[*entry.Closings](d)
	return closings
}

// Settlement returns the newest settlement, nil for none.
func (d *Draw) Settlement() *entry.Settlement {
	settled, _ := newest[*entry.Settlement](d)
	return settled
}

// Row is a draw in a list: what it came to in one line.
type Row struct {
	Draw     string `json:"draw"`
	Game     string `json:"game"`
	Table    string `json:"table"`
	Sequence int64  `json:"sequence"`
	OpensAt  string `json:"opens_at"`
	// State is the newest state, 0 while there is none. The members after it are
	// those of its entry, and not there without one.
	State    int             `json:"state,omitempty"`
	MadeAt   string          `json:"made_at,omitempty"`
	Revision int             `json:"revision,omitempty"`
	Status   entry.Status    `json:"status,omitempty"`
	Facts    json.RawMessage `json:"facts,omitempty"`
	// FactsSHA256 is there in their place where they are too large to be shown.
	FactsSHA256 string          `json:"facts_sha256,omitempty"`
	Outcome     json.RawMessage `json:"outcome,omitempty"`
	Reason      string          `json:"reason,omitempty"`
	Rule        string          `json:"rule,omitempty"`
	// Corrected says whether the newest state is a correction; nil while there is none.
	Corrected *bool `json:"corrected,omitempty"`
	// Settled is the newest state that all bets were settled under, 0 for none.
	Settled int `json:"settled,omitempty"`
	// Leaves are the places of the draw's entries in the log.
	Leaves []int64 `json:"leaves"`
}

// IsCorrected reports whether the newest state is a correction.
func (r *Row) IsCorrected() bool { return r.Corrected != nil && *r.Corrected }

// Row returns the draw in one line.
func (d *Draw) Row() Row {
	o := d.Opening
	row := Row{Draw: o.Draw, Game: o.Game, Table: o.Table, Sequence: o.Sequence, OpensAt: instant.Format(d.OpensAt())}
	for _, leaf := range d.Leaves {
		row.Leaves = append(row.Leaves, leaf.Index)
	}
	if s, _ := d.State(); s != nil {
		row.State, row.MadeAt, row.Revision, row.Status = s.State, instant.Format(s.MadeAt), s.Revision, s.Status
		row.Facts, row.FactsSHA256, row.Outcome, row.Reason, row.Rule = s.Facts, s.FactsSHA256, s.Outcome, s.Reason, s.Rule
		corrected := s.Correction != nil
		row.Corrected = &corrected
	}
	if s := d.Settlement(); s != nil {
		row.Settled = s.State
	}
	return row
}
