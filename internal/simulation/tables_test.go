package simulation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tally/internal/simulation/plans"
)

// suspends has the studio suspend and resume the tables of a plan, while bets are placed.
func suspends(t *testing.T, plan *plans.Plan) {
	t.Helper()
	random := rand.New(rand.NewPCG(plan.Seed, 7))
	tables, last := map[string]bool{}, time.Duration(0)
	for _, op := range plan.Ops {
		var m struct{ Table string }
		if op.Body != "" && json.Unmarshal([]byte(op.Body), &m) == nil && m.Table != "" {
			tables[m.Table] = true
		}
		if op.Bet != nil {
			last = max(last, op.At)
		}
	}
	plan.Tables = true
	for table := range tables {
		for n := range 8 {
			at := time.Duration(random.Int64N(int64(last + time.Second)))
			kind := [...]string{`"table.suspended","reason":"equipment_error"`, `"table.resumed"`, `"table.alive"`}[random.IntN(3)]
			body := fmt.Sprintf(`{"schema":1,"id":"%s-%d","table":%q,"at":%q,"type":%s}`, table, n, table, plans.TimeText(plan.Start+at), kind)
			plan.Good[body] = true
			plan.Ops = append(plan.Ops, &plans.Op{At: at, Queue: "studio", Body: body, Lag: time.Duration(random.IntN(3)) * time.Second})
		}
	}
	slices.SortStableFunc(plan.Ops, func(a, b *plans.Op) int { return cmp.Compare(a.At, b.At) })
}

// Tables are suspended and resumed while bets are placed and handlers fail: nothing of what
// was accepted is settled otherwise for that, and no answer is contradicted.
func TestSuspendedTables(t *testing.T) {
	refused, told := 0, 0
	for seed := range 40 {
		plan := plans.New(uint64(seed + 1))
		suspends(t, plan)
		o := Run(t, plan)
		if len(o.Problems) > 0 {
			t.Fatalf("seed %d: %v", seed+1, o.Problems)
		}
		refused, told = refused+o.Suspended, told+o.Told
	}
	if refused < 20 || told < 20 {
		t.Errorf("only %d bets were refused since their table was suspended, and feeds told of it %d times", refused, told)
	}
}
