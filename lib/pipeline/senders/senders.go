// Package senders keeps which senders may speak for which tables of the studio's: the
// queue's policy says who may send at all, SQS says with every message who sent it
// (SenderId, which a sender can't choose), and this list says what each may send about.
//
// Without a list everyone whom the queue lets in may speak for every table.
package senders

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// The limits of the list, which is one item.
const (
	maxSenders = 500
	maxTables  = 200     // of one sender
	maxBytes   = 300_000 // of all
)

// rememberFor is how long what was read of the list is used, in milliseconds.
const rememberFor = 10_000

// Sender is one that is listed.
type Sender struct {
	ID      string             `json:"id"`     // of a role or a user, as IAM gives it
	Tables  []string           `json:"tables"` // names, or beginnings of names followed by *
	Note    string             `json:"note,omitempty"`
	Changed settlement.Instant `json:"changed"` // when it was listed so
}

// List is who may speak for which tables.
type List struct {
	// Off says that the list is kept and not enforced.
	Off     bool     `json:"off,omitempty"`
	Senders []Sender `json:"senders"`
}

// ErrNotListed says that there is no such sender.
var ErrNotListed = errors.New("there is no such sender in the list")

// ParamsError says what is wrong with a sender that was to be listed.
type ParamsError struct{ message string }

func (e *ParamsError) Error() string { return e.message }

// isID are the unique ids of IAM; of a role without the session that a colon begins.
var isID = regexp.MustCompile(`^[A-Z0-9]{12,128}$`)

var isTable = regexp.MustCompile(`^([A-Za-z0-9._-]{1,64}|[A-Za-z0-9._-]{0,63}\*)$`)

// Principal is who stands behind a SenderId: the user, or the role without its session,
// whose name whoever takes the role chooses.
func Principal(senderID string) string {
	principal, _, _ := strings.Cut(senderID, ":")
	return principal
}

// allows reports whether a sender may speak for a table.
func (l *List) allows(senderID, table string) bool {
	if l == nil || l.Off {
		return true
	}
	at := slices.IndexFunc(l.Senders, func(s Sender) bool { return s.ID == Principal(senderID) })
	return at >= 0 && slices.ContainsFunc(l.Senders[at].Tables, func(pattern string) bool {
		beginning, isOpen := strings.CutSuffix(pattern, "*")
		return table == pattern || isOpen && strings.HasPrefix(table, beginning)
	})
}

// load reads the list and its version; nil where there is none.
func load(ctx context.Context, table *store.Table) (*List, int64, error) {
	list, item, err := store.Read[List](ctx, table, store.SendersKey, store.SendersKey)
	if err != nil || item.Version == 0 {
		return nil, 0, err
	}
	return &list, item.Version, nil
}

// Store changes the list.
type Store struct {
	Table *store.Table
	Now   func() settlement.Instant
}

// List returns the list, nil where there is none.
func (s *Store) List(ctx context.Context) (*List, error) {
	list, _, err := load(ctx, s.Table)
	return list, err
}

// Allow lists a sender with the tables that it may speak for, in the place of those that it
// had. Within ten seconds that holds everywhere.
func (s *Store) Allow(ctx context.Context, id string, tables []string, note string) (*List, error) {
	switch {
	case !isID.MatchString(id):
		return nil, &ParamsError{message: fmt.Sprintf("%.80q is no id of a sender: write that of a role or a user, such as AROAEXAMPLEEXAMPLEID", id)}
	case len(tables) == 0 || len(tables) > maxTables:
		return nil, &ParamsError{message: fmt.Sprintf("a sender speaks for 1 to %d tables", maxTables)}
	case len(note) > 200:
		return nil, &ParamsError{message: "a note has at most 200 bytes"}
	}
	for _, table := range tables {
		if !isTable.MatchString(table) {
			return nil, &ParamsError{message: fmt.Sprintf("%.80q is no table: write its name, the beginning of names and *, or * for all", table)}
		}
	}
	return s.change(ctx, func(list *List) error {
		list.Senders = slices.DeleteFunc(list.Senders, func(s Sender) bool { return s.ID == id })
		list.Senders = append(list.Senders, Sender{ID: id, Tables: tables, Note: note, Changed: s.Now()})
		return nil
	})
}

// Remove takes a sender from the list. Where none is left nobody may send.
func (s *Store) Remove(ctx context.Context, id string) (*List, error) {
	return s.change(ctx, func(list *List) error {
		before := len(list.Senders)
		list.Senders = slices.DeleteFunc(list.Senders, func(s Sender) bool { return s.ID == id })
		if len(list.Senders) == before {
			return fmt.Errorf("%.128s: %w", id, ErrNotListed)
		}
		return nil
	})
}

// Enforce says whether the list is enforced; one that is not is kept.
func (s *Store) Enforce(ctx context.Context, enforced bool) (*List, error) {
	return s.change(ctx, func(list *List) error {
		list.Off = !enforced
		return nil
	})
}

// change changes the list by compare-and-swap.
func (s *Store) change(ctx context.Context, change func(*List) error) (*List, error) {
	for try := range 10 {
		list, version, err := load(ctx, s.Table)
		if err != nil {
			return nil, err
		}
		if list == nil {
			list = &List{}
		}
		if err := change(list); err != nil {
			return nil, err
		}
		body := store.Encode(list)
		if len(list.Senders) > maxSenders || len(body) > maxBytes {
			return nil, &ParamsError{message: fmt.Sprintf("the list would have %d senders in %d bytes, at most %d in %d are taken: list beginnings of names",
				len(list.Senders), len(body), maxSenders, maxBytes)}
		}
		err = s.Table.Replace(ctx, store.Item{PK: store.SendersKey, SK: store.SendersKey, Body: body, Version: version + 1})
		if !errors.Is(err, store.ErrChanged) {
			return list, err
		}
		if err := store.Pause(ctx, try); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("others change the list of senders all the time: try again")
}

// Checker tells who may speak for a table, by what it read of the list at most ten seconds
// ago. It may be used by several goroutines.
type Checker struct {
	Table *store.Table
	Now   func() settlement.Instant

	mutex  sync.Mutex
	list   *List
	readAt settlement.Instant
}

// MaySpeak reports whether the sender of a message may speak for a table. Where the list
// can't be read nobody is let in or refused: the message comes again.
func (c *Checker) MaySpeak(ctx context.Context, senderID, table string) (bool, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if now := c.Now(); c.readAt == 0 || now < c.readAt || now-c.readAt >= rememberFor {
		list, _, err := load(ctx, c.Table)
		if err != nil {
			return false, fmt.Errorf("reading the list of senders: %w", err)
		}
		c.list, c.readAt = list, now
	}
	return c.list.allows(senderID, table), nil
}
