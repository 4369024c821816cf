package strictjson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tally/internal/testkit/ruletest"
	"tally/lib/strictjson"
)

// described lists problems as code and path.
func described(problems []strictjson.Problem) string {
	var list []string
	for _, p := range problems {
		list = append(list, strings.TrimSpace(string(p.Code)+" "+p.Path))
	}
	return strings.Join(list, ", ")
}

func TestParse(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		document                                  | problems
		{}                                        |
		[]                                        |
		"text"                                    |
		-0.5e+10                                  |
		null                                      |
		{"a":{"b":[1,{"c":null}]}}                |
		{"a":1,"A":2}                             |
		{"a":1,"b":{"a":1}}                       |
		[{"a":1},{"a":1}]                         |
		{"a":1,"a":1}                             | duplicate_field a
		{"a":1,"a":1,"a":1}                       | duplicate_field a, duplicate_field a
		{"a":1,"b":2,"b":2,"a":1}                 | duplicate_field b, duplicate_field a
		{"a":1,"\u0061":1}                        | duplicate_field a
		{"\u0061":1,"a":1}                        | duplicate_field a
		{"a\/b":1,"a/b":1}                        | duplicate_field a/b
		{"":1,"":1}                               | duplicate_field
		{"a":{"b":1,"b":2}}                       | duplicate_field a.b
		{"a":[0,{"b":[[{"c":1,"c":1}]]}]}         | duplicate_field a[1].b[0][0].c
		[{"a":1},{"a":1,"a":1}]                   | duplicate_field [1].a
		{"a":{"b":1,"b":1},"a":{"b":1,"b":1}}     | duplicate_field a, duplicate_field a.b, duplicate_field a.b
		{"a":1,"a":1                              | bad_json
		{"a":1,"a":1}}                            | bad_json
		{"a":1,"a":1} x                           | bad_json
		                                          | bad_json
		{                                         | bad_json
		{"a"}                                     | bad_json
		{"a":}                                    | bad_json
		{"a":1,}                                  | bad_json
		{a:1}                                     | bad_json
		{'a':1}                                   | bad_json
		[1,]                                      | bad_json
		[1 2]                                     | bad_json
		{} {}                                     | bad_json
		{}]                                       | bad_json
		{}x                                       | bad_json
		01                                        | bad_json
		+1                                        | bad_json
		.5                                        | bad_json
		1.                                        | bad_json
		0x1                                       | bad_json
		NaN                                       | bad_json
		True                                      | bad_json
		nul                                       | bad_json
		"\x"                                      | bad_json
		"\u12"                                    | bad_json
		"\ud800"                                  | bad_json
		// nothing                                | bad_json
	`) {
		t.Run(row[0], func(t *testing.T) {
			checkParse(t, row[0], row[1])
		})
	}
	for text, want := range map[string]string{
		" \t\r\n{} \t\r\n":                     "",
		"\ufeff{}":                             "bad_json",
		"{}\x00":                               "bad_json",
		"{}\f":                                 "bad_json",
		"\"\xff\"":                             "bad_json",
		"{\"\xff\":1}":                         "bad_json",
		"\"a\nb\"":                             "bad_json",
		"\xff":                                 "bad_json",
		strings.Repeat("[", 1<<20):             "bad_json",
		strings.Repeat(`{"a":`, 1<<20):         "bad_json",
		nested(1000):                           "",
		nested(1 << 20):                        "bad_json",
		`"` + strings.Repeat("a", 1<<20):       "bad_json",
		`{"` + strings.Repeat("a", 1<<20):      "bad_json",
		`"` + strings.Repeat("é", 1<<20) + `"`: "",
		strings.Repeat("1", 1<<20):             "",
	} {
		checkParse(t, text, want)
	}
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

// checkParse reads the text whole and shallow: the problems are the same. A
// document that is used again remembers nothing.
func checkParse(t *testing.T, text, want string) {
	t.Helper()
	var d strictjson.Document
	for range 2 {
		for name, parse := range map[string]func(string, []byte) (strictjson.Value, bool){"Parse": d.Parse, "ParseShallow": d.ParseShallow} {
			_, ok := parse("", []byte(text))
			if got := described(d.Problems()); got != want {
				t.Errorf("%s(%.60q) reports %s; want %s", name, text, got, want)
			}
			if wantOK := !strings.HasPrefix(want, "bad_json"); ok != wantOK {
				t.Errorf("%s(%.60q): ok is %t", name, text, ok)
			}
		}
	}
}

func TestRootIsNamedInPaths(t *testing.T) {
	var d strictjson.Document
	for text, want := range map[string]string{
		`{"a":1,"a":1}`:   "duplicate_field facts.a",
		`[{"a":1,"a":1}]`: "duplicate_field facts[0].a",
		`{`:               "bad_json facts",
	} {
		t.Run(text, func(t *testing.T) {
			d.Parse("facts", []byte(text))
			if got := described(d.Problems()); got != want {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
		})
	}
}

func TestMessage(t *testing.T) {
	for want, p := range map[string]strictjson.Problem{
		"facts.plyer":                 {Code: strictjson.UnknownField, Path: "facts.plyer"},
		"facts.balls: must be a list": {Code: strictjson.WrongType, Path: "facts.balls", Detail: "must be a list"},
		"must be an object":           {Code: strictjson.WrongType, Detail: "must be an object"},
	} {
		t.Run(want, func(t *testing.T) {
			if got := p.Message(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

func TestBadJSONSaysWhere(t *testing.T) {
	var d strictjson.Document
	d.Parse("facts", []byte(`{"a":1,}`))
	if got := d.Problems()[0].Message(); !strings.Contains(got, "byte 6") {
		t.Errorf("the message is %q", got)
	}
}

// TestManyProblems reads documents in which nearly everything is wrong: a
// hundred problems are kept, and the time is that of reading.
func TestManyProblems(t *testing.T) {
	const many = 200_000
	list := func(element string) string {
		return `{"x":[` + strings.TrimSuffix(strings.Repeat(element+",", many), ",") + `]}`
	}
	unknown := bytes.NewBufferString(`{"x":0`)
	for i := range many {
		fmt.Fprintf(unknown, `,"y%d":0`, i)
	}
	unknown.WriteByte('}')
	for name, text := range map[string]string{
		"repeated": `{"x":0` + strings.Repeat(`,"x":0`, many) + "}",
		"unknown":  unknown.String(),
		"texts":    list("0"),
		"missing":  list("{}"),
	} {
		t.Run(name, func(t *testing.T) {
			var d strictjson.Document
			v, ok := d.Parse("", []byte(text))
			if !ok {
				t.Fatalf("%s: %s, want ok", name, described(d.Problems()))
			}
			o, _ := v.Object()
			switch name {
			case "texts":
				o.Strings("x")
			case "missing":
				for _, element := range o.Objects("x") {
					element.String("y")
				}
			default:
				o.Optional("x")
			}
			o.Close()
			if got := len(d.Problems()); got != 100 {
				t.Errorf("%s: %d problems are kept", name, got)
			}
		})
	}
}

func TestEach(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		list                          | elements read  | problems
		[]                            | 0:             |
		[{"a":"x"},{"a":"y"}]         | 2: x y         |
		 [ {"a":"x"} , {"a":"y"} ]    | 2: x y         |
		[{"a":1},{"a":"y"},{"b":"z"}] | 3: . y .       | wrong_type bets[0].a, missing_field bets[2].a, unknown_field bets[2].b
		[1,null,[{"a":"x"}]]          | 3: . . .       | wrong_type bets[0], wrong_type bets[1], wrong_type bets[2]
		# what is repeated was reported when the whole was read
		[{"a":"x","a":"y"}]           | 1: x           |
		[{"a":"x","b":1,"\u0062":2}]  | 1: x           | unknown_field bets[0].b
		{"a":"x"}                     | 0:             | wrong_type bets
		"text"                        | 0:             | wrong_type bets
		[{"a":"x"},{"a":              | 1: x           | bad_json bets
		[{"a":"x"},                   | 1: x           | bad_json bets
	`) {
		t.Run(row[0], func(t *testing.T) {
			var d strictjson.Document
			var read []string
			last := -1
			for index, v := range d.Each("bets", []byte(row[0])) {
				if index != last+1 {
					t.Errorf("%s: element %d comes after %d", row[0], index, last)
				}
				last = index
				text := "."
				if o, ok := v.Object(); ok {
					if a := o.String("a"); a != "" {
						text = a
					}
					o.Close()
				}
				read = append(read, text)
			}
			if got := strings.TrimSpace(fmt.Sprintf("%d: %s", len(read), strings.Join(read, " "))); got != row[1] {
				t.Errorf("%s: read %s, want %s", row[0], got, row[1])
			}
			if got := described(d.Problems()); got != row[2] {
				t.Errorf("%s: %s, want %s", row[0], got, row[2])
			}
		})
	}
}

func TestEachCanBeLeft(t *testing.T) {
	var d strictjson.Document
	for index := range d.Each("bets", []byte(`[1,2,3]`)) {
		if index > 0 {
			t.Fatal("it went on")
		}
		break
	}
}

// lone finds escapes of half a character. encoding/json replaces them; here
// they are bad JSON, as is text that is no UTF-8.
var lone = regexp.MustCompile(`\\u[dD][89a-fA-F]`)

// FuzzParse compares with encoding/json what is JSON, and reads every value in
// every way.
func FuzzParse(f *testing.F) {
	for _, text := range []string{`{"a":[1,"b",null,true,{"c":-0.5e3}]}`, `{"a":1,"a":2}`, `{"\u0061":1,"a":2}`, `[[[[]]]]`,
		`{"a":1}x`, "\"\xff\"", `"\ud800"`, `"\ud83d\ude00"`, "", " ", "{", "123", "1e999"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var d strictjson.Document
		v, ok := d.Parse("root", text)
		valid := json.Valid(text)
		if ok && !valid || !ok && valid && utf8.Valid(text) && !lone.Match(text) {
			t.Fatalf("JSON is %t, encoding/json says %t: %s", ok, valid, described(d.Problems()))
		}
		problems := described(d.Problems())
		if !ok {
			if problems != "bad_json root" {
				t.Fatalf("problems: %s", problems)
			}
			return
		}
		readEverything(t, v)
		if _, ok := d.ParseShallow("root", text); !ok || described(d.Problems()) != problems {
			t.Fatalf("read shallow: %s; read whole: %s", described(d.Problems()), problems)
		}
		if problems == "" {
			checkEach(t, text)
		}
	})
}

// readEverything checks a value and all it holds.
func readEverything(t *testing.T, v strictjson.Value) {
	if !json.Valid(v.Raw()) || !strings.HasPrefix(v.Path(), "root") {
		t.Fatalf("at %s: %s", v.Path(), v.Raw())
	}
	v.Int()
	v.Bool()
	if text, ok := v.String(); ok {
		var want string
		if err := json.Unmarshal(v.Raw(), &want); err != nil || want != string(text) {
			t.Fatalf("%s reads as %q", v.Raw(), text)
		}
	}
	if elements, ok := v.Elements(); ok {
		for _, element := range elements {
			readEverything(t, element)
		}
	}
	if o, ok := v.Object(); ok {
		for member := range o.Rest {
			readEverything(t, member)
			if got, present := o.Optional(member.Name()); !present || !bytes.Equal(got.Raw(), member.Raw()) {
				t.Fatalf("member %q is not found by its name", member.Name())
			}
		}
		o.Close()
	}
}

// checkEach compares the elements of a list read one by one with encoding/json's.
func checkEach(t *testing.T, text []byte) {
	var want []json.RawMessage
	if json.Unmarshal(text, &want) != nil || want == nil {
		return
	}
	var d strictjson.Document
	var got []json.RawMessage
	for _, v := range d.Each("root", text) {
		got = append(got, slices.Clone(v.Raw()))
	}
	if !slices.EqualFunc(got, want, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		t.Fatalf("elements %s, want %s", got, want)
	}
}
