package sequencer_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive/objects"
	"tally/lib/archive/sequencer"
)

// usage is what appending takes.
type usage struct {
	mutex             sync.Mutex
	puts, gets        int
	forYears, forDays int // bytes
	writes, reads     int // units of DynamoDB
}

// counting counts what an object store is asked for.
type counting struct {
	objects.Store
	usage *usage
}

func (c counting) put(key string, data []byte) {
	c.usage.mutex.Lock()
	defer c.usage.mutex.Unlock()
	c.usage.puts++
	if strings.Contains(key, ".p/") || strings.HasPrefix(key, "staged/") {
		c.usage.forDays += len(data)
	} else {
		c.usage.forYears += len(data)
	}
}

func (c counting) Get(ctx context.Context, key string) ([]byte, string, error) {
	c.usage.mutex.Lock()
	defer c.usage.mutex.Unlock()
	c.usage.gets++
	return c.Store.Get(ctx, key)
}

func (c counting) PutIfAbsent(ctx context.Context, key string, data []byte, header objects.Header) error {
	c.put(key, data)
	return c.Store.PutIfAbsent(ctx, key, data, header)
}

func (c counting) PutIfMatch(ctx context.Context, key string, data []byte, tag string, header objects.Header) error {
	c.put(key, data)
	return c.Store.PutIfMatch(ctx, key, data, tag, header)
}

// table counts capacity by DynamoDB's rules: all items are smaller than a unit of writing,
// and what is read of a draw than one of reading.
func (u *usage) table(call fakedynamo.Call) fakedynamo.Verdict {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	switch call.Operation {
	case "PutItem":
		u.writes++
	case "TransactWriteItems":
		u.writes += 2 * len(call.Keys)
	case "GetItem", "Query":
		u.reads++
	}
	return fakedynamo.Proceed
}

// used appends 2,560 entries of 400 bytes, in batches of so many, each of as many draws as
// messages about draws have entries, and returns what it took.
func used(t *testing.T, perBatch int) *usage {
	w, u := newWorld(t), &usage{}
	w.db.Intercept = intercept(u.table)
	l := w.appender()
	l.Objects = counting{w.files, u}
	for next := 0; next < entriesCounted; {
		var list []sequencer.Leaf
		for range min(perBatch, entriesCounted-next) {
			list = append(list, sequencer.Leaf{Group: fmt.Sprint("draw ", next*3/4), Key: fmt.Sprint(next), Data: fmt.Appendf(nil, "%400d", next)})
			next++
		}
		if _, err := l.Append(t.Context(), list); err != nil {
			t.Fatal(err)
		}
	}
	return u
}

const entriesCounted = 2_560

// TestCosts holds docs/costs.md to what is counted.
func TestCosts(t *testing.T) {
	text, err := os.ReadFile("../../../docs/costs.md")
	if err != nil {
		t.Fatal(err)
	}
	// Every draw has four entries, told in three messages; a table has 2,000 draws a day.
	for _, test := range []struct{ tables, perBatch int }{{10, 2}, {1000, 92}} {
		t.Run(fmt.Sprint(test.tables), func(t *testing.T) {
			row := used(t, test.perBatch).row(test.tables, test.perBatch)
			if !strings.Contains(string(text), row) {
				t.Errorf("docs/costs.md does not have\n%s", row)
			}
		})
	}
}

// row says what a day takes: by the prices of us-east-1, of 5 dollars for a million writes
// of files, 40 cents for reads, 62.5 cents for units of writing of the table, 12.5 for those
// of reading, and 2.3 cents for a gigabyte a month.
func (u *usage) row(tables, perBatch int) string {
	entries := float64(tables) * 2000 * 4
	times := entries / entriesCounted
	a := func(n int) float64 { return float64(n) * times }
	dollars := (a(u.puts)*5 + a(u.gets)*0.4 + a(u.writes)*0.625 + a(u.reads)*0.125) / 1e6
	return fmt.Sprintf("| %d | %.0f | %d | %.0f | %.0f | %.0f | %.0f | %.3f | %.3f | %.2f |", tables, entries, perBatch,
		a(u.puts), a(u.gets), a(u.writes), a(u.reads), a(u.forYears)/1e9, a(u.forDays)/1e9, dollars)
}
