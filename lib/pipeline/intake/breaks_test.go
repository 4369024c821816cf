package intake_test

import (
	"fmt"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/pipeline/intake"
	"tally/lib/rulebook/settlement"
)

// How many draws in a row are cancelled, whatever comes in between, late, or again. A
// draw is a letter, in the order in which they open; c is cancelled, r has a result.
func TestRowsOfCancelledDraws(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		messages                      | rows
		ac bc cc dc ec fc gc          | 1 2 3 4 5 6 7
		ac bc ac bc cc                | 1 2 0 0 3
		ac bc cr dc ec                | 1 2 0 1 2
		ac bc cc br dc                | 1 2 3 0 2
		ar bc cc ac                   | 0 1 2 3
		ac cc dc bc                   | 1 2 3 4
		ac cc dc br ec                | 1 2 3 0 3
		ac bc cr ar ac cc             | 1 2 0 0 2 3
		br ac cc                      | 0 1 1
	`) {
		t.Run(row[0], func(t *testing.T) {
			var ends intake.Ends
			var got []string
			for message := range strings.FieldsSeq(row[0]) {
				var n int
				ends, n = ends.Add(intake.End{Draw: message[:1], OpensAt: settlement.Instant(message[0]), Cancelled: message[1] == 'c'})
				got = append(got, fmt.Sprint(n))
			}
			if rows := strings.Join(got, " "); rows != row[1] {
				t.Errorf("%s: rows of %s, want %s", row[0], rows, row[1])
			}
		})
	}
}

// What is held of a table is bounded, and one that comes again long after is none of a
// row that goes on now.
func TestRowsAreBounded(t *testing.T) {
	var ends intake.Ends
	for n := range 100 {
		ends, _ = ends.Add(intake.End{Draw: fmt.Sprint(n), OpensAt: settlement.Instant(n), Cancelled: true})
	}
	if next, row := ends.Add(intake.End{Draw: "7", OpensAt: 7, Cancelled: true}); len(ends) != 20 || len(next) != 20 || row != 0 {
		t.Errorf("%d are held, then %d; the old one makes a row of %d", len(ends), len(next), row)
	}
}

// A sixth draw in a row that is cancelled is reported, once for each message; a
// correction to a result ends the row, and one from a result to a cancellation counts by
// its draw.
func TestSixthCancellationInARow(t *testing.T) {
	d := newBench(t)
	notified := 0
	d.CancelledInARow = func(game string) {
		notified++
		if game != "war" {
			t.Errorf("it tells of a draw of %s", game)
		}
	}
	take := func(n, revision int, kind string) {
		t.Helper()
		text := strings.Replace(body(kind), `"war-1.7"`, fmt.Sprintf(`"war-1.%d"`, n), 1)
		text = strings.Replace(text, `"revision":1`, fmt.Sprintf(`"revision":%d`, revision), 1)
		if sent, err := d.handle(t, intake.Studio, text); err != nil || strings.Contains(sent, "quarantined") {
			t.Fatalf("%s of draw %d: %s, %v, %v", kind, n, sent, err, d.reply.Errors)
		}
	}
	want := func(n int, when string) {
		t.Helper()
		if notified != n {
			t.Fatalf("%s: notified of %d, want %d", when, notified, n)
		}
	}
	for n := range 8 {
		take(n, 0, "draw.opened")
	}
	for n := range 5 {
		take(n, 1, "draw.cancelled")
	}
	want(0, "five are cancelled")
	take(5, 1, "draw.cancelled")
	want(1, "a sixth is cancelled")
	take(5, 1, "draw.cancelled")
	want(1, "the sixth again")
	take(6, 1, "draw.resulted")
	take(7, 1, "draw.cancelled")
	want(1, "a result, and one that is cancelled")
	take(6, 2, "draw.cancelled")
	want(2, "the result between is corrected to a cancellation")
	take(6, 1, "draw.resulted")
	take(5, 2, "draw.cancelled")
	want(2, "the first result again, and a cancellation for another reason")
}
