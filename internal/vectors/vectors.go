// Package vectors holds cases with the right answers, worked out from the rulebook
// by programs that share nothing with tally: see README.md beside it. The files are
// part of the package, so that tests find them in any clone and in any folder.
package vectors

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"testing"
)

// Files of one case a line: an "id", an "input" (or, where that is not well-formed,
// an "input_raw"), and in "expect" what the answer has to contain.
const (
	Resolve  = "resolve.jsonl"
	Resolve2 = "resolve2.jsonl"
	Settle   = "settle.jsonl"
	Settle2  = "settle2.jsonl"
)

// PokerOdds counts, for six open hands a line, the boards that each wins or ties;
// Exact is one document with exact figures of whole games.
const (
	PokerOdds = "poker_odds.jsonl"
	Exact     = "exact.json"
)

//go:embed *.gz
var packed embed.FS

// Read returns a file; gzip holds it against its checksum.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	file, err := packed.Open(name + ".gz")
	if err != nil {
		t.Fatalf("there are no such vectors: %v", err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return text
}

// Lines returns the lines of a file.
func Lines(t testing.TB, name string) [][]byte {
	t.Helper()
	return bytes.Split(bytes.TrimSuffix(Read(t, name), []byte("\n")), []byte("\n"))
}
