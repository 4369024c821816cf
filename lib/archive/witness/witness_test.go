package witness_test

import (
	"fmt"
	"strings"
	"testing"

	"tally/internal/testkit/witnesstest"
	"tally/lib/archive/witness"
)

func TestParse(t *testing.T) {
	one, other := witnesstest.New(t, "witness.example/w1"), witnesstest.NewMLDSA(t, "witness.example/w2")
	list, err := witness.Parse(" " + one.Public + "  https://w1.example/prefix/ ,\n" + other.Public + " http://127.0.0.1:8080,")
	if err != nil || len(list) != 2 || list[0].Key.Name() != "witness.example/w1" || list[1].URL.Port() != "8080" {
		t.Fatalf("%+v, %v", list, err)
	}
	if list, err := witness.Parse(""); err != nil || len(list) > 0 {
		t.Errorf("none: %+v, %v", list, err)
	}
	var many []string
	for i := range witness.MaxWitnesses + 1 {
		many = append(many, fmt.Sprint(witnesstest.New(t, fmt.Sprint("w", i)).Public, " https://w.example"))
	}
	if _, err := witness.Parse(strings.Join(many[1:], ",")); err != nil {
		t.Error(err)
	}
	name, id, rest := cut(one.Public)
	for _, wrong := range []string{
		strings.Join(many, ","), "w", one.Public, one.Public + " https://a https://b", one.Public + " https://", one.Public + " http://w1.example",
		one.Public + " ftp://w1.example", one.Public + " https://a," + one.Public + " https://b", "https://a " + one.Public,
		name + "+00000000+" + rest + " https://a", name + "+" + id + "+AAAA https://a",
		witnesstest.New(t, strings.Repeat("w", 201)).Public + " https://a",
	} {
		if _, err := witness.Parse(wrong); err == nil {
			t.Errorf("%.100q is taken", wrong)
		}
	}
}

func cut(key string) (name, id, rest string) {
	name, key, _ = strings.Cut(key, "+")
	id, rest, _ = strings.Cut(key, "+")
	return name, id, rest
}
