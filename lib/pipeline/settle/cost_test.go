package settle_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/capacity"
	"tally/internal/testkit/dynamotest"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/draw/report"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// pipeline is all that a draw needs, on one table, with a clock of its own.
type pipeline struct {
	table *store.Table
	now   settlement.Instant
	// holdAbove are the limits of every settlement run.
	holdAbove string
	archive   *[]string // what the archive was sent, where that is asked for
}

// sentTo notes what is sent, where that is asked for.
type sentTo struct{ list *[]string }

func (to sentTo) Send(_ context.Context, body string, _ time.Duration) error {
	if to.list != nil {
		*to.list = append(*to.list, body)
	}
	return nil
}

type discard struct{}

func (discard) Quarantined(string)                                {}
func (discard) Stored(string, time.Duration, string)              {}
func (discard) Accepted(string)                                   {}
func (discard) Unlooked(string)                                   {}
func (discard) Refused(string, string)                            {}
func (discard) Settled(string, int, int, bool, time.Duration)     {}
func (discard) Mismatch(string)                                   {}
func (discard) Send(context.Context, string, time.Duration) error { return nil }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// noon is 2026-11-30T12:00:00.000Z.
const noon settlement.Instant = 1_795_953_600_000

const theDraw = "rou-1.7"

func (p *pipeline) clock() settlement.Instant { return p.now }

func (p *pipeline) settler() *settle.Settler {
	limits, err := settlement.ParseLimits(p.holdAbove)
	if err != nil {
		panic(err)
	}
	return &settle.Settler{Table: p.table, HoldAbove: limits, Archive: sentTo{p.archive}, Record: discard{}, Now: p.clock, Log: quiet, Parallel: 1}
}

// say handles a message of the draw.
func (p *pipeline) say(t *testing.T, fields string) {
	t.Helper()
	body := `{"schema":1,"id":"m","game":"roulette","table":"rou-1","draw":"` + theDraw + `","at":"2026-11-30T12:00:00.000Z",` + fields + `}`
	source := intake.Studio
	if strings.Contains(fields, "order") {
		source = intake.Operator
	}
	in := intake.Intake{Table: p.table, Replies: discard{}, Sweeps: discard{}, Archive: discard{}, Record: discard{}, Now: p.clock, Log: quiet,
		Settings: draw.Settings{Shards: 1, RetainMillis: 400 * 24 * 3600 * 1000}}
	if err := in.Handle(t.Context(), intake.Delivery{Body: []byte(body), SentAt: p.now, From: source}); err != nil {
		t.Fatal(err)
	}
}

// open opens the draw at noon and places bets of acme.
func (p *pipeline) open(t *testing.T, bets int) {
	t.Helper()
	p.now = noon
	p.say(t, fmt.Sprintf(`"type":"draw.opened","sequence":7,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, instant.Format(noon), instant.Format(noon+60_000)))
	p.now = noon + 1000
	acceptor := placing.Acceptor{Table: p.table, Terms: func(string) money.Terms { return money.Terms{} }, Now: p.clock, Record: discard{}}
	for n := range bets {
		request := placing.Request{Bookmaker: "acme", Draw: theDraw, Reference: fmt.Sprintf("b%05d", n), Selection: []string{"red", "black", "straight:17"}[n%3], Stake: "10.00", Currency: "EUR"}
		if _, err := acceptor.Place(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}
}

// result handles a revision that says where the ball fell.
func (p *pipeline) result(t *testing.T, revision, pocket int) {
	t.Helper()
	p.now += 70_000
	correction := ""
	if revision > 1 {
		correction = `,"correction":{"reason":"video_review"}`
	}
	p.say(t, fmt.Sprintf(`"type":"draw.resulted","revision":%d,"facts":{"spins":[{"revolutions":5,"pocket":%d}]}%s`, revision, pocket, correction))
	p.now += 10_000
}

// history is that of acme's bets.
func (p *pipeline) history(t *testing.T) (*settle.History, error) {
	t.Helper()
	d, err := record.Open(t.Context(), p.table, theDraw)
	if err != nil {
		return nil, err
	}
	return settle.LoadHistory(t.Context(), d, "acme")
}

func (p *pipeline) settle(t *testing.T) {
	t.Helper()
	if err := p.settler().Handle(t.Context(), theDraw); err != nil {
		t.Fatal(err)
	}
}

// What a settlement run writes, in its order, is what the commit points say.
func TestKeysWritten(t *testing.T) {
	db := fakedynamo.New(t, "table")
	p := &pipeline{table: store.New(db, "table")}
	p.open(t, 3)
	p.result(t, 1, 34)
	var calls []string
	db.Applied = func(call fakedynamo.Call) {
		if call.Write {
			calls = append(calls, call.String())
		}
	}
	expect := func(step string, want ...string) {
		t.Helper()
		p.settle(t)
		if got := strings.Join(calls, "\n"); got != strings.Join(want, "\n") {
			t.Errorf("%s wrote\n%s\ninstead of\n%s", step, got, strings.Join(want, "\n"))
		}
		calls = nil
	}
	expect("the first run",
		"PutItem DRAW#rou-1.7 / SWEEP",
		"PutItem REPORT#rou-1.7#1#acme#0 / 000001",
		"PutItem DRAW#rou-1.7 / DONE#000001#acme#000",
		"TransactWriteItems FEED#acme / COUNTER, FEED#acme / 000000000001, DRAW#rou-1.7 / FED#000001#acme",
		"PutItem DRAW#rou-1.7 / SWEEP")
	expect("a replay")
	db.Applied = nil
	p.result(t, 2, 36) // red and high as 34: no line changes
	db.Applied = func(call fakedynamo.Call) {
		if call.Write {
			calls = append(calls, call.String())
		}
	}
	expect("a correction that changes nothing",
		"PutItem DRAW#rou-1.7 / SWEEP",
		"PutItem DRAW#rou-1.7 / DONE#000002#acme#000",
		"PutItem DRAW#rou-1.7 / FED#000002#acme",
		"PutItem DRAW#rou-1.7 / SWEEP")
}

// A small draw costs at most 12 write units a bookmaker, its plan and its closing
// included.
func TestCostOfSmallDraw(t *testing.T) {
	db := dynamotest.DynamoDBLocal(t)
	counts := capacity.New(dynamotest.PartitionKey, dynamotest.SortKey)
	p := &pipeline{table: store.New(db.NewClient(counts.Attach), db.Table(t))}
	p.open(t, 3)
	p.result(t, 1, 34)
	counts.Reset()
	p.settle(t)
	const want = `operation           calls  attempts  items  reads  writes  unseen
GetItem                 3         3      1      3       0       0
PutItem                 4         4      4      0       4       1
Query                   2         2      8      2       0       0
TransactWriteItems      1         1      3      0       6       0
total                  10        10     16      5      10       1
`
	if got := counts.String(); got != want {
		t.Errorf("a run of one bookmaker's three bets:\n%s\ninstead of\n%s", got, want)
	}
	if writes := counts.Snapshot().Total().Writes; writes > 12*capacity.Unit {
		t.Errorf("%v write units", writes)
	}
}

// 2,500 bets are three pages; a settlement run that was cut off after the second goes on
// from there, and nothing of what comes out differs.
func TestResume(t *testing.T) {
	db := fakedynamo.New(t, "table")
	p := &pipeline{table: store.New(db, "table")}
	p.open(t, 2500)
	p.result(t, 1, 34)
	cut, reads := true, 0
	db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		switch {
		case cut && strings.HasSuffix(call.Keys[0], "/ 000003"):
			return fakedynamo.FailBefore
		case strings.HasPrefix(call.Keys[0], "BETS#") && !call.Write:
			reads++
		}
		return fakedynamo.Proceed
	}
	if err := p.settler().Handle(t.Context(), theDraw); err == nil {
		t.Fatal("the run was not cut off")
	}
	if reads != 1 {
		t.Errorf("the bets were read by %d queries", reads)
	}
	cut = false
	var written []string
	db.Applied = func(call fakedynamo.Call) {
		if call.Write {
			written = append(written, call.Keys[0])
		}
	}
	p.settle(t)
	if want := "REPORT#rou-1.7#1#acme#0 / 000003"; len(written) == 0 || written[0] != want {
		t.Errorf("it wrote %v, first should be %s", written, want)
	}
	lines := 0
	for page, err := range p.table.Query(t.Context(), store.ReportKey(theDraw, 1, "acme", 0), "") {
		if err != nil {
			t.Fatal(err)
		}
		text, err := report.Inflate(page.Binary)
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(text), "\n")
	}
	if lines != 2500 {
		t.Errorf("%d lines are reported", lines)
	}
}

// A base that comes to another digest than was stored, by other code or other
// data, stops the run: nothing is reported, and every later try stops too.
func TestMismatch(t *testing.T) {
	for name, spoil := range map[string]func(*pipeline) error{
		"a digest was changed": func(p *pipeline) error {
			item, _, err := p.table.Get(t.Context(), store.DrawKey(theDraw), store.DoneKey(1, "acme", 0))
			if err != nil {
				return err
			}
			item.Body = strings.Replace(item.Body, `"digest":"`, `"digest":"0`, 1)
			return p.table.Put(t.Context(), item)
		},
		"a bet is gone": func(p *pipeline) error {
			return p.table.Delete(t.Context(), store.BetsKey(theDraw, "acme", 0), store.BetKey("b00001"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pipeline{table: store.New(fakedynamo.New(t, "table"), "table")}
			p.open(t, 3)
			p.result(t, 1, 34)
			p.settle(t)
			if err := spoil(p); err != nil {
				t.Fatal(err)
			}
			p.result(t, 2, 17)
			for range 2 {
				if err := p.settler().Handle(t.Context(), theDraw); err == nil || !strings.Contains(err.Error(), "state 1 computed again") {
					t.Errorf("it goes on: %v", err)
				}
			}
			status, err := p.settler().Status(t.Context(), theDraw)
			if err != nil || status.Stopped == "" || status.Settled {
				t.Errorf("standing %+v, %v", status, err)
			}
			last, _, err := p.table.Last(t.Context(), store.FeedKey("acme"))
			if err != nil || last.SK != store.CounterKey || !strings.Contains(last.Body, `"newest":1`) {
				t.Errorf("the feed's end is %+v, %v", last, err)
			}
		})
	}
}
