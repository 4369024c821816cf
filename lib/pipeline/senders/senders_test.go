package senders_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/pipeline/senders"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

const role = "AROAEXAMPLEEXAMPLEID"

func newStore(t *testing.T) (*senders.Store, *settlement.Instant) {
	now := settlement.Instant(1_796_040_000_000)
	return &senders.Store{Table: store.New(fakedynamo.New(t, "table"), "table"), Now: func() settlement.Instant { return now }}, &now
}

// What is read of the list is used for ten seconds, and read again when the clock goes back.
func TestRemembered(t *testing.T) {
	s, now := newStore(t)
	checker := &senders.Checker{Table: s.Table, Now: s.Now}
	check := func(want bool) {
		t.Helper()
		if may, err := checker.MaySpeak(t.Context(), role, "war-1"); err != nil || may != want {
			t.Errorf("may speak: %v, want %v, %v", may, want, err)
		}
	}
	check(true) // no list
	if _, err := s.Allow(t.Context(), "AROAEXAMPLEOFANOTHER", []string{"*"}, ""); err != nil {
		t.Fatal(err)
	}
	*now += 9_999
	check(true)
	*now++
	check(false)
	if _, err := s.Allow(t.Context(), role, []string{"war-1"}, ""); err != nil {
		t.Fatal(err)
	}
	*now -= 1
	check(true)
}

// The list is one item: what would not fit is refused, and leaves it as it was.
func TestLimits(t *testing.T) {
	s, _ := newStore(t)
	tables := make([]string, 200)
	for i := range tables {
		tables[i] = fmt.Sprintf("%064d", i)
	}
	var refused *senders.ParamsError
	taken := 0
	for i := range 500 {
		if _, err := s.Allow(t.Context(), fmt.Sprintf("AROAEXAMPLE%09d", i), tables, ""); errors.As(err, &refused) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		taken++
	}
	// 300,000 bytes hold 22 senders of 200 tables with 67 bytes each.
	if list, err := s.List(t.Context()); taken != 22 || err != nil || len(list.Senders) != 22 {
		t.Errorf("%d senders were taken, %+v, %v", taken, refused, err)
	}
	for name, params := range map[string]struct {
		id     string
		tables []string
		note   string
	}{
		"a session":       {role + ":session", []string{"*"}, ""},
		"an ARN":          {"arn:aws:iam::123456789012:role/studio", []string{"*"}, ""},
		"no table":        {role, nil, ""},
		"too many tables": {role, append(tables, "more"), ""},
		"no name":         {role, []string{"a*b"}, ""},
		"a long note":     {role, []string{"*"}, strings.Repeat("n", 201)},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := s.Allow(t.Context(), params.id, params.tables, params.note); !errors.As(err, &refused) {
				t.Errorf("it is taken: %v", err)
			}
		})
	}
	if _, err := s.Remove(t.Context(), role); !errors.Is(err, senders.ErrNotListed) {
		t.Errorf("removing who is not listed: %v", err)
	}
}
