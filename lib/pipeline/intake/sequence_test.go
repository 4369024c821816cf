package intake_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/internal/testkit/ruletest"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/store"
)

// numbered is a draw that is called 7 or, for another draw of the number, as 7b.
func numbered(t *testing.T, text string) intake.Numbered {
	t.Helper()
	var n intake.Numbered
	if _, err := fmt.Sscan(strings.TrimSuffix(text, "b"), &n.Sequence); err != nil {
		t.Fatal(err)
	}
	n.Draw = "war-1." + text
	return n
}

// What is raised as numbers of a table come, one after the other.
func TestNumbers(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
case                        | numbers                                   | raised
in order                    | 1 2 3 4 5 6 7 8 9 10 11 12                |
from any number on          | 4711 4712 4713 4714 4715                  |
out of order                | 1 2 4 3 5 6 8 7 9 10 11                   |
two early                   | 1 2 4 5 3 6 7 8                           |
the first late              | 2 1 3 4 5 6                               |
replays                     | 1 2 3 3 1 2 4 4 5 1 6                     |
a number of two draws       | 1 2 3 3b 4 5                              | 3b repeated
both again                  | 1 2 3 3b 3 3b 4 3 5 3b                    | 3b repeated
the first of the eight      | 1 2 3 4 5 6 7 8 1b                        | 1b repeated
one is missing              | 1 2 4 5 6 7 8 9 10 11 12 13 14 15         | 6 skipped
two early, one missing      | 1 2 5 4 6 7 8 9                           | 6 skipped
it comes too late           | 1 2 4 5 6 3 7 8 9 10 11 12                | 6 skipped
half of a gap comes         | 1 2 5 6 7 3 8 9 10                        | 7 skipped
several in one gap          | 1 100 101 102 103 104                     | 102 skipped
two gaps                    | 1 3 5 6 7 8 9                             | 6 skipped, 7 skipped
a gap and a number twice    | 1 2 4 5 5b 6 7 8                          | 5b repeated, 6 skipped
one much too high           | 1 2 9007199254740991 3 4 5 6 7 8 9 10 11 12 13 14 15 16 |
put back far                | 91 92 93 94 95 96 97 98 1 2 3 4 5 6 7 8 9 10 | 3 restarted
put back, the first gap     | 91 92 93 94 95 96 97 98 1 2 3 5 6 7 8 9   | 3 restarted, 7 skipped
put back a little           | 1 2 3 4 2b 3b 4b 5 6 7 8 9                | 2b repeated, 3b repeated, 4b repeated
two late ones               | 91 92 93 94 5 6 95 96 97 98 99 100        |
the largest numbers         | 9007199254740989 9007199254740990 9007199254740991 9007199254740991b | 9007199254740991b repeated
`) {
		t.Run(row[0], func(t *testing.T) {
			var numbers intake.Numbers
			var raised []string
			for text := range strings.FieldsSeq(row[1]) {
				arrived := numbered(t, text)
				next, concern := numbers.Add(arrived)
				if concern != "" {
					raised = append(raised, text+" "+concern)
				}
				if again, concern := next.Add(arrived); concern != "" || !slices.Equal(again, next) {
					t.Errorf("%s again comes to %v, %q", text, again, concern)
				}
				if numbers = next; len(numbers) > 8 {
					t.Errorf("%d numbers are held", len(numbers))
				}
			}
			if got := strings.Join(raised, ", "); got != row[2] {
				t.Errorf("raised %q instead of %q", got, row[2])
			}
		})
	}
}

// opening opens a draw of a number, as 7 or 7b.
func opening(t *testing.T, text string) string {
	t.Helper()
	n := numbered(t, text)
	return strings.NewReplacer("war-1.7", n.Draw, `"sequence":7`, fmt.Sprintf(`"sequence":%d`, n.Sequence)).Replace(body("draw.opened"))
}

// raising keeps what a desk raises of running numbers.
func raising(d *bench) *[]string {
	raised := &[]string{}
	d.OutOfSequence = func(concern string) { *raised = append(*raised, concern) }
	return raised
}

// Openings of a table are held against those before, replays raise nothing, and the
// reply says so of a number that another draw has.
func TestRunningNumbers(t *testing.T) {
	d := newBench(t)
	raised := raising(d)
	open := func(text, status, note string) {
		t.Helper()
		if sent, err := d.handle(t, intake.Studio, opening(t, text)); err != nil || !strings.HasSuffix(sent, "reply "+status) || !strings.HasPrefix(d.reply.Note, note) || (note == "") != (d.reply.Note == "") {
			t.Errorf("%s: sent %s, note %q, %v", text, sent, d.reply.Note, err)
		}
	}
	open("7", wire.Stored, "")
	open("7b", wire.Stored, "repeated_sequence: draw war-1.7 ")
	open("7b", wire.Replay, "repeated_sequence: draw war-1.7 ")
	open("7", wire.Replay, "")
	for _, next := range []string{"9", "10", "11", "12", "13", "14", "15", "16", "17", "18"} {
		open(next, wire.Stored, "")
	}
	for _, old := range []string{"7", "7b", "9"} {
		open(old, wire.Replay, "") // not held any more
	}
	open("19", wire.Stored, "")
	if want := []string{intake.SequenceRepeated, intake.SequenceSkipped}; !slices.Equal(*raised, want) {
		t.Errorf("raised %v instead of %v", *raised, want)
	}
	item, found, err := d.Table.Get(t.Context(), store.TableKey("war-1"), store.SequenceKey)
	if err != nil || !found || item.ExpiresAt < noon+d.Settings.Retain() {
		t.Errorf("the item %+v, %v", item, err)
	}
	other := strings.Replace(opening(t, "700"), `"war-1"`, `"war-2"`, 1)
	if sent, err := d.handle(t, intake.Studio, other); err != nil || len(*raised) != 2 {
		t.Errorf("another table: sent %s, raised %v, %v", sent, *raised, err)
	}
}

// Whatever becomes of the table's item, the message is taken, and what can still be
// raised is raised once.
func TestRunningNumberFails(t *testing.T) {
	for _, test := range []struct {
		name, request string
		verdicts      []fakedynamo.Verdict // of such requests, one after the other
		raised        int
	}{
		{"a read fails", "GetItem TABLE#", []fakedynamo.Verdict{fakedynamo.FailBefore}, 1},
		{"a write fails", "PutItem TABLE#", []fakedynamo.Verdict{fakedynamo.FailBefore}, 1},
		{"an answer is lost", "PutItem TABLE#", []fakedynamo.Verdict{fakedynamo.FailAfter}, 1},
		{"a write is sent twice", "PutItem TABLE#", []fakedynamo.Verdict{fakedynamo.SendTwice}, 1},
		{"writes fail", "PutItem TABLE#", slices.Repeat([]fakedynamo.Verdict{fakedynamo.FailBefore}, 50), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newBench(t)
			if _, err := d.handle(t, intake.Studio, opening(t, "7")); err != nil {
				t.Fatal(err)
			}
			raised := raising(d)
			d.db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
				if len(test.verdicts) == 0 || !strings.HasPrefix(call.String(), test.request) {
					return fakedynamo.Proceed
				}
				verdict := test.verdicts[0]
				test.verdicts = test.verdicts[1:]
				return verdict
			}
			if sent, err := d.handle(t, intake.Studio, opening(t, "7b")); err != nil || sent != "archive opening, reply stored" || len(*raised) != test.raised {
				t.Errorf("sent %s, raised %v, %v", sent, *raised, err)
			}
			test.verdicts = nil
			// The redelivery makes good what a crash has left out, and repeats nothing.
			if sent, err := d.handle(t, intake.Studio, opening(t, "7b")); err != nil || sent != "archive opening, reply replay" || len(*raised) != 1 {
				t.Errorf("again: sent %s, raised %v, %v", sent, *raised, err)
			}
		})
	}
}
