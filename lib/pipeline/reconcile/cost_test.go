package reconcile_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"tally/internal/testkit/capacity"
	"tally/internal/testkit/duequeue"
	"tally/internal/testkit/dynamotest"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/reconcile"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// What the three looks at a draw take, of so many bookmakers with a bet each: one drops what its
// opening has left, one finds it settled, one counts it again after ten minutes. Taking the
// message takes the first request of each. The cursor's runs of those twelve minutes, of which
// each goes through the parts of two minutes, are counted apart: they take the same whatever
// number of draws is due.
const wantCosts = `
bookmakers  look      requests  writes  reads
         1  opening          3       1      2
         1  settled          6       4      5
         1  counted         10       1      9
        10  opening          3       1      2
        10  settled          6       4      6
        10  counted         19       1     20
        50  opening          3       1      2
        50  settled          6       4      9
        50  counted         59       1     66
       200  opening          3       1      2
       200  settled          6       4     23
       200  counted        209       1    244
`

func TestCosts(t *testing.T) {
	var got strings.Builder
	fmt.Fprintf(&got, "\n%-10s  %-8s  %8s  %6s  %5s\n", "bookmakers", "look", "requests", "writes", "reads")
	for _, bookmakers := range []int{1, 10, 50, 200} {
		c := newCosts(t)
		c.play(bookmakers)
		for _, look := range []string{"opening", "settled", "counted"} {
			before := c.meter.Snapshot()
			c.until(look)
			if err := c.queue.Work(t.Context(), c.looker); err != nil {
				t.Fatal(err)
			}
			total := c.meter.Snapshot().Minus(before).Minus(c.run).Total()
			fmt.Fprintf(&got, "%10d  %-8s  %8d  %6v  %5v\n", bookmakers, look, total.Calls, total.Writes, total.Reads)
		}
	}
	if got.String() != wantCosts {
		t.Errorf("got%swant%s", got.String(), wantCosts)
	}
}

// costs is a table whose requests are counted, with a clock of its own.
type costs struct {
	*testing.T
	meter   *capacity.Meter
	table   *store.Table
	at      settlement.Instant
	queue   duequeue.Queue
	intake  *intake.Intake
	settler *settle.Settler
	cursor  *reconcile.Cursor
	looker  *reconcile.Reconciler
	run     capacity.Snapshot // the requests of the cursor since it was asked to go on
}

func newCosts(t *testing.T) *costs {
	c := &costs{T: t, meter: capacity.New(dynamotest.PartitionKey, dynamotest.SortKey), at: 1_796_040_000_000}
	db := dynamotest.Kumo(t)
	c.table = store.New(db.NewClient(c.meter.Attach), db.Table(t))
	n, log := newNight(t), slog.New(slog.DiscardHandler)
	now := func() settlement.Instant { return c.at }
	c.intake = &intake.Intake{Table: c.table, Replies: discard{}, Sweeps: discard{}, Archive: discard{}, Record: n, Now: now, Log: log}
	c.settler = &settle.Settler{Table: c.table, Archive: discard{}, Record: n, Now: now, Log: log}
	c.cursor = &reconcile.Cursor{Table: c.table, Looks: &c.queue, Depths: n, Record: n, Now: now, Log: log}
	c.looker = &reconcile.Reconciler{Table: c.table, Intake: c.intake, Settler: c.settler, Sweeps: discard{}, Studio: studio{n}, Record: n, Now: now, Log: log}
	return c
}

// play settles a draw.
func (c *costs) play(bookmakers int) {
	c.Helper()
	c.until("")
	say := func(fields string) error {
		body := `{"schema":1,"id":"m","game":"roulette","table":"rou-1","draw":"rou-1.7","at":"2026-11-30T12:00:00.000Z",` + fields + `}`
		return c.intake.Handle(c.Context(), intake.Delivery{Body: []byte(body), SentAt: c.at, From: intake.Studio})
	}
	err := say(fmt.Sprintf(`"type":"draw.opened","sequence":7,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, instant.Format(c.at), instant.Format(c.at+10_000)))
	for b := range bookmakers {
		bookmaker := fmt.Sprintf("bookmaker-%03d", b)
		_, failed := c.table.CreateBet(c.Context(), store.BetsKey("rou-1.7", bookmaker, 0), store.StoredBet{SK: store.BetKey("b1"), Selection: "red", Stake: 500, Currency: "EUR", AcceptedAt: c.at, Round: 1})
		err = errors.Join(err, failed, c.table.Put(c.Context(), store.Item{PK: store.DrawKey("rou-1.7"), SK: store.PartKey(bookmaker)}))
	}
	c.at += 70_000 // the opening is due in a minute before that of the result
	err = errors.Join(err, say(`"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":17}]}`))
	c.at += 20_000
	if err = errors.Join(err, c.settler.Handle(c.Context(), "rou-1.7")); err != nil {
		c.Fatal(err)
	}
}

// until lets minutes pass until a look is sent; without one, one.
func (c *costs) until(look string) {
	c.Helper()
	before := c.meter.Snapshot()
	for range 20 {
		c.at = c.at/60_000*60_000 + 60_000
		if err := c.cursor.Run(c.Context()); err != nil {
			c.Fatal(err)
		}
		if waiting, _ := c.queue.Waiting(c.Context()); waiting > 0 || look == "" {
			break
		}
	}
	c.run = c.meter.Snapshot().Minus(before)
}

// A run of the cursor takes as many requests however many draws are due, as long as they
// fit into a page of 1 MB for each part; and one more to the queue for ten draws.
func TestCostOfCursor(t *testing.T) {
	for draws, sends := range map[int]int{0: 0, 400: 40} {
		t.Run(fmt.Sprint(draws), func(t *testing.T) {
			c := newCosts(t)
			for range 10 {
				c.until("")
			}
			for number := range draws {
				id := fmt.Sprintf("rou-1.%d", number)
				if err := c.table.Put(t.Context(), store.Item{PK: store.DueKey(c.at, store.DuePart(id)), SK: store.DueDrawKey(id, 0)}); err != nil {
					t.Fatal(err)
				}
			}
			c.queue.Batches = 0
			c.until("")
			total := c.run.Total()
			// The position twice, two minutes of eight parts, seven days of quarantine.
			if total.Calls != 1+16+7+1 || total.Writes != capacity.Unit {
				t.Errorf("a run took %d requests and %v write units, want 25 and 1", total.Calls, total.Writes)
			}
			if most := sends + store.DueParts; c.queue.Batches < sends || c.queue.Batches > most || c.queue.Sent != draws {
				t.Errorf("%d looks were sent in %d requests, want %d in at most %d", c.queue.Sent, c.queue.Batches, draws, most)
			}
		})
	}
}
