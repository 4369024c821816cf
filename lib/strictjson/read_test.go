package strictjson_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"tally/internal/testkit/ruletest"
	"tally/lib/strictjson"
)

// readers are the ways to read the member x.
var readers = map[string]func(strictjson.Object) any{
	"Text":    func(o strictjson.Object) any { return fmt.Sprintf("%q", o.String("x")) },
	"Whole":   func(o strictjson.Object) any { return o.Int("x") },
	"Natural": func(o strictjson.Object) any { return o.Uint("x") },
	"Flag":    func(o strictjson.Object) any { return o.Bool("x") },
	"Texts":   func(o strictjson.Object) any { return fmt.Sprintf("%q", o.Strings("x")) },
	"OptionalTexts": func(o strictjson.Object) any {
		return fmt.Sprintf("%q %t", o.OptionalTexts("x"), o.OptionalTexts("x") == nil)
	},
	"TextLists": func(o strictjson.Object) any { return fmt.Sprintf("%q", o.TextLists("x")) },
	"Wholes":    func(o strictjson.Object) any { return o.Ints("x") },
	"Objects":   func(o strictjson.Object) any { return len(o.Objects("x")) },
	"NonEmpty":  func(o strictjson.Object) any { return len(o.NonEmptyObjects("x")) },
	"NullableText": func(o strictjson.Object) any {
		text, present := o.NullableText("x")
		return fmt.Sprintf("%q %t", text, present)
	},
}

func TestReaders(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		reader        | document                       | value, or problems
		Text          | {"x":"a"}                      | "a"
		Text          | {"x":""}                       | ""
		Text          | {"x":"\u0041\n\ud83d\ude00"}   | "A\n😀"
		Text          | {"\u0078":"a"}                 | "a"
		Text          | {"x":1}                        | wrong_type facts.x
		Text          | {"x":null}                     | wrong_type facts.x
		Text          | {"x":["a"]}                    | wrong_type facts.x
		Text          | {}                             | missing_field facts.x
		Text          | {"X":"a"}                      | missing_field facts.x, unknown_field facts.X
		Text          | {"x":"a","y":1,"z":2}          | unknown_field facts.y, unknown_field facts.z
		Text          | {"x":"a","x":"b"}              | duplicate_field facts.x
		Text          | {"x":"a","y":1,"y":1}          | duplicate_field facts.y, unknown_field facts.y
		Whole         | {"x":0}                        | 0
		Whole         | {"x":-0}                       | 0
		Whole         | {"x":-7}                       | -7
		Whole         | {"x":9223372036854775807}      | 9223372036854775807
		Whole         | {"x":9223372036854775808}      | 9223372036854775807
		Whole         | {"x":-9223372036854775809}     | -9223372036854775808
		Whole         | {"x":100000000000000000000000} | 9223372036854775807
		Whole         | {"x":1.0}                      | wrong_type facts.x
		Whole         | {"x":1e2}                      | wrong_type facts.x
		Whole         | {"x":1E2}                      | wrong_type facts.x
		Whole         | {"x":1e999}                    | wrong_type facts.x
		Whole         | {"x":"1"}                      | wrong_type facts.x
		Whole         | {"x":true}                     | wrong_type facts.x
		Whole         | {"x":null}                     | wrong_type facts.x
		Whole         | {}                             | missing_field facts.x
		Natural       | {"x":0}                        | 0
		Natural       | {"x":5}                        | 5
		Natural       | {"x":-1}                       | wrong_type facts.x
		Natural       | {"x":-99999999999999999999}    | wrong_type facts.x
		Natural       | {"x":0.5}                      | wrong_type facts.x
		Natural       | {}                             | missing_field facts.x
		Flag          | {"x":true}                     | true
		Flag          | {"x":false}                    | false
		Flag          | {}                             | false
		Flag          | {"x":"true"}                   | wrong_type facts.x
		Flag          | {"x":1}                        | wrong_type facts.x
		Flag          | {"x":null}                     | wrong_type facts.x
		Texts         | {"x":[]}                       | []
		Texts         | {"x":["a","b"]}                | ["a" "b"]
		Texts         | {"x":"a"}                      | wrong_type facts.x
		Texts         | {"x":{"0":"a"}}                | wrong_type facts.x
		Texts         | {"x":["a",1,"b",null]}         | wrong_type facts.x[1], wrong_type facts.x[3]
		Texts         | {}                             | missing_field facts.x
		OptionalTexts | {}                             | [] true
		OptionalTexts | {"x":[]}                       | [] false
		OptionalTexts | {"x":["a"]}                    | ["a"] false
		TextLists     | {"x":[]}                       | []
		TextLists     | {"x":[["a","b"],[]]}           | [["a" "b"] []]
		TextLists     | {"x":["a"]}                    | wrong_type facts.x[0]
		TextLists     | {"x":[["a"],["b",2]]}          | wrong_type facts.x[1][1]
		TextLists     | {}                             | missing_field facts.x
		Wholes        | {"x":[]}                       | []
		Wholes        | {"x":[1,-2]}                   | [1 -2]
		Wholes        | {"x":[1,2.0,"3",4e0]}          | wrong_type facts.x[1], wrong_type facts.x[2], wrong_type facts.x[3]
		Wholes        | {"x":1}                        | wrong_type facts.x
		Wholes        | {}                             | missing_field facts.x
		Objects       | {"x":[]}                       | 0
		Objects       | {"x":[{},{}]}                  | 2
		Objects       | {"x":[{},[],1]}                | wrong_type facts.x[1], wrong_type facts.x[2]
		Objects       | {"x":{}}                       | wrong_type facts.x
		Objects       | {}                             | missing_field facts.x
		NonEmpty      | {"x":[{}]}                     | 1
		NonEmpty      | {"x":[]}                       | missing_field facts.x[0]
		NonEmpty      | {"x":1}                        | wrong_type facts.x
		NonEmpty      | {}                             | missing_field facts.x
		NullableText  | {"x":"a"}                      | "a" true
		NullableText  | {"x":null}                     | "" false
		NullableText  | {"x":7}                        | wrong_type facts.x
		NullableText  | {}                             | missing_field facts.x
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			var d strictjson.Document
			v, ok := d.Parse("facts", []byte(row[1]))
			if !ok {
				t.Fatalf("%s: %s, want ok", row[1], described(d.Problems()))
			}
			o, _ := v.Object()
			got := fmt.Sprint(readers[row[0]](o))
			o.Close()
			if problems := described(d.Problems()); problems != "" {
				got = problems
			}
			if got != row[2] {
				t.Errorf("%s of %s: %s, want %s", row[0], row[1], got, row[2])
			}
		})
	}
}

func TestMembers(t *testing.T) {
	var d strictjson.Document
	v, _ := d.ParseShallow("", []byte(` { "a" : {"b":[1, 2]} , "\u0063" : "x", "d":null } `))
	o, ok := v.Object()
	if !ok || o.Path() != "" {
		t.Fatalf("an object at %q: %t", o.Path(), ok)
	}
	if a, present := o.Optional("a"); !present || string(a.Raw()) != `{"b":[1, 2]}` || a.Path() != "a" || a.Null() {
		t.Errorf("a is %s at %s", a.Raw(), a.Path())
	}
	if _, present := o.Optional("b"); present {
		t.Error("b is found")
	}
	var rest []string
	for member := range o.Rest {
		rest = append(rest, fmt.Sprintf("%s %s %s %t", member.Name(), member.RawName(), member.Raw(), member.Null()))
	}
	if got, want := strings.Join(rest, "; "), `c "\u0063" "x" false; d "d" null true`; got != want {
		t.Errorf("the rest is %s, want %s", got, want)
	}
	if _, ok := v.Elements(); ok {
		t.Error("an object is read as a list")
	}
}

func TestOut(t *testing.T) {
	out := strictjson.Out(nil).Open().
		TextMember("a", "x").IntMember("b", -7).BoolMember("c", true).
		Name("d").OpenList().Int(1).Plain("y").Bool(false).Raw([]byte(`{"z":null}`)).
		OpenList().CloseList().Open().Close().CloseList().
		Name("e").Open().Close().Name("f").Quoted("say \"hi\"\n\u2028\xff").Close()
	want := `{"a":"x","b":-7,"c":true,"d":[1,"y",false,{"z":null},[],{}],"e":{},"f":"say \"hi\"\n` + "\u2028\ufffd" + `"}`
	if string(out) != want {
		t.Errorf("written %s, want %s", out, want)
	}
	if second := string(append(out, '\n').Open().Close()); second != want+"\n{}" {
		t.Errorf("a second line begins %s", second[len(want):])
	}
}

// FuzzQuoted checks that any text becomes one JSON string, which reads back as
// the text where it is UTF-8.
func FuzzQuoted(f *testing.F) {
	for _, text := range []string{"", "a", "\"\\/\x00\x1f\x7f", "\u2028", "é😀", "\xff", "a\xc3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted := strictjson.Out(nil).Quoted(text)
		var back string
		if err := json.Unmarshal(quoted, &back); err != nil {
			t.Fatalf("%q is written %s: %v", text, quoted, err)
		}
		if utf8.ValidString(text) && back != text {
			t.Fatalf("%q is written %s", text, quoted)
		}
	})
}
