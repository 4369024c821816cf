package keys

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// rememberFor is how long what was read of a key and its bookmaker's settings is
// used, in milliseconds.
const rememberFor = 30_000

// maxKeys is how many keys are remembered.
const maxKeys = 4096

// Keys that are not remembered are looked up so often a second, and so many at once,
// in each process: who makes up keys can have the table read no more often. What is
// remembered is not bound by it.
const (
	lookupsPerSecond = 20
	lookupsAtOnce    = 200
)

// ErrTooMany says that a key was not looked up, since too many were that this process
// did not know.
var ErrTooMany = errors.New("too many unknown keys")

// The reasons to deny a request.
const (
	CodeMissing = "key_missing"
	CodeUnknown = "key_unknown"
	CodeExpired = "key_expired"
	CodeRevoked = "key_revoked"
	CodeScope   = "scope_missing"
)

// DeniedError says why a key does not open what was asked for.
type DeniedError struct {
	Code  string
	ID    string // of the key, where there is one
	Scope string // that is missing, with CodeScope
}

func (e *DeniedError) Error() string { return e.Code }

// Grant is what a key opens.
type Grant struct {
	Bookmaker string
	KeyID     string
	Scopes    []string
	Settings  Settings // with the defaults filled in

	expiresAt settlement.Instant
	revoked   bool
	readAt    settlement.Instant
}

// Checker checks the keys of requests.
type Checker struct {
	Table *store.Table
	Now   func() settlement.Instant

	mutex   sync.Mutex
	lookups *rate.Limiter                // of keys that are not remembered
	grants  map[[sha256.Size]byte]*Grant // of keys that are known
	terms   map[string]money.Terms       // of every bookmaker whose key was read, as read last
}

// Check returns what a key opens, if it opens the scope (empty for none needed).
// The error is a *DeniedError, or says that the table could not be read.
func (c *Checker) Check(ctx context.Context, token, scope string) (*Grant, error) {
	if token == "" {
		return nil, &DeniedError{Code: CodeMissing}
	}
	bookmaker, id, ok := parseToken(token)
	if !ok {
		return nil, &DeniedError{Code: CodeUnknown}
	}
	grant, err := c.grant(ctx, token, bookmaker, id)
	if err != nil {
		return nil, err
	}
	switch {
	case grant == nil:
		return nil, &DeniedError{Code: CodeUnknown}
	case grant.revoked:
		return nil, &DeniedError{Code: CodeRevoked, ID: id}
	case grant.expiresAt != 0 && c.Now() >= grant.expiresAt:
		return nil, &DeniedError{Code: CodeExpired, ID: id}
	case scope != "" && !slices.Contains(grant.Scopes, scope):
		return nil, &DeniedError{Code: CodeScope, ID: id, Scope: scope}
	}
	return grant, nil
}

// grant returns what is known of a key, read at most rememberFor ago; nil for an
// unknown one.
func (c *Checker) grant(ctx context.Context, token, bookmaker, id string) (*Grant, error) {
	hash, now := sha256.Sum256([]byte(token)), c.Now()
	c.mutex.Lock()
	known := c.grants[hash]
	c.mutex.Unlock()
	if known != nil && now-known.readAt < rememberFor && now >= known.readAt {
		return known, nil
	}
	if known == nil && !c.mayLookUp(now) {
		return nil, ErrTooMany
	}
	grant, err := c.read(ctx, token, bookmaker, id, now)
	if err != nil || grant == nil {
		return nil, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.grants == nil || len(c.grants) >= maxKeys {
		c.grants = map[[sha256.Size]byte]*Grant{}
	}
	c.grants[hash] = grant
	return grant, nil
}

// mayLookUp takes one look-up of a key that is not remembered.
func (c *Checker) mayLookUp(now settlement.Instant) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.lookups == nil {
		c.lookups = rate.NewLimiter(lookupsPerSecond, lookupsAtOnce)
	}
	return c.lookups.AllowN(time.UnixMilli(int64(now)), 1)
}

// read reads a key and its bookmaker's settings.
func (c *Checker) read(ctx context.Context, token, bookmaker, id string, now settlement.Instant) (*Grant, error) {
	item, found, err := c.Table.Get(ctx, store.BookmakerKey(bookmaker), store.APIKeyKey(id))
	if err != nil || !found {
		return nil, err
	}
	key, err := store.Decode[Key](item)
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare([]byte(key.Hash), []byte(hashOf(token))) != 1 {
		return nil, nil
	}
	settings, _, err := loadSettings(ctx, c.Table, bookmaker)
	if err != nil {
		return nil, err
	}
	if err := c.remember(bookmaker, settings); err != nil {
		return nil, err
	}
	return &Grant{Bookmaker: bookmaker, KeyID: id, Scopes: key.Scopes, Settings: settings.withDefaults(), expiresAt: key.ExpiresAt,
		revoked: key.RevokedAt != 0, readAt: now}, nil
}

func (c *Checker) remember(bookmaker string, settings Settings) error {
	made, err := settings.Terms()
	if err != nil {
		return fmt.Errorf("the settings of %s: %w", bookmaker, err)
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.terms == nil {
		c.terms = map[string]money.Terms{}
	}
	c.terms[bookmaker] = made
	return nil
}

// Terms returns those of a bookmaker whose key was checked.
func (c *Checker) Terms(bookmaker string) money.Terms {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.terms[bookmaker]
}
