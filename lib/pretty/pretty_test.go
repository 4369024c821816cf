package pretty

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"tally/lib/replay"
)

func settler(pen Pen) *Answerer { return New(&replay.Settler{}, pen) }

var escapes = regexp.MustCompile(`\x1b\[[0-9]+m`)

// lines are of every status, with strings that a terminal would obey.
var lines = []string{
	`{"id":1,"game":"war","facts":{"player":"KS","dealer":"AD"},"bets":[{"bet":"b1","selection":"dealer","odds":"1.95","stake":"10.00","currency":"EUR"}]}`,
	`{"id":"` + "\u202e" + `\u001b[2J\u009b1m","game":"dice","cancelled":"die_fell","bets":[{"bet":"\u0007","selection":"\r\n","odds":"2","stake":"1","currency":"JPY"}]}`,
	`{"game":"lucky5","facts":{"balls":[1,2,99999999999999999999]},"bets":[]}`,
	`{"game":"blackjack","facts":{"dealer":["AS","6D"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D","TC"],"doubled":true}]},{"seat":1,"hands":[]},{"seat":2,"split":true,"hands":[{"cards":[]},{"cards":["AS"]},{"cards":["AS"]}]}]},"bets":[]}`,
	`{"game":"poker","facts":{"hands":[[],["2C","2D"],["9H","TH"],["JC","3S"],["QD","QH"],["7S","8S"],[]],"board":[]},"bets":[]}`,
	`{"game":"wheel","facts":{"spins":[{"turns":2,"sector":null},{"turns":5,"sector":"cup"}]},"bets":[]}`,
	`{"game":"war","game":"dice"}`, `[{}]`, "", "\xff\x1b", strings.Repeat("[", 20_000),
}

// FuzzBlock shows that any line gets a block: lines of printable text that end
// in an empty one, the same with colour and without.
func FuzzBlock(f *testing.F) {
	for _, line := range lines {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		block := settler(Pen{}).Answer(nil, line)
		if !bytes.HasSuffix(block, []byte("\n\n")) {
			t.Errorf("no empty line at the end: %q", block)
		}
		for _, r := range string(block) {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%q in %q", r, block)
			}
		}
		coloured := settler(Pen{Colour: true}).Answer(nil, line)
		if again := escapes.ReplaceAll(coloured, nil); !bytes.Equal(again, block) {
			t.Errorf("colour changes the text:\n%s\n%s", again, block)
		}
	})
}

func TestTooLong(t *testing.T) {
	if got := string(settler(Pen{}).TooLong(nil)); !strings.HasPrefix(got, "Line · malformed\n  errors\n") || !strings.Contains(got, "the line is longer than") {
		t.Errorf("got %q", got)
	}
}

func TestTable(t *testing.T) {
	pen := Pen{Colour: true}
	table := NewTable(pen, "> ", "name", "never", "amount", "note")
	table.Row(pen.Cell("K♠", Plain), Cell{}, pen.Cell("10.50", Green), pen.Cell("7", Plain))
	table.Row(pen.Cell("三つ", Red), Cell{}, pen.Cell("9", Plain))
	table.Row(pen.Cell("e\u0301t", Plain), Cell{}, Cell{}, pen.Cell("x", Bold))
	want := []string{
		"> name  amount  note",
		"> K♠     10.50  7",
		"> 三つ       9",
		"> e\u0301t            x",
	}
	if got := escapes.ReplaceAllString(table.String(), ""); got != strings.Join(want, "\n")+"\n" {
		t.Errorf("got\n%swant\n%s", got, strings.Join(want, "\n"))
	}
	if !strings.Contains(table.String(), "\x1b[32m10.50\x1b[0m") {
		t.Errorf("no colour in %q", table.String())
	}
}

func TestCells(t *testing.T) {
	pen := Pen{Colour: true}
	for _, test := range []struct {
		cell  Cell
		text  string
		width int
	}{
		{pen.Cell("", Red), "", 0},
		{pen.Cell("♥", Red), "\x1b[31m♥\x1b[0m", 1},
		{Pen{}.Cell("♥", Red), "♥", 1},
		{pen.Cell("\x1b[2J\n", Plain), `\u{1b}[2J\u{a}`, 14},
		{Join(" ", pen.Cell("a", Plain), Cell{}, pen.Cell("♠", Red)), "a \x1b[31m♠\x1b[0m", 3},
		{Join(", "), "", 0},
	} {
		if test.cell.String() != test.text || test.cell.width != test.width {
			t.Errorf("got %q of width %d, want %q of %d", test.cell.String(), test.cell.width, test.text, test.width)
		}
	}
	for text, want := range map[string]bool{"": false, "0": true, "12.50": true, "1.5.2": false, "-1": false, "K": false, ".": false} {
		if got := isNumber(text); got != want {
			t.Errorf("%q is a number: %v", text, got)
		}
	}
}
