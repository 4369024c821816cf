package keys

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tally/lib/draw/ids"
	"tally/lib/draw/instant"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// The scopes.
const (
	BetsWrite     = "bets:write"     // place and cancel
	BetsRead      = "bets:read"      // draws, bets, totals of a draw, settings
	FeedRead      = "feed:read"      // the feed, its reports, totals of days
	DisputesWrite = "disputes:write" // disputes
)

// Scopes returns all scopes, in the order in which they are listed.
func Scopes() []string { return []string{BetsWrite, BetsRead, FeedRead, DisputesWrite} }

// Key is what is stored of an API key.
type Key struct {
	ID        string             `json:"id"`
	Bookmaker string             `json:"bookmaker"`
	Hash      string             `json:"hash"` // SHA-256 of the whole key, in hex
	Scopes    []string           `json:"scopes"`
	Note      string             `json:"note,omitempty"` // what it is for; the operator's words
	CreatedAt settlement.Instant `json:"created_at"`
	ExpiresAt settlement.Instant `json:"expires_at,omitempty"` // zero for never
	RevokedAt settlement.Instant `json:"revoked_at,omitempty"`
	// ReplacedBy is the key that it was rotated to.
	ReplacedBy string `json:"replaced_by,omitempty"`
}

// State says in a word what a key is worth at a time: active, expired or revoked.
func (k *Key) State(at settlement.Instant) string {
	switch {
	case k.RevokedAt != 0:
		return "revoked"
	case k.ExpiresAt != 0 && at >= k.ExpiresAt:
		return "expired"
	}
	return "active"
}

// Registry makes and changes keys. Only operators do.
type Registry struct {
	Table *store.Table
	Now   func() settlement.Instant
}

// KeyParams is a key to be made.
type KeyParams struct {
	Bookmaker string
	Scopes    []string
	Note      string
	ExpiresAt settlement.Instant // zero for never
}

// ErrUnknown says that there is no such key.
var ErrUnknown = errors.New("there is no such key")

// ParamsError refuses a key or settings that an operator asked for, before anything is
// written. Its text is what the operator reads.
type ParamsError struct{ Reason string }

func (e *ParamsError) Error() string { return e.Reason }

func wrong(format string, args ...any) error {
	return &ParamsError{Reason: fmt.Sprintf(format, args...)}
}

// maxNote is the longest note, in bytes.
const maxNote = 200

// Create makes a key and returns it; it can't be seen again.
func (s *Registry) Create(ctx context.Context, params KeyParams) (token string, key *Key, err error) {
	if err := s.check(params); err != nil {
		return "", nil, err
	}
	token, key = s.make(params)
	if err := s.Table.Transact(ctx, put(key, 1)); err != nil {
		return "", nil, fmt.Errorf("making a key of %s: %w", params.Bookmaker, err)
	}
	return token, key, nil
}

func (s *Registry) check(params KeyParams) error {
	if !ids.ValidNew(params.Bookmaker) {
		return wrong("%.80q is no bookmaker: write 1 to 64 of A-Z a-z 0-9 . _ -", params.Bookmaker)
	}
	if len(params.Scopes) == 0 {
		return wrong("name at least one scope: %s", strings.Join(Scopes(), ", "))
	}
	for _, scope := range params.Scopes {
		if !slices.Contains(Scopes(), scope) {
			return wrong("there is no scope %.40q, only %s", scope, strings.Join(Scopes(), ", "))
		}
	}
	if len(params.Note) > maxNote {
		return wrong("the note has %d bytes, at most %d are allowed", len(params.Note), maxNote)
	}
	if params.ExpiresAt != 0 && params.ExpiresAt <= s.Now() {
		return wrong("the key would expire at %s, which is past", instant.Format(params.ExpiresAt))
	}
	return nil
}

// make makes a key that is not stored yet.
func (s *Registry) make(params KeyParams) (string, *Key) {
	token, id := newToken(params.Bookmaker)
	scopes := slices.Clone(params.Scopes)
	slices.Sort(scopes)
	return token, &Key{ID: id, Bookmaker: params.Bookmaker, Hash: hashOf(token), Scopes: slices.Compact(scopes), Note: params.Note,
		CreatedAt: s.Now(), ExpiresAt: params.ExpiresAt}
}

// put writes a key as a version.
func put(key *Key, version int64) store.Write {
	return store.Replacing(store.Item{PK: store.BookmakerKey(key.Bookmaker), SK: store.APIKeyKey(key.ID), Body: store.Encode(key), Version: version})
}

// List returns a bookmaker's keys, the newest first.
func (s *Registry) List(ctx context.Context, bookmaker string) ([]*Key, error) {
	var list []*Key
	for item, err := range s.Table.Query(ctx, store.BookmakerKey(bookmaker), store.APIKeyPrefix) {
		if err != nil {
			return nil, err
		}
		key, err := store.Decode[Key](item)
		if err != nil {
			return nil, err
		}
		list = append(list, key)
	}
	slices.SortFunc(list, func(a, b *Key) int {
		if a.CreatedAt != b.CreatedAt {
			return int(b.CreatedAt - a.CreatedAt)
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, nil
}

// get reads a key and its version.
func (s *Registry) get(ctx context.Context, bookmaker, id string) (*Key, int64, error) {
	if !ids.Valid(bookmaker) || !ids.Valid(id) {
		return nil, 0, ErrUnknown
	}
	item, found, err := s.Table.Get(ctx, store.BookmakerKey(bookmaker), store.APIKeyKey(id))
	if err != nil {
		return nil, 0, err
	}
	if !found {
		return nil, 0, ErrUnknown
	}
	key, err := store.Decode[Key](item)
	return key, item.Version, err
}

// Rotate makes a key in the place of another, which goes on working for a while.
// Both happen or neither.
func (s *Registry) Rotate(ctx context.Context, bookmaker, id string, overlap time.Duration) (token string, key *Key, err error) {
	old, version, err := s.get(ctx, bookmaker, id)
	if err != nil {
		return "", nil, err
	}
	if state := old.State(s.Now()); state != "active" {
		return "", nil, fmt.Errorf("key %s is %s: make a new one", id, state)
	}
	token, key = s.make(KeyParams{Bookmaker: bookmaker, Scopes: old.Scopes, Note: old.Note, ExpiresAt: old.ExpiresAt})
	end := s.Now() + settlement.Instant(overlap.Milliseconds())
	if old.ExpiresAt == 0 || end < old.ExpiresAt {
		old.ExpiresAt = end
	}
	old.ReplacedBy = key.ID
	if err := s.Table.Transact(ctx, put(key, 1), put(old, version+1)); err != nil {
		return "", nil, fmt.Errorf("rotating key %s of %s: %w", id, bookmaker, err)
	}
	return token, key, nil
}

// Revoke ends a key. Within 30 seconds it is refused everywhere. Revoking it again
// changes nothing.
func (s *Registry) Revoke(ctx context.Context, bookmaker, id string) (*Key, error) {
	key, version, err := s.get(ctx, bookmaker, id)
	if err != nil || key.RevokedAt != 0 {
		return key, err
	}
	key.RevokedAt = s.Now()
	if err := s.Table.Transact(ctx, put(key, version+1)); err != nil {
		return nil, fmt.Errorf("revoking key %s of %s: %w", id, bookmaker, err)
	}
	return key, nil
}
