package settle_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/pipeline/settle"
	"tally/lib/store"
)

// Two tries overlap, and the second has seen a bet that the first has not. The page
// that was stored first stays.
func TestPagesOfTwoTries(t *testing.T) {
	db := fakedynamo.New(t, "table")
	p := &pipeline{table: store.New(db, "table")}
	p.open(t, 3)
	p.result(t, 1, 34)
	db.Overwritten = func(key string, before, after map[string]types.AttributeValue) {
		if strings.HasPrefix(key, "REPORT#") {
			t.Errorf("%s was written twice, alike: %v", key, reflect.DeepEqual(before, after))
		}
	}
	overlaps := 0
	db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if call.Write && strings.HasPrefix(call.Keys[0], "REPORT#") && overlaps == 0 {
			overlaps++
			p.late(t, "acme", bet("a00000"))
			p.settle(t)
		}
		return fakedynamo.Proceed
	}
	p.settle(t)
	if overlaps == 0 {
		t.Error("no page was written")
	}
}

// A bookmaker may register until the time from which bets are settled. So the time is
// read before the registry: one that comes between the two is not missed.
func TestTimeBeforeRegistry(t *testing.T) {
	db := fakedynamo.New(t, "table")
	p := &pipeline{table: store.New(db, "table")}
	p.open(t, 1)
	p.now = noon - 10_000
	p.result(t, 1, 34) // when betting closed
	p.now -= 2000      // two seconds too early
	db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if call.Operation == "Query" && call.Keys[0] == store.DrawKey(theDraw) {
			p.now += 5000
		}
		return fakedynamo.Proceed
	}
	notYet := (*settle.NotYetError)(nil)
	if err := p.settler().Handle(t.Context(), theDraw); !errors.As(err, &notYet) {
		t.Errorf("a registry that was read before it was time is settled by: %v", err)
	}
}

// A settlement run writes a page for a thousand bets, and beside those as much for many bets as
// for few.
func TestWritesOfManyBets(t *testing.T) {
	for _, bets := range []int{10_000, 100_000} {
		t.Run(fmt.Sprint(bets), func(t *testing.T) {
			db := fakedynamo.New(t, "table")
			p := &pipeline{table: store.New(db, "table")}
			p.open(t, 1)
			for n := range bets - 1 {
				if _, err := p.table.CreateBet(t.Context(), store.BetsKey(theDraw, "acme", 0), bet(fmt.Sprintf("c%06d", n))); err != nil {
					t.Fatal(err)
				}
			}
			p.result(t, 1, 34)
			pages, others := 0, 0
			db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
				switch {
				case call.Write && strings.HasPrefix(call.Keys[0], "REPORT#"):
					pages++
				case call.Write:
					others++
				}
				return fakedynamo.Proceed
			}
			p.settle(t)
			if pages != bets/1000 || others != 4 {
				t.Errorf("of %d bets it made %d writes of pages and %d others", bets, pages, others)
			}
		})
	}
}
