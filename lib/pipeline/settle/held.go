package settle

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/money"
	"tally/lib/store"
	"tally/lib/store/record"
)

// Limits are amounts by currency that a correction may move. A currency without one has
// no limit.
type Limits map[money.Currency]money.Amount

// ParseLimits reads limits such as EUR=10000.00,JPY=1000000; nil for an empty text.
func ParseLimits(text string) (Limits, error) {
	if text == "" {
		return nil, nil
	}
	limits := Limits{}
	for pair := range strings.SplitSeq(text, ",") {
		code, decimal, _ := strings.Cut(pair, "=")
		currency, known := money.ParseActive(code)
		amount, err := money.ParseAmount(decimal, currency)
		if _, twice := limits[currency]; !known || err != nil || twice {
			return nil, fmt.Errorf("%q: write each currency once, with an amount in its decimals, such as EUR=10000.00,JPY=1000000", pair)
		}
		limits[currency] = amount
	}
	return limits, nil
}

// exceeded reports whether money that is moved is more than allowed.
func (l Limits) exceeded(moved Moved) bool {
	for currency, most := range l {
		var limit money.Sum
		if limit.Add(most); moved[currency].Compare(limit) > 0 {
			return true
		}
	}
	return false
}

// Moved is what a correction moves by currency: for each bet that is settled anew, how
// much its payout differs. What one bet gains does not make up for what another loses.
type Moved map[money.Currency]money.Sum

func (m *Moved) add(c money.Currency, a money.Amount) {
	var sum money.Sum
	sum.Add(a)
	m.merge(Moved{c: sum})
}

func (m *Moved) merge(other Moved) {
	if *m == nil && len(other) > 0 {
		*m = Moved{}
	}
	for c, sum := range other {
		sum.Merge((*m)[c])
		(*m)[c] = sum
	}
}

// String returns the money as people read it, such as EUR 10.00, JPY 1000.
func (m Moved) String() string {
	var said []string
	for _, c := range slices.SortedFunc(maps.Keys(m), money.Currency.Compare) {
		said = append(said, c.Code()+" "+string(m[c].AppendTo(nil, c)))
	}
	return strings.Join(said, ", ")
}

// movedBy returns what a state moves of all bookmakers.
func movedBy(done map[string][]*Done) (moved Moved) {
	for _, shards := range done {
		for _, d := range shards {
			moved.merge(d.Moved)
		}
	}
	return moved
}

// Held is a settlement that waits for an operator.
type Held struct {
	Moved Moved   `json:"moved"`
	At    instant `json:"at"`
}

// hold puts a settlement aside that moves more than is allowed: its pages are there, and
// nobody is told. Before this transaction the next try comes to the same; after it SWEEP
// and quarantine have it. Where a newer state is there already, it takes the place.
func (s *Sweeper) hold(ctx context.Context, r *records, now status, version int64, moved Moved) (finished bool, err error) {
	now.Stopped, now.Stale, now.Unexplained = "", "", false
	now.Held = &Held{Moved: moved, At: s.Now()}
	sweep, err := s.item(r, now, version)
	if err != nil {
		return false, err
	}
	aside, err := r.aside(now)
	if err != nil {
		return false, err
	}
	if err := s.Table.Transact(ctx, store.Replacing(sweep), store.Putting(aside)); err != nil {
		return false, err
	}
	s.Log.LogAttrs(ctx, slog.LevelWarn, "settlement held", slog.String("draw", r.draw), slog.Int("state", now.State), slog.String("moved", moved.String()))
	return false, nil // a newer state, or the operator, may have come meanwhile
}

// aside is what an operator finds in quarantine of a held settlement: the message that
// goes on with it, and why it waits.
func (r *records) aside(now status) (store.Item, error) {
	message, err := wire.Encode(wire.Sweep{Draw: r.draw})
	if err != nil {
		return store.Item{}, err
	}
	body, err := json.Marshal(record.Held{Type: record.HeldSettlement, Draw: r.draw, Queue: "sweeps", State: now.State, Faults: []wire.Fault{{Code: wire.CodeHeld,
		Message: fmt.Sprintf("state %d moves %s of %d bookmakers, more than is allowed: nobody is told of it until an operator releases it; what was settled under state %d holds; a newer state takes its place",
			now.State, now.Held.Moved, len(now.Bookmakers), now.Base)}}})
	if err != nil {
		return store.Item{}, fmt.Errorf("encoding what is held of draw %s: %w", r.draw, err)
	}
	return store.Item{PK: store.QuarantineKey(now.Held.At), SK: record.HashOf(fmt.Sprintf("%s#%d", r.draw, now.State)), Body: string(body),
		Binary: []byte(message), StoredAt: now.Held.At, Hash: record.HashOf(message), ExpiresAt: r.head.RetainUntil}, nil
}

// held sees to a settlement that waits. Whether it is told or a newer state takes its
// place is decided by one write of SWEEP: nobody is told of it before SWEEP says that it
// is released, and one that is released is told to all.
func (s *Sweeper) held(ctx context.Context, r *records, now status, version int64) (finished bool, err error) {
	switch {
	case r.head.State > now.State:
		s.Log.LogAttrs(ctx, slog.LevelInfo, "held settlement replaced", slog.String("draw", r.draw), slog.Int("state", now.State), slog.Int("by", r.head.State))
		now.Held = nil
		return s.plan(ctx, r, now, version)
	case !r.released(now.State):
		return true, nil
	}
	now.Held, now.Released = nil, true
	return false, s.put(ctx, r, now, version)
}

// released reports whether an operator has released a state.
func (r *records) released(state int) bool {
	_, marked := r.items[store.ReleasedKey(store.StateKey(state))]
	return marked
}

// waits reports whether the newest state is held, and nobody has released it.
func (s status) waits(r *records) bool {
	return s.Held != nil && s.State == r.head.State && !r.released(s.State)
}

// HeldState returns the state of a draw that is held, 0 for none.
func HeldState(ctx context.Context, table *store.Table, draw string) (int, error) {
	item, found, err := table.Get(ctx, store.DrawKey(draw), store.SweepKey)
	if err != nil || !found {
		return 0, err
	}
	now, err := store.Decode[status](item)
	if err != nil || now.Held == nil {
		return 0, err
	}
	return now.State, nil
}
