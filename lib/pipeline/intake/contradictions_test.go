package intake_test

import (
	"fmt"
	"strings"
	"testing"

	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/store"
)

// What contradicts a draw that was known before its opening came shows both values,
// too, and faults of form don't hide that a message is about another draw.
func TestContradictionsShowBothValues(t *testing.T) {
	later := instant.Format(noon + 31_000)
	for _, test := range []struct {
		name, first, kind, old, new string
		want                        []string
	}{
		{"an opening with other times than the round's", "betting.opened", "draw.opened", instant.Format(noon + 30_000), later,
			[]string{"from " + instant.Format(noon) + " to " + later, "to " + instant.Format(noon+30_000), "send it with the times that are stored"}},
		{"a round's opening with other times than the draw's", "draw.opened", "betting.opened", instant.Format(noon + 30_000), later,
			[]string{"to " + later, "to " + instant.Format(noon+30_000)}},
		{"a second board", "betting.opened", "draw.opened", `"sequence":7`, `"sequence":7,"odds":{"player":"2.08"}`, []string{"it has its odds from betting.opened", "send it without odds"}},
		{"another table", "draw.opened", "betting.closed", `"war-1"`, `"war-2"`, []string{"names war on table war-2", "one of war on table war-1", "send it with what the draw has"}},
		{"another game", "draw.opened", "draw.resulted", `"game":"war"`, `"game":"dice"`, []string{"names dice on table war-1", "one of war on table war-1", "unknown_field: facts.dealer"}},
		{"another table and a fault of form", "draw.opened", "betting.closed", `"table":"war-1"`, `"table":"war-2","more":1`, []string{"names war on table war-2", "unknown_field: more"}},
		{"another game and a fault of form", "draw.opened", "draw.cancelled", `"game":"war"`, `"game":"poker","more":1`, []string{"names poker on table war-1", "unknown_field: more"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newBench(t)
			if _, err := d.handle(t, intake.Studio, body(test.first)); err != nil {
				t.Fatal(err)
			}
			other := strings.Replace(body(test.kind), test.old, test.new, 1)
			if sent, err := d.handle(t, intake.Studio, other); err != nil || sent != "reply quarantined" {
				t.Fatalf("sent %s, %v", sent, err)
			}
			var said strings.Builder
			for _, fault := range d.quarantined(t, other).Faults {
				fmt.Fprintf(&said, "%s: %s\n", fault.Code, fault.Message)
			}
			for _, want := range test.want {
				if !strings.Contains(said.String(), want) {
					t.Errorf("said\n%swhich lacks %q", said.String(), want)
				}
			}
		})
	}
}

// What a message must not have any more is refused when it is new, and is a replay
// where an earlier version has stored it.
func TestAdmitsOnlyNewMessages(t *testing.T) {
	d := newBench(t)
	for _, kind := range []string{"draw.opened", "draw.resulted"} {
		if _, err := d.handle(t, intake.Studio, body(kind)); err != nil {
			t.Fatal(err)
		}
	}
	other := strings.Replace(body("draw.resulted"), `"revision":1`, `"revision":2,"correction":{"reason":"we looked again"}`, 1)
	if sent, err := d.handle(t, intake.Studio, other); err != nil || sent != "reply quarantined" || d.quarantined(t, other).Faults[0].Code != wire.CodeUnknownReason {
		t.Errorf("sent %s, %v: %+v", sent, err, d.quarantined(t, other).Faults)
	}
	m, _, faults := wire.Parse([]byte(other))
	if len(faults) > 0 {
		t.Fatalf("the message has the faults %v, want none", faults)
	}
	// As an earlier version left it.
	stored := store.Item{PK: store.DrawKey("war-1.7"), SK: intake.Key(m), Body: other, StoredAt: d.now, Hash: m.Hash(), ExpiresAt: d.now + 1000}
	if err := d.Table.Transact(t.Context(), store.Creating(stored)); err != nil {
		t.Fatal(err)
	}
	if sent, err := d.handle(t, intake.Studio, other); err != nil || !strings.HasSuffix(sent, "reply replay") {
		t.Errorf("the stored message again: sent %s, %v", sent, err)
	}
}
