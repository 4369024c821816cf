package strictjson

import (
	"slices"
	"strings"
	"testing"
)

// plainTexts are texts of the plain form, and others that nearly are.
var plainTexts = []string{
	`{}`, `[]`, `""`, `0`, `-1`, `true`, `false`, `null`, `[[],{},[{}]]`, `{"a":[1,{"b":"c"},null],"d":{"a":true}}`,
	`{"schema":1,"entry":"state","facts":{"spins":[{"pocket":17,"revolutions":6}]}}`,
	``, ` {}`, `{} `, `{}x`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":1,}`, `[1,]`, `[,]`, `{,}`, `01`, `-`, `-0`, `1.5`, `[1e3]`, `1 `,
	`"é"`, "\"\x7f\"", "\"\x80\"", "\"\t\"", `"\n"`, `"`, `"a`, `tru`, `truex`, `nulll`, `{"a"}`, `{"a":}`, `{"a":1`, `[1`, `[1 ,2]`, `{"a" :1}`, `[1}`, `{"a":1]`, `{1:2}`,
	strings.Repeat("[", 31) + strings.Repeat("]", 31), strings.Repeat("[", 40) + strings.Repeat("]", 40), strings.Repeat("[", 20_000),
	`{"a0":0,"a1":0,"a2":0,"a3":0,"a4":0,"a5":0,"a6":0,"a7":0,"a8":0,"a9":0,"b0":0,"b1":0,"b2":0,"b3":0,"b4":0,"b5":0,"b6":0,"b7":0,"b8":0,"b9":0,` +
		`"c0":0,"c1":0,"c2":0,"c3":0,"c4":0,"c5":0,"c6":0,"c7":0,"c8":0,"c9":0,"d0":0,"d1":0,"d2":0,"d3":0}`,
}

// agrees compares what the plain form is taken apart into with what the decoder makes of
// the same text.
func agrees(t *testing.T, text []byte) (plain bool) {
	t.Helper()
	fast := Document{text: text}
	if plain = fast.plain(); !plain {
		return false
	}
	var slow Document
	slow.reset(text, strict)
	if err := slow.whole(-1); err != nil {
		t.Fatalf("%.200q is taken as plain, the decoder refuses it: %v", text, err)
	}
	if !slices.Equal(fast.nodes, slow.nodes) {
		t.Fatalf("%.200q: the nodes are\n%+v, the decoder's are\n%+v", text, fast.nodes, slow.nodes)
	}
	return true
}

// TestPlain has as many texts of the plain form as the list begins with, and no other is
// taken for one that the decoder reads otherwise.
func TestPlain(t *testing.T) {
	for i, text := range plainTexts {
		if plain := agrees(t, []byte(text)); i < 11 && !plain {
			t.Errorf("%.200q is not taken as plain", text)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, text := range plainTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { agrees(t, text) })
}
