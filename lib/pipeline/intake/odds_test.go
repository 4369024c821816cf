package intake_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/capacity"
	"tally/internal/testkit/dynamotest"
	"tally/lib/draw/odds"
	"tally/lib/pipeline/intake"
	"tally/lib/store"
)

// opens opens draws of war at one table, with a board in betting round 1.
func (d *bench) opens(t *testing.T, sequence int, odds string) {
	t.Helper()
	for _, text := range []string{
		fmt.Sprintf(`"type":"draw.opened","sequence":%d,"rounds":[{"round":1,"opens_at":"2026-11-29T12:00:10.000Z","closes_at":"2026-11-29T12:00:30.000Z"}]`, sequence),
		`"type":"betting.opened","round":1,"opens_at":"2026-11-29T12:00:10.000Z","closes_at":"2026-11-29T12:00:30.000Z","odds":` + odds,
	} {
		body := fmt.Sprintf(`{"schema":1,"id":"m%d","game":"war","table":"war-1","draw":"war-1.%d","at":"2026-11-29T12:00:00.000Z",%s}`, sequence, sequence, text)
		if sent, err := d.handle(t, intake.Studio, body); err != nil || !strings.Contains(sent, "reply stored") {
			t.Fatalf("sent %s, %v, want it stored", sent, err)
		}
	}
}

// warnings are the codes of what the newest reply warns of.
func (d *bench) warnings() (codes []string) {
	if d.reply.Odds != nil {
		for _, w := range d.reply.Odds.Warnings {
			codes = append(codes, w.Code+" "+w.Selection)
		}
	}
	return codes
}

// The reply to a board has its figures and what looks like a mistake; that of a betting round
// in which nothing lies open is compared with the draw before. Nothing is refused.
func TestReplyToOdds(t *testing.T) {
	d := newBench(t)
	d.Odds = odds.Check
	d.opens(t, 1, `{"player":"2.08","war":"12.60","dealer":"2.08"}`)
	if d.reply.Odds == nil || len(d.reply.Odds.Selections) != 3 || len(d.warnings()) != 0 {
		t.Errorf("answered %+v, want three selections and no warning", d.reply.Odds)
	}
	d.opens(t, 2, `{"player":"2.50","war":"8","dealer":"2.08"}`)
	if want := []string{"odds_above_fair player", "odds_jump war"}; !slices.Equal(d.warnings(), want) {
		t.Errorf("warned of %q, want %q", d.warnings(), want)
	}
	d.Odds = nil
	d.opens(t, 3, `{"player":"2.50","war":"12.60","dealer":"2.08"}`)
	if d.reply.Odds != nil {
		t.Errorf("answered %+v, want nothing where nobody looks", d.reply.Odds)
	}
}

// To compare a board with that of the draw before costs two reads, and a third where that has
// its board in its opening; the first draw of a table costs one.
func TestCostOfOdds(t *testing.T) {
	db := dynamotest.DynamoDBLocal(t)
	counts := capacity.New(dynamotest.PartitionKey, dynamotest.SortKey)
	cost := func(compares bool) (reads []string) {
		d := newBench(t)
		d.Table = store.New(db.NewClient(counts.Attach), db.Table(t))
		if compares {
			d.Odds = odds.Check
		}
		for n := 1; n <= 2; n++ {
			counts.Reset()
			d.opens(t, n, `{"player":"2.08","war":"12.60","dealer":"2.08"}`)
			reads = append(reads, fmt.Sprint(counts.Snapshot().Total().Reads))
		}
		return reads
	}
	without, with := cost(false), cost(true)
	var alone, compared [2]float64
	for i := range 2 {
		_, _ = fmt.Sscan(without[i], &alone[i])
		_, _ = fmt.Sscan(with[i], &compared[i])
	}
	if compared[0]-alone[0] != 1 || compared[1]-alone[1] != 2 {
		t.Errorf("the draws take %v read units without and %v with comparing, want 1 and 2 more", without, with)
	}
}
