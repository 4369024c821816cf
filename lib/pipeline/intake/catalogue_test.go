package intake_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tally/lib/pipeline/intake"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
	"tally/lib/store"
)

// A message about a draw is judged by the rules that the draw began with, whatever was
// released since; one about a draw that begins now by the newest.
func TestMessagesOfARaisedCatalogue(t *testing.T) {
	first, _ := games.Find("war")
	second := *first
	second.Version++
	second.Reasons = slices.DeleteFunc(slices.Clone(first.Reasons), func(r rules.CancelReason) bool { return r.Code == "card_hidden" })
	if len(second.Reasons) == len(first.Reasons) {
		t.Fatalf("the reasons are %v", first.Reasons)
	}
	cancelled := body("draw.cancelled") // for card_hidden
	d := newBench(t)
	if _, err := d.handle(t, intake.Studio, body("draw.opened")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(games.Release(&second))
	if sent, err := d.handle(t, intake.Studio, cancelled); err != nil || !strings.Contains(sent, "reply stored") {
		t.Errorf("of a draw that began before: %s, %v", sent, err)
	}
	if sent, err := d.handle(t, intake.Studio, cancelled); err != nil || !strings.Contains(sent, "reply replay") {
		t.Errorf("the same again: %s, %v", sent, err)
	}
	d = newBench(t)
	if _, err := d.handle(t, intake.Studio, body("draw.opened")); err != nil {
		t.Fatal(err)
	}
	if sent, err := d.handle(t, intake.Studio, cancelled); err != nil || !strings.Contains(sent, "reply quarantined") {
		t.Errorf("of a draw that began since: %s, %v", sent, err)
	}
}

// What both versions take of an earlier draw is read by that draw's.
func TestMessagesThatBothVersionsTake(t *testing.T) {
	d := newBench(t)
	if _, err := d.handle(t, intake.Studio, body("draw.opened")); err != nil {
		t.Fatal(err)
	}
	first, _ := games.Find("war")
	second := *first
	second.Version++
	t.Cleanup(games.Release(&second))
	if sent, err := d.handle(t, intake.Studio, body("draw.resulted")); err != nil || !strings.Contains(sent, "reply stored") {
		t.Fatalf("%s, %v, want no error and \"reply stored\" in sent", sent, err)
	}
	var m struct{ Draw string }
	if err := json.Unmarshal([]byte(body("draw.resulted")), &m); err != nil {
		t.Fatal(err)
	}
	item, _, err := d.Table.Get(t.Context(), store.DrawKey(m.Draw), store.StateKey(1))
	if want := fmt.Sprintf(`"catalogue":%d,`, first.Version); err != nil || !strings.Contains(item.Body, want) {
		t.Errorf("its state is %s, %v; want %s in it", item.Body, err, want)
	}
}

// A message about a draw of rules that the program does not have is delivered again: it
// is not judged by other rules, and keeps none of another draw.
func TestMessageOfUnknownRules(t *testing.T) {
	first, _ := games.Find("war")
	second := *first
	second.Version = 99
	withdraw := games.Release(&second)
	d := newBench(t)
	if _, err := d.handle(t, intake.Studio, body("draw.opened")); err != nil {
		t.Fatal(err)
	}
	withdraw()
	for _, text := range []string{body("draw.resulted"), strings.Replace(body("draw.resulted"), `"KS"`, `"ks"`, 1)} {
		t.Run(text, func(t *testing.T) {
			if sent, err := d.handle(t, intake.Studio, text); !errors.Is(err, games.ErrUnknown) || sent != "" {
				t.Errorf("it is taken: %s, %v", sent, err)
			}
		})
	}
}
