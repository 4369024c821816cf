package api

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"regexp"
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
		names, required := []string{"nosuch", "Stake", ""}, []string{}
		for _, name := range slices.Sorted(maps.Keys(op.object.members)) {
			if names = append(names, name); op.object.members[name].required {
				required = append(required, name)
			}
		}
		right := 0
		for range 20_000 {
			value := map[string]any{}
			for _, name := range required {
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
			body, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			quickly, whole := bodies[op.ID](), bodies[op.ID]()
			read := op.object.read(body, quickly)
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
		if !op.object.read([]byte(" "+one+"\n"), bodies[op.ID]()) {
			t.Errorf("%s is not read", one)
		}
		for _, body := range []string{"", "null", `"text"`, "1", "[]", "{", "{}", one + one, one[:len(one)-1], one[:len(one)-1] + `,"stake":"1.00"}`, one[:len(one)-1] + `,}`,
			strings.Replace(one, "1.00", "1\xff", 1), strings.Replace(one, "stake", "STAKE", 1), "[" + one + "]", strings.Replace(one, `"1.00"`, `1.00`, 1)} {
			if op.object.read([]byte(body), bodies[op.ID]()) {
				t.Errorf("%s accepts %q", op.ID, body)
			}
		}
	}
	if fmt.Sprint(quick) != "map[placeBet:true placeWager:true]" {
		t.Errorf("checked quickly: %v", quick)
	}
}

// TestRuns holds what is made of patterns against regular expressions, for every
// character.
func TestRuns(t *testing.T) {
	for _, pattern := range []string{`^[a-z0-9_]{1,40}$`, `^[A-Za-z0-9._-]{1,64}$`, `^[0-9]+$`, `^[ -~]+$`, `^[a-f]{2,3}$`, `^[a-f]{2,}$`} {
		r, exact := runOf(pattern), regexp.MustCompile(pattern)
		if r == nil {
			t.Errorf("%s is no run", pattern)
			continue
		}
		for c := range 0x180 {
			for _, text := range []string{string(rune(c)), "a" + string(rune(c)), "aa" + string(rune(c)), string([]byte{byte(c)}) + "1", "1\n"} {
				if r.accepts(text) != exact.MatchString(text) {
					t.Errorf("%s: %q", pattern, text)
				}
			}
		}
		for n := range 70 {
			if text := strings.Repeat("a", n); r.accepts(text) != exact.MatchString(text) {
				t.Errorf("%s: %d letters", pattern, n)
			}
		}
	}
	for _, pattern := range []string{`[0-9]+`, `^[0-9]+`, `[0-9]+$`, `^[0-9]*$`, `^[^a]+$`, `^(?i)[a-z]+$`, `^[0-9]+-[0-9]+$`, `^[a-é]+$`, `(?m)^[0-9]+$`, `^ab+$`, `^2[0-9]{3}$`, `^[0-9]+?$|a`, `(`} {
		if runOf(pattern) != nil {
			t.Errorf("%s is a run", pattern)
		}
	}
}
