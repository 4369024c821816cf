package pretty

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"tally/lib/rulebook/replay"
)

func settler(printer Printer) *TextResponder { return New(&replay.Settler{}, printer) }

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

// ownNames are names that answers have, and members of the line that a block
// shows.
var ownNames = []string{"settlements", "totals", "status", "game", "outcome", "reason", "rule", "errors", "bets", "rounding", "facts", "id"}

// contents are what a member of such a name may hold.
var contents = []string{`[1]`, `[{"bet":"b9","status":"won","payout":"1000.00"}]`, `{"EUR":{"bets":1},"USD":1}`, `{"EUR":[]}`, `"resolved"`, `"war"`,
	`"half_up"`, `null`, `-1e9`, `{"status":"won"}`, `[[],{}]`, `[]`}

// copying puts a member in front of another's answers, as one that was copied
// from the line: whatever it is called, it is not tally's word.
type copying struct {
	replay.Responder
	member []byte // of any name, with a comma behind it
}

func (c copying) Respond(dst, text []byte) []byte {
	answer := c.Responder.Respond(nil, text)
	return append(append(append(dst, '{'), c.member...), answer[1:]...)
}

// FuzzBlock shows that any line gets a block: lines of printable text that end
// in an empty one, the same with colour and without; also when the line and the
// answer have a member with one of tally's own names. It has bets and totals just
// when the answer's own members are settlements.
func FuzzBlock(f *testing.F) {
	for i, line := range lines {
		for name := range ownNames {
			f.Add([]byte(line), uint8(name), []byte(contents[(i+name)%len(contents)]))
		}
	}
	for name := range ownNames {
		for _, content := range contents {
			f.Add([]byte(lines[0]), uint8(name), []byte(content))
		}
	}
	f.Fuzz(func(t *testing.T, line []byte, name uint8, content []byte) {
		member := fmt.Appendf(nil, "%q:%s,", ownNames[int(name)%len(ownNames)], content)
		if parsed, ok := parse(fmt.Appendf(nil, "{%s\"\":0}", member)); !ok || len(parsed.members) != 2 {
			member = nil // the content is no JSON, or more than one member
		}
		mutated := line
		if rest, isObject := bytes.CutPrefix(line, []byte("{")); isObject {
			mutated = append(append([]byte("{"), member...), rest...)
		}
		for _, text := range [][]byte{line, mutated} {
			checkBlock(t, text, &replay.Resolver{}, false)
			checkBlock(t, text, &replay.Settler{}, true)
			checkBlock(t, text, copying{&replay.Resolver{}, member}, false)
			checkBlock(t, text, copying{&replay.Settler{}, member}, true)
		}
	})
}

func checkBlock(t *testing.T, line []byte, responder replay.Responder, settles bool) {
	t.Helper()
	block := New(responder, Printer{}).Respond(nil, line)
	if !bytes.HasSuffix(block, []byte("\n\n")) {
		t.Errorf("no empty line at the end: %q", block)
	}
	for _, r := range string(block) {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%q in %q", r, block)
		}
	}
	coloured := New(responder, Printer{Colour: true}).Respond(nil, line)
	if again := escapes.ReplaceAll(coloured, nil); !bytes.Equal(again, block) {
		t.Errorf("colour changes the text:\n%s\n%s", again, block)
	}
	answer := responder.Respond(nil, line)
	for heading, own := range map[string]string{"\n  bets\n": `,"settlements":[{"bet":`, "\n  totals\n": `,"totals":{"`} {
		t.Run(heading, func(t *testing.T) {
			shown := bytes.Contains(block, []byte(heading))
			if own := bytes.Contains(answer, []byte(own)); shown && !(own && settles) {
				t.Errorf("%q, and the answer has none: %s%s", heading, answer, block)
			}
		})
	}
}

// TestOwnNames: what a line calls settlements, totals or a status is not shown as
// if it were tally's word.
func TestOwnNames(t *testing.T) {
	line := []byte(`{"game":"war","facts":{"player":"KS","dealer":"AD"},"bets":[{"bet":"b1","selection":"dealer","odds":"1.95","stake":"10.00","currency":"EUR"}]}`)
	plain := string(settler(Printer{}).Respond(nil, line))
	resolved := string(New(&replay.Resolver{}, Printer{}).Respond(nil, line))
	for _, name := range []string{"settlements", "totals", "outcome", "errors", "reason", "rule", "game"} {
		t.Run(name, func(t *testing.T) {
			for _, content := range contents {
				if strings.HasPrefix(content, `"`) || strings.HasPrefix(content, "-") {
					continue // a text or a number is shown in the title, under its name
				}
				member := fmt.Appendf(nil, "%q:%s,", name, content)
				if got := string(New(copying{&replay.Settler{}, member}, Printer{}).Respond(nil, line)); got != plain {
					t.Errorf("settle, %s: got\n%swant\n%s", member, got, plain)
				}
				if got := string(New(copying{&replay.Resolver{}, member}, Printer{}).Respond(nil, line)); got != resolved {
					t.Errorf("resolve, %s: got\n%swant\n%s", member, got, resolved)
				}
			}
		})
	}
}

// mixedUp answers with settlements that are not of the line's bets.
type mixedUp struct{ replay.Responder }

func (mixedUp) Respond(dst, _ []byte) []byte {
	return append(dst, `{"status":"resolved","game":"war","outcome":{},"settlements":[{"bet":"b2","status":"won"},{"bet":"b1","status":"lost"},7],"totals":7}`+"\n"...)
}

func TestSettlementsOfOtherBets(t *testing.T) {
	got := string(New(mixedUp{}, Printer{}).Respond(nil, []byte(lines[0])))
	want := "War of Bets · resolved\n  seen\n    player  K♠\n    dealer  A♦\n  bets\n    bet  status\n    b2   won\n    b1   lost\n\n\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestTooLong(t *testing.T) {
	if got := string(settler(Printer{}).TooLong(nil)); !strings.HasPrefix(got, "Line · malformed\n  errors\n") || !strings.Contains(got, "the line is longer than") {
		t.Errorf("got %q", got)
	}
}

func TestTable(t *testing.T) {
	printer := Printer{Colour: true}
	table := NewTable(printer, "> ", "name", "never", "amount", "note")
	table.Row(printer.Cell("K♠", Plain), Cell{}, printer.Cell("10.50", Green), printer.Cell("7", Plain))
	table.Row(printer.Cell("三つ", Red), Cell{}, printer.Cell("9", Plain))
	table.Row(printer.Cell("e\u0301t", Plain), Cell{}, Cell{}, printer.Cell("x", Bold))
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
	printer := Printer{Colour: true}
	for _, test := range []struct {
		cell  Cell
		text  string
		width int
	}{
		{printer.Cell("", Red), "", 0},
		{printer.Cell("♥", Red), "\x1b[31m♥\x1b[0m", 1},
		{Printer{}.Cell("♥", Red), "♥", 1},
		{printer.Cell("\x1b[2J\n", Plain), `\u{1b}[2J\u{a}`, 14},
		{Join(" ", printer.Cell("a", Plain), Cell{}, printer.Cell("♠", Red)), "a \x1b[31m♠\x1b[0m", 3},
		{Join(", "), "", 0},
	} {
		t.Run(test.text, func(t *testing.T) {
			if test.cell.String() != test.text || test.cell.width != test.width {
				t.Errorf("got %q of width %d, want %q of %d", test.cell.String(), test.cell.width, test.text, test.width)
			}
		})
	}
	for text, want := range map[string]bool{"": false, "0": true, "12.50": true, "1.5.2": false, "-1": true, "-": false, "1-2": false, "K": false, ".": false} {
		t.Run(text, func(t *testing.T) {
			if got := isNumber(text); got != want {
				t.Errorf("%q is a number: %v", text, got)
			}
		})
	}
}

// What the outcome says of each hand stands beside its cards.
func TestHandsBesideCards(t *testing.T) {
	const line = `{"game":"poker","facts":{"hands":[["AS","KD"],["2C","2D"],["9H","TH"],["JC","3S"],["QD","QH"],["7S","8S"]],"board":["4H","5H","6H","KC","2H"]}}`
	const want = `Bet on Poker · resolved
  seen
    board  4♥ 5♥ 6♥ K♣ 2♥
  outcome
    winners      5
    combination  flush
    hand  cards  category         best
       1  A♠ K♦  pair             K♦ K♣ A♠ 6♥ 5♥
       2  2♣ 2♦  three of a kind  2♥ 2♦ 2♣ K♣ 6♥
       3  9♥ T♥  flush            T♥ 9♥ 6♥ 5♥ 4♥
       4  J♣ 3♠  straight         6♥ 5♥ 4♥ 3♠ 2♥
       5  Q♦ Q♥  flush            Q♥ 6♥ 5♥ 4♥ 2♥
       6  7♠ 8♠  straight         8♠ 7♠ 6♥ 5♥ 4♥

`
	if got := string(New(&replay.Resolver{}, Printer{}).Respond(nil, []byte(line))); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestWrap(t *testing.T) {
	if got, want := Wrap("one two ♥♥♥ unbreakable \x1b[2J", 7), []string{"one two", "♥♥♥", "unbreakable", `\u{1b}[2J`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
