package disputes_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tally/internal/testkit/dynamotest"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/disputes"
	"tally/lib/pipeline/intake"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

const noon settlement.Instant = 1_796_040_000_000 // 2026-11-30T12:00:00Z

// office is a table with a draw, and an operator at the desk.
type office struct {
	*testing.T
	*disputes.Service
	intake *intake.Intake

	mutex  sync.Mutex
	at     settlement.Instant
	sent   []string // to operator-orders
	broken bool     // the queue takes nothing
	held   int      // messages in quarantine
}

func newOffice(t *testing.T, table *store.Table) *office {
	t.Helper()
	o := &office{T: t, at: noon}
	o.Service = &disputes.Service{Table: table, Orders: o, Now: o.now}
	o.intake = &intake.Intake{Table: table, Replies: discard{}, Sweeps: discard{}, Archive: discard{}, Record: o, Settings: draw.Settings{Shards: 1},
		Now: o.now, Log: slog.New(slog.DiscardHandler)}
	o.handle(intake.Studio, fmt.Sprintf(`{"schema":1,"id":"m-1","type":"draw.opened","game":"roulette","table":"rou-1","draw":"rou-1.1","at":%[1]q,"sequence":1,"rounds":[{"round":1,"opens_at":%[1]q,"closes_at":%[2]q}]}`,
		instant.Format(noon), instant.Format(noon+60_000)))
	return o
}

type discard struct{}

func (discard) Send(context.Context, string, time.Duration) error { return nil }

func (o *office) now() settlement.Instant {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.at++
	return o.at
}

// Send is the queue operator-orders.
func (o *office) Send(_ context.Context, body string, _ time.Duration) error {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.broken {
		return errors.New("no queue")
	}
	o.sent = append(o.sent, body)
	return nil
}

func (o *office) Quarantined(string)                 { o.held++ }
func (*office) Stored(string, time.Duration, string) {}

// handle has intake take a message.
func (o *office) handle(from intake.Source, body string) {
	o.Helper()
	if err := o.intake.Handle(o.Context(), intake.Delivery{Body: []byte(body), SentAt: o.now() + 1, From: from}); err != nil {
		o.Fatal(err)
	}
	if o.held > 0 {
		o.Fatalf("quarantined: %s", body)
	}
}

// deliver has intake take what was sent, each twice.
func (o *office) deliver() {
	o.Helper()
	for _, body := range append(slices.Clone(o.sent), o.sent...) {
		o.handle(intake.Operator, body)
	}
}

func request(bets ...string) disputes.Request {
	return disputes.Request{Draw: "rou-1.1", Bets: bets, Reason: "display_fault", Evidence: "the recording"}
}

// open stores a dispute.
func (o *office) open(bookmaker, id string, bets ...string) {
	o.Helper()
	if _, replay, err := disputes.Create(o.Context(), o.Table, bookmaker, id, request(bets...), o.now(), noon+400*86_400_000); err != nil || replay {
		o.Fatalf("%v, %v", replay, err)
	}
}

// pending lists what waits, such as "acme/d-1 open".
func (o *office) pending() string {
	o.Helper()
	var list []string
	for d, err := range o.Pending(o.Context()) {
		if err != nil {
			o.Fatal(err)
		}
		list = append(list, d.Bookmaker+"/"+d.ID+" "+string(d.Status))
	}
	return strings.Join(list, ", ")
}

func (o *office) wantPending(want string) {
	o.Helper()
	if got := o.pending(); got != want {
		o.Errorf("pending: %q, not %q", got, want)
	}
}

// status reads a dispute's status and why.
func (o *office) status(bookmaker, id string) string {
	o.Helper()
	d, err := disputes.Get(o.Context(), o.Table, bookmaker, id)
	if err != nil {
		o.Fatal(err)
	}
	if d.Decision == nil {
		return string(d.Status)
	}
	return string(d.Status) + " " + d.Decision.Reason
}

func TestOneDispute(t *testing.T) {
	dynamotest.Each(t, func(t *testing.T, db dynamotest.DB) {
		o := newOffice(t, store.New(db.Client, db.Table(t)))
		o.wantPending("")
		o.open("acme", "d-1", "b-2", "b-1")
		o.open("borealis", "d-1")
		first, replay, err := disputes.Create(t.Context(), o.Table, "acme", "d-1", request("b-1", "b-2"), o.now(), noon+1)
		if err != nil || !replay || first.CreatedAt >= o.now()-1 || first.Status != disputes.Open {
			t.Errorf("again: %+v, %v, %v", first, replay, err)
		}
		other := request("b-1")
		other.Evidence = "another"
		used := (*disputes.UsedError)(nil)
		if _, _, err := disputes.Create(t.Context(), o.Table, "acme", "d-1", other, o.now(), noon); !errors.As(err, &used) || !slices.Equal(used.Differs, []string{"bets", "evidence"}) {
			t.Errorf("another one: %v", err)
		}
		o.wantPending("acme/d-1 open, borealis/d-1 open")

		for range 2 { // again is the same
			if _, err := o.Uphold(t.Context(), "acme", "d-1", ""); err != nil {
				t.Fatal(err)
			}
			if _, err := o.Reject(t.Context(), "borealis", "d-1", "the recording shows 17"); err != nil {
				t.Fatal(err)
			}
		}
		o.wantPending("acme/d-1 ordered")
		if len(o.sent) != 2 || o.sent[0] != o.sent[1] {
			t.Fatalf("sent %q", o.sent)
		}
		m, _, faults := wire.Parse([]byte(o.sent[0]))
		if len(faults) > 0 || m.Type != wire.BetsVoided || m.Order != disputes.OrderOf("acme", "d-1") || m.Scope.Bookmaker != "acme" || !slices.Equal(m.Scope.Bets, []string{"b-1", "b-2"}) ||
			m.Reason != "display_fault" || m.Evidence != "dispute d-1 of acme: the recording" {
			t.Errorf("%+v, %v", m, faults)
		}
		o.deliver()
		o.wantPending("")
		if got := o.status("acme", "d-1") + ", " + o.status("borealis", "d-1"); got != "upheld display_fault, rejected the recording shows 17" {
			t.Errorf("the disputes are %s, want the first upheld, the other rejected", got)
		}
		if _, err := o.Uphold(t.Context(), "acme", "d-1", "again"); err != nil || len(o.sent) != 2 {
			t.Errorf("upheld once more: %v, %d sent", err, len(o.sent))
		}
		for name, decide := range map[string]func() (*disputes.Case, error){
			"reject what is upheld":     func() (*disputes.Case, error) { return o.Reject(t.Context(), "acme", "d-1", "no") },
			"uphold what is rejected":   func() (*disputes.Case, error) { return o.Uphold(t.Context(), "borealis", "d-1", "") },
			"reject for another reason": func() (*disputes.Case, error) { return o.Reject(t.Context(), "borealis", "d-1", "other") },
			"uphold what is not there":  func() (*disputes.Case, error) { return o.Uphold(t.Context(), "acme", "d-9", "") },
			"another's":                 func() (*disputes.Case, error) { return o.Uphold(t.Context(), "cygnus", "d-1", "") },
			"reject without a reason":   func() (*disputes.Case, error) { return o.Reject(t.Context(), "acme", "d-1", " ") },
			"reject with a long reason": func() (*disputes.Case, error) {
				return o.Reject(t.Context(), "acme", "d-1", strings.Repeat("é", 101))
			},
			"reject for a reason of junk": func() (*disputes.Case, error) { return o.Reject(t.Context(), "acme", "d-1", "\xff") },
		} {
			t.Run(name, func(t *testing.T) {
				if d, err := decide(); err == nil {
					t.Errorf("%s: %+v, want an error", name, d)
				}
			})
		}
	})
}

// TestIdentifiers refuses names that would run into other keys, or that no address can carry.
func TestIdentifiers(t *testing.T) {
	o := newOffice(t, store.New(fakedynamo.New(t, "table"), "table"))
	for _, name := range []string{"", ".", "..", "d#decision", "d/1", "d 1", "é", strings.Repeat("d", 65)} {
		t.Run(fmt.Sprintf("%.40q", name), func(t *testing.T) {
			r := request("b-1", name)
			elsewhere := request()
			elsewhere.Draw = name
			for what, err := range map[string]error{"id": o.create(name, request()), "bet": o.create("d-1", r), "draw": o.create("d-1", elsewhere)} {
				if !errors.Is(err, disputes.ErrIdentifier) {
					t.Errorf("the %s %q: %v", what, name, err)
				}
			}
		})
	}
	o.wantPending("")
	for _, name := range []string{"...", ".d", "d.", "-", strings.Repeat("d", 64)} {
		t.Run(fmt.Sprintf("%.40q", name), func(t *testing.T) {
			if err := o.create(name, request(name)); err != nil {
				t.Errorf("%q: %v", name, err)
			}
		})
	}
}

func (o *office) create(id string, r disputes.Request) error {
	_, _, err := disputes.Create(o.Context(), o.Table, "acme", id, r, o.now(), noon+400*86_400_000)
	return err
}

// TestPages lists disputes, decided and not, in pages of every size.
func TestPages(t *testing.T) {
	dynamotest.Each(t, func(t *testing.T, db dynamotest.DB) {
		o := newOffice(t, store.New(db.Client, db.Table(t)))
		ids := []string{"d", "d-1", "d-10", "d.1", "e"}
		for i, id := range ids {
			o.open("acme", id)
			if i%2 == 0 {
				if _, err := o.Reject(t.Context(), "acme", id, "no"); err != nil {
					t.Fatal(err)
				}
			}
		}
		for limit := 1; limit <= 6; limit++ {
			var got []string
			for from := store.DisputeKey(""); from != ""; {
				list, next, err := disputes.List(t.Context(), o.Table, "acme", from, store.DisputeKey("~"), limit)
				if err != nil || len(list) > limit {
					t.Fatalf("%d disputes, %v", len(list), err)
				}
				for _, d := range list {
					if rejected := slices.Index(ids, d.ID)%2 == 0; (d.Status == disputes.Rejected) != rejected {
						t.Errorf("limit %d: %s is %s", limit, d.ID, d.Status)
					}
					got = append(got, d.ID)
				}
				from = next
			}
			if !slices.Equal(got, ids) {
				t.Errorf("limit %d: %q", limit, got)
			}
		}
	})
}

// TestTwoOperators has two decide each dispute otherwise at the same time: one
// does, the other gets what holds, and only what holds happens.
func TestTwoOperators(t *testing.T) {
	db := dynamotest.Kumo(t)
	o := newOffice(t, store.New(db.Client, db.Table(t)))
	for i := range 40 {
		id := fmt.Sprintf("d-%d", i)
		o.open("acme", id)
		var upheld, rejected error
		var operators sync.WaitGroup
		operators.Go(func() { _, upheld = o.Uphold(t.Context(), "acme", id, "") })
		operators.Go(func() { _, rejected = o.Reject(t.Context(), "acme", id, "no") })
		operators.Wait()
		loser := upheld
		if rejected != nil {
			loser = rejected
		}
		decided := (*disputes.DecidedError)(nil)
		if (upheld == nil) == (rejected == nil) || !errors.As(loser, &decided) {
			t.Fatalf("%s: upheld: %v, rejected: %v", id, upheld, rejected)
		}
		ordered := slices.ContainsFunc(o.sent, func(body string) bool { return strings.Contains(body, disputes.OrderOf("acme", id)) })
		if ordered != (upheld == nil) {
			t.Errorf("%s: upheld: %v, ordered: %v", id, upheld, ordered)
		}
	}
}

// TestFaults loses every request of every step once, in every way, and does the
// step again: it comes to the same as without a fault.
func TestFaults(t *testing.T) {
	steps := []struct {
		name     string
		requests int
		do       func(*office) error
		after    string // what is pending
		status   string
	}{
		{"create", 1, func(o *office) error {
			_, _, err := disputes.Create(o.Context(), o.Table, "acme", "d-1", request("b-1"), o.now(), noon+400*86_400_000)
			return err
		}, "acme/d-1 open", "open"},
		{"uphold", 4, func(o *office) error { _, err := o.Uphold(o.Context(), "acme", "d-1", "seen"); return err }, "acme/d-1 ordered", "ordered seen"},
		{"reject", 4, func(o *office) error { _, err := o.Reject(o.Context(), "acme", "d-1", "no"); return err }, "", "rejected no"},
	}
	for i, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			for verdict := fakedynamo.Proceed; verdict <= fakedynamo.Conflict; verdict++ {
				for at := 1; at <= step.requests; at++ {
					db := fakedynamo.New(t, "table")
					o := newOffice(t, store.New(db, "table"))
					if i > 0 {
						o.open("acme", "d-1", "b-1")
					}
					calls := 0
					db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
						if calls++; calls != at || !call.Write && verdict != fakedynamo.FailBefore {
							return fakedynamo.Proceed
						}
						return verdict
					}
					failed := step.do(o)
					db.Intercept = nil
					for db.Late() > 0 {
						db.Land()
					}
					if err := step.do(o); err != nil {
						t.Fatalf("%s, %v at request %d (%v), then again: %v", step.name, verdict, at, failed, err)
					}
					o.wantPending(step.after)
					if got := o.status("acme", "d-1"); got != step.status {
						t.Errorf("%s, %v at request %d: %s, not %s", step.name, verdict, at, got, step.status)
					}
					o.deliver()
					if step.name == "uphold" && o.status("acme", "d-1") != "upheld seen" {
						t.Errorf("%s, %v at request %d: %s", step.name, verdict, at, o.status("acme", "d-1"))
					}
					if verdict == fakedynamo.Proceed && calls != step.requests {
						t.Errorf("%s makes %d requests", step.name, calls)
					}
				}
			}
		})
	}
}

// TestNoQueue can't send the order: the dispute stays on the list until someone
// upholds it again.
func TestNoQueue(t *testing.T) {
	db := fakedynamo.New(t, "table")
	o := newOffice(t, store.New(db, "table"))
	o.open("acme", "d-1")
	o.broken = true
	if _, err := o.Uphold(t.Context(), "acme", "d-1", "one"); err == nil {
		t.Fatal("upheld without a queue")
	}
	o.wantPending("acme/d-1 ordered")
	o.broken = false
	d, err := o.Uphold(t.Context(), "acme", "d-1", "two")
	if err != nil || d.Decision.Reason != "one" || len(o.sent) != 1 || !strings.Contains(o.sent[0], `"reason":"one"`) {
		t.Errorf("%+v, %v, sent %q", d, err, o.sent)
	}
	o.deliver()
	o.wantPending("")
}

// TestOrderThatWouldBeRefused decides nothing when the draw takes no order any
// more.
func TestOrderThatWouldBeRefused(t *testing.T) {
	db := fakedynamo.New(t, "table")
	o := newOffice(t, store.New(db, "table"))
	o.open("acme", "d-1")
	o.at += 399 * 86_400_000
	if _, err := o.Uphold(t.Context(), "acme", "d-1", ""); err == nil || len(o.sent) > 0 {
		t.Errorf("%v, sent %q", err, o.sent)
	}
	o.wantPending("acme/d-1 open")
	if _, err := o.Reject(t.Context(), "acme", "d-1", "too late"); err != nil {
		t.Error(err)
	}
}

// TestLongEvidence is cut to what an order may hold.
func TestLongEvidence(t *testing.T) {
	db := fakedynamo.New(t, "table")
	o := newOffice(t, store.New(db, "table"))
	long := request()
	long.Evidence, long.Reason = strings.Repeat("é", 1000), strings.Repeat("ß", 200)
	if _, _, err := disputes.Create(t.Context(), o.Table, "acme", "d-1", long, o.now(), noon+400*86_400_000); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Uphold(t.Context(), "acme", "d-1", ""); err != nil {
		t.Fatal(err)
	}
	m, _, faults := wire.Parse([]byte(o.sent[0]))
	if len(faults) > 0 || len(m.Evidence) > wire.MaxNote || !strings.HasSuffix(m.Evidence, "é…") {
		t.Errorf("%d bytes, %v", len(m.Evidence), faults)
	}
	o.deliver()
}
