package pokerhand

import (
	"bytes"
	"os"
	"testing"

	"tally/lib/rulebook/pokerhand/internal/gen"
)

// The keys and tables are exactly what the generator makes.
func TestTablesAreGenerated(t *testing.T) {
	source, made, err := gen.Build()
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile("keys.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written, source) {
		t.Error("keys.go is not what generate.go writes")
	}
	if tables != string(made) {
		t.Error("tables.bin is not what generate.go writes")
	}
	made[len(made)/2] ^= 1
	if tables == string(made) {
		t.Error("a changed bit goes unnoticed")
	}
	if limit := 250 << 10; len(tables) > limit {
		t.Errorf("tables.bin has %d bytes, more than %d", len(tables), limit)
	}
}
