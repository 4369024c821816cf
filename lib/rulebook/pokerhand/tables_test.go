package pokerhand

import (
	"bytes"
	"os"
	"testing"

	"tally/lib/rulebook/pokerhand/internal/gen"
)

// The keys and rows are exactly what the generator makes, and the strengths that are
// worked out from them are those that it finds in another way.
func TestTablesAreGenerated(t *testing.T) {
	made, err := gen.Build()
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile("keys.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written, made.Source) {
		t.Error("keys.go is not what generate.go writes")
	}
	if rows != string(made.Rows) {
		t.Error("rows.bin is not what generate.go writes")
	}
	made.Rows[len(made.Rows)/2] ^= 1
	if rows == string(made.Rows) {
		t.Error("a changed bit goes unnoticed")
	}
	prepare()
	for name, table := range map[string]struct {
		got  []Strength
		want []uint16
	}{"sums": {sums[:], made.Sums}, "flushes": {flushes[:], made.Flushes}} {
		t.Run(name, func(t *testing.T) {
			if len(table.got) != len(table.want) {
				t.Fatalf("%d strengths, want %d", len(table.got), len(table.want))
			}
			filled := 0
			for i, want := range table.want {
				if want != 0 {
					filled++
				}
				if table.got[i] != Strength(want) {
					t.Fatalf("%d is %#x, want %#x", i, table.got[i], want)
				}
			}
			if filled == 0 {
				t.Error("there are none")
			}
		})
	}
}

func BenchmarkPrepare(b *testing.B) {
	for b.Loop() {
		fill()
	}
}
