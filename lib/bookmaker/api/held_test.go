package api_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"tally/internal/testkit/fakedynamo"
	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// A draw says that a correction of it waits for as long as it does: not of its first
// settlement, nor once an operator has released the correction.
func TestCorrectionWaits(t *testing.T) {
	w := newWorldOn(t, store.New(fakedynamo.New(t, "table"), "table"))
	limits, err := settlement.ParseLimits("EUR=100.00")
	if err != nil {
		t.Fatal(err)
	}
	w.settler.HoldAbove = limits
	w.open("roulette", "rou-1", "")
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/b-1", straight17), "201")
	w.pass(time.Minute)
	says := func(when string, waits bool) {
		t.Helper()
		notes := decoded[v1.DrawDetail](t, w.want(w.do(http.MethodGet, "/v1/draws/rou-1", ""), "200")).Notes
		if slices.Contains(notes, "correction_waits") != waits {
			t.Errorf("%s the notes of its draw are %q", when, notes)
		}
	}
	status := func(want string) {
		t.Helper()
		if bet := decoded[v1.Bet](t, w.want(w.do(http.MethodGet, "/v1/draws/rou-1/bets/b-1", ""), "200")); bet.Status != want {
			t.Errorf("the bet is %s, not %s", bet.Status, want)
		}
	}
	w.result("roulette", "rou-1", 1, `{"spins":[{"revolutions":5,"pocket":34}]}`)
	says("settled first", false)
	w.result("roulette", "rou-1", 2, `{"spins":[{"revolutions":5,"pocket":17}]}`) // moves EUR 360.00
	says("while it is held", true)
	status("lost")
	if err := w.table.Put(t.Context(), store.Item{PK: store.DrawKey("rou-1"), SK: store.ReleasedKey(store.StateKey(2))}); err != nil {
		t.Fatal(err)
	}
	w.settle("rou-1")
	says("once it is released", false)
	status("won")
}
