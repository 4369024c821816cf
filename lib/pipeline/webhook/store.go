package webhook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"tally/lib/draw/ids"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// The limits of a bookmaker's webhooks.
const (
	maxEndpoints = 3
	maxSecrets   = 3   // that sign at once
	maxNote      = 200 // bytes
)

// Store makes and changes endpoints. Only operators do.
type Store struct {
	Table *store.Table
	Now   func() settlement.Instant
	// Loopback allows endpoints on this machine, without TLS too.
	Loopback bool
}

// Params is an endpoint to be made.
type Params struct {
	Bookmaker string
	URL       string
	Note      string
	// After is the report after which it is notified; negative for the newest one.
	After int64
}

// ErrUnknown says that there is no such endpoint.
var ErrUnknown = errors.New("there is no such endpoint")

// Set makes an endpoint and returns it with its secret, which is shown now only.
// All of it is written at once or nothing is.
func (s *Store) Set(ctx context.Context, params Params) (*Endpoint, string, error) {
	if err := s.check(params); err != nil {
		return nil, "", err
	}
	secret := newSecret()
	made := &stored{Endpoint: Endpoint{ID: newID(), Bookmaker: params.Bookmaker, URL: params.URL, Note: params.Note,
		Secrets: []Secret{{Text: secret}}, CreatedAt: s.Now()}}
	err := s.change(ctx, params.Bookmaker, func(list []*stored, feed settle.Feed) ([]store.Write, error) {
		if known(list, made.ID) != nil {
			return nil, nil // this very change, whose answer was lost
		}
		if len(list) >= maxEndpoints {
			return nil, wrong("%s has %d endpoints, as many as are allowed: remove one", params.Bookmaker, len(list))
		}
		if other := at(list, params.URL); other != nil {
			return nil, wrong("endpoint %s of %s has this URL", other.ID, params.Bookmaker)
		}
		var err error
		if made.Position.Sequence, err = startAfter(params.After, feed); err != nil {
			return nil, err
		}
		return made.creating(feed, s.Now()), nil
	})
	if err != nil {
		return nil, "", fmt.Errorf("setting an endpoint of %s: %w", params.Bookmaker, err)
	}
	return &made.Endpoint, secret, nil
}

// creating are the writes of a new endpoint: itself, its position, its bookmaker
// in the list of those with webhooks, and settle's notice of it.
func (s *stored) creating(feed settle.Feed, now settlement.Instant) []store.Write {
	return []store.Write{store.Creating(s.endpointItem()), store.Creating(s.positionItem()), feed.SetPushed(true),
		store.Putting(store.Item{PK: store.HooksKey, SK: s.Bookmaker, StoredAt: now})}
}

// startAfter returns the report after which an endpoint is notified, the newest one
// for a negative number.
func startAfter(after int64, feed settle.Feed) (int64, error) {
	if after > feed.Newest {
		return 0, wrong("the newest report is %d: reports after %d are not there yet", feed.Newest, after)
	}
	if after < 0 {
		return feed.Newest, nil
	}
	return after, nil
}

func (s *Store) check(params Params) error {
	if !ids.ValidNew(params.Bookmaker) {
		return wrong("%.80q is no bookmaker: write 1 to 64 of A-Z a-z 0-9 . _ -", params.Bookmaker)
	}
	if len(params.Note) > maxNote {
		return wrong("the note has %d bytes, at most %d are allowed", len(params.Note), maxNote)
	}
	return checkURL(params.URL, s.Loopback)
}

// known returns the endpoint of an id, nil for none.
func known(list []*stored, id string) *stored {
	for _, e := range list {
		if e.ID == id {
			return e
		}
	}
	return nil
}

// at returns the endpoint with a URL, nil for none.
func at(list []*stored, url string) *stored {
	for _, e := range list {
		if e.URL == url {
			return e
		}
	}
	return nil
}

// change makes the writes that a bookmaker's endpoints call for as they are. The
// end of the feed is written with them, so that of two changes at a time the later
// one is made again; so it is when a report came meanwhile.
func (s *Store) change(ctx context.Context, bookmaker string, make func([]*stored, settle.Feed) ([]store.Write, error)) error {
	for try := range maxTries {
		feed, err := settle.ReadFeed(ctx, s.Table, bookmaker) // first: what changes after it is noticed
		if err != nil {
			return err
		}
		list, err := load(ctx, s.Table, bookmaker)
		if err != nil {
			return err
		}
		writes, err := make(list, feed)
		if err != nil {
			return err
		}
		if len(writes) == 0 {
			return nil
		}
		if err := s.Table.Transact(ctx, writes...); !errors.Is(err, store.ErrChanged) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(try+1) * 5 * time.Millisecond):
		}
	}
	return fmt.Errorf("others changed it %d times meanwhile: try again", maxTries)
}

// newID returns an endpoint's id: 13 letters and digits, 65 random bits.
func newID() string { return strings.ToLower(rand.Text()[:13]) }

// newSecret returns 256 random bits as Standard Webhooks writes them.
func newSecret() string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails: it ends the process instead
	return "whsec_" + base64.StdEncoding.EncodeToString(random)
}

// Status is an endpoint and how far it was notified.
type Status struct {
	Endpoint
	Position Position
	Newest   int64 // number of the bookmaker's newest report
}

// State says in a word how an endpoint stands: disabled, failing, behind or up to
// date.
func (s *Status) State() string {
	switch {
	case s.Position.Disabled != nil:
		return "disabled"
	case s.Position.Tries > 0:
		return "failing"
	case s.Position.Sequence < s.Newest:
		return "behind"
	}
	return "up to date"
}

// List returns a bookmaker's endpoints, in the order of their ids.
func (s *Store) List(ctx context.Context, bookmaker string) ([]*Status, error) {
	list, err := load(ctx, s.Table, bookmaker)
	if err != nil {
		return nil, err
	}
	feed, err := settle.ReadFeed(ctx, s.Table, bookmaker) // after the positions, so that none is beyond it
	if err != nil {
		return nil, err
	}
	statuses := make([]*Status, len(list))
	for i, e := range list {
		statuses[i] = &Status{Endpoint: e.Endpoint, Position: e.Position, Newest: feed.Newest}
	}
	return statuses, nil
}

// Get returns one of a bookmaker's endpoints.
func (s *Store) Get(ctx context.Context, bookmaker, id string) (*Status, error) {
	list, err := s.List(ctx, bookmaker)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if e.ID == id {
			return e, nil
		}
	}
	return nil, ErrUnknown
}

// Move sets another URL. Secrets and position stay.
func (s *Store) Move(ctx context.Context, bookmaker, id, url string) (*Endpoint, error) {
	if err := checkURL(url, s.Loopback); err != nil {
		return nil, err
	}
	return s.endpoint(ctx, bookmaker, id, func(list []*stored, e *Endpoint) error {
		if other := at(list, url); other != nil && other.ID != id {
			return wrong("endpoint %s of %s has this URL", other.ID, bookmaker)
		}
		e.URL = url
		return nil
	})
}

// Rotate makes another secret, which signs beside the others; those sign on for a
// while.
func (s *Store) Rotate(ctx context.Context, bookmaker, id string, overlap time.Duration) (string, *Endpoint, error) {
	secret := newSecret()
	e, err := s.endpoint(ctx, bookmaker, id, func(_ []*stored, e *Endpoint) error {
		end := s.Now() + settlement.Instant(overlap.Milliseconds())
		kept := []Secret{{Text: secret}}
		for _, old := range e.Signing(s.Now()) {
			if old.Text == secret {
				return nil // this very change, whose answer was lost
			}
			if old.Until == 0 || end < old.Until {
				old.Until = end
			}
			if overlap > 0 {
				kept = append(kept, old)
			}
		}
		if len(kept) > maxSecrets {
			return wrong("%d secrets of endpoint %s still sign, as many as are allowed beside a new one: wait, or end them with an overlap of 0 hours", len(kept)-1, id)
		}
		e.Secrets = kept
		return nil
	})
	return secret, e, err
}

// endpoint changes what is set for an endpoint.
func (s *Store) endpoint(ctx context.Context, bookmaker, id string, change func([]*stored, *Endpoint) error) (*Endpoint, error) {
	var changed *stored
	err := s.change(ctx, bookmaker, func(list []*stored, feed settle.Feed) ([]store.Write, error) {
		if changed = known(list, id); changed == nil {
			return nil, ErrUnknown
		}
		if err := change(list, &changed.Endpoint); err != nil {
			return nil, err
		}
		return []store.Write{store.Replacing(changed.endpointItem()), feed.SetPushed(true)}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("changing endpoint %s of %s: %w", id, bookmaker, err)
	}
	return &changed.Endpoint, nil
}

// Enable has an endpoint notified again, at once: within a minute. It goes on after the
// last report that was taken, or after another one (negative for the newest).
func (s *Store) Enable(ctx context.Context, bookmaker, id string, after *int64) error {
	return s.position(ctx, bookmaker, id, func(p *Position, feed settle.Feed) error {
		p.Disabled, p.Tries, p.Since, p.Next = nil, 0, 0, 0
		if after == nil && p.Sequence > feed.Newest {
			return wrong("it was told up to report %d, but the newest is %d: say with --after where it goes on", p.Sequence, feed.Newest)
		}
		if after == nil {
			return nil
		}
		start, err := startAfter(*after, feed)
		// A worker that has it now loses its claim: what it does no longer counts.
		p.Sequence, p.Worker, p.Until = start, "", 0
		return err
	})
}

// Disable ends the telling, within a minute. The position stays.
func (s *Store) Disable(ctx context.Context, bookmaker, id string) error {
	return s.position(ctx, bookmaker, id, func(p *Position, _ settle.Feed) error {
		if p.Disabled == nil {
			p.Disabled = &Disabled{At: s.Now(), Reason: DisabledOperator}
		}
		return nil
	})
}

// position changes how far an endpoint was notified.
func (s *Store) position(ctx context.Context, bookmaker, id string, change func(*Position, settle.Feed) error) error {
	err := s.change(ctx, bookmaker, func(list []*stored, feed settle.Feed) ([]store.Write, error) {
		e := known(list, id)
		if e == nil {
			return nil, ErrUnknown
		}
		if err := change(&e.Position, feed); err != nil {
			return nil, err
		}
		return []store.Write{store.Replacing(e.positionItem())}, nil
	})
	if err != nil {
		return fmt.Errorf("changing endpoint %s of %s: %w", id, bookmaker, err)
	}
	return nil
}

// Remove ends an endpoint for good; after the last one settle asks for nothing any
// more. What was sent stays in the list until it expires.
func (s *Store) Remove(ctx context.Context, bookmaker, id string) error {
	tried := false
	err := s.change(ctx, bookmaker, func(list []*stored, feed settle.Feed) ([]store.Write, error) {
		switch {
		case known(list, id) == nil && tried:
			return nil, nil // by this very change, whose answer was lost
		case known(list, id) == nil:
			return nil, ErrUnknown
		}
		tried = true
		writes := []store.Write{store.Deleting(store.BookmakerKey(bookmaker), store.HookKey(id)),
			store.Deleting(store.BookmakerKey(bookmaker), store.HookPositionKey(id)), feed.SetPushed(len(list) > 1)}
		if len(list) == 1 {
			writes = append(writes, store.Deleting(store.HooksKey, bookmaker))
		}
		return writes, nil
	})
	if err != nil {
		return fmt.Errorf("removing endpoint %s of %s: %w", id, bookmaker, err)
	}
	return nil
}

// Deliveries returns the last tries to tell an endpoint, the newest first. They are
// kept for thirty days.
func (s *Store) Deliveries(ctx context.Context, bookmaker, id string, limit int) ([]Try, error) {
	return readTries(ctx, s.Table, bookmaker, id, limit)
}

// Test sends an endpoint a message of the type webhook.test, once, and returns what
// came of it. It changes nothing.
func (s *Store) Test(ctx context.Context, sender Sends, bookmaker, id string) (Outcome, error) {
	e, err := s.Get(ctx, bookmaker, id)
	if err != nil {
		return Outcome{}, err
	}
	now := s.Now()
	m, err := testMessage(&e.Endpoint, now, strings.ToLower(rand.Text()[:13]))
	if err != nil {
		return Outcome{}, err
	}
	return sender.Send(ctx, &e.Endpoint, m, time.UnixMilli(int64(now)))
}
