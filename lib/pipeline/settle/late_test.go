package settle_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw"
	"tally/lib/draw/report"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/settle"
	"tally/lib/store"
)

// late writes a record past placing: one that arrives after a settlement run has read all
// bets.
func (p *pipeline) late(t *testing.T, bookmaker string, record store.StoredBet) {
	t.Helper()
	if err := p.table.Put(t.Context(), store.Item{PK: store.DrawKey(theDraw), SK: store.PartKey(bookmaker)}); err != nil {
		t.Fatal(err)
	}
	if existing, err := p.table.CreateBet(t.Context(), store.BetsKey(theDraw, bookmaker, 0), record); existing != nil || err != nil {
		t.Fatalf("%+v, %v, want a new bet", existing, err)
	}
}

// bet is a bet on red, won by state 1 and lost by state 2.
func bet(reference string) store.StoredBet {
	return store.StoredBet{SK: store.BetKey(reference), Selection: "red", Stake: 500, Currency: "EUR", AcceptedAt: noon + 2000, Round: 1}
}

// found handles the orders that name what an audit finds, as reconcile does.
func (p *pipeline) found(t *testing.T) (named []settle.LateRecords) {
	t.Helper()
	found, err := p.settler().Audit(t.Context(), theDraw, wire.Look{}, settle.Position{})
	if err != nil {
		t.Fatal(err)
	}
	named = found.Missed
	for _, m := range named {
		records, err := json.Marshal(append([]string{}, m.Records...))
		if err != nil {
			t.Fatal(err)
		}
		p.now += 1000
		body := fmt.Sprintf(`{"schema":1,"id":"m","type":"bets.found","game":"roulette","table":"rou-1","draw":%q,"at":"2026-11-30T12:00:00.000Z","order":"found-%d","bookmaker":%q,"records":%s,"reason":"r","evidence":"e"}`,
			theDraw, p.now, m.Bookmaker, records)
		in := intake.Intake{Table: p.table, Replies: discard{}, Sweeps: discard{}, Archive: discard{}, Record: discard{}, Now: p.clock, Log: quiet, Settings: draw.Settings{}}
		if err := in.Handle(t.Context(), intake.Delivery{Body: []byte(body), SentAt: p.now, From: intake.Own}); err != nil {
			t.Fatal(err)
		}
	}
	return named
}

// reported returns what a bookmaker's feed says: for each entry the state, the one that
// it replaces, and its lines.
func (p *pipeline) reported(t *testing.T, bookmaker string) (entries []string) {
	t.Helper()
	for item, err := range p.table.Query(t.Context(), store.FeedKey(bookmaker), "0") {
		if err != nil {
			t.Fatal(err)
		}
		entry, err := store.Decode[report.Entry](item)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%d after %d:", entry.State, entry.Replaces)
		for _, shard := range entry.Shards {
			for page := range shard.Pages {
				stored, _, err := p.table.Get(t.Context(), store.ReportKey(theDraw, entry.State, bookmaker, shard.Shard), store.PageKey(page+1))
				if err != nil {
					t.Fatal(err)
				}
				inflated, err := report.Inflate(stored.Binary)
				if err != nil {
					t.Fatal(err)
				}
				lines, err := report.ParseLines(inflated)
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range lines {
					text += fmt.Sprintf(" %s %s %s", l.Bet, l.Status, l.Payout)
					if l.Replaces > 0 {
						text += fmt.Sprintf(" for %d", l.Replaces)
					}
					text += ";"
				}
			}
		}
		entries = append(entries, text)
	}
	return entries
}

func (p *pipeline) wantReports(t *testing.T, bookmaker string, want ...string) {
	t.Helper()
	if got := p.reported(t, bookmaker); !slices.Equal(got, want) {
		t.Errorf("%s was told\n%s\ninstead of\n%s", bookmaker, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func (p *pipeline) stands(t *testing.T, state int, settled bool) {
	t.Helper()
	status, err := p.settler().Status(t.Context(), theDraw)
	if err != nil || status.State != state || status.Settled != settled || (status.Stopped == "") != settled {
		t.Errorf("the draw stands at %+v, %v", status, err)
	}
}

// A correction that meets late records stops, without an error: its message is done
// with. Once an order names them the newer state is reported, with the same base.
func TestLateRecordsBeforeACorrection(t *testing.T) {
	p := &pipeline{table: store.New(fakedynamo.New(t, "table"), "table")}
	p.open(t, 1) // b00000 on red
	p.result(t, 1, 34)
	p.settle(t)
	p.late(t, "acme", bet("b1"))
	p.late(t, "acme", store.StoredBet{SK: store.CancelKey("b00000"), AcceptedAt: noon + 3000})
	p.late(t, "borealis", bet("b1")) // its first: it was not in the plan
	p.result(t, 2, 17)
	for range 2 {
		p.settle(t)
		p.stands(t, 2, false)
	}
	p.wantReports(t, "acme", "1 after 0: b00000 won 20.00;")
	named := p.found(t)
	if want := "[{acme [b00000#cancel b1] false} {borealis [] false}]"; fmt.Sprint(named) != want {
		t.Errorf("the recount finds %v instead of %s", named, want)
	}
	if again := p.found(t); len(again) > 0 {
		t.Errorf("what the newest state knows is found again: %v", again)
	}
	p.settle(t)
	p.stands(t, 4, true)
	p.wantReports(t, "acme", "1 after 0: b00000 won 20.00;", "4 after 1: b00000 refunded 10.00 for 1; b1 lost 0.00;")
	p.wantReports(t, "borealis", "4 after 0: b1 lost 0.00;")
	if more := p.found(t); len(more) > 0 {
		t.Errorf("the next recount finds %v", more)
	}
	p.result(t, 3, 34)
	p.settle(t)
	p.wantReports(t, "borealis", "4 after 0: b1 lost 0.00;", "5 after 4: b1 won 10.00 for 4;")
}

// Two tries of a settlement run that overlap see different bets: one came between them. The
// state is reported or abandoned, never both, whichever write is first.
func TestReportedOrAbandoned(t *testing.T) {
	for _, test := range []struct {
		name, before string // the write before which the first try waits
		want, other  []string
	}{
		{"abandoned", "DRAW#rou-1.7 / DONE#000002#acme#000", []string{
			"1 after 0: b00000 won 20.00;", "4 after 1: b00000 lost 0.00 for 1; b1 lost 0.00;"}, []string{
			"1 after 0: b1 won 10.00;", "4 after 1: b1 lost 0.00 for 1;"}},
		{"told", "FEED#acme / COUNTER", []string{
			"1 after 0: b00000 won 20.00;", "2 after 1: b00000 lost 0.00 for 1;", "4 after 2: b1 lost 0.00;"}, []string{
			"1 after 0: b1 won 10.00;", "2 after 1: b1 lost 0.00 for 1;"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := fakedynamo.New(t, "table")
			p := &pipeline{table: store.New(db, "table")}
			p.open(t, 1)
			p.late(t, "borealis", bet("b1"))
			p.result(t, 1, 34)
			p.settle(t)
			p.result(t, 2, 17)
			overlapped := false
			db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
				if !overlapped && call.Write && call.Keys[0] == test.before {
					overlapped = true
					p.late(t, "acme", bet("b1"))
					p.result(t, 3, 15) // another correction: there is a newer state to go to
					p.settle(t)
				}
				return fakedynamo.Proceed
			}
			p.settle(t)
			if db.Intercept = nil; !overlapped {
				t.Fatal("the tries did not overlap")
			}
			p.found(t)
			p.settle(t)
			p.stands(t, 4, true)
			p.wantReports(t, "acme", test.want...)
			p.wantReports(t, "borealis", test.other...)
		})
	}
}

// A late record explains itself, and nothing else: other data beside one still stops
// the run with an alarm, also when there is a newer state.
func TestMismatchBesideALateRecord(t *testing.T) {
	p := &pipeline{table: store.New(fakedynamo.New(t, "table"), "table")}
	p.open(t, 3)
	p.result(t, 1, 34)
	p.settle(t)
	p.late(t, "acme", bet("b1"))
	if err := p.table.Delete(t.Context(), store.BetsKey(theDraw, "acme", 0), store.BetKey("b00001")); err != nil {
		t.Fatal(err)
	}
	for revision := range 2 {
		p.result(t, 2+revision, 17)
		if err := p.settler().Handle(t.Context(), theDraw); err == nil || !strings.Contains(err.Error(), "state 1 computed again") {
			t.Errorf("it goes on: %v", err)
		}
	}
	if _, err := p.settler().Audit(t.Context(), theDraw, wire.Look{}, settle.Position{}); err == nil || !strings.Contains(err.Error(), "state 1 computed again") {
		t.Errorf("the recount: %v", err)
	}
	if reported := p.reported(t, "acme"); len(reported) != 1 {
		t.Errorf("reported %q", reported)
	}
}

// A try that comes second may leave a page after those that were reported: of a
// late record that the first one did not see. Nobody reads it.
func TestPageLeftBehind(t *testing.T) {
	db := fakedynamo.New(t, "table")
	p := &pipeline{table: store.New(db, "table")}
	p.open(t, 1)
	p.result(t, 1, 34)
	waiting := true
	db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if waiting && call.Write && strings.Contains(call.Keys[0], "DONE#") {
			waiting = false
			p.late(t, "acme", bet("b1"))
			before := db.Intercept
			db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
				if call.Write && strings.Contains(call.Keys[0], "DONE#") {
					return fakedynamo.FailBefore // it dies after its page
				}
				return fakedynamo.Proceed
			}
			if err := p.settler().Handle(t.Context(), theDraw); err == nil {
				t.Error("the second try did not die")
			}
			db.Intercept = before
		}
		return fakedynamo.Proceed
	}
	p.settle(t)
	if pages, err := p.table.All(t.Context(), store.ReportKey(theDraw, 1, "acme", 0)); err != nil || len(pages) != 2 {
		t.Fatalf("%d pages are stored, %v", len(pages), err)
	}
	p.wantReports(t, "acme", "1 after 0: b00000 won 20.00;")
	if named := fmt.Sprint(p.found(t)); named != "[{acme [b1] false}]" {
		t.Errorf("the recount finds %s", named)
	}
	p.settle(t)
	p.wantReports(t, "acme", "1 after 0: b00000 won 20.00;", "2 after 1: b1 won 10.00;")
	history, err := p.history(t)
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := history.Accounts([]store.StoredBet{bet("b1")})
	if err != nil || len(accounts) != 1 || len(accounts[0].Lines) != 1 || accounts[0].Lines[0].State != 2 {
		t.Errorf("the history of the late record is %+v, %v", accounts, err)
	}
}
