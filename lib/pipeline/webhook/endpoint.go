package webhook

import (
	"context"

	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// Endpoint is an address that a bookmaker's reports are pushed to: what an operator
// has set.
type Endpoint struct {
	ID        string `json:"id"`
	Bookmaker string `json:"bookmaker"`
	URL       string `json:"url"`
	Note      string `json:"note,omitempty"` // what it is for; the operator's words
	// Secrets sign what is sent, the newest first. They have to be readable for that,
	// unlike API keys.
	Secrets   []Secret           `json:"secrets"`
	CreatedAt settlement.Instant `json:"created_at"`
}

// Secret is what a bookmaker verifies signatures with.
type Secret struct {
	Text  string             `json:"text"`            // whsec_ and base64
	Until settlement.Instant `json:"until,omitempty"` // when it stops signing; zero for never
}

// Signing returns the secrets that sign at a time.
func (e *Endpoint) Signing(at settlement.Instant) []Secret {
	var list []Secret
	for _, secret := range e.Secrets {
		if secret.Until == 0 || at < secret.Until {
			list = append(list, secret)
		}
	}
	return list
}

// Position is how far an endpoint was notified, and what becomes of it next.
type Position struct {
	// Sequence is the number of the last report that was taken: every one up to it
	// was, or had expired.
	Sequence int64     `json:"sequence"`
	Disabled *Disabled `json:"disabled,omitempty"`
	// Tries counts the failed tries since the last that succeeded, Since is the time
	// of the first of them, Next the earliest time of another.
	Tries int                `json:"tries,omitempty"`
	Since settlement.Instant `json:"since,omitempty"`
	Next  settlement.Instant `json:"next,omitempty"`
	Last  *Try               `json:"last,omitempty"`
	// Worker has claimed the endpoint until Until.
	Worker string             `json:"worker,omitempty"`
	Until  settlement.Instant `json:"until,omitempty"`
}

// Disabled says that nothing is sent to an endpoint.
type Disabled struct {
	At     settlement.Instant `json:"at"`
	Reason string             `json:"reason"`
}

// The reasons for an endpoint to be disabled.
const (
	DisabledGone     = "gone"     // it answered 410
	DisabledFailing  = "failing"  // it failed for a day
	DisabledOperator = "operator" // by an operator
	// DisabledAhead: its position is beyond the newest report, since the feed was set
	// back by a restore. The reports up to it would never be sent.
	DisabledAhead = "position_ahead"
)

// Try is one try to send a report.
type Try struct {
	Sequence int64              `json:"sequence"`
	At       settlement.Instant `json:"at"`
	Outcome
}

// due tells whether a worker has to look at an endpoint now, given the number of the
// newest report: there is something to notify, or its position is none of this feed's.
func (p *Position) due(newest int64, now settlement.Instant) bool {
	return p.Disabled == nil && (p.Sequence > newest || p.Sequence < newest && p.Next <= now && p.Until <= now)
}

// stored is an endpoint with its position, as they were read.
type stored struct {
	Endpoint
	endpointVersion int64
	Position        Position
	positionVersion int64
}

// load reads a bookmaker's endpoints, in the order of their ids.
func load(ctx context.Context, table *store.Table, bookmaker string) ([]*stored, error) {
	var list []*stored
	for item, err := range table.Query(ctx, store.BookmakerKey(bookmaker), store.HookPrefix) {
		if err != nil {
			return nil, err
		}
		// The position comes right after its endpoint.
		id, position := store.HookOf(item.SK)
		switch last := len(list) - 1; {
		case !position:
			endpoint, err := store.Decode[Endpoint](item)
			if err != nil {
				return nil, err
			}
			list = append(list, &stored{Endpoint: *endpoint, endpointVersion: item.Version})
		case last >= 0 && list[last].ID == id:
			position, err := store.Decode[Position](item)
			if err != nil {
				return nil, err
			}
			list[last].Position, list[last].positionVersion = *position, item.Version
			// A position without its endpoint is one that is being set or removed just now.
		}
	}
	return list, nil
}

// loadPosition reads an endpoint's position again.
func (s *stored) loadPosition(ctx context.Context, table *store.Table) (found bool, err error) {
	position, item, err := store.Read[Position](ctx, table, store.BookmakerKey(s.Bookmaker), store.HookPositionKey(s.ID))
	if err != nil || item.PK == "" {
		return false, err
	}
	s.Position, s.positionVersion = position, item.Version
	return true, nil
}

// endpointItem is an endpoint over the version that was read.
func (s *stored) endpointItem() store.Item {
	return encode(s.Bookmaker, store.HookKey(s.ID), s.Endpoint, s.endpointVersion+1)
}

// positionItem is a position over the version that was read.
func (s *stored) positionItem() store.Item {
	return encode(s.Bookmaker, store.HookPositionKey(s.ID), s.Position, s.positionVersion+1)
}

// replacePosition writes the position over the version that was read.
func (s *stored) replacePosition(ctx context.Context, table *store.Table) error {
	if err := table.Replace(ctx, s.positionItem()); err != nil {
		return err
	}
	s.positionVersion++
	return nil
}

func encode(bookmaker, sk string, body any, version int64) store.Item {
	return store.Item{PK: store.BookmakerKey(bookmaker), SK: sk, Body: store.Encode(body), Version: version}
}
