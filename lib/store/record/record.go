// Package record reads back what is stored of draws and of quarantine: what those who
// write a record and those who read it have to agree on. Package store knows keys and
// writes, and nothing of what is in an item.
package record

import (
	"context"

	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// LoadHead reads a draw's head and its version; a draw that nothing is known of
// has a new one of version 0.
func LoadHead(ctx context.Context, table *store.Table, id string) (*draw.Head, int64, error) {
	item, _, err := table.Get(ctx, store.DrawKey(id), store.HeadKey)
	if err != nil {
		return nil, 0, err
	}
	return HeadOf(id, item)
}

// HeadOf reads a draw's head from its item; one without a key is that of a draw that
// nothing is known of.
func HeadOf(id string, item store.Item) (*draw.Head, int64, error) {
	if item.PK == "" {
		return draw.New(id), 0, nil
	}
	head, err := store.Decode[draw.Head](item)
	return head, item.Version, err
}

// HeldSettlement is the type of a settlement in quarantine: settle has held it since it
// moves more money than is allowed.
const HeldSettlement wire.Type = "settlement"

// Quarantined is what quarantine says of a message; the message itself is kept beside
// it.
type Quarantined struct {
	ID    string    `json:"id,omitempty"`   // the message's own
	Type  wire.Type `json:"type,omitempty"` // as far as it could be read
	Draw  string    `json:"draw,omitempty"`
	Queue string    `json:"queue"`           // studio or orders; sweeps for a settlement
	State int       `json:"state,omitempty"` // of a settlement
	// SentAt is when its queue got it first: released, it counts from then.
	SentAt settlement.Instant `json:"sent_at,omitempty"`
	Faults []wire.Fault       `json:"faults"`
}
