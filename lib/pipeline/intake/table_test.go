package intake_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tally/internal/testkit/capacity"
	"tally/internal/testkit/dynamotest"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/tables"
	"tally/lib/store"
)

// What is said of a table is kept and answered.
func TestTables(t *testing.T) {
	d := newBench(t)
	of := func(id, second, rest string) string {
		return `{"schema":1,"id":"` + id + `","table":"war-1","at":"2026-11-29T12:00:` + second + `.000Z",` + rest + `}`
	}
	for _, step := range []struct{ body, want, message string }{
		{of("m1", "05", `"type":"table.alive"`), "stored", "table war-1 was never suspended"},
		{of("m2", "10", `"type":"table.suspended","reason":"equipment_error"`), "stored", "table war-1 takes no bets since 2026-11-29T12:00:10.000Z (equipment_error)"},
		{of("m2", "10", `"type":"table.suspended","reason":"equipment_error"`), "replay", "takes no bets"},
		{of("m3", "09", `"type":"table.resumed"`), "stored", "takes no bets since 2026-11-29T12:00:10.000Z"},
		{of("m4", "12", `"type":"table.resumed"`), "stored", "takes bets again since 2026-11-29T12:00:12.000Z"},
		{of("m5", "13", `"type":"table.suspended","reason":""`), "quarantined", ""},
		{of("m6", "13", `"type":"table.suspended"`), "quarantined", ""},
		{of("m7", "13", `"type":"table.alive","draw":"war-1.7"`), "quarantined", ""},
	} {
		t.Run(step.body, func(t *testing.T) {
			d.now += 1000
			sent, err := d.handle(t, intake.Studio, step.body)
			if err != nil || sent != "reply "+step.want || !strings.Contains(d.reply.Message, step.message) {
				t.Errorf("%s: sent %s, %v: %+v; want %s, %s", step.body, sent, err, d.reply, step.want, step.message)
			}
		})
	}
	if _, err := d.handle(t, intake.Studio, body("draw.opened")); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{of("m9", "15", `"type":"table.suspended","reason":"shift"`), of("m9", "15", `"type":"table.suspended","reason":"shift"`), of("m10", "16", `"type":"table.resumed"`)} {
		t.Run(text, func(t *testing.T) {
			if sent, err := d.handle(t, intake.Studio, text); err != nil || !strings.HasPrefix(sent, "sweep, reply ") {
				t.Errorf("%s: sent %s, %v, want settle asked to tell those with bets, then a reply", text, sent, err)
			}
		})
	}
	if sent, err := d.handle(t, intake.Studio, of("m11", "17", `"type":"table.alive"`)); err != nil || sent != "reply stored" {
		t.Errorf("a sign of life: sent %s, %v, want a reply alone", sent, err)
	}
	if sent, err := d.handle(t, intake.Operator, of("m8", "14", `"type":"table.resumed"`)); err != nil || sent != "reply quarantined" {
		t.Errorf("on the queue of operators: %s, %v, want quarantined", sent, err)
	}
	if d.counter.quarantined != 4 {
		t.Errorf("%d messages were counted as quarantined, want 4", d.counter.quarantined)
	}
	s, _, err := tables.Read(t.Context(), d.Table, "war-1")
	if err != nil || s.Suspended || s.By != "m10" || !s.Beats || s.HeardAt != d.now {
		t.Errorf("kept is %+v, %v; want it resumed by m10 and just heard of", s, err)
	}
}

// Who may not speak for a table can neither suspend nor resume it, nor say that it is alive.
func TestTablesOfOthers(t *testing.T) {
	d := newBench(t)
	d.MaySpeak = func(_ context.Context, sender, table string) (bool, error) {
		return sender == "ours" && table == "war-1", nil
	}
	for _, kind := range []string{`"table.alive"`, `"table.resumed"`, `"table.suspended","reason":"r"`} {
		t.Run(kind, func(t *testing.T) {
			for sender, want := range map[string]string{"theirs": "quarantined", "": "quarantined", "ours": "stored"} {
				body := `{"schema":1,"id":"m","table":"war-1","at":"2026-11-29T12:00:00.000Z","type":` + kind + `}`
				if err := d.Handle(t.Context(), intake.Delivery{Body: []byte(body), SentAt: d.now, From: intake.Studio, Sender: sender}); err != nil {
					t.Fatal(err)
				}
				if d.reply.Status != want && !(want == "stored" && d.reply.Status == "replay") {
					t.Errorf("%s by %q: %+v, want %s", kind, sender, d.reply, want)
				}
			}
		})
	}
}

// A sign of life costs a consistent read and a write, the first one of a table a transaction;
// a suspension a second read, for the draws whose bookmakers are told.
func TestCostOfTables(t *testing.T) {
	db := dynamotest.DynamoDBLocal(t)
	counts := capacity.New(dynamotest.PartitionKey, dynamotest.SortKey)
	d := newBench(t)
	d.Table = store.New(db.NewClient(counts.Attach), db.Table(t))
	for _, step := range []struct{ name, rest, want string }{
		{"the first of a table", `"type":"table.alive"`, "1 read, 4 write"},
		{"a sign of life", `"type":"table.alive"`, "1 read, 1 write"},
		{"a suspension", `"type":"table.suspended","reason":"r"`, "2 read, 1 write"},
		{"the same again", `"type":"table.suspended","reason":"r"`, "2 read, 1 write"},
		{"a resumption", `"type":"table.resumed"`, "2 read, 1 write"},
	} {
		t.Run(step.name, func(t *testing.T) {
			counts.Reset()
			at := "2026-11-29T12:00:00.000Z"
			if strings.Contains(step.rest, "resumed") {
				at = "2026-11-29T12:00:01.000Z"
			}
			if _, err := d.handle(t, intake.Studio, `{"schema":1,"id":"m","table":"war-1","at":"`+at+`",`+step.rest+`}`); err != nil {
				t.Fatal(err)
			}
			total := counts.Snapshot().Total()
			if got := fmt.Sprintf("%v read, %v write", total.Reads, total.Writes); got != step.want {
				t.Errorf("%s costs %s, want %s", step.name, got, step.want)
			}
		})
	}
}
