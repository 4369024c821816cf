package intake_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tally/internal/testkit/fakedynamo"
	"tally/internal/testkit/replytest"
	"tally/internal/testkit/ruletest"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// noon is 2026-11-29T12:00:00.000Z.
const noon settlement.Instant = 1_795_953_600_000

// queue keeps what is sent, and fails when told to.
type queue struct {
	name string
	*bench
}

var errDown = errors.New("the queue is down")

func (q queue) Send(_ context.Context, body string, delay time.Duration) error {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.down == q.name {
		return errDown
	}
	if q.name == "reply" {
		replytest.Check(q.t, []byte(body))
		q.reply = wire.Reply{}
		if err := json.Unmarshal([]byte(body), &q.reply); err != nil {
			return err
		}
	}
	var short struct{ What, Status string }
	if err := json.Unmarshal([]byte(body), &short); err != nil {
		return err
	}
	text := strings.TrimSpace(q.name + " " + short.What + short.Status)
	if delay > 0 {
		text += " in " + delay.String()
	}
	q.bench.sent = append(q.bench.sent, text)
	return nil
}

type counter struct {
	quarantined, moved int
	age                time.Duration // of the newest that was stored
	concern            string
}

func (c *counter) Quarantined(string) { c.quarantined++ }
func (c *counter) Stored(_ string, age time.Duration, concern string) {
	c.age, c.concern = age, concern
	if concern == draw.ConcernMoved {
		c.moved++
	}
}

// bench handles messages at a time.
type bench struct {
	intake.Intake
	t       *testing.T
	db      *fakedynamo.DB
	now     settlement.Instant
	mutex   sync.Mutex // of sent
	sent    []string
	down    string     // the name of the queue that is down
	reply   wire.Reply // the newest of intake's answers
	counter counter
}

func newBench(t *testing.T) *bench {
	d := &bench{t: t, db: fakedynamo.New(t, "table"), now: noon}
	d.Intake = intake.Intake{Table: store.New(d.db, "table"), Replies: queue{"reply", d}, Sweeps: queue{"sweep", d},
		Archive: queue{"archive", d}, Record: &d.counter, Settings: draw.Settings{Shards: 1, RetainMillis: 400 * 24 * 3600 * 1000},
		Now: func() settlement.Instant { return d.now }, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	return d
}

func (d *bench) handle(t *testing.T, from intake.Source, body string) (sent string, err error) {
	t.Helper()
	d.sent = nil
	return d.handleSent(t, from, body, d.now)
}

// handleSent handles a message that was sent at another time than now.
func (d *bench) handleSent(t *testing.T, from intake.Source, body string, sent settlement.Instant) (followed string, err error) {
	t.Helper()
	d.sent = nil
	err = d.Handle(t.Context(), intake.Delivery{Body: []byte(body), SentAt: sent, From: from})
	return strings.Join(d.sent, ", "), err
}

// bodies are one message of each type.
func body(kind string) string {
	fields := map[string]string{
		"draw.opened":    fmt.Sprintf(`"sequence":7,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, instant.Format(noon), instant.Format(noon+30_000)),
		"betting.opened": fmt.Sprintf(`"round":1,"opens_at":%q,"closes_at":%q,"odds":{"player":"2.08"}`, instant.Format(noon), instant.Format(noon+30_000)),
		"betting.closed": fmt.Sprintf(`"round":1,"closed_at":%q`, instant.Format(noon+29_000)),
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
	d := newBench(t)
	for _, row := range ruletest.Rows(t, `
second | from     | message        | sent
0      | studio   | draw.opened    | archive opening, reply stored
1      | studio   | draw.opened    | archive opening, reply replay
2      | studio   | betting.opened | reply stored
29     | studio   | betting.closed | reply stored
33     | studio   | draw.resulted  | sweep in 6s, archive state, reply stored
34     | studio   | draw.resulted  | sweep in 5s, archive state, reply replay
35     | studio   | draw.cancelled | reply quarantined
36     | studio   | betting.opened | sweep in 3s, archive state, reply replay
37     | operator | bets.voided    | sweep in 2s, archive state, reply stored
45     | studio   | order.revoked  | reply quarantined
46     | operator | draw.resulted  | reply quarantined
47     | operator | bets.found     | reply quarantined
48     | studio   | bets.found     | reply quarantined
49     | own      | bets.found     | sweep, archive state
60     | operator | order.revoked  | sweep, archive state, reply stored
61     | operator | order.revoked  | sweep, archive state, reply replay
`) {
		var second settlement.Instant
		if _, err := fmt.Sscan(row[0], &second); err != nil {
			t.Fatal(err)
		}
		d.now = noon + second*1000
		from := map[string]intake.Source{"studio": intake.Studio, "operator": intake.Operator, "own": intake.Own}[row[1]]
		sent, err := d.handle(t, from, body(row[2]))
		if err != nil || sent != row[3] {
			t.Errorf("second %s, %s from %s: sent %s, %v\ninstead of %s", row[0], row[2], row[1], sent, err, row[3])
		}
	}
}

// Whichever queue is down, the message is delivered again and everything is sent.
func TestQueueDown(t *testing.T) {
	for _, down := range []string{"archive", "sweep", "reply"} {
		t.Run(down, func(t *testing.T) {
			d := newBench(t)
			for _, kind := range []string{"draw.opened", "draw.resulted"} {
				d.down = down
				d.now += 20_000
				_, err := d.handle(t, intake.Studio, body(kind))
				if kind == "draw.opened" && down == "sweep" {
					continue // nothing to settle yet
				}
				if !errors.Is(err, errDown) {
					t.Errorf("%s is down, %s: %v", down, kind, err)
				}
				d.down = ""
				sent, err := d.handle(t, intake.Studio, body(kind))
				want := map[string]string{"draw.opened": "archive opening, reply replay", "draw.resulted": "sweep, archive state, reply replay"}[kind]
				if err != nil || sent != want {
					t.Errorf("%s was down, %s again: sent %s, %v", down, kind, sent, err)
				}
			}
		})
	}
}

// While a message's transaction is being committed, some of it can be seen. The same
// message meanwhile, which SQS may deliver twice, is stored once and answered as a
// replay, whatever is visible first; it is no conflict with itself.
func TestTornMessage(t *testing.T) {
	for _, kind := range []string{"draw.opened", "betting.opened", "draw.resulted"} {
		t.Run(kind, func(t *testing.T) {
			for first := range 5 {
				synctest.Test(t, func(t *testing.T) {
					d := newBench(t)
					if kind != "draw.opened" {
						if _, err := d.handle(t, intake.Studio, body("draw.opened")); err != nil {
							t.Fatal(err)
						}
					}
					again := make(chan error, 1)
					d.db.Torn = func(_ context.Context, call fakedynamo.Call, left []string) (next int) {
						if len(left) < len(call.Keys) {
							if len(left) == len(call.Keys)-1 {
								go func() {
									again <- d.Intake.Handle(t.Context(), intake.Delivery{Body: []byte(body(kind)), SentAt: d.now})
								}()
							}
							time.Sleep(20 * time.Millisecond)
						}
						return first % len(left)
					}
					d.sent = nil
					err := errors.Join(d.Intake.Handle(t.Context(), intake.Delivery{Body: []byte(body(kind)), SentAt: d.now}), <-again)
					if replies := strings.Join(d.sent, ", "); err != nil || d.counter.quarantined > 0 || strings.Count(replies, "reply stored") != 1 || strings.Count(replies, "reply replay") != 1 {
						t.Errorf("%s, item %d first: %s, %v", kind, first, replies, err)
					}
				})
			}
		})
	}
}

// A message that can never become valid is filed once, with every reason, and
// answered each time it comes.
func TestQuarantine(t *testing.T) {
	d := newBench(t)
	wrong := strings.Replace(strings.Replace(body("draw.resulted"), "KS", "1S", 1), "AD", "1D", 1)
	for range 2 {
		if sent, err := d.handle(t, intake.Studio, wrong); err != nil || sent != "reply quarantined" {
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
	var held record.Quarantined
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
	if want := []string{store.HeldKey(store.QuarantineKey(noon), wire.HashOf(wrong))}; !slices.Equal(marks, want) {
		t.Errorf("the draw is marked with %v", marks)
	}
	for _, junk := range []string{"", "[]", strings.Repeat("x", wire.MaxBody+1), "{\"id\":\"m2\",\xff}"} {
		if sent, err := d.handle(t, intake.Studio, junk); err != nil || sent != "reply quarantined" {
			t.Errorf("%.20q: sent %s, %v", junk, sent, err)
		}
	}
	if sent, err := d.handle(t, intake.Studio, body("draw.resulted")); err != nil || sent != "reply stored" {
		t.Errorf("the right message under the same revision: sent %s, %v", sent, err)
	}
}

// Another content under one identity never replaces what is stored.
func TestConflict(t *testing.T) {
	d := newBench(t)
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
		if _, err := d.handle(t, from, body(kind)); err != nil {
			t.Fatal(err)
		}
		if sent, err := d.handle(t, from, other); err != nil || sent != "reply quarantined" {
			t.Errorf("%s, then another: sent %s, %v", kind, sent, err)
		}
		if sent, err := d.handle(t, from, body(kind)); err != nil || !strings.HasSuffix(sent, "reply replay") {
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
		t.Run(fmt.Sprint(test.slow, " ", test.by), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newBench(t)
				for _, kind := range []string{"draw.opened", "draw.resulted"} {
					if _, err := d.handle(t, intake.Studio, body(kind)); err != nil {
						t.Fatal(err)
					}
				}
				d.db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
					if strings.HasPrefix(call.String(), test.slow) {
						time.Sleep(test.by)
					}
					return fakedynamo.Proceed
				}
				_, err := d.handle(t, intake.Operator, body("bets.voided"))
				d.db.Intercept = nil
				_, found, readErr := d.Table.Get(t.Context(), store.DrawKey("war-1.7"), store.OrderKey("ord-1"))
				if (err == nil) != test.stored || found != test.stored || readErr != nil {
					t.Errorf("%s held up by %v: stored %v, %v, %v", test.slow, test.by, found, err, readErr)
				}
			})
		})
	}
}

// What an order can't revoke is said at once.
func TestRevocations(t *testing.T) {
	d := newBench(t)
	if _, err := d.handle(t, intake.Operator, body("order.revoked")); err != nil {
		t.Fatal(err)
	}
	for revokes, code := range map[string]string{"ord-2": wire.CodeConflict, intake.OwnOrder + "1": wire.CodeNotAllowed} {
		other := strings.NewReplacer("ord-2", "ord-3", "ord-1", revokes).Replace(body("order.revoked"))
		if sent, err := d.handle(t, intake.Operator, other); err != nil || sent != "reply quarantined" {
			t.Errorf("revoking %s: sent %s, %v", revokes, sent, err)
		}
		if held := d.quarantined(t, other); held.Faults[0].Code != code {
			t.Errorf("revoking %s: %v", revokes, held.Faults)
		}
	}
}

// quarantined reads back why a message was put into quarantine.
func (d *bench) quarantined(t *testing.T, body string) *record.Quarantined {
	t.Helper()
	item, found, err := d.Table.Get(t.Context(), store.QuarantineKey(d.now), wire.HashOf(body))
	if err != nil || !found {
		t.Fatalf("%s is not in quarantine: %v", body, err)
	}
	held, err := store.Decode[record.Quarantined](item)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// An order that came before its draw and names another table goes into quarantine
// when the draw opens; the draw does not follow it.
func TestMismatchedOrder(t *testing.T) {
	d := newBench(t)
	mismatched := strings.Replace(body("bets.voided"), "war-1", "war-2", 1)
	if sent, err := d.handle(t, intake.Operator, mismatched); err != nil || sent != "reply stored" {
		t.Fatalf("sent %s, %v", sent, err)
	}
	if sent, err := d.handle(t, intake.Studio, body("draw.opened")); err != nil || sent != "archive opening, reply quarantined, reply stored" {
		t.Errorf("sent %s, %v", sent, err)
	}
	if held := d.quarantined(t, mismatched); held.Queue != "orders" || held.Faults[0].Code != wire.CodeConflict || !strings.Contains(held.Faults[0].Message, "war-2") {
		t.Errorf("held as %+v", held)
	}
}

// A message is stored at a later time than all before it, whatever the clock of this
// function says: no closing that a state holds moves for it.
func TestClockBehind(t *testing.T) {
	d := newBench(t)
	for second, kind := range []string{"draw.opened", "betting.opened", "betting.closed", "draw.resulted"} {
		d.now = noon + settlement.Instant(20_000-1000*second)
		if _, err := d.handle(t, intake.Studio, body(kind)); err != nil {
			t.Fatal(err)
		}
	}
	times := []settlement.Instant{}
	for _, sk := range []string{store.OpenedKey, store.RoundKey(1), store.ClosedKey(1), store.RevisionKey(1)} {
		item, _, err := d.Table.Get(t.Context(), store.DrawKey("war-1.7"), sk)
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, item.StoredAt-noon)
	}
	if want := []settlement.Instant{20_000, 20_001, 20_002, 20_003}; !slices.Equal(times, want) {
		t.Errorf("stored at %v instead of %v", times, want)
	}
}

// A conflict shows both values where messages differ, and advises what the type of message allows.
func TestConflictSaysWhatDiffers(t *testing.T) {
	for _, row := range []struct{ kind, old, new, want string }{
		{"draw.opened", `"table":"war-1"`, `"table":"war-2"`, `Another message of this identity and other content is stored: table: stored is "war-1", sent was "war-2"`},
		{"draw.opened", `"sequence":7`, `"sequence":8,"odds":{"player":"2.08"}`, `A draw is opened once: give another draw another id; if this opening was wrong, cancel the draw. Another message of this identity and other content is stored: odds: stored is nothing, sent was {"player":"2.08"}; sequence: stored is 7, sent was 8`},
		{"betting.opened", "2.08", "2.09", `odds.player: stored is "2.08", sent was "2.09"`},
		{"betting.closed", ":29.000Z", ":28.000Z", `A betting round is closed once: what was sent first holds; if that was wrong, an operator can void bets. Another message of this identity and other content is stored: closed_at: stored is "2026-11-29T12:00:29.000Z", sent was "2026-11-29T12:00:28.000Z"`},
		{"draw.resulted", "KS", "QS", `facts.player: stored is "KS", sent was "QS"`},
		{"draw.cancelled", "", "", `facts: stored is {"dealer":"AD","player":"KS"}, sent was nothing; reason: stored is nothing, sent was "card_hidden"; type: stored is "draw.resulted", sent was "draw.cancelled"`},
		{"bets.voided", `"reason":"x"`, `"reason":"z"`, `An order never changes: send what is right under another order id. Another message of this identity and other content is stored: reason: stored is "x", sent was "z"`},
	} {
		t.Run(row.kind+" "+row.old, func(t *testing.T) {
			d := newBench(t)
			from, first := intake.Studio, body(row.kind)
			if row.kind == "bets.voided" {
				from = intake.Operator
			}
			second := strings.Replace(first, row.old, row.new, 1)
			second = strings.Replace(second, `"id":"m1"`, `"id":"m2"`, 1)
			if row.kind == "draw.cancelled" {
				first = body("draw.resulted")
			}
			if sent, err := d.handle(t, from, first); err != nil || !strings.HasSuffix(sent, "reply stored") {
				t.Fatalf("%s: sent %s, %v", row.kind, sent, err)
			}
			if sent, err := d.handle(t, from, second); err != nil || sent != "reply quarantined" {
				t.Fatalf("%s: sent %s, %v", row.kind, sent, err)
			}
			if fault := d.quarantined(t, second).Faults[0]; fault.Code != wire.CodeConflict || !strings.Contains(fault.Message, row.want) {
				t.Errorf("%s: %v, want fault.Code = wire.CodeConflict and %q in fault.Message", row.kind, fault, row.want)
			}
		})
	}
}

// A slip in the revision can't use the revisions up: it goes into quarantine, also
// when it is released too early, and the next right one is taken.
func TestRevisionAhead(t *testing.T) {
	d := newBench(t)
	revised := func(revision string) string {
		return strings.Replace(body("draw.resulted"), `"revision":1`, `"revision":`+revision+`,"correction":{"reason":"video_review"}`, 1)
	}
	for _, step := range []struct{ revision, want string }{
		{"1000", "quarantined"}, {"6", "quarantined"}, {"1", "stored"}, {"7", "quarantined"}, {"6", "stored"}, {"6", "replay"},
		{"7", "stored"}, {"13", "quarantined"}, {"1000", "quarantined"}, {"2", "stored"},
	} {
		d.now += 1000
		sent, err := d.handle(t, intake.Studio, revised(step.revision))
		if err != nil || sent != "reply "+step.want {
			t.Errorf("revision %s: sent %s, %v, want reply %s", step.revision, sent, err, step.want)
		}
		if step.want == "quarantined" {
			fault := d.quarantined(t, revised(step.revision)).Faults[0]
			if fault.Code != wire.CodeBadNumber || !strings.Contains(fault.Message, "are taken now") {
				t.Errorf("revision %s: %v", step.revision, fault)
			}
		}
	}
}

// What is replied to the studio of each message that is handled: the closing that took
// effect and why, what a result comes to, what holds instead.
func TestReplies(t *testing.T) {
	closed := func(said string, selections string) string {
		text := strings.Replace(body("betting.closed"), ":29.000Z", ":"+said+"Z", 1)
		if selections != "" {
			text = strings.TrimSuffix(text, "}") + `,"selections":[` + selections + `]}`
		}
		return text
	}
	for _, row := range []struct {
		name   string
		sent   int // seconds ago
		bodies []string
		at     settlement.Instant // of the last, in seconds
		want   string
	}{
		{"as it says", 0, []string{body("draw.opened"), closed("25.000", "")}, 26,
			`{"id":"m1","draw":"war-1.7","status":"stored","type":"betting.closed","table":"war-1","round":1,"closings":[{"round":1,"closing":"2026-11-29T12:00:25.000Z","because":"closed_at"}]}`},
		{"seven seconds ago", 0, []string{body("draw.opened"), closed("18.000", "")}, 25, `"closing":"2026-11-29T12:00:20.000Z","because":"closed_late","message":"closed_at says 2026-11-29T12:00:18.000Z: `},
		{"sent seven seconds ago", 7, []string{body("draw.opened"), closed("18.000", "")}, 25, `"closing":"2026-11-29T12:00:18.000Z","because":"closed_at"}`},
		{"after the plan", 0, []string{body("draw.opened"), closed("31.000", "")}, 32, `"closing":"2026-11-29T12:00:30.000Z","because":"plan","message":"closed_at says 2026-11-29T12:00:31.000Z: the studio's plan`},
		{"after the result", 0, []string{body("draw.opened"), body("draw.resulted"), closed("10.000", "")}, 20, `"because":"result","message":"closed_at says`},
		{"before the opening", 0, []string{closed("10.000", "")}, 20, `"closing":"2026-11-29T12:00:10.000Z","because":"closed_at","message":"the round is not known yet`},
		{"of selections", 0, []string{body("draw.opened"), closed("10.000", `"war","player"`)}, 12, `[{"round":1,"selections":["player","war"],"closing":"2026-11-29T12:00:10.000Z","because":"closed_at"}]`},
		{"of selections, late", 0, []string{body("draw.opened"), closed("10.000", `"war"`)}, 20, `"closing":"2026-11-29T12:00:15.000Z","because":"closed_late"`},
		{"of selections of a closed round", 0, []string{body("draw.opened"), closed("10.000", ""), closed("12.000", `"war"`)}, 14, `"closing":"2026-11-29T12:00:10.000Z","because":"round_closed"`},
		{"a result", 0, []string{body("draw.opened"), body("draw.resulted")}, 40, `"revision":1,"outcome":{"status":"resolved","outcome":{"winner":"dealer"}},"closings":[{"round":1,"closing":"2026-11-29T12:00:30.000Z","because":"plan"}],"message":"resolved: winner dealer"}`},
		{"an early result", 0, []string{body("draw.opened"), body("draw.resulted")}, 20, `"closing":"2026-11-29T12:00:20.000Z","because":"result"`},
		{"an early result that waited", 10, []string{body("draw.opened"), body("draw.resulted")}, 22, `"closing":"2026-11-29T12:00:12.000Z","because":"result"`},
		{"a cancellation", 0, []string{body("draw.opened"), body("draw.cancelled")}, 40, `"outcome":{"status":"cancelled","reason":"card_hidden","rule":"WAR-5.1.4"}`},
		{"another under its identity", 0, []string{body("draw.resulted"), body("draw.cancelled")}, 40, `"message":"revision 1 holds, as message m1 has it","holds":{"id":"m1","type":"draw.resulted","revision":1}`},
		{"a lower revision", 0, []string{strings.Replace(body("draw.cancelled"), `"revision":1`, `"revision":2`, 1), body("draw.resulted")}, 40, `"message":"resolved: winner dealer. But revision 2 holds","holds":{"revision":2}`},
		{"a revision ahead", 0, []string{body("draw.resulted"), strings.Replace(body("draw.cancelled"), `"revision":1`, `"revision":9`, 1)}, 40, `"message":"revision 1 holds","holds":{"revision":1}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := newBench(t)
			for i, text := range row.bodies {
				sent := d.now
				if i == len(row.bodies)-1 {
					d.now = noon + row.at*1000
					sent = d.now - settlement.Instant(row.sent)*1000
				}
				if _, err := d.handleSent(t, intake.Studio, text, sent); err != nil {
					t.Fatal(err)
				}
			}
			got, err := json.Marshal(d.reply)
			if err != nil || !strings.Contains(string(got), row.want) {
				t.Errorf("answered %s, %v\ninstead of %s", got, err, row.want)
			}
			if late := strings.Contains(row.want, `"closed_late"`); (d.counter.moved > 0) != late {
				t.Errorf("%d closings were counted as moved", d.counter.moved)
			}
		})
	}
}

// A draw whose facts void it is said to be void, and why.
func TestReplyToVoid(t *testing.T) {
	d := newBench(t)
	six := strings.NewReplacer(`"game":"war"`, `"game":"lucky7"`, `{"player":"KS","dealer":"AD"}`, `{"balls":[42,7,1,30,12,5]}`).Replace(body("draw.resulted"))
	if _, err := d.handle(t, intake.Studio, six); err != nil {
		t.Fatal(err)
	}
	if want := (&wire.Outcome{Status: "void", Reason: "wrong_ball_count", Rule: "LUCKY7-2.2"}); d.reply.Outcome == nil || !reflect.DeepEqual(d.reply.Outcome, want) {
		t.Errorf("answered %+v instead of %+v", d.reply.Outcome, want)
	}
}

// The selections of a closing are a set: its order is no other content.
func TestClosedSelections(t *testing.T) {
	d := newBench(t)
	closed := func(id, second, selections string) string {
		text := strings.NewReplacer(`"id":"m1"`, `"id":"`+id+`"`, ":29.000Z", ":"+second+".000Z").Replace(body("betting.closed"))
		return strings.TrimSuffix(text, "}") + `,"selections":[` + selections + `]}`
	}
	for _, step := range []struct{ body, want, code string }{
		{closed("m1", "20", `"player","war"`), "stored", ""},
		{closed("m2", "20", `"war","player"`), "replay", ""},
		{closed("m3", "20", `"war","player","war"`), "replay", ""},
		{closed("m4", "21", `"war","player"`), "quarantined", wire.CodeConflict},
		{closed("m5", "21", `"war"`), "stored", ""},
		{closed("m6", "21", ``), "quarantined", wire.CodeTooManyEntries},
		{closed("m7", "21", `"peace"`), "quarantined", "unknown_selection"},
		{closed("m8", "21", `"war:*"`), "quarantined", "illegal_shape"},
		{closed("m9", "21", `7`), "quarantined", "wrong_type"},
		{body("betting.closed"), "stored", ""},
	} {
		d.now += 1000
		if sent, err := d.handle(t, intake.Studio, step.body); err != nil || sent != "reply "+step.want {
			t.Errorf("%s: sent %s, %v, want %s", step.body, sent, err, step.want)
		}
		if step.code != "" && d.reply.Errors[0].Code != step.code {
			t.Errorf("%s: %v, want %s", step.body, d.reply.Errors, step.code)
		}
	}
}

// How old a message was when it was stored is counted, that of a replay is not.
func TestMessageAge(t *testing.T) {
	d := newBench(t)
	if _, err := d.handleSent(t, intake.Studio, body("draw.opened"), d.now-7000); err != nil || d.counter.age != 7*time.Second {
		t.Errorf("%v old, %v", d.counter.age, err)
	}
	d.now += 90_000
	if _, err := d.handleSent(t, intake.Studio, body("draw.opened"), d.now-90_000); err != nil || d.counter.age != 7*time.Second {
		t.Errorf("a replay: %v old, %v", d.counter.age, err)
	}
}

// A result of blackjack whose side wagers were never closed says so; on a table that
// has to close them an operator is notified.
func TestUnclosed(t *testing.T) {
	for _, row := range []struct {
		table, selections string
		note              bool
		concern           string
	}{
		{"bj-1", "", true, ""},
		{"bj-2", "", true, draw.ConcernUnclosed},
		{"bj-2", `"insurance:*"`, false, ""},
	} {
		t.Run(row.table+row.selections, func(t *testing.T) {
			d := newBench(t)
			d.Demanding = map[string]bool{"bj-2": true}
			play := strings.NewReplacer(`"game":"war"`, `"game":"blackjack"`, `"table":"war-1"`, `"table":"`+row.table+`"`,
				`"round":1`, `"round":2`, `{"player":"KS","dealer":"AD"}`, `{"dealer":["9S","8D"],"seats":[{"seat":1,"hands":[{"cards":["KS","9D"]}]}]}`)
			bodies := []string{body("draw.opened"), strings.TrimSuffix(body("betting.closed"), "}") + `,"selections":[` + row.selections + `]}`, body("draw.resulted")}
			for i, text := range bodies {
				if i == 1 && row.selections == "" {
					continue
				}
				d.now += 15_000
				if _, err := d.handle(t, intake.Studio, play.Replace(strings.Replace(text, ":29.000Z", ":26.000Z", 1))); err != nil {
					t.Fatal(err)
				}
			}
			if d.reply.Status != wire.Stored || (d.reply.Note != "") != row.note || d.counter.concern != row.concern {
				t.Errorf("answered %+v, concern %q", d.reply, d.counter.concern)
			}
		})
	}
}
