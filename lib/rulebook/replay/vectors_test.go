package replay_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tally/internal/vectors"
	"tally/lib/rulebook/replay"
)

// vector is one case; its input is given as JSON or, when it is not
// well-formed, as text.
type vector struct {
	ID       string
	Input    json.RawMessage
	InputRaw *string `json:"input_raw"`
	Expect   json.RawMessage
}

// line returns what a command reads.
func (v vector) line() []byte {
	if v.InputRaw != nil {
		return []byte(*v.InputRaw)
	}
	return v.Input
}

func readVectors(tb testing.TB, name string) (cases []vector) {
	tb.Helper()
	for _, line := range vectors.Lines(tb, name) {
		var v vector
		if err := json.Unmarshal(line, &v); err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		cases = append(cases, v)
	}
	return cases
}

func TestVectors(t *testing.T) {
	for _, test := range []struct {
		file     string
		cases    int
		answerer replay.Responder
	}{
		{vectors.Resolve, 2268, &replay.Resolver{}},
		{vectors.Resolve2, 295, &replay.Resolver{}},
		{vectors.Settle, 1024, &replay.Settler{}},
		{vectors.Settle2, 313, &replay.Settler{}},
	} {
		t.Run(test.file, func(t *testing.T) {
			cases := readVectors(t, test.file)
			if len(cases) != test.cases {
				t.Fatalf("%d cases, want %d", len(cases), test.cases)
			}
			for _, v := range cases {
				answer := test.answerer.Respond(nil, v.line())
				for _, difference := range differences(t, v.Expect, answer) {
					t.Errorf("%s: %s\n\tline   %s\tanswer %s", v.ID, difference, clip(v.line()), clip(answer))
				}
			}
		})
	}
}

// differences returns where a response does not contain what is expected of it.
func differences(t *testing.T, expect, answer []byte) []string {
	t.Helper()
	return differ("", decode(t, expect), decode(t, answer))
}

func differ(path string, want, got any) (differences []string) {
	switch want := want.(type) {
	case map[string]any:
		return differObject(path, want, got)
	case []any:
		return differList(path, want, got)
	}
	if want != got {
		return []string{fmt.Sprintf("%s is %v, want %v", path, got, want)}
	}
	return nil
}

func differObject(path string, want map[string]any, got any) (differences []string) {
	object, ok := got.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s is %v, want an object", path, got)}
	}
	for name, value := range want {
		given, present := object[name]
		if !present {
			differences = append(differences, fmt.Sprintf("%s.%s is missing", path, name))
			continue
		}
		differences = append(differences, differ(path+"."+name, value, given)...)
	}
	return differences
}

// differList compares element by element, but takes further errors.
func differList(path string, want []any, got any) (differences []string) {
	list, ok := got.([]any)
	if !ok {
		return []string{fmt.Sprintf("%s is %v, want a list", path, got)}
	}
	if strings.HasSuffix(path, ".errors") {
		return differErrors(path, want, list)
	}
	if len(list) != len(want) {
		return []string{fmt.Sprintf("%s has %d elements, want %d", path, len(list), len(want))}
	}
	for i, value := range want {
		differences = append(differences, differ(fmt.Sprintf("%s[%d]", path, i), value, list[i])...)
	}
	return differences
}

func differErrors(path string, want, got []any) (differences []string) {
	for i, value := range want {
		found := false
		for _, given := range got {
			found = found || len(differ("", value, given)) == 0
		}
		if !found {
			differences = append(differences, fmt.Sprintf("%s lacks %v (element %d)", path, value, i))
		}
	}
	return differences
}

// decode reads JSON with numbers kept as they are written.
func decode(tb testing.TB, text []byte) (value any) {
	tb.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		tb.Fatalf("%v in %s", err, clip(text))
	}
	return value
}

func clip(text []byte) string {
	const most = 600
	if len(text) > most {
		return string(text[:most]) + "…\n"
	}
	return strings.TrimSuffix(string(text), "\n") + "\n"
}

func TestDifferences(t *testing.T) {
	for _, test := range []struct {
		expect, answer string
		differ         bool
	}{
		{`{"a":1}`, `{"a":1,"b":2}`, false},
		{`{"a":1}`, `{"a":1.0}`, true},
		{`{"a":[1,2]}`, `{"a":[1,2,3]}`, true},
		{`{"a":[{"b":1},{}]}`, `{"a":[{"b":1,"c":2},{"d":3}]}`, false},
		{`{"a":null}`, `{"a":0}`, true},
		{`{"a":null}`, `{}`, true},
		{`{"errors":[{"code":"x"}]}`, `{"errors":[{"code":"y"},{"code":"x","rule":"R-1"}]}`, false},
		{`{"errors":[{"code":"x"}]}`, `{"errors":[{"code":"y"}]}`, true},
	} {
		t.Run(test.answer, func(t *testing.T) {
			if got := len(differences(t, []byte(test.expect), []byte(test.answer))) > 0; got != test.differ {
				t.Errorf("%s in %s: differ %v, want %v", test.expect, test.answer, got, test.differ)
			}
		})
	}
}
