package commitment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tally/lib/archive/entry"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
)

var secret = bytes.Repeat([]byte{3}, 32)

func linesOf(bookmaker string, n int) (lines [][]byte) {
	for i := range n {
		lines = append(lines, fmt.Appendf(nil, `{"bet":"b%d","status":"won","of":"%s"}`, i, bookmaker))
	}
	return lines
}

func sample() (*Set, *entry.Settlement) {
	eur, _ := money.ParseCurrency("EUR")
	set := &Set{Secret: secret}
	for i, bookmaker := range []string{"acme", "borealis", "cygnus"} {
		report := NewReport(secret, bookmaker)
		for _, line := range linesOf(bookmaker, i*5) {
			report.Add(line)
		}
		set.Commitments = append(set.Commitments, report.Commit(settlement.Totals{{Currency: eur, Bets: i}}))
	}
	return set, &entry.Settlement{Draw: "d", Game: "war", State: 1, Bookmakers: set.Short()}
}

// TestPinned pins the bytes: proofs that were given out must hold for ever. The
// values come from another program, written by the package comment.
func TestPinned(t *testing.T) {
	set, _ := sample()
	text, err := json.Marshal(set.Commitments[1])
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"bookmaker":"borealis","lines":5,"root":"ddf9fb780bb5e9bea428e913c4894d3ff8df30ae351d7953b7668b564879216b","totals":"77f9c0dee6a1aa36a58d39ce4e08f49c890d09ec3fe28a6a88f1053334db4e9f"}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	const root = `8d744a6dfe29aee889cce5bff6e370bc3a13b9a7ad5535c826e24c4e62c8b071`
	if short := set.Short(); short.Count != 3 || short.Root != root {
		t.Errorf("got %+v, want %s", short, root)
	}
}

func TestProofs(t *testing.T) {
	set, settled := sample()
	for n, bookmaker := range []string{"acme", "borealis", "cygnus"} {
		t.Run(bookmaker, func(t *testing.T) {
			d, err := set.Disclose("d", 1, bookmaker)
			if err != nil {
				t.Fatal(err)
			}
			lines := linesOf(bookmaker, n*5)
			for i := range lines {
				proof, err := d.Prove(lines, i)
				if err != nil {
					t.Fatal(err)
				}
				if err := proof.Check(settled); err != nil {
					t.Errorf("line %d of %s: %v", i, bookmaker, err)
				}
				everyBit(t, proof, settled)
			}
			if len(lines) == 0 {
				return
			}
			for _, wrong := range [][][]byte{lines[1:], append(linesOf(bookmaker, n*5), []byte("more")), linesOf("other", n*5)} {
				t.Run(fmt.Sprint(wrong), func(t *testing.T) {
					if _, err := d.Prove(wrong, 0); !errors.Is(err, ErrReport) {
						t.Errorf("a proof from other lines: %v", err)
					}
				})
			}
			if _, err := d.Prove(lines, len(lines)); !errors.Is(err, ErrReport) {
				t.Errorf("a proof of no line: %v", err)
			}
		})
	}
	if _, err := set.Disclose("d", 1, "nobody"); !errors.Is(err, ErrUnknown) {
		t.Errorf("a disclosure to nobody: %v", err)
	}
}

// everyBit changes each character of a proof: none of what is still a proof holds.
func everyBit(t *testing.T, proof *LineProof, settled *entry.Settlement) {
	t.Helper()
	text, err := json.Marshal(proof)
	if err != nil {
		t.Fatal(err)
	}
	for at := range text {
		changed := bytes.Clone(text)
		changed[at] ^= 1
		var other LineProof
		if json.Unmarshal(changed, &other) != nil {
			continue
		}
		again, err := json.Marshal(other)
		if err != nil {
			t.Fatal(err)
		}
		if other.Check(settled) == nil && !bytes.Equal(again, text) {
			t.Fatalf("a flipped bit at byte %d passes:\n%s", at, changed)
		}
	}
}

// TestNothingElseShows looks for other lines, other bookmakers and keys in a proof.
func TestNothingElseShows(t *testing.T) {
	set, _ := sample()
	d, err := set.Disclose("d", 1, "cygnus")
	if err != nil {
		t.Fatal(err)
	}
	proof, err := d.Prove(linesOf("cygnus", 10), 4)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := json.Marshal(proof)
	if err != nil {
		t.Fatal(err)
	}
	key, err := json.Marshal(d.Key)
	if err != nil {
		t.Fatal(err)
	}
	own, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{`b3`, `b5`, "acme", "borealis", strings.Trim(string(key), `"`), strings.Trim(string(kept), `"`)} {
		t.Run(hidden, func(t *testing.T) {
			if bytes.Contains(shown, []byte(hidden)) {
				t.Errorf("the proof shows %s", hidden)
			}
		})
	}
	if bytes.Contains(own, []byte(strings.Trim(string(kept), `"`))) || bytes.Contains(own, []byte("acme")) {
		t.Error("the disclosure shows more than one bookmaker's")
	}
}
