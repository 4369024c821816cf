package intake_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tally/lib/draw"
	"tally/lib/fakedynamo"
	"tally/lib/intake"
	"tally/lib/ruletest"
	"tally/lib/settlement"
	"tally/lib/store"
	"tally/lib/wire"
)

type instant = settlement.Instant

// noon is 2026-11-30T12:00:00.000Z.
const noon instant = 1_795_953_600_000

// queue keeps what is sent, and fails when told to.
type queue struct {
	name string
	*desk
}

var errDown = errors.New("the queue is down")

func (q queue) Send(_ context.Context, body string, delay time.Duration) error {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.down == q.name {
		return errDown
	}
	var short struct{ What, Status string }
	if err := json.Unmarshal([]byte(body), &short); err != nil {
		return err
	}
	text := strings.TrimSpace(q.name + " " + short.What + short.Status)
	if delay > 0 {
		text += " in " + delay.String()
	}
	q.desk.sent = append(q.desk.sent, text)
	return nil
}

type counter struct{ quarantined int }

func (c *counter) Quarantined(string) { c.quarantined++ }

// desk takes up messages at a time.
type desk struct {
	intake.Intake
	db      *fakedynamo.DB
	now     instant
	mutex   sync.Mutex // of sent
	sent    []string
	down    string // the name of the queue that is down
	counter counter
}

func newDesk(t *testing.T) *desk {
	d := &desk{db: fakedynamo.New(t, "table"), now: noon}
	d.Intake = intake.Intake{Table: store.New(d.db, "table"), Replies: queue{"reply", d}, Sweeps: queue{"sweep", d},
		Archive: queue{"archive", d}, Record: &d.counter, Settings: draw.Settings{Shards: 1, RetainMillis: 400 * 24 * 3600 * 1000},
		Now: func() instant { return d.now }, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	return d
}

func (d *desk) take(t *testing.T, from intake.Source, body string) (sent string, err error) {
	t.Helper()
	d.sent = nil
	err = d.Take(t.Context(), intake.Delivery{Body: []byte(body), SentAt: d.now, From: from})
	return strings.Join(d.sent, ", "), err
}

// bodies are one message of each type.
func body(kind string) string {
	fields := map[string]string{
		"draw.opened":    fmt.Sprintf(`"sequence":7,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, wire.FormatTime(noon), wire.FormatTime(noon+30_000)),
		"betting.opened": fmt.Sprintf(`"round":1,"opens_at":%q,"closes_at":%q,"odds":{"player":"2.08"}`, wire.FormatTime(noon), wire.FormatTime(noon+30_000)),
		"betting.closed": fmt.Sprintf(`"round":1,"closed_at":%q`, wire.FormatTime(noon+29_000)),
		"draw.resulted":  `"revision":1,"facts":{"player":"KS","dealer":"AD"}`,
		"draw.cancelled": `"revision":1,"reason":"card_hidden"`,
		"bets.voided":    `"order":"ord-1","scope":{"round":1},"reason":"x","evidence":"y"`,
		"order.revoked":  `"order":"ord-2","revokes":"ord-1","reason":"x","evidence":"y"`,
		"bets.found":     `"order":"found-1","bookmaker":"acme","records":["b1"],"reason":"x","evidence":"y"`,
	}
	return `{"schema":1,"id":"m1","type":"` + kind + `","game":"war","table":"war-1","draw":"war-1.7","at":"2026-11-30T12:00:00.000Z",` + fields[kind] + `}`
}

// What is sent after each kind of message, in its order: the reply comes last.
func TestFollowUps(t *testing.T) {
	d := newDesk(t)
	for _, row := range ruletest.Rows(t, `
second | from     | message        | sent
0      | studio   | draw.opened    | archive opening, reply stored
1      | studio   | draw.opened    | archive opening, reply replay
2      | studio   | betting.opened | reply stored
29     | studio   | betting.closed | reply stored
40     | studio   | draw.resulted  | sweep in 10s, archive state, reply stored
41     | studio   | draw.resulted  | sweep in 9s, archive state, reply replay
42     | studio   | draw.cancelled | reply quarantined
43     | studio   | betting.opened | sweep in 7s, archive state, reply replay
44     | operator | bets.voided    | sweep in 6s, archive state, reply stored
45     | studio   | order.revoked  | reply quarantined
46     | operator | draw.resulted  | reply quarantined
47     | operator | bets.found     | reply quarantined
48     | studio   | bets.found     | reply quarantined
49     | own      | bets.found     | sweep in 1s, archive state
60     | operator | order.revoked  | sweep, archive state, reply stored
61     | operator | order.revoked  | sweep, archive state, reply replay
`) {
		var second instant
		if _, err := fmt.Sscan(row[0], &second); err != nil {
			t.Fatal(err)
		}
		d.now = noon + second*1000
		from := map[string]intake.Source{"studio": intake.Studio, "operator": intake.Operator, "own": intake.Own}[row[1]]
		sent, err := d.take(t, from, body(row[2]))
		if err != nil || sent != row[3] {
			t.Errorf("second %s, %s from %s: sent %s, %v\ninstead of %s", row[0], row[2], row[1], sent, err, row[3])
		}
	}
}

// Whichever queue is down, the message is delivered again and everything is sent.
func TestQueueDown(t *testing.T) {
	for _, down := range []string{"archive", "sweep", "reply"} {
		d := newDesk(t)
		for _, kind := range []string{"draw.opened", "draw.resulted"} {
			d.down = down
			d.now += 20_000
			_, err := d.take(t, intake.Studio, body(kind))
			if kind == "draw.opened" && down == "sweep" {
				continue // nothing to sweep yet
			}
			if !errors.Is(err, errDown) {
				t.Errorf("%s is down, %s: %v", down, kind, err)
			}
			d.down = ""
			sent, err := d.take(t, intake.Studio, body(kind))
			want := map[string]string{"draw.opened": "archive opening, reply replay", "draw.resulted": "sweep in 10s, archive state, reply replay"}[kind]
			if err != nil || sent != want {
				t.Errorf("%s was down, %s again: sent %s, %v", down, kind, sent, err)
			}
		}
	}
}

// While a message's transaction is being committed, some of it can be seen. The same
// message meanwhile, which SQS may deliver twice, is stored once and answered as a
// replay, whatever is visible first; it is no conflict with itself.
func TestTornMessage(t *testing.T) {
	for _, kind := range []string{"draw.opened", "betting.opened", "draw.resulted"} {
		for first := range 5 {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t)
				if kind != "draw.opened" {
					if _, err := d.take(t, intake.Studio, body("draw.opened")); err != nil {
						t.Fatal(err)
					}
				}
				again := make(chan error, 1)
				d.db.Torn = func(_ context.Context, call fakedynamo.Call, left []string) (next int) {
					if len(left) < len(call.Keys) {
						if len(left) == len(call.Keys)-1 {
							go func() { again <- d.Intake.Take(t.Context(), intake.Delivery{Body: []byte(body(kind)), SentAt: d.now}) }()
						}
						time.Sleep(20 * time.Millisecond)
					}
					return first % len(left)
				}
				d.sent = nil
				err := errors.Join(d.Intake.Take(t.Context(), intake.Delivery{Body: []byte(body(kind)), SentAt: d.now}), <-again)
				if replies := strings.Join(d.sent, ", "); err != nil || d.counter.quarantined > 0 || strings.Count(replies, "reply stored") != 1 || strings.Count(replies, "reply replay") != 1 {
					t.Errorf("%s, item %d first: %s, %v", kind, first, replies, err)
				}
			})
		}
	}
}

// A message that can never become valid is filed once, with every reason, and
// answered each time it comes.
func TestQuarantine(t *testing.T) {
	d := newDesk(t)
	wrong := strings.Replace(strings.Replace(body("draw.resulted"), "KS", "1S", 1), "AD", "1D", 1)
	for range 2 {
		if sent, err := d.take(t, intake.Studio, wrong); err != nil || sent != "reply quarantined" {
			t.Errorf("sent %s, %v", sent, err)
		}
	}
	if d.counter.quarantined != 1 {
		t.Errorf("counted %d times", d.counter.quarantined)
	}
	last, found, err := d.Table.Last(t.Context(), store.QuarantineKey(noon))
	if err != nil || !found || string(last.Binary) != wrong {
		t.Fatalf("it is not filed: %+v, %v", last, err)
	}
	var held intake.Held
	if err := json.Unmarshal([]byte(last.Body), &held); err != nil {
		t.Fatal(err)
	}
	if held.ID != "m1" || held.Draw != "war-1.7" || held.Type != wire.DrawResulted || held.Queue != "studio" || len(held.Faults) != 2 {
		t.Errorf("it is filed as %+v", held)
	}
	marks := slices.Collect(func(yield func(string) bool) {
		for item, err := range d.Table.Query(t.Context(), store.DrawKey("war-1.7"), store.HeldPrefix) {
			if err != nil || !yield(item.SK) {
				return
			}
		}
	})
	if want := []string{store.HeldKey(store.QuarantineKey(noon), intake.HashOf(wrong))}; !slices.Equal(marks, want) {
		t.Errorf("the draw is marked with %v", marks)
	}
	for _, junk := range []string{"", "[]", strings.Repeat("x", wire.MaxBody+1), "{\"id\":\"m2\",\xff}"} {
		if sent, err := d.take(t, intake.Studio, junk); err != nil || sent != "reply quarantined" {
			t.Errorf("%.20q: sent %s, %v", junk, sent, err)
		}
	}
	if sent, err := d.take(t, intake.Studio, body("draw.resulted")); err != nil || sent != "reply stored" {
		t.Errorf("the right message under the same revision: sent %s, %v", sent, err)
	}
}

// Another content under one identity never replaces what is stored.
func TestConflict(t *testing.T) {
	d := newDesk(t)
	for kind, other := range map[string]string{
		"draw.opened":    strings.Replace(body("draw.opened"), `"sequence":7`, `"sequence":8`, 1),
		"betting.closed": strings.Replace(body("betting.closed"), "12:00:29", "12:00:28", 1),
		"draw.resulted":  body("draw.cancelled"),
		"bets.voided":    strings.Replace(body("order.revoked"), "ord-2", "ord-1", 1),
	} {
		from := intake.Studio
		if kind == "bets.voided" {
			from, other = intake.Operator, strings.Replace(other, `"revokes":"ord-1"`, `"revokes":"ord-9"`, 1)
		}
		if _, err := d.take(t, from, body(kind)); err != nil {
			t.Fatal(err)
		}
		if sent, err := d.take(t, from, other); err != nil || sent != "reply quarantined" {
			t.Errorf("%s, then another: sent %s, %v", kind, sent, err)
		}
		if sent, err := d.take(t, from, body(kind)); err != nil || !strings.HasSuffix(sent, "reply replay") {
			t.Errorf("%s again: sent %s, %v", kind, sent, err)
		}
	}
}

// A message that can't be stored within its time is not stored at all: closings are
// made of that time, and bets were answered without it meanwhile.
func TestTimeLimit(t *testing.T) {
	for _, test := range []struct {
		slow   string // the request that is held up
		by     time.Duration
		stored bool
	}{
		{"TransactWriteItems", intake.StoreWithin - 100*time.Millisecond, true},
		{"TransactWriteItems", intake.StoreWithin + 100*time.Millisecond, false},
		{"GetItem DRAW#war-1.7 / STATE#000001", intake.StoreWithin + 100*time.Millisecond, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := newDesk(t)
			for _, kind := range []string{"draw.opened", "draw.resulted"} {
				if _, err := d.take(t, intake.Studio, body(kind)); err != nil {
					t.Fatal(err)
				}
			}
			d.db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
				if strings.HasPrefix(call.String(), test.slow) {
					time.Sleep(test.by)
				}
				return fakedynamo.Proceed
			}
			_, err := d.take(t, intake.Operator, body("bets.voided"))
			d.db.Intercept = nil
			_, found, readErr := d.Table.Get(t.Context(), store.DrawKey("war-1.7"), store.OrderKey("ord-1"))
			if (err == nil) != test.stored || found != test.stored || readErr != nil {
				t.Errorf("%s held up by %v: stored %v, %v, %v", test.slow, test.by, found, err, readErr)
			}
		})
	}
}

// What an order can't revoke is said at once.
func TestRevocations(t *testing.T) {
	d := newDesk(t)
	if _, err := d.take(t, intake.Operator, body("order.revoked")); err != nil {
		t.Fatal(err)
	}
	for revokes, code := range map[string]string{"ord-2": wire.CodeConflict, intake.OwnOrder + "1": wire.CodeNotAllowed} {
		other := strings.NewReplacer("ord-2", "ord-3", "ord-1", revokes).Replace(body("order.revoked"))
		if sent, err := d.take(t, intake.Operator, other); err != nil || sent != "reply quarantined" {
			t.Errorf("revoking %s: sent %s, %v", revokes, sent, err)
		}
		if held := d.held(t, other); held.Faults[0].Code != code {
			t.Errorf("revoking %s: %v", revokes, held.Faults)
		}
	}
}

// held reads back why a message was put into quarantine.
func (d *desk) held(t *testing.T, body string) *intake.Held {
	t.Helper()
	item, found, err := d.Table.Get(t.Context(), store.QuarantineKey(d.now), intake.HashOf(body))
	if err != nil || !found {
		t.Fatalf("%s is not in quarantine: %v", body, err)
	}
	held, err := store.Decode[intake.Held](item)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// An order that came before its draw and names another table goes into quarantine
// when the draw opens; the draw does not follow it.
func TestStrayOrder(t *testing.T) {
	d := newDesk(t)
	stray := strings.Replace(body("bets.voided"), "war-1", "war-2", 1)
	if sent, err := d.take(t, intake.Operator, stray); err != nil || sent != "reply stored" {
		t.Fatalf("sent %s, %v", sent, err)
	}
	if sent, err := d.take(t, intake.Studio, body("draw.opened")); err != nil || sent != "archive opening, reply quarantined, reply stored" {
		t.Errorf("sent %s, %v", sent, err)
	}
	if held := d.held(t, stray); held.Queue != "orders" || held.Faults[0].Code != wire.CodeConflict || !strings.Contains(held.Faults[0].Message, "war-2") {
		t.Errorf("held as %+v", held)
	}
}

// A message is stored at a later time than all before it, whatever the clock of this
// function says: no closing that a state holds moves for it.
func TestClockBehind(t *testing.T) {
	d := newDesk(t)
	for second, kind := range []string{"draw.opened", "betting.opened", "betting.closed", "draw.resulted"} {
		d.now = noon + instant(20_000-1000*second)
		if _, err := d.take(t, intake.Studio, body(kind)); err != nil {
			t.Fatal(err)
		}
	}
	times := []instant{}
	for _, sk := range []string{store.OpenedKey, store.RoundKey(1), store.ClosedKey(1), store.RevisionKey(1)} {
		item, _, err := d.Table.Get(t.Context(), store.DrawKey("war-1.7"), sk)
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, item.StoredAt-noon)
	}
	if want := []instant{20_000, 20_001, 20_002, 20_003}; !slices.Equal(times, want) {
		t.Errorf("stored at %v instead of %v", times, want)
	}
}

// A conflict names what differs, and advises what the type of message allows.
func TestConflictSaysWhatDiffers(t *testing.T) {
	for _, row := range []struct{ kind, old, new, want string }{
		{"draw.opened", `"table":"war-1"`, `"table":"war-2"`, "it differs in table. A draw is opened once"},
		{"draw.opened", `"sequence":7`, `"sequence":8,"odds":{"player":"2.08"}`, "it differs in odds, sequence. A draw is opened once"},
		{"betting.opened", "2.08", "2.09", "it differs in odds. A betting round is opened once"},
		{"betting.closed", ":29.000Z", ":28.000Z", "it differs in closed_at. A betting round is closed once"},
		{"draw.resulted", "KS", "QS", "it differs in facts. A revision never changes: send what is right as the next revision"},
		{"draw.cancelled", "", "", "it differs in facts, reason, type. A revision never changes"},
		{"bets.voided", `"reason":"x"`, `"reason":"z"`, "it differs in reason. An order never changes: send what is right under another order id"},
	} {
		d := newDesk(t)
		from, first := intake.Studio, body(row.kind)
		if row.kind == "bets.voided" {
			from = intake.Operator
		}
		second := strings.Replace(first, row.old, row.new, 1)
		second = strings.Replace(second, `"id":"m1"`, `"id":"m2"`, 1)
		if row.kind == "draw.cancelled" {
			first = body("draw.resulted")
		}
		if sent, err := d.take(t, from, first); err != nil || !strings.HasSuffix(sent, "reply stored") {
			t.Fatalf("%s: sent %s, %v", row.kind, sent, err)
		}
		if sent, err := d.take(t, from, second); err != nil || sent != "reply quarantined" {
			t.Fatalf("%s: sent %s, %v", row.kind, sent, err)
		}
		if fault := d.held(t, second).Faults[0]; fault.Code != wire.CodeConflict || !strings.Contains(fault.Message, row.want) {
			t.Errorf("%s: %v", row.kind, fault)
		}
	}
}

// A slip in the revision can't use the revisions up: it goes into quarantine, also
// when it is released too early, and the next right one is taken.
func TestRevisionAhead(t *testing.T) {
	d := newDesk(t)
	revised := func(revision string) string {
		return strings.Replace(body("draw.resulted"), `"revision":1`, `"revision":`+revision+`,"correction":{"reason":"video_review"}`, 1)
	}
	for _, step := range []struct{ revision, want string }{
		{"1000", "quarantined"}, {"6", "quarantined"}, {"1", "stored"}, {"7", "quarantined"}, {"6", "stored"}, {"6", "replay"},
		{"7", "stored"}, {"13", "quarantined"}, {"1000", "quarantined"}, {"2", "stored"},
	} {
		d.now += 1000
		sent, err := d.take(t, intake.Studio, revised(step.revision))
		if err != nil || sent != "reply "+step.want {
			t.Errorf("revision %s: sent %s, %v, want reply %s", step.revision, sent, err, step.want)
		}
		if step.want == "quarantined" {
			fault := d.held(t, revised(step.revision)).Faults[0]
			if fault.Code != wire.CodeBadNumber || !strings.Contains(fault.Message, "are taken now") {
				t.Errorf("revision %s: %v", step.revision, fault)
			}
		}
	}
}
