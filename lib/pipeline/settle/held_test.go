package settle_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// held is a draw of six bets of EUR 10.00 that is settled under state 1, and whose
// corrections have limits.
func held(t *testing.T, limits string) (*pipeline, *fakedynamo.DB) {
	t.Helper()
	db := fakedynamo.New(t, "table")
	p := &pipeline{table: store.New(db, "table"), holdAbove: limits}
	p.open(t, 6)
	p.result(t, 1, 34)
	p.settle(t)
	return p, db
}

// release puts the mark that an operator's command puts.
func (p *pipeline) release(t *testing.T, state int) {
	t.Helper()
	if err := p.table.Put(t.Context(), store.Item{PK: store.ReleasedIn(theDraw), SK: store.ReleasedKey(store.StateKey(state))}); err != nil {
		t.Fatal(err)
	}
}

// states returns which states acme was notified of.
func (p *pipeline) states(t *testing.T) (states string) {
	t.Helper()
	for _, entry := range p.reported(t, "acme") {
		state, _, _ := strings.Cut(entry, ":")
		states += state + "; "
	}
	return states
}

func (p *pipeline) waits(t *testing.T, want string) {
	t.Helper()
	status, err := p.settler().Status(t.Context(), theDraw)
	if err != nil || status.Waits.String() != want || status.Settled == (want != "") {
		t.Errorf("the draw stands at %+v, %v, instead of waiting with %q", status, err, want)
	}
}

// moves is what a correction from red 34 to black 17 moves: it takes EUR 20.00 from two
// bets on red each, gives as much to two on black and EUR 360.00 to two on the number.
const moves = "EUR 800.00"

func TestHeldForItsMoney(t *testing.T) {
	for _, test := range []struct {
		limits string
		held   bool
	}{
		{"", false}, {"EUR=800.00", false}, {"EUR=799.99", true}, {"JPY=1", false}, {"JPY=1,EUR=0.00", true},
	} {
		t.Run(test.limits, func(t *testing.T) {
			p, _ := held(t, test.limits)
			p.waits(t, "") // the first settlement is no correction
			p.result(t, 2, 17)
			p.settle(t)
			if test.held {
				p.waits(t, moves)
				if reported := p.states(t); reported != "1 after 0; " {
					t.Errorf("acme was notified of %s", reported)
				}
				return
			}
			p.waits(t, "")
			if reported := p.states(t); reported != "1 after 0; 2 after 1; " {
				t.Errorf("acme was notified of %s", reported)
			}
		})
	}
}

// What is held is not reported, nor sent to the archive, however often it is settled and
// whatever limit is set meanwhile; once it is released, all are, once.
func TestHeldUntilReleased(t *testing.T) {
	p, db := held(t, "EUR=100.00")
	p.result(t, 2, 17)
	var archived []string
	p.archive = &archived
	for range 3 {
		p.settle(t)
		p.waits(t, moves)
		p.holdAbove = ""
	}
	p.wantReports(t, "acme", p.reported(t, "acme")[0])
	if len(archived) > 0 {
		t.Errorf("the archive was sent %q", archived)
	}
	if missed := p.found(t); len(missed) > 0 {
		t.Errorf("a recount finds %v", missed)
	}
	p.release(t, 3) // another state
	p.settle(t)
	p.waits(t, moves)
	p.release(t, 2)
	crashes := 0
	db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if call.Write && crashes < 2 { // before it is released and after, before anybody is notified
			crashes++
			return []fakedynamo.Verdict{fakedynamo.Proceed, fakedynamo.FailBefore}[crashes-1]
		}
		return fakedynamo.Proceed
	}
	if err := p.settler().Handle(t.Context(), theDraw); err == nil {
		t.Error("the try did not die")
	}
	db.Intercept = nil
	p.result(t, 3, 34) // too late to replace what is released
	for range 2 {
		p.settle(t)
	}
	if reported := p.states(t); reported != "1 after 0; 2 after 1; 3 after 2; " {
		t.Errorf("acme was notified of %s", reported)
	}
	p.waits(t, "")
	if len(archived) == 0 {
		t.Error("the archive was sent nothing")
	}
}

// A newer state takes the place of one that is held, over the same base; a release of the
// older one changes nothing any more.
func TestHeldIsReplaced(t *testing.T) {
	for _, test := range []struct {
		name   string
		pocket int
		want   string
	}{
		{"by one that moves little", 34, "1 after 0; "}, // nothing of acme's changes: it gets no report
		{"by one that is held, too", 15, "1 after 0; "},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, _ := held(t, "EUR=50.00")
			p.result(t, 2, 17)
			p.settle(t)
			p.waits(t, moves)
			p.result(t, 3, test.pocket)
			if held := test.pocket == 15; held {
				p.settle(t)
				p.release(t, 2)
				p.settle(t)
				p.waits(t, "EUR 80.00")
				p.release(t, 3)
				test.want += "3 after 1; "
			}
			p.settle(t)
			p.waits(t, "")
			if reported := p.states(t); reported != test.want {
				t.Errorf("acme was notified of %s", reported)
			}
			p.stands(t, 3, true)
			if missed := p.found(t); len(missed) > 0 {
				t.Errorf("a recount finds %v", missed)
			}
			history, err := p.history(t)
			if err != nil {
				t.Fatal(err)
			}
			accounts, err := history.Accounts([]store.StoredBet{bet("b00000")})
			if err != nil || fmt.Sprint(len(accounts[0].Lines)) != fmt.Sprint(strings.Count(test.want, ";")) {
				t.Errorf("the history is %+v, %v", accounts, err)
			}
		})
	}
}

// Of a release and a newer state that come at once one decides: what was released before
// SWEEP changes is reported to all, or to nobody.
func TestReleasedOrReplaced(t *testing.T) {
	p, db := held(t, "EUR=100.00")
	p.result(t, 2, 17)
	p.settle(t)
	p.release(t, 2)
	overlapped := false
	db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if !overlapped && call.Write && strings.HasSuffix(call.Keys[0], "/ SWEEP") { // it is about to be released
			overlapped = true
			p.result(t, 3, 15)
			p.settle(t)
		}
		return fakedynamo.Proceed
	}
	p.settle(t)
	if db.Intercept = nil; !overlapped {
		t.Fatal("the tries did not overlap")
	}
	p.settle(t)
	if reported := p.states(t); reported != "1 after 0; 3 after 1; " {
		t.Errorf("acme was notified of %s", reported)
	}
}

func TestLimits(t *testing.T) {
	for _, text := range []string{"EUR", "EUR=1", "EUR=1.000", "JPY=1.0", "EUR=-1.00", "XXX=1.00", "EUR=1.00,EUR=2.00", "EUR=1.00,", "eur=1.00"} {
		t.Run(text, func(t *testing.T) {
			if limits, err := settlement.ParseLimits(text); err == nil {
				t.Errorf("%q is taken as %v", text, limits)
			}
		})
	}
	if limits, err := settlement.ParseLimits("EUR=10000.00,JPY=1000000"); err != nil || len(limits) != 2 {
		t.Errorf("%v, %v, want no error and len(limits) = 2", limits, err)
	}
}

// The limits are of the plan: a try that goes on with it, where others are set, holds
// what the one that planned would have held.
func TestLimitsOfThePlan(t *testing.T) {
	p, db := held(t, "EUR=100.00")
	p.result(t, 2, 17)
	db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if call.Write && strings.Contains(call.Keys[0], "DONE#") {
			return fakedynamo.FailBefore
		}
		return fakedynamo.Proceed
	}
	if err := p.settler().Handle(t.Context(), theDraw); err == nil {
		t.Error("the try did not die")
	}
	db.Intercept = nil
	p.holdAbove = ""
	p.settle(t)
	p.waits(t, moves)
}
