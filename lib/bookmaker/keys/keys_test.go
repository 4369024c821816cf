package keys_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/dynamotest"
	"tally/lib/bookmaker/keys"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// clock is a time that tests move.
type clock struct{ at settlement.Instant }

func (c *clock) now() settlement.Instant { return c.at }

func (c *clock) pass(d time.Duration) { c.at += settlement.Instant(d.Milliseconds()) }

func newStore(t *testing.T) (*keys.Registry, *keys.Checker, *clock) {
	t.Helper()
	db := dynamotest.Kumo(t)
	table := store.New(db.Client, db.Table(t))
	c := &clock{at: 1_790_000_000_000}
	return &keys.Registry{Table: table, Now: c.now}, &keys.Checker{Table: table, Now: c.now}, c
}

// answer is what a check comes to: the bookmaker, or the code of the refusal.
func answer(t *testing.T, c *keys.Checker, token, scope string) string {
	t.Helper()
	grant, err := c.Check(context.Background(), token, scope)
	denied := (*keys.DeniedError)(nil)
	if errors.As(err, &denied) {
		return denied.Code
	}
	if err != nil {
		t.Fatal(err)
	}
	return grant.Bookmaker
}

func TestCheck(t *testing.T) {
	s, c, at := newStore(t)
	token, key, err := s.Create(t.Context(), keys.KeyParams{Bookmaker: "a_c.me-1", Scopes: []string{keys.BetsRead}, ExpiresAt: at.now() + 3_600_000})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(key.Hash, token) || !strings.HasPrefix(token, "tly_a_c.me-1_"+key.ID+"_") {
		t.Errorf("the key %s has id %s and hash %s", token, key.ID, key.Hash)
	}
	flipped := []byte(token)
	flipped[len(flipped)-20] ^= 1
	for _, test := range []struct{ name, token, scope, want string }{
		{"right", token, keys.BetsRead, "a_c.me-1"},
		{"no scope needed", token, "", "a_c.me-1"},
		{"other scope", token, keys.BetsWrite, keys.CodeScope},
		{"none", "", "", keys.CodeMissing},
		{"cut", token[:len(token)-1], "", keys.CodeUnknown},
		{"mistyped", string(flipped), "", keys.CodeUnknown},
		{"no key", "tly_", "", keys.CodeUnknown},
		{"something else", "Basic abc", "", keys.CodeUnknown},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := answer(t, c, test.token, test.scope); got != test.want {
				t.Errorf("%s: %s, not %s", test.name, got, test.want)
			}
		})
	}
	at.pass(time.Hour)
	if got := answer(t, c, token, keys.BetsRead); got != keys.CodeExpired {
		t.Errorf("after its end: %s", got)
	}
}

// TestUnknown takes keys that are well made and not stored, or stored of another
// bookmaker.
func TestUnknown(t *testing.T) {
	s, _, _ := newStore(t)
	elsewhere, c, _ := newStore(t)
	token, _, err := s.Create(t.Context(), keys.KeyParams{Bookmaker: "acme", Scopes: keys.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	if got := answer(t, c, token, ""); got != keys.CodeUnknown {
		t.Errorf("a key of another table: %s", got)
	}
	if list, err := elsewhere.List(t.Context(), "acme"); err != nil || len(list) != 0 {
		t.Errorf("%v, %v, want no error and len(list) = 0", list, err)
	}
}

func TestRevokedWithinAMinute(t *testing.T) {
	s, c, at := newStore(t)
	token, key, err := s.Create(t.Context(), keys.KeyParams{Bookmaker: "acme", Scopes: keys.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	if got := answer(t, c, token, ""); got != "acme" {
		t.Fatalf("the key opens %s, want acme", got)
	}
	for range 2 { // again changes nothing
		if _, err := s.Revoke(t.Context(), "acme", key.ID); err != nil {
			t.Fatal(err)
		}
	}
	at.pass(31 * time.Second)
	if got := answer(t, c, token, ""); got != keys.CodeRevoked {
		t.Errorf("31 seconds after it was revoked: %s", got)
	}
	if _, err := s.Revoke(t.Context(), "acme", "nosuchkey"); !errors.Is(err, keys.ErrUnknown) {
		t.Errorf("an unknown key: %v", err)
	}
}

func TestRotateWithOverlap(t *testing.T) {
	s, c, at := newStore(t)
	before, key, err := s.Create(t.Context(), keys.KeyParams{Bookmaker: "acme", Scopes: []string{keys.FeedRead}, Note: "feed reader"})
	if err != nil {
		t.Fatal(err)
	}
	after, next, err := s.Rotate(t.Context(), "acme", key.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if next.Note != key.Note || len(next.Scopes) != 1 || next.ID == key.ID {
		t.Errorf("%+v is not as %+v", next, key)
	}
	both := answer(t, c, before, keys.FeedRead) + " " + answer(t, c, after, keys.FeedRead)
	at.pass(time.Hour)
	then := answer(t, c, before, keys.FeedRead) + " " + answer(t, c, after, keys.FeedRead)
	if both != "acme acme" || then != "key_expired acme" {
		t.Errorf("both: %s; after the overlap: %s", both, then)
	}
	if _, _, err := s.Rotate(t.Context(), "acme", key.ID, time.Hour); err == nil {
		t.Error("an expired key was rotated")
	}
	list, err := s.List(t.Context(), "acme")
	if err != nil || len(list) != 2 {
		t.Errorf("%d keys, %v", len(list), err)
	}
}

func TestWhatNoKeyCanBe(t *testing.T) {
	s, _, at := newStore(t)
	for _, params := range []keys.KeyParams{
		{Bookmaker: "a#b", Scopes: keys.Scopes()},
		{Bookmaker: "acme"},
		{Bookmaker: "acme", Scopes: []string{"bets:all"}},
		{Bookmaker: "acme", Scopes: keys.Scopes(), ExpiresAt: at.now()},
		{Bookmaker: "acme", Scopes: keys.Scopes(), Note: strings.Repeat("x", 201)},
	} {
		t.Run(params.Bookmaker, func(t *testing.T) {
			if _, _, err := s.Create(t.Context(), params); err == nil {
				t.Errorf("made %+v", params)
			}
		})
	}
}

func TestSettings(t *testing.T) {
	s, c, at := newStore(t)
	token, _, err := s.Create(t.Context(), keys.KeyParams{Bookmaker: "acme", Scopes: keys.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	if got := answer(t, c, token, ""); got != "acme" {
		t.Fatalf("the key opens %s, want acme", got)
	}
	if _, err := s.Set(t.Context(), "acme", func(set *keys.Settings) { set.MaxStake = map[string]string{"EUR": "5"} }); err == nil {
		t.Error("a limit without decimals was set")
	}
	if _, err := s.Set(t.Context(), "acme", func(set *keys.Settings) {
		set.Rounding, set.MaxStake = "down", map[string]string{"EUR": "50.00"}
	}); err != nil {
		t.Fatal(err)
	}
	at.pass(30 * time.Second)
	if got := answer(t, c, token, ""); got != "acme" {
		t.Fatalf("the key opens %s, want acme", got)
	}
	if made := c.Terms("acme"); made.MaxStake["EUR"] != 5000 || made.Rounding.String() != "down" {
		t.Errorf("%+v, want made.MaxStake[\"EUR\"] = 5000 and made.Rounding.String() = \"down\"", made)
	}
	for name, set := range map[string]keys.Settings{
		"no amount":               {MinStake: map[string]string{"EUR": "1"}},
		"no game":                 {Games: map[string]keys.StakeLimits{"chess": {}}},
		"no currency of a game":   {Games: map[string]keys.StakeLimits{"dice": {MaxStake: map[string]string{"XXX": "1.00"}}}},
		"least above the largest": {MinStake: map[string]string{"EUR": "2.00"}, MaxStake: map[string]string{"EUR": "1.00"}},
		"least of a game above the largest of all": {MaxStake: map[string]string{"EUR": "1.00"}, Games: map[string]keys.StakeLimits{"dice": {MinStake: map[string]string{"EUR": "2.00"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := set.Terms(); err == nil {
				t.Errorf("settings with %s are taken", name)
			}
		})
	}
	both, err := keys.Settings{MinStake: map[string]string{"EUR": "1.00"}, Games: map[string]keys.StakeLimits{"dice": {MaxStake: map[string]string{"EUR": "2.00"}}}}.Terms()
	if least, most := both.Bounds("dice", "EUR"); err != nil || least != 100 || most != 200 {
		t.Errorf("stakes on dice from %d to %d, want 100 to 200: %v", least, most, err)
	}
	if least, most := both.Bounds("roulette", "EUR"); least != 100 || most != 0 {
		t.Errorf("stakes on roulette from %d to %d, want from 100 without end", least, most)
	}
	read, err := s.Settings(t.Context(), "acme")
	if err != nil || read.RequestsPerSecond == 0 || read.MaxStake["EUR"] != "50.00" {
		t.Errorf("%+v, %v, want no error and read.RequestsPerSecond other than 0 and read.MaxStake[\"EUR\"] = \"50.00\"", read, err)
	}
}
