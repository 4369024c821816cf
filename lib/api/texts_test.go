package api

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestTextsAreAsTheValidatorSays makes up values of every operation's parameters and
// body, and holds the quick check against the validator: both say of each the same.
func TestTextsAreAsTheValidatorSays(t *testing.T) {
	d, err := loadDocument()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "b-1", "a b", "é", "10.00", "EUR", "straight:17", "\x00", strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat("é", 100), strings.Repeat("é", 101),
		strings.Repeat("0", 1001), "2026-11-30T12:00:00.000Z", "2026-13-30T12:00:00.000Z", "2026-11-30", "rou-1.0042", "a\n", "open", "roulette"}
	text := func() string { return texts[random.IntN(len(texts))] }
	quick := map[string]bool{}
	for _, op := range d.operations {
		if err := d.compile(op); err != nil {
			t.Fatal(err)
		}
		for at, rule := range op.texts {
			if rule == nil {
				continue
			}
			for _, value := range texts {
				if valid := op.schemas[at].Validate(value) == nil; rule.accepts(value) != valid {
					t.Errorf("%s, %s: %q is %v to the validator", op.ID, at, value, valid)
				}
			}
		}
		if op.object == nil {
			continue
		}
		quick[op.ID] = true
		names := append([]string{"nosuch", "Stake", ""}, op.object.required...)
		for name := range op.object.members {
			names = append(names, name)
		}
		right := 0
		for range 20_000 {
			value := map[string]any{}
			for _, name := range op.object.required {
				if random.IntN(20) > 0 {
					value[name] = texts[1]
				}
			}
			for range random.IntN(3) {
				value[names[random.IntN(len(names))]] = text()
			}
			if random.IntN(10) == 0 {
				value[names[random.IntN(len(names))]] = []any{1.0, nil, true, map[string]any{}, []any{}}[random.IntN(5)]
			}
			valid := op.schemas[op.body].Validate(value) == nil
			if op.object.accepts(value) != valid {
				t.Fatalf("%s: %v is %v to the validator", op.ID, value, valid)
			}
			if valid {
				right++
			}
		}
		if right < 1000 {
			t.Errorf("%s: only %d values were right", op.ID, right)
		}
		for _, value := range []any{nil, "text", 1.0, []any{}} {
			if op.object.accepts(value) {
				t.Errorf("%s accepts %v", op.ID, value)
			}
		}
	}
	if fmt.Sprint(quick) != "map[placeBet:true placeWager:true]" {
		t.Errorf("checked quickly: %v", quick)
	}
}
