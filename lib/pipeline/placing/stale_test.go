package placing_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/placing"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// asked notes what settle is asked to look for.
type asked struct{ bodies []string }

func (a *asked) Send(_ context.Context, body string, _ time.Duration) error {
	a.bodies = append(a.bodies, body)
	return nil
}

// behind is a house whose eventually consistent reads find each item as it was before its
// newest write, with a draw that is looked after, or not.
func behind(t *testing.T, looks bool) (h *house, heads *int, a *asked) {
	db := fakedynamo.New(t, "table")
	db.Stale = func(fakedynamo.Call) bool { return true }
	h, heads, a = openAs(t, &house{looks: looks}, store.New(db, "table")), new(int), &asked{}
	h.Looks = a
	db.Applied = func(call fakedynamo.Call) {
		if call.Operation == "GetItem" && strings.HasSuffix(call.Keys[0], " / "+store.HeadKey) {
			*heads++
		}
	}
	return h, heads, a
}

// status places a bet and returns its status with the reason, or the code of its refusal.
func (h *house) status(t *testing.T, at settlement.Instant, request placing.Request) string {
	t.Helper()
	h.now = noon + at
	account, err := h.Place(t.Context(), request)
	var refusal *placing.RefusedError
	switch {
	case errors.As(err, &refusal):
		return refusal.Code
	case err != nil:
		t.Fatal(err)
	}
	return strings.TrimSpace(account.Status + " " + account.Reason)
}

const resulted = `"type":"draw.cancelled","revision":1,"reason":"technical_failure"`

func closed(at settlement.Instant) string {
	return fmt.Sprintf(`"type":"betting.closed","round":1,"closed_at":%q`, instant.Format(at))
}

// A head that is behind refuses nothing, and what it takes is answered by the head as it is.
// Where nobody looks, it decides nothing.
func TestStaleHead(t *testing.T) {
	for _, row := range []struct {
		name    string
		looks   bool
		between func(h *house)
		at      settlement.Instant
		request placing.Request
		want    string
		heads   int // readings of HEAD
		asks    int
	}{
		{"a draw that was just opened", true, func(*house) {}, 1000, bet("b1", "seat:1", "10.00"), "accepted", 3, 0},
		{"a draw that was just opened, where nobody looks", false, func(*house) {}, 1000, bet("b1", "seat:1", "10.00"), "accepted", 2, 0},
		{"a round that was just opened", true, func(h *house) { h.play(t) }, 61_000, wager("b0", "double:1:1", "10.00"), "accepted", 3, 0},
		{"a round that was just closed", true, func(h *house) { h.now = noon + 2000; h.say(t, closed(noon+2000)) }, 2500, bet("b1", "seat:1", "10.00"), "refunded late_bet", 2, 0},
		{"a round that was just closed, where nobody looks", false, func(h *house) { h.now = noon + 2000; h.say(t, closed(noon+2000)) }, 2500, bet("b1", "seat:1", "10.00"), placing.CodeBettingClosed, 2, 0},
		{"a result", true, func(h *house) { h.now = noon + 2000; h.say(t, resulted) }, 2500, bet("b1", "seat:1", "10.00"), "refunded late_bet", 2, 1},
		{"a result, and a bet of before", true, func(h *house) {
			h.status(t, 1000, bet("b1", "seat:1", "10.00"))
			h.now = noon + 2000
			h.say(t, resulted)
		}, 2500, bet("b1", "seat:1", "10.00"), "accepted", 2, 1},
		{"a stake above the limit", true, func(*house) {}, 1000, bet("b1", "seat:1", "1000.01"), placing.CodeLimit, 2, 0},
		{"a draw that there is not", true, func(*house) {}, 1000, placing.Request{Bookmaker: "acme", Draw: "d-9", Reference: "b1"}, placing.CodeUnknownDraw, 2, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			h, heads, a := behind(t, row.looks)
			if row.request.Base != "" {
				h.status(t, 500, bet("b0", "seat:1", "10.00"))
			}
			row.between(h)
			h.Acceptor = &placing.Acceptor{Table: h.Table, Now: h.Now, Record: h.Record, Terms: h.Terms, Looks: a} // which remembers nothing
			*heads = 0
			if got := h.status(t, row.at, row.request); got != row.want {
				t.Errorf("the answer is %s, want %s", got, row.want)
			}
			if *heads != row.heads || len(a.bodies) != row.asks {
				t.Errorf("HEAD is read %d times and settle asked %d times, want %d and %d", *heads, len(a.bodies), row.heads, row.asks)
			}
		})
	}
}

// A head that is behind does not take the place of a newer one in memory.
func TestStaleHeadForgotten(t *testing.T) {
	h, heads, _ := behind(t, true)
	h.status(t, 1000, bet("b1", "seat:1", "10.00"))
	h.play(t) // a replica that is behind has only the first round
	if got := h.status(t, 61_000, wager("b1", "double:1:1", "10.00")); got != "accepted" {
		t.Fatalf("the first in the second round: %s", got)
	}
	*heads = 0
	if got := h.status(t, 62_000, wager("b1", "insurance:1", "5.00")); got != "accepted" || *heads != 2 {
		t.Errorf("the next: %s, HEAD is read %d times, want accepted, and twice: before and after", got, *heads)
	}
}

// A cancellation is not refused by a head that is behind, and its answer is of the head as it is.
func TestStaleCancellation(t *testing.T) {
	for _, row := range []struct {
		name  string
		looks bool
		say   string
		want  string
	}{
		{"closed by a message", true, closed(noon + 2000), "too_late"},
		{"closed by a message, where nobody looks", false, closed(noon + 2000), placing.CodeBettingClosed},
		{"a result", true, resulted, "too_late"},
		{"nothing", true, "", "counts_if_before_closing"},
	} {
		t.Run(row.name, func(t *testing.T) {
			h, _, _ := behind(t, row.looks)
			h.status(t, 1000, bet("b1", "seat:1", "10.00"))
			if h.now = noon + 2000; row.say != "" {
				h.say(t, row.say)
			}
			h.now = noon + 2500
			account, err := h.Cancel(t.Context(), "acme", theDraw, "b1")
			var refusal *placing.RefusedError
			switch {
			case errors.As(err, &refusal):
				if refusal.Code != row.want {
					t.Errorf("it is refused with %s, want %s", refusal.Code, row.want)
				}
			case err != nil:
				t.Fatal(err)
			case string(account.Cancellation) != row.want:
				t.Errorf("the answer is %s, want %s", account.Cancellation, row.want)
			}
		})
	}
}

// A bet of before bets are looked after is answered by the head as it is, also where it comes
// again when others are.
func TestStaleHeadOfReplay(t *testing.T) {
	h, _, _ := behind(t, true)
	h.now, h.within = noon-60_000, 10_000 // another draw, the same but for when looks begin
	request := bet("b1", "seat:1", "10.00")
	request.Draw = "bj-1.8"
	h.sayOf(t, request.Draw, fmt.Sprintf(`"type":"draw.opened","sequence":8,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, instant.Format(noon), instant.Format(noon+60_000)))
	if got := h.status(t, 46_000, request); got != "accepted" {
		t.Fatalf("before the looks: %s", got)
	}
	h.now = noon + 50_500
	h.sayOf(t, request.Draw, closed(noon+45_900))
	if got := h.status(t, 51_000, request); got != "refunded late_bet" {
		t.Errorf("the same again, when others are looked after: %s, want refunded late_bet", got)
	}
}

// What a head that may be behind has taken is not answered when the look fails: settle is
// asked, and the request comes again.
func TestStaleHeadUnlooked(t *testing.T) {
	db := fakedynamo.New(t, "table")
	h, a := openAs(t, &house{looks: true}, store.New(db, "table")), &asked{}
	h.Looks = a
	reads := 0
	db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if call.Operation == "GetItem" {
			if reads++; reads == 2 {
				return fakedynamo.FailBefore
			}
		}
		return fakedynamo.Proceed
	}
	if got := h.outcome(t, 1000, bet("b1", "seat:1", "10.00")); got != "unknown" || len(a.bodies) != 1 {
		t.Errorf("the outcome is %s and settle is asked %d times, want unknown, and once", got, len(a.bodies))
	}
	if got := h.status(t, 1500, bet("b1", "seat:1", "10.00")); got != "accepted" {
		t.Errorf("the same again is %s, want accepted", got)
	}
}
