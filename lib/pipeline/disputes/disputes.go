package disputes

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tally/lib/draw"
	"tally/lib/draw/ids"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// Request is what a bookmaker asks for.
type Request = draw.DisputeRequest

// Status is how far a dispute has come.
type Status string

// The statuses of disputes.
const (
	Open     Status = "open"     // nobody has decided
	Ordered  Status = "ordered"  // an operator has upheld it; its order is not stored yet
	Upheld   Status = "upheld"   // its order is stored
	Rejected Status = "rejected" // an operator has rejected it
)

// Decided reports whether nothing is to be done about the dispute any more.
func (s Status) Decided() bool { return s == Upheld || s == Rejected }

// Case is a stored request with what became of it.
type Case struct {
	ID        string `json:"dispute"`
	Bookmaker string `json:"bookmaker"`
	Request
	CreatedAt settlement.Instant `json:"created_at"`
	Order     string             `json:"order"` // the id of the order by which it is upheld

	Status   Status    `json:"-"`
	Decision *Decision `json:"-"` // nil without one

	expiresAt settlement.Instant
}

// Decision is what an operator has decided.
type Decision struct {
	Verdict Status             `json:"verdict"` // Ordered or Rejected
	Reason  string             `json:"reason"`  // for the bookmaker
	At      settlement.Instant `json:"at"`
	Message string             `json:"message,omitempty"` // the order as it is sent, each time the same
}

// UsedError says that another dispute has the id.
type UsedError struct{ Differs []string }

func (e *UsedError) Error() string {
	return "another dispute has this id; it differs in " + strings.Join(e.Differs, ", ")
}

// ErrUnknown says that the bookmaker has no such dispute.
var ErrUnknown = errors.New("there is no such dispute")

// ErrIdentifier says that a dispute, its draw or a bet has no name that it may have.
var ErrIdentifier = errors.New("write 1 to 64 of A-Z a-z 0-9 . _ -, and not . or .. alone")

// OrderOf is the id of the order by which a dispute is upheld.
func OrderOf(bookmaker, id string) string {
	sum := sha256.Sum256([]byte(bookmaker + "#" + id))
	return "dispute-" + hex.EncodeToString(sum[:8])
}

// Create stores a dispute, which is kept until a time. When it is stored already
// it returns what is there, and replay; when another one is, a *UsedError.
func Create(ctx context.Context, table *store.Table, bookmaker, id string, r Request, now, keepUntil settlement.Instant) (d *Case, replay bool, err error) {
	for _, name := range append([]string{id, r.Draw}, r.Bets...) {
		if !ids.ValidNew(name) {
			return nil, false, fmt.Errorf("%.80q is no identifier: %w", name, ErrIdentifier)
		}
	}
	r.Bets = slices.Sorted(slices.Values(r.Bets))
	d = &Case{ID: id, Bookmaker: bookmaker, Request: r, CreatedAt: now, Order: OrderOf(bookmaker, id), Status: Open}
	// Before this transaction there is nothing; after it the dispute, and operators
	// find it.
	err = table.Transact(ctx,
		store.Creating(store.Item{PK: store.DisputesKey(bookmaker), SK: store.DisputeKey(id), Body: store.Encode(d), ExpiresAt: keepUntil}),
		store.Creating(store.Item{PK: store.PendingKey, SK: store.PendingDisputeKey(now, bookmaker, id), ExpiresAt: keepUntil}))
	if err == nil {
		return d, false, nil
	}
	if !errors.Is(err, store.ErrChanged) {
		return nil, false, err
	}
	// An earlier try, perhaps this very one, whose answer was lost, or which is under
	// way: then it is there in a moment.
	there, readErr := Get(ctx, table, bookmaker, id)
	if errors.Is(readErr, ErrUnknown) {
		_, found, sureErr := table.Sure(ctx, store.DisputesKey(bookmaker), store.DisputeKey(id))
		if sureErr != nil || !found {
			return nil, false, cmp.Or(sureErr, err)
		}
		there, readErr = Get(ctx, table, bookmaker, id)
	}
	if readErr != nil {
		return nil, false, readErr
	}
	if differs := differences(there.Request, r); len(differs) > 0 {
		return nil, false, &UsedError{Differs: differs}
	}
	return there, true, nil
}

func differences(a, b Request) (fields []string) {
	for _, field := range []struct {
		name string
		same bool
	}{{"draw", a.Draw == b.Draw}, {"bets", slices.Equal(a.Bets, b.Bets)}, {"reason", a.Reason == b.Reason}, {"evidence", a.Evidence == b.Evidence}} {
		if !field.same {
			fields = append(fields, field.name)
		}
	}
	return fields
}

// Get reads a dispute.
func Get(ctx context.Context, table *store.Table, bookmaker, id string) (*Case, error) {
	list, _, err := List(ctx, table, bookmaker, store.DisputeKey(id), store.DecisionKey(id), 1)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, ErrUnknown
	}
	return list[0], nil
}

// List reads at most so many of a bookmaker's disputes, by their ids, between two
// keys, and returns the key from which the rest is to be read; empty at the end.
func List(ctx context.Context, table *store.Table, bookmaker, from, to string, limit int) (list []*Case, next string, err error) {
	// A dispute has one item more at most: its decision.
	items, err := table.Span(ctx, store.DisputesKey(bookmaker), store.Span{From: from, To: to, Limit: 2 * limit})
	if err != nil {
		return nil, "", err
	}
	if len(items) == 2*limit {
		next = store.Next(items[len(items)-1].SK)
	}
	for _, item := range items {
		if store.IsDecision(item.SK) {
			// Without its dispute, where from lies between the two, it is nothing.
			if len(list) > 0 && item.SK == store.DecisionKey(list[len(list)-1].ID) {
				if err := list[len(list)-1].decided(item); err != nil {
					return nil, "", err
				}
			}
			continue
		}
		if len(list) == limit {
			next = item.SK
			break
		}
		d, err := store.Decode[Case](item)
		if err != nil {
			return nil, "", err
		}
		d.Status, d.expiresAt = Open, item.ExpiresAt
		list = append(list, d)
	}
	for _, d := range list {
		if err := d.settle(ctx, table); err != nil {
			return nil, "", err
		}
	}
	return list, next, nil
}

// decided adds a decision.
func (d *Case) decided(item store.Item) error {
	decision, err := store.Decode[Decision](item)
	if err != nil {
		return err
	}
	d.Decision, d.Status = decision, decision.Verdict
	return nil
}

// settle looks whether the dispute's order is stored, which makes it upheld. An
// operator may have sent the order by hand, without a decision.
func (d *Case) settle(ctx context.Context, table *store.Table) error {
	if d.Status == Rejected {
		return nil
	}
	_, stored, err := table.Get(ctx, store.DrawKey(d.Draw), store.OrderKey(d.Order))
	if stored {
		d.Status = Upheld
	}
	return err
}
