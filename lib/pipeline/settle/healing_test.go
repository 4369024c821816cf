package settle_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw/report"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/settle"
	"tally/lib/store"
	"tally/lib/store/record"
)

// More late records than one order may name take several, and all are settled.
func TestManyLateRecords(t *testing.T) {
	p := &pipeline{table: store.New(fakedynamo.New(t, "table"), "table")}
	p.open(t, 1)
	p.result(t, 1, 34)
	p.settle(t)
	const late = 2*wire.MaxLate + 1
	for n := range late {
		p.late(t, "acme", bet(fmt.Sprintf("late-%05d", n)))
	}
	named := 0
	for range 3 {
		for _, m := range p.found(t) {
			if named += len(m.Records); len(m.Records) > wire.MaxLate {
				t.Errorf("an order names %d records", len(m.Records))
			}
		}
		p.settle(t)
	}
	if named != late {
		t.Errorf("%d records were named instead of %d", named, late)
	}
	_, byCurrency, err := record.Totals(t.Context(), p.table, theDraw, "acme")
	if err != nil || len(byCurrency) != 1 || byCurrency[0].Bets != late+1 {
		t.Errorf("settled are %+v, %v", byCurrency, err)
	}
}

// A settlement run that other code, or other data, has stopped goes on once that is fixed,
// though pages of its are stored that were made by it: those are never reported.
func TestMendedAfterOtherData(t *testing.T) {
	p := &pipeline{table: store.New(fakedynamo.New(t, "table"), "table")}
	p.open(t, 2)
	p.result(t, 1, 34)
	p.settle(t)
	pk := store.BetsKey(theDraw, "acme", 0)
	right, err := p.table.GetBet(t.Context(), pk, store.BetKey("b00000"))
	if err != nil {
		t.Fatal(err)
	}
	replace := func(with store.StoredBet) {
		t.Helper()
		if err := p.table.Delete(t.Context(), pk, with.SK); err != nil {
			t.Fatal(err)
		}
		if _, err := p.table.CreateBet(t.Context(), pk, with); err != nil {
			t.Fatal(err)
		}
	}
	wrong := *right
	wrong.Stake = 9900
	replace(wrong)
	p.result(t, 2, 17)
	var mismatch *settle.MismatchError
	if err := p.settler().Handle(t.Context(), theDraw); !errors.As(err, &mismatch) {
		t.Fatalf("it goes on: %v", err)
	}
	replace(*right)
	for range 3 { // reconcile asks again and again
		if err := p.settler().Handle(t.Context(), theDraw); err != nil && !errors.As(err, &mismatch) {
			t.Fatal(err)
		}
		p.found(t)
		if again := p.found(t); len(again) > 0 {
			t.Errorf("there is a newer state, and another is asked for: %v", again)
		}
	}
	p.settle(t)
	status, err := p.settler().Status(t.Context(), theDraw)
	if err != nil || !status.Settled || status.Stopped != "" {
		t.Errorf("it stands at %+v, %v", status, err)
	}
	reported := p.reported(t, "acme")
	if len(reported) != 2 || !strings.HasSuffix(reported[1], "after 1: b00000 lost 0.00 for 1; b00001 won 20.00 for 1;") {
		t.Errorf("reported %q", reported)
	}
}

// Bets may be in flight until the grace time is over: a settlement run before that says when.
func TestNotYet(t *testing.T) {
	p := &pipeline{table: store.New(fakedynamo.New(t, "table"), "table")}
	p.open(t, 1)
	p.now = noon - 10_000
	p.result(t, 1, 34) // when betting closed, ten seconds ago
	p.now--
	var notYet *settle.NotYetError
	if err := p.settler().Handle(t.Context(), theDraw); !errors.As(err, &notYet) || notYet.After != time.Millisecond {
		t.Errorf("a millisecond too early: %v", err)
	}
	p.wantReports(t, "acme")
	p.now++
	p.settle(t)
	p.wantReports(t, "acme", "1 after 0: b00000 won 20.00;")
}

// A try that dies after it has abandoned a state, and before it has planned the next,
// leaves that to whoever comes.
func TestDiesOnceAbandoned(t *testing.T) {
	db := fakedynamo.New(t, "table")
	p := &pipeline{table: store.New(db, "table")}
	p.open(t, 1)
	p.result(t, 1, 34)
	p.settle(t)
	p.late(t, "acme", bet("b1"))
	p.result(t, 2, 17)
	p.settle(t)
	p.found(t)
	marked := false
	db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if call.Write && marked {
			return fakedynamo.FailBefore
		}
		marked = call.Write && strings.Contains(call.Keys[0], store.DonePrefix(2))
		return fakedynamo.Proceed
	}
	if err := p.settler().Handle(t.Context(), theDraw); err == nil || !marked {
		t.Errorf("it did not die once the mark was there: %v", err)
	}
	db.Intercept = nil
	p.settle(t)
	p.stands(t, 3, true)
	p.wantReports(t, "acme", "1 after 0: b00000 won 20.00;", "3 after 1: b00000 lost 0.00 for 1; b1 lost 0.00;")
}

// Late records that keep coming make one state after the other given up. Each is
// recorded as skipped, once.
func TestAbandonedTwice(t *testing.T) {
	p := &pipeline{table: store.New(fakedynamo.New(t, "table"), "table")}
	p.open(t, 1)
	p.result(t, 1, 34)
	p.settle(t)
	p.result(t, 2, 17)
	for n := range 3 {
		p.late(t, "acme", bet(fmt.Sprintf("b%d", n)))
		p.settle(t)
		p.stands(t, 2+n, false)
		p.found(t)
	}
	p.settle(t)
	p.stands(t, 5, true)
	p.wantReports(t, "acme", "1 after 0: b00000 won 20.00;", "5 after 1: b0 lost 0.00; b00000 lost 0.00 for 1; b1 lost 0.00; b2 lost 0.00;")
	item, _, err := p.table.Get(t.Context(), store.DrawKey(theDraw), store.SweepKey)
	if err != nil || !strings.Contains(item.Body, `"skipped":[2,3,4],"swept":[1,5]`) {
		t.Errorf("the run is %s, %v", item.Body, err)
	}
}

// One try has met a late record and is about to give the state up, when another, which
// has not seen it, finishes and reports it, and dies before it closes. The state is reported
// then, and its bookmakers hear of the next one as its successor.
func TestReportedBeforeAbandoned(t *testing.T) {
	db := fakedynamo.New(t, "table")
	p := &pipeline{table: store.New(db, "table")}
	p.open(t, 1)
	p.result(t, 1, 34)
	p.settle(t)
	p.result(t, 2, 17)
	type first struct{}
	waits, goOn, died := make(chan bool), make(chan bool), make(chan error)
	reported, planned := false, false
	db.Intercept = func(ctx context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		done := call.Write && strings.Contains(call.Keys[0], store.DonePrefix(2))
		run := call.Write && strings.HasSuffix(call.Keys[0], store.SweepKey)
		switch {
		case ctx.Value(first{}) == nil:
			if done && !reported {
				reported = true
				close(goOn)
				<-died
			}
		case done:
			waits <- true
			<-goOn
		case run && planned:
			return fakedynamo.FailBefore
		case run:
			planned = true
		}
		return fakedynamo.Proceed
	}
	go func() {
		died <- p.settler().Handle(context.WithValue(t.Context(), first{}, true), theDraw)
	}()
	<-waits
	p.late(t, "acme", bet("b1"))
	p.result(t, 3, 15)
	p.settle(t)
	db.Intercept = nil
	p.found(t)
	p.settle(t)
	p.stands(t, 4, true)
	p.wantReports(t, "acme", "1 after 0: b00000 won 20.00;", "2 after 1: b00000 lost 0.00 for 1;", "4 after 2: b1 lost 0.00;")
}

// A newer state that came while a settlement run was under way is settled by the same message:
// its own may have been taken up, and done with, meanwhile.
func TestNewerStateIsNext(t *testing.T) {
	db := fakedynamo.New(t, "table")
	p := &pipeline{table: store.New(db, "table")}
	p.open(t, 1)
	p.result(t, 1, 34)
	db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if strings.HasPrefix(call.Keys[0], "FEED#") {
			return fakedynamo.FailBefore
		}
		return fakedynamo.Proceed
	}
	if err := p.settler().Handle(t.Context(), theDraw); err == nil {
		t.Error("it did not die")
	}
	db.Intercept = nil
	p.result(t, 2, 17)
	p.settle(t)
	p.stands(t, 2, true)
	p.wantReports(t, "acme", "1 after 0: b00000 won 20.00;", "2 after 1: b00000 lost 0.00 for 1;")
}

// An entry says what all the bets come to and came to before, and times rise with the
// numbers though clocks differ: an API that lists a day relies on it.
func TestEntries(t *testing.T) {
	p := &pipeline{table: store.New(fakedynamo.New(t, "table"), "table")}
	p.open(t, 2)
	p.result(t, 1, 34) // red and even
	p.settle(t)
	first := p.now
	p.result(t, 2, 17) // black
	p.now = first - 1000
	p.settle(t)
	var entries []*report.Entry
	for item, err := range p.table.Query(t.Context(), store.FeedKey("acme"), "0") {
		if err != nil {
			t.Fatal(err)
		}
		entry, err := store.Decode[report.Entry](item)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry)
	}
	if len(entries) != 2 || entries[0].At != first || entries[1].At != first || entries[1].Sequence != 2 {
		t.Fatalf("the entries are %+v", entries)
	}
	before, now := entries[0].Totals, entries[1].Totals
	if len(entries[0].Before) != 0 || !reflect.DeepEqual(entries[1].Before, before) {
		t.Errorf("before %+v, now %+v, the second says %+v", before, now, entries[1].Before)
	}
	if before[0].Bets != 2 || before[0].Won != 1 || now[0].Bets != 2 || now[0].Won != 1 {
		t.Errorf("before %+v, now %+v", before, now)
	}
}

// An audit goes on from a position, if that is one in the same state.
func TestAuditFrom(t *testing.T) {
	p := &pipeline{table: store.New(fakedynamo.New(t, "table"), "table")}
	p.open(t, 1)
	p.late(t, "borealis", bet("b1"))
	p.result(t, 1, 34)
	p.settle(t)
	p.result(t, 2, 17)
	p.settle(t)
	p.late(t, "acme", bet("b2"))
	p.late(t, "borealis", bet("b2"))
	for _, test := range []struct {
		from settle.Position
		want string
	}{
		{settle.Position{}, "[{acme [b2] false} {borealis [b2] false}]"},
		{settle.Position{State: 2, After: "acme#000"}, "[{borealis [b2] false}]"},
		{settle.Position{State: 1, After: "acme#000"}, "[{acme [b2] false} {borealis [b2] false}]"},
	} {
		t.Run(test.want, func(t *testing.T) {
			found, err := p.settler().Audit(t.Context(), theDraw, wire.Look{}, test.from)
			if got := fmt.Sprint(found.Missed); err != nil || got != test.want || found.At != (settle.Position{State: 2, After: "borealis#000"}) {
				t.Errorf("from %+v: %s up to %+v, %v", test.from, got, found.At, err)
			}
		})
	}
}
