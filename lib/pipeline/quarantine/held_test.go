package quarantine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/dynamotest"
	"tally/lib/pipeline/intake"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// A correction later than the operators allow is held, changes nothing, and is taken once
// it is released; what else comes so late is not, and a newer revision needs no older one.
func TestHeldCorrections(t *testing.T) {
	w := newWorld(t, dynamotest.Kumo(t))
	w.intake.Settings.HoldMillis = time.Hour.Milliseconds()
	replies := &sender{}
	w.intake.Replies = replies
	say := func(fields string) string {
		t.Helper()
		replies.sent = nil
		body := `{"schema":1,"id":"m1","game":"war","table":"war-1","draw":"war-1.7","at":"2026-11-30T12:00:00.000Z",` + fields + `}`
		if err := w.intake.Handle(t.Context(), intake.Delivery{Body: []byte(body), SentAt: w.now, From: intake.Studio}); err != nil {
			t.Fatal(err)
		}
		return strings.Join(replies.sent, "")
	}
	result := func(revision int, dealer string) string {
		correction := ""
		if revision > 1 {
			correction = `,"correction":{"reason":"video_review"}`
		}
		return fmt.Sprintf(`"type":"draw.resulted","revision":%d,"facts":{"player":"KS","dealer":"%s"}%s`, revision, dealer, correction)
	}
	stored := func(want int) {
		t.Helper()
		if head, _, err := record.LoadHead(t.Context(), w.Table, "war-1.7"); err != nil || head.Revision != want {
			t.Errorf("revision %d holds instead of %d, %v", head.Revision, want, err)
		}
	}
	say(`"type":"draw.opened","sequence":7,"rounds":[{"round":1,"opens_at":"2026-11-30T12:00:00.000Z","closes_at":"2026-11-30T12:00:30.000Z"}]`)
	w.now += settlement.Instant(time.Minute.Milliseconds())
	say(result(1, "AD"))
	if reply := say(result(2, "2D")); !strings.Contains(reply, `"stored"`) {
		t.Errorf("a correction in time: %s", reply)
	}
	w.now += settlement.Instant(2 * time.Hour.Milliseconds())
	if reply := say(result(2, "2D")); !strings.Contains(reply, `"replay"`) {
		t.Errorf("what is stored, again: %s", reply)
	}
	for range 2 { // delivered twice
		if reply := say(result(3, "3D")); !strings.Contains(reply, `"quarantined"`) || !strings.Contains(reply, `"held_for_release"`) {
			t.Errorf("a late correction: %s", reply)
		}
	}
	stored(2)
	release := func() {
		t.Helper()
		for m, err := range w.Days(t.Context(), noon, 1) {
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Release(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
	}
	release()
	marks := 0
	for _, err := range w.Table.Query(t.Context(), store.ReleasedIn("war-1.7"), store.ReleasedKey("")) {
		if marks++; err != nil {
			t.Fatal(err)
		}
	}
	if marks != 1 {
		t.Errorf("%d corrections are released", marks)
	}
	if reply := say(result(4, "4D")); !strings.Contains(reply, `"held_for_release"`) {
		t.Errorf("another one, which nobody has released: %s", reply)
	}
	if reply := say(result(3, "3D")); !strings.Contains(reply, `"stored"`) { // as it was sent again
		t.Errorf("once it is released: %s", reply)
	}
	stored(3)
	release()
	say(result(4, "4D"))
	stored(4)
}
