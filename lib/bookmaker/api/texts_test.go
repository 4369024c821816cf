package api

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestTextsAreAsTheValidatorSays makes up values of every operation's parameters and
// body, and holds the quick check against the validator: both say of each the same.
func TestTextsAreAsTheValidatorSays(t *testing.T) {
	d, err := loadDocument()
	if err != nil {
		t.Fatal(err)
	}
	doc, compiler, random := embeddedDocument(t), newCompiler(t), rand.New(rand.NewPCG(1, 2))
	made := values{random}
	quick := map[string]bool{}
	for _, op := range d.operations {
		if op.texts == nil {
			continue
		}
		validator, _ := validators(t, doc, compiler, op)
		quick[op.ID] = true
		names, required := []string{"nosuch", "Stake", ""}, []string{}
		for _, name := range slices.Sorted(maps.Keys(op.texts.members)) {
			if names = append(names, name); op.texts.members[name].required {
				required = append(required, name)
			}
		}
		right := 0
		for range 20_000 {
			value := map[string]any{}
			for _, name := range required {
				if random.IntN(20) > 0 {
					value[name] = "b-1"
				}
			}
			for range random.IntN(3) {
				value[names[random.IntN(len(names))]] = made.text()
			}
			if random.IntN(10) == 0 {
				value[names[random.IntN(len(names))]] = []any{1.0, nil, true, map[string]any{}, []any{}}[random.IntN(5)]
			}
			valid := validator.Validate(value) == nil
			body, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			quickly, whole := bodies[op.ID](), bodies[op.ID]()
			read := op.texts.read(body, quickly)
			if read && !valid || valid && !read && !bytes.Contains(body, []byte(`\`)) { // a text with escapes is left to the validator
				t.Fatalf("%s: %s is %v to the validator", op.ID, body, valid)
			}
			if read {
				if err := json.Unmarshal(body, whole); err != nil {
					t.Fatal(err)
				}
				right++
			}
			if !reflect.DeepEqual(quickly, whole) {
				t.Fatalf("%s: %s is read as %+v", op.ID, body, quickly)
			}
		}
		if right < 1000 {
			t.Errorf("%s: only %d values were right", op.ID, right)
		}
		one := `{"selection":"red","stake":"1.00","currency":"EUR"}`
		if op.ID == "placeWager" {
			one = `{"stake":"1.00","currency":"EUR"}`
		}
		if !op.texts.read([]byte(" "+one+"\n"), bodies[op.ID]()) {
			t.Errorf("%s is not read", one)
		}
		for _, body := range []string{"", "null", `"text"`, "1", "[]", "{", "{}", one + one, one[:len(one)-1], one[:len(one)-1] + `,"stake":"1.00"}`, one[:len(one)-1] + `,}`,
			strings.Replace(one, "1.00", "1\xff", 1), strings.Replace(one, "stake", "STAKE", 1), "[" + one + "]", strings.Replace(one, `"1.00"`, `1.00`, 1)} {
			if op.texts.read([]byte(body), bodies[op.ID]()) {
				t.Errorf("%s accepts %q", op.ID, body)
			}
		}
	}
	if fmt.Sprint(quick) != "map[placeBet:true placeWager:true]" {
		t.Errorf("checked quickly: %v", quick)
	}
}
