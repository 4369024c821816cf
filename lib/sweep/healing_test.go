package sweep_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tally/lib/fakedynamo"
	"tally/lib/store"
	"tally/lib/sweep"
	"tally/lib/wire"
)

// More stragglers than one order may name take several, and all are settled.
func TestManyStragglers(t *testing.T) {
	p := &pipeline{table: store.New(fakedynamo.New(t, "table"), "table")}
	p.open(t, 1)
	p.result(t, 1, 34)
	p.sweep(t)
	const late = 2*wire.MaxFound + 1
	for n := range late {
		p.late(t, "acme", bet(fmt.Sprintf("late-%05d", n)))
	}
	named := 0
	for range 3 {
		for _, m := range p.found(t) {
			if named += len(m.Records); len(m.Records) > wire.MaxFound {
				t.Errorf("an order names %d records", len(m.Records))
			}
		}
		p.sweep(t)
	}
	if named != late {
		t.Errorf("%d records were named instead of %d", named, late)
	}
	_, book, err := sweep.Totals(t.Context(), p.table, theDraw, "acme")
	if err != nil || len(book) != 1 || book[0].Bets != late+1 {
		t.Errorf("settled are %+v, %v", book, err)
	}
}

// A sweep that other code, or other data, has stopped goes on once that is mended,
// though pages of its are stored that were made by it: those are never told.
func TestMendedAfterOtherData(t *testing.T) {
	p := &pipeline{table: store.New(fakedynamo.New(t, "table"), "table")}
	p.open(t, 2)
	p.result(t, 1, 34)
	p.sweep(t)
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
	var unequal *sweep.UnequalError
	if err := p.sweeper().Take(t.Context(), theDraw); !errors.As(err, &unequal) {
		t.Fatalf("it goes on: %v", err)
	}
	replace(*right)
	for range 3 { // reconcile asks again and again
		if err := p.sweeper().Take(t.Context(), theDraw); err != nil && !errors.As(err, &unequal) {
			t.Fatal(err)
		}
		p.found(t)
	}
	p.sweep(t)
	standing, err := p.sweeper().Standing(t.Context(), theDraw)
	if err != nil || !standing.Swept || standing.Stopped != "" {
		t.Errorf("it stands at %+v, %v", standing, err)
	}
	told := p.told(t, "acme")
	if len(told) != 2 || !strings.HasSuffix(told[1], "after 1: b00000 lost 0.00 for 1; b00001 won 20.00 for 1;") {
		t.Errorf("told %q", told)
	}
}
