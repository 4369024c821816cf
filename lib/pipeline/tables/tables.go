// Package tables keeps what a studio says of its tables: that one is suspended and takes no
// bets, that it takes them again, that it is alive. It is beside the draws: a suspension
// closes nothing, and bets that were accepted stand.
//
// Of two messages about a table the one with the later time holds, whatever the order in
// which they come; of two of one time, the suspension.
package tables

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// SilentAfter is how long, in milliseconds, a table that says that it is alive may say
// nothing before it counts as silent.
const SilentAfter = 60_000

// The statuses of tables, as bookmakers are told them.
const (
	StatusOpen      = "open"
	StatusSuspended = "suspended"
	StatusSilent    = "silent"
)

// State is a table as it stands. The zero value is a table that nothing was said of.
type State struct {
	Table string `json:"table"`
	// Suspended says that it takes no bets, and Reason why.
	Suspended bool   `json:"suspended,omitempty"`
	Reason    string `json:"reason,omitempty"`
	// ChangedAt is the time of the message that holds, its own; zero where the table was
	// never suspended or resumed. By is its id.
	ChangedAt settlement.Instant `json:"changed_at,omitempty"`
	By        string             `json:"by,omitempty"`
	// HeardAt is when the newest message about the table was sent.
	HeardAt settlement.Instant `json:"heard_at"`
	// Beats says that it has said that it is alive, and so has to go on.
	Beats bool `json:"beats,omitempty"`
}

// Apply takes a message about the table that was sent at a time. known is false where the
// same was said before; holds is the id of the message that holds instead, empty for none.
func (s *State) Apply(m *wire.Message, sent settlement.Instant) (known bool, holds string) {
	s.Table, s.HeardAt = m.Table, max(s.HeardAt, sent)
	if m.Type == wire.TableAlive {
		s.Beats = true
		return false, ""
	}
	suspends := m.Type == wire.TableSuspended
	switch {
	case m.At == s.ChangedAt && suspends == s.Suspended && m.Reason == s.Reason:
		return true, ""
	case m.At < s.ChangedAt || m.At == s.ChangedAt && s.Suspended:
		return false, s.By
	}
	s.Suspended, s.Reason, s.ChangedAt, s.By = suspends, m.Reason, m.At, m.ID
	return false, ""
}

// Silent reports whether the table should have been heard of by a time, and was not.
func (s *State) Silent(now settlement.Instant) bool { return s.Beats && now-s.HeardAt > SilentAfter }

// Status is whether the table takes bets, without regard to its silence.
func (s *State) Status() string {
	if s.Suspended {
		return StatusSuspended
	}
	return StatusOpen
}

// InWords says what holds of the table, for people.
func (s *State) InWords() string {
	switch {
	case s.Suspended:
		return fmt.Sprintf("table %s takes no bets since %s (%s)", s.Table, instant.Format(s.ChangedAt), s.Reason)
	case s.ChangedAt != 0:
		return fmt.Sprintf("table %s takes bets again since %s", s.Table, instant.Format(s.ChangedAt))
	}
	return fmt.Sprintf("table %s was never suspended", s.Table)
}

// Read reads a table consistently, with the version of its item.
func Read(ctx context.Context, table *store.Table, id string) (State, int64, error) {
	s, item, err := store.Read[State](ctx, table, store.TableKey(id), store.TableStateKey)
	return s, item.Version, err
}

// ReadEventually reads a table for half the price, as it is or was a moment before.
func ReadEventually(ctx context.Context, table *store.Table, id string) (s State, err error) {
	item, found, err := table.GetEventually(ctx, store.TableKey(id), store.TableStateKey)
	if err != nil || !found {
		return s, err
	}
	read, err := store.Decode[State](item)
	if err != nil {
		return s, err
	}
	return *read, nil
}

// Save writes a table's state over the version that was read; store.ErrChanged says that it is
// another by now. The first one enters the table in the list of all, in one transaction.
func Save(ctx context.Context, table *store.Table, s State, version int64, expires settlement.Instant) error {
	item := store.Item{PK: store.TableKey(s.Table), SK: store.TableStateKey, Body: store.Encode(s), Version: version + 1, ExpiresAt: expires}
	if version > 0 {
		return table.Replace(ctx, item)
	}
	return table.Transact(ctx, store.Replacing(item), store.Putting(store.Item{PK: store.TablesKey, SK: s.Table}))
}

// atOnce is how many tables are read side by side.
const atOnce = 16

// List returns the tables that anything was said of, by their ids.
func List(ctx context.Context, table *store.Table) ([]State, error) {
	var list []State
	for item, err := range table.Query(ctx, store.TablesKey, "") {
		if err != nil {
			return nil, err
		}
		list = append(list, State{Table: item.SK})
	}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range list {
		group.Go(func() (err error) {
			list[i], _, err = Read(within, table, list[i].Table)
			return err
		})
	}
	err := group.Wait()
	// The list is kept for ever; of a table that was not heard of for so long its state is gone.
	kept := list[:0]
	for _, s := range list {
		if s.Table != "" {
			kept = append(kept, s)
		}
	}
	return kept, err
}
