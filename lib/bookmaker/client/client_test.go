package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/bookmaker/client"
)

// newClient returns a client of a handler that does not wait long.
func newClient(t *testing.T, handler http.HandlerFunc) *client.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := client.New(server.URL+"/", "tly_test")
	if err != nil {
		t.Fatal(err)
	}
	c.Backoff = time.Millisecond
	return c
}

func respond(w http.ResponseWriter, status int, value any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// TestSentAgain loses answers and answers that it can't be done now, until it is.
func TestSentAgain(t *testing.T) {
	var tries atomic.Int32
	c := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPut || r.URL.Path != "/v1/draws/d.1/bets/b-1" || r.Header.Get("Authorization") != "Bearer tly_test" {
			t.Errorf("%s %s %v, want r.Method = http.MethodPut and r.URL.Path = \"/v1/draws/d.1/bets/b-1\" and r.Header.Get(\"Authorization\") = \"Bearer tly_test\"",
				r.Method, r.URL, r.Header)
		}
		var bet v1.BetRequest
		if err := json.NewDecoder(r.Body).Decode(&bet); err != nil || bet.Stake != "5.00" {
			t.Errorf("%+v, %v, want no error and bet.Stake = \"5.00\"", bet, err)
		}
		switch tries.Add(1) {
		case 1:
			panic(http.ErrAbortHandler) // no answer at all
		case 2:
			respond(w, http.StatusServiceUnavailable, v1.Problem{Code: "unavailable"})
		case 3:
			respond(w, http.StatusBadGateway, map[string]string{"message": "API Gateway's own"})
		default:
			respond(w, http.StatusCreated, v1.Bet{Reference: "b-1", Status: "accepted"})
		}
	})
	bet, err := c.PlaceBet(t.Context(), "d.1", "b-1", v1.BetRequest{Selection: "red", Stake: "5.00", Currency: "EUR"})
	if err != nil || bet.Status != "accepted" || tries.Load() != 4 {
		t.Errorf("%+v, %v after %d tries", bet, err, tries.Load())
	}
}

func TestRetryAfter(t *testing.T) {
	var tries atomic.Int32
	c := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
		if tries.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			respond(w, http.StatusTooManyRequests, v1.Problem{Code: "too_many_requests"})
			return
		}
		respond(w, http.StatusOK, v1.Settings{Bookmaker: "acme"})
	})
	started := time.Now()
	if _, err := c.Settings(t.Context()); err != nil || time.Since(started) < time.Second {
		t.Errorf("%v after %v", err, time.Since(started))
	}
}

// TestErrors has an answer that will not change: it is returned at once.
func TestErrors(t *testing.T) {
	var tries atomic.Int32
	c := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
		tries.Add(1)
		respond(w, http.StatusConflict, v1.Problem{Code: "odds_changed", Status: 409, Detail: "others", CurrentOdds: "2.50", RequestID: "r-1"})
	})
	_, err := c.PlaceBet(t.Context(), "d", "b", v1.BetRequest{})
	var problem *client.Error
	if !errors.As(err, &problem) || problem.CurrentOdds != "2.50" || client.Code(err) != "odds_changed" || err.Error() != "odds_changed: others (request r-1)" || tries.Load() != 1 {
		t.Errorf("%v after %d tries", err, tries.Load())
	}
	if client.Code(errors.New("x")) != "" {
		t.Error("a code of no answer")
	}
	for _, base := range []string{"", "tally.example", "ftp://tally.example", "://"} {
		t.Run(base, func(t *testing.T) {
			if _, err := client.New(base, "k"); err == nil {
				t.Errorf("%q is a URL", base)
			}
		})
	}
}

// TestPositionAhead has a feed end before the number that is asked for.
func TestPositionAhead(t *testing.T) {
	newest := int64(0)
	c := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
		respond(w, http.StatusConflict, v1.Problem{Code: "position_ahead", Status: 409, Detail: "there is no report 9", Newest: &newest})
	})
	check := func(what string, err error) {
		t.Helper()
		var ahead *client.PositionAheadError
		if !errors.As(err, &ahead) || ahead.Newest != 0 || client.Code(err) != "position_ahead" || client.Undecided(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, err := range c.Follow(t.Context(), 9, time.Millisecond) {
		check("following", err)
	}
	for _, err := range c.Reports(t.Context(), 9) {
		check("reading", err)
	}
	check("acknowledging", c.Acknowledge(t.Context(), 9))
}

func TestGivesUp(t *testing.T) {
	var tries atomic.Int32
	c := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
		tries.Add(1)
		respond(w, http.StatusInternalServerError, v1.Problem{Code: "internal"})
	})
	if _, err := c.Games(t.Context()); client.Code(err) != "internal" || int(tries.Load()) != c.Tries {
		t.Errorf("%v after %d tries", err, tries.Load())
	}
}

// TestFollow reads a feed that grows, is acknowledged, and is tried again.
func TestFollow(t *testing.T) {
	const newest = 25
	var position atomic.Int64
	c := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/v1/feed/position"):
			var p v1.Position
			if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
				t.Error(err)
			}
			position.Store(p.Sequence)
			respond(w, 200, p)
		case r.URL.Path == "/v1/feed":
			after := position.Load()
			if text := r.URL.Query().Get("after"); text != "" {
				if _, err := fmt.Sscan(text, &after); err != nil {
					t.Error(err)
				}
			}
			feed := v1.Feed{Entries: []v1.FeedEntry{}, Next: after, Newest: newest}
			for n := after + 1; n <= min(after+10, newest); n++ {
				feed.Entries = append(feed.Entries, v1.FeedEntry{Sequence: n, Pages: []v1.Page{{Page: 1, Href: fmt.Sprintf("/v1/draws/d/reports/%d/0/1", n)}}})
				feed.Next = n
			}
			respond(w, 200, feed)
		default:
			respond(w, 200, v1.ReportPage{Lines: []v1.Line{{Bet: r.URL.Path}}})
		}
	})
	next := int64(1)
	for _, until := range []int64{7, 18, newest} {
		t.Run(fmt.Sprint(until), func(t *testing.T) { // the reader is ended twice
			for report, err := range c.Follow(t.Context(), client.Acknowledged, time.Millisecond) {
				if err != nil || report.Sequence != next {
					t.Fatalf("%+v, %v where %d has to come", report, err, next)
				}
				for line, err := range report.Lines(t.Context()) {
					if want := fmt.Sprintf("/v1/draws/d/reports/%d/0/1", next); err != nil || line.Bet != want {
						t.Errorf("%+v, %v, want no error and line.Bet = %v", line, err, want)
					}
				}
				if err := c.Acknowledge(t.Context(), report.Sequence); err != nil {
					t.Fatal(err)
				}
				if next++; report.Sequence == until {
					break
				}
			}
		})
	}
	count := 0
	for _, err := range c.Reports(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		count++
	}
	if count != newest {
		t.Errorf("%d reports", count)
	}
}

// TestUndecided tells the errors after which nothing is stored from those after which
// an earlier try may have stored it.
func TestUndecided(t *testing.T) {
	of := func(status int, code string) error {
		return fmt.Errorf("placing: %w", &client.Error{Problem: v1.Problem{Status: status, Code: code}})
	}
	for _, test := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("connection refused"), true},
		{context.DeadlineExceeded, true},
		{of(400, "invalid_request"), false},
		{of(404, "unknown_draw"), false},
		{of(409, "betting_closed"), false},
		{of(409, "reference_used"), false},
		{of(422, "limit_exceeded"), false},
		{of(503, "outcome_unknown"), false}, // a refusal is stored in its place
		{of(401, "key_revoked"), true},
		{of(403, "scope_missing"), true},
		{of(429, "too_many_requests"), true},
		{of(500, "internal"), true},
		{of(503, "unavailable"), true},
		{of(403, ""), true}, // API Gateway's
		{of(404, ""), true},
		{of(413, ""), true},
		{of(503, ""), true},
	} {
		t.Run(fmt.Sprint(test.want), func(t *testing.T) {
			if got := client.Undecided(test.err); got != test.want {
				t.Errorf("%v: %v, want %v", test.err, got, test.want)
			}
		})
	}
}

// TestBoundsOfAnswers has a server answer more than it may, or go round in a circle.
func TestBoundsOfAnswers(t *testing.T) {
	var response func(w http.ResponseWriter, r *http.Request)
	c := newClient(t, func(w http.ResponseWriter, r *http.Request) { response(w, r) })
	c.Tries = 1
	page := func(bytes int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/feed" {
				respond(w, 200, v1.Feed{Entries: []v1.FeedEntry{{Sequence: 1, Pages: []v1.Page{{Page: 1, Href: "v1/page"}}}}, Next: 1, Newest: 1})
				return
			}
			_, _ = w.Write(make([]byte, bytes))
		}
	}
	for _, test := range []struct {
		name     string
		response func(w http.ResponseWriter, r *http.Request)
		ask      func() error
		want     string // part of the error; empty for none
	}{
		{"a page of the most", page(16 << 20), func() error { return text(t, c) }, ""},
		{"a page of more", page(16<<20 + 1), func() error { return text(t, c) }, "more than 16777216 bytes"},
		{"a cursor that stays", func(w http.ResponseWriter, _ *http.Request) { respond(w, 200, v1.Draws{Next: "again"}) }, func() error {
			for _, err := range c.Draws(t.Context(), client.Filter{}) {
				if err != nil {
					return err
				}
			}
			return nil
		}, "does not go on"},
		{"a feed that stays", func(w http.ResponseWriter, _ *http.Request) {
			respond(w, 200, v1.Feed{Entries: []v1.FeedEntry{{Sequence: 5}}, Next: 5, Newest: 9})
		}, func() error {
			for _, err := range c.Reports(t.Context(), 5) {
				if err != nil {
					return err
				}
			}
			return nil
		}, "does not go on"},
	} {
		t.Run(test.name, func(t *testing.T) {
			response = test.response
			if err := test.ask(); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v", err)
			}
		})
	}
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "60": time.Minute, "61": time.Minute, "99999999999999999999999": time.Minute, "-1": 0, "x": 0} {
		t.Run(header, func(t *testing.T) {
			response = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", header)
				respond(w, http.StatusServiceUnavailable, v1.Problem{Code: "unavailable"})
			}
			_, err := c.Settings(t.Context())
			var problem *client.Error
			if !errors.As(err, &problem) || problem.RetryAfter != want {
				t.Errorf("Retry-After %s: %v", header, err)
			}
		})
	}
}

// text reads the one page of the one report.
func text(t *testing.T, c *client.Client) error {
	for report, err := range c.Reports(t.Context(), 0) {
		if err != nil {
			return err
		}
		if _, err := report.Text(t.Context()); err != nil {
			return err
		}
	}
	return nil
}
