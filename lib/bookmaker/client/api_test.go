package client_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tally/internal/testkit/dynamotest"
	"tally/lib/bookmaker/api"
	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/bookmaker/client"
	"tally/lib/bookmaker/keys"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

const noon settlement.Instant = 1_796_040_000_000 // 2026-11-30T12:00:00Z

// studio is the API over an emulator, with a studio that plays draws of roulette,
// behind a network that does what a test tells it to.
type studio struct {
	*testing.T
	server  *httptest.Server
	api     *api.API
	table   *store.Table
	intake  *intake.Intake
	settler *settle.Settler
	key     string

	clock    atomic.Int64
	accepted atomic.Int64
	// network may spoil the request of a number, from 1.
	network  func(n int64, w http.ResponseWriter, r *http.Request, api http.Handler)
	requests atomic.Int64
}

func newStudio(t *testing.T) *studio {
	t.Helper()
	db := dynamotest.Kumo(t)
	s := &studio{T: t, table: store.New(db.Client, db.Table(t))}
	s.clock.Store(int64(noon))
	quiet := slog.New(slog.DiscardHandler)
	var err error
	if s.api, err = api.New(api.Options{Table: s.table, Now: s.now, Record: s, Log: quiet}); err != nil {
		t.Fatal(err)
	}
	s.intake = &intake.Intake{Table: s.table, Replies: s, Sweeps: s, Archive: s, Record: s, Settings: draw.Settings{Shards: 2}, Now: s.now, Log: quiet}
	s.settler = &settle.Settler{Table: s.table, Archive: s, Record: s, Now: s.now, Log: quiet, Parallel: 4}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := s.requests.Add(1)
		if s.network == nil {
			s.api.ServeHTTP(w, r)
			return
		}
		s.network(n, w, r, s.api)
	}))
	t.Cleanup(s.server.Close)
	owner := &keys.Registry{Table: s.table, Now: s.now}
	if _, err := owner.Set(t.Context(), "acme", func(set *keys.Settings) { set.RequestsPerSecond = 100_000 }); err != nil {
		t.Fatal(err)
	}
	if s.key, _, err = owner.Create(t.Context(), keys.KeyParams{Bookmaker: "acme", Scopes: keys.Scopes()}); err != nil {
		t.Fatal(err)
	}
	return s
}

// What a studio is told, it forgets, but for the bets that were stored.
func (s *studio) Accepted(string)                                   { s.accepted.Add(1) }
func (s *studio) Unlooked(string)                                   {}
func (s *studio) Refused(string, string)                            {}
func (s *studio) Denied(string)                                     {}
func (s *studio) Failed(string)                                     {}
func (s *studio) Settled(string, int, int, bool, time.Duration)     {}
func (s *studio) Mismatch(string)                                   {}
func (s *studio) Send(context.Context, string, time.Duration) error { return nil }
func (s *studio) Quarantined(string)                                { s.Error("quarantined") }
func (*studio) Stored(string, time.Duration, string)                {}
func (s *studio) now() settlement.Instant                           { return settlement.Instant(s.clock.Load()) }
func (s *studio) pass(d time.Duration)                              { s.clock.Add(d.Milliseconds()) }

// say has the studio say something of a draw.
func (s *studio) say(id, kind, rest string) {
	s.Helper()
	body := fmt.Sprintf(`{"schema":1,"id":"m-%s-%s","type":%q,"game":"roulette","table":"t-1","draw":%q,"at":%q%s}`, id, kind, kind, id, instant.Format(s.now()), rest)
	if err := s.intake.Handle(s.Context(), intake.Delivery{Body: []byte(body), SentAt: s.now() + 1, From: intake.Studio}); err != nil {
		s.Fatal(err)
	}
}

func (s *studio) open(id string) {
	s.Helper()
	s.say(id, "draw.opened", fmt.Sprintf(`,"sequence":1,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, instant.Format(s.now()), instant.Format(s.now()+60_000)))
}

func (s *studio) settle(id string) error { return s.settler.Handle(s.Context(), id) }

// client returns a client that does not wait long between its tries.
func (s *studio) client() *client.Client {
	s.Helper()
	c, err := client.New(s.server.URL, s.key)
	if err != nil {
		s.Fatal(err)
	}
	c.Backoff, c.HTTP = time.Millisecond, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}, Timeout: 30 * time.Second}
	s.Cleanup(c.HTTP.CloseIdleConnections)
	return c
}

// bets counts the bets on a draw.
func (s *studio) bets(c *client.Client, id string) (count int) {
	s.Helper()
	for _, err := range c.Bets(s.Context(), id) {
		if err != nil {
			s.Fatal(err)
		}
		count++
	}
	return count
}

var red = v1.BetRequest{Selection: "red", Stake: "5.00", Currency: "EUR"}

// lose lets the API answer and drops the connection before the client hears it.
func lose(w http.ResponseWriter, r *http.Request, api http.Handler) {
	api.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// TestFaultsOfTheNetwork places bets while the network does its worst: each is
// stored once, and the client says that it is.
func TestFaultsOfTheNetwork(t *testing.T) {
	unavailable := func(status int, after string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			if after != "" {
				w.Header().Set("Retry-After", after)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"message":"Service Unavailable"}`))
		}
	}
	for _, test := range []struct {
		name  string
		spoil func(w http.ResponseWriter, r *http.Request, api http.Handler)
		waits time.Duration
	}{
		{"dropped before the request", func(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }, 0},
		{"dropped between request and answer", lose, 0},
		{"dropped within the answer", func(w http.ResponseWriter, r *http.Request, api http.Handler) {
			response := httptest.NewRecorder()
			api.ServeHTTP(response, r)
			w.Header().Set("Content-Length", fmt.Sprint(response.Body.Len()))
			w.WriteHeader(response.Code)
			_, _ = w.Write(response.Body.Bytes()[:response.Body.Len()/2])
			panic(http.ErrAbortHandler)
		}, 0},
		{"500 after it was stored", func(w http.ResponseWriter, r *http.Request, api http.Handler) {
			api.ServeHTTP(httptest.NewRecorder(), r)
			unavailable(500, "")(w)
		}, 0},
		{"503 of API Gateway", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { unavailable(503, "")(w) }, 0},
		{"504 after it was stored", func(w http.ResponseWriter, r *http.Request, api http.Handler) {
			api.ServeHTTP(httptest.NewRecorder(), r)
			unavailable(504, "")(w)
		}, 0},
		{"429 with Retry-After", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { unavailable(429, "1")(w) }, time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newStudio(t)
			s.open("rou-1")
			// The first two tries of each bet meet the fault.
			var tries sync.Map
			s.network = func(_ int64, w http.ResponseWriter, r *http.Request, api http.Handler) {
				count, _ := tries.LoadOrStore(r.Method+r.URL.Path, new(atomic.Int64))
				if n := count.(*atomic.Int64).Add(1); r.Method == http.MethodPut && n <= 2-int64(test.waits/time.Second) {
					test.spoil(w, r, api)
				}
				api.ServeHTTP(w, r)
			}
			if test.waits > 0 { // answered by the fault alone
				s.network = func(n int64, w http.ResponseWriter, r *http.Request, api http.Handler) {
					if n == 1 {
						test.spoil(w, r, api)
						return
					}
					api.ServeHTTP(w, r)
				}
			}
			c, started := s.client(), time.Now()
			const bets = 5
			for i := range bets {
				bet, err := c.PlaceBet(t.Context(), "rou-1", fmt.Sprintf("b-%d", i), red)
				if err != nil || bet.Status != "accepted" {
					t.Fatalf("%+v, %v, want no error and bet.Status = \"accepted\"", bet, err)
				}
			}
			if time.Since(started) < test.waits {
				t.Errorf("it did not wait %v", test.waits)
			}
			if n := s.bets(c, "rou-1"); n != bets || s.accepted.Load() != bets {
				t.Errorf("%d bets, %d accepted", n, s.accepted.Load())
			}
		})
	}
}

// TestKilledClient ends clients between their request and its answer, and lets
// others send the same again, as a process does that was started anew.
func TestKilledClient(t *testing.T) {
	s := newStudio(t)
	s.open("rou-1")
	var ends sync.Map // of clients, by the path that they ask for
	s.network = func(n int64, w http.ResponseWriter, r *http.Request, api http.Handler) {
		end, mine := ends.LoadAndDelete(r.URL.Path)
		if mine && n%2 == 0 {
			end.(context.CancelFunc)() // before the API sees it
		}
		api.ServeHTTP(w, r)
		if mine {
			end.(context.CancelFunc)()
		}
	}
	const bets = 40
	for i := range bets {
		reference := fmt.Sprintf("b-%d", i)
		ctx, end := context.WithCancel(t.Context())
		ends.Store("/v1/draws/rou-1/bets/"+reference, end)
		_, _ = s.client().PlaceBet(ctx, "rou-1", reference, red) // it may just have been answered
		end()
		if _, err := s.client().PlaceBet(t.Context(), "rou-1", reference, red); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.bets(s.client(), "rou-1"); n != bets || s.accepted.Load() != bets {
		t.Errorf("%d bets, %d accepted", n, s.accepted.Load())
	}
}

// TestTwoClients place the same bet at once, a thousand times, over a network that
// loses every seventh answer: one bet each time, told to both.
func TestTwoClients(t *testing.T) {
	s := newStudio(t)
	s.open("rou-1")
	s.network = func(n int64, w http.ResponseWriter, r *http.Request, api http.Handler) {
		if n%7 == 0 {
			lose(w, r, api)
		}
		api.ServeHTTP(w, r)
	}
	const times = 1000
	two := [2]*client.Client{s.client(), s.client()}
	for i := range times {
		var bets [2]*v1.Bet
		var errs [2]error
		var placing sync.WaitGroup
		for k, c := range two {
			placing.Go(func() { bets[k], errs[k] = c.PlaceBet(t.Context(), "rou-1", fmt.Sprintf("b-%d", i), red) })
		}
		placing.Wait()
		if err := errors.Join(errs[:]...); err != nil || *bets[0] != *bets[1] {
			t.Fatalf("%+v and %+v, %v", bets[0], bets[1], err)
		}
	}
	if s.accepted.Load() != times {
		t.Errorf("%d bets were accepted", s.accepted.Load())
	}
}

// TestOtherBet is told at once: sending it again can't help.
func TestOtherBet(t *testing.T) {
	s := newStudio(t)
	s.open("rou-1")
	c := s.client()
	if _, err := c.PlaceBet(t.Context(), "rou-1", "b-1", red); err != nil {
		t.Fatal(err)
	}
	before := s.requests.Load()
	_, err := c.PlaceBet(t.Context(), "rou-1", "b-1", v1.BetRequest{Selection: "red", Stake: "6.00", Currency: "EUR"})
	var problem *client.Error
	if !errors.As(err, &problem) || problem.Code != "reference_used" || len(problem.Differs) != 1 || problem.Differs[0] != "stake" || s.requests.Load() != before+1 {
		t.Errorf("%v after %d requests", err, s.requests.Load()-before)
	}
}

// TestReadersDuringSettlement has ten clients follow the feed while draws are
// settled, over a network that fails in the middle: each sees every report in order
// and without a gap, and every line. Half of them are ended and go on from what they
// have acknowledged last.
func TestReadersDuringSettlement(t *testing.T) {
	s := newStudio(t)
	const draws, readers = 24, 10
	c := s.client()
	for i := range draws {
		s.open(fmt.Sprintf("rou-%d", i))
		for b := range 3 {
			if _, err := c.PlaceBet(t.Context(), fmt.Sprintf("rou-%d", i), fmt.Sprintf("b-%d", b), red); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.pass(time.Minute)
	for i := range draws {
		s.say(fmt.Sprintf("rou-%d", i), "draw.resulted", `,"revision":1,"facts":{"spins":[{"revolutions":6,"pocket":9}]}`)
	}
	s.pass(12 * time.Second)
	s.network = func(n int64, w http.ResponseWriter, r *http.Request, api http.Handler) {
		switch n % 9 {
		case 4:
			lose(w, r, api)
		case 7:
			http.Error(w, "bad gateway", http.StatusBadGateway)
		default:
			api.ServeHTTP(w, r)
		}
	}
	var working sync.WaitGroup
	for part := range 3 {
		working.Go(func() {
			for i := part; i < draws; i += 3 {
				if err := s.settle(fmt.Sprintf("rou-%d", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for reader := range readers {
		working.Go(func() { s.follow(s.client(), draws, reader%2 == 0) })
	}
	working.Wait()
}

// follow reads the feed to its end.
func (s *studio) follow(c *client.Client, draws int64, interrupted bool) {
	ctx, cancel := context.WithTimeout(s.Context(), 5*time.Minute)
	defer cancel()
	for next := int64(1); next <= draws; {
		for report, err := range c.Follow(ctx, next-1, time.Millisecond) {
			if err != nil || report.Sequence != next {
				s.Errorf("%+v, %v where %d has to come", report, err, next)
				return
			}
			lines := 0
			for line, err := range report.Lines(ctx) {
				if err != nil || line.Status != "won" {
					s.Errorf("%+v, %v", line, err)
					return
				}
				lines++
			}
			if lines != 3 || report.FeedEntry.Lines != 3 {
				s.Errorf("report %d has %d lines, says %d", next, lines, report.FeedEntry.Lines)
			}
			if err := c.Acknowledge(ctx, next); err != nil {
				s.Error(err)
				return
			}
			if next++; next > draws || interrupted && next%7 == 0 {
				break
			}
		}
		if ctx.Err() != nil {
			s.Errorf("%d reports of %d within a minute", next-1, draws)
			return
		}
	}
}
