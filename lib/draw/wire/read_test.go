package wire_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"tally/events"
	"tally/internal/testkit/replytest"
	"tally/internal/testkit/ruletest"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
)

// bases are right messages of every type, without the fields of all.
var bases = map[string]string{
	"draw.opened":    `{"sequence":7,"rounds":[{"round":1,"opens_at":"2026-11-30T12:00:00.000Z","closes_at":"2026-11-30T12:00:20.000Z"}]}`,
	"betting.opened": `{"round":2,"opens_at":"2026-11-30T12:00:30.000Z","closes_at":"2026-11-30T12:00:40.000Z","visible":{"player":"KS"},"odds":{"player":"1.17","dealer":"12","player_red":"lose"}}`,
	"betting.closed": `{"round":1,"closed_at":"2026-11-30T12:00:19.600Z"}`,
	"draw.resulted":  `{"revision":1,"facts":{"player":"KS","dealer":"AD"}}`,
	"draw.cancelled": `{"revision":1,"reason":"card_hidden"}`,
	"bets.voided":    `{"order":"ord-1","scope":{"bookmaker":"acme","shop":"riga-7"},"reason":"display_fault","evidence":"photograph"}`,
	"bets.found":     `{"order":"found-1","bookmaker":"acme","records":["b1","b2#cancel","b3#player_red"],"reason":"missed_by_sweep","evidence":"recount"}`,
	"order.revoked":  `{"order":"ord-2","revokes":"ord-1","reason":"claim_withdrawn","evidence":"letter"}`,
}

const common = `{"schema":1,"id":"m1","game":"war","table":"war-1","draw":"war-1.7","at":"2026-11-30T12:00:00.000Z"}`

// build returns a right message of a type with edits: "-field" takes a field out,
// "field=JSON" sets one. "scope.bets=…" reaches into an object.
func build(t testing.TB, kind, edits string) []byte {
	t.Helper()
	message := map[string]any{"type": kind}
	for _, part := range []string{common, bases[kind]} {
		var fields map[string]any
		if err := json.Unmarshal([]byte(part), &fields); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		maps.Copy(message, fields)
	}
	for edit := range strings.SplitSeq(edits, ";") {
		if edit = strings.TrimSpace(edit); edit == "" {
			continue
		}
		at := message
		name, value, set := strings.Cut(strings.TrimPrefix(edit, "-"), "=")
		if outer, inner, nested := strings.Cut(name, "."); nested {
			at, name = message[outer].(map[string]any), inner
		}
		if !set {
			delete(at, name)
			continue
		}
		at[name] = json.RawMessage(strings.ReplaceAll(value, "LONG", strings.Repeat("x", 1001)))
	}
	body, err := json.Marshal(message)
	if err != nil {
		t.Fatalf("%s with %s: %v", kind, edits, err)
	}
	return body
}

// Every fault of every type, with the place that it names.
func TestFaults(t *testing.T) {
	for _, row := range ruletest.Rows(t, faultTable) {
		t.Run(row[0], func(t *testing.T) {
			kind, edits, want := row[0], row[1], row[2]
			message, partial, faults := wire.Parse(build(t, kind, edits))
			got := "right"
			if message == nil {
				var list []string
				for _, f := range faults {
					place, _, _ := strings.Cut(f.Message, ":")
					list = append(list, strings.TrimSpace(f.Code+" "+place))
				}
				got = strings.Join(list, ", ")
			}
			if got != want {
				t.Errorf("%s with %q: %s\ninstead of: %s", kind, edits, got, want)
			}
			if message == nil && !strings.Contains(edits, "id") && partial.ID != "m1" {
				t.Errorf("%s with %q: what could be read is %+v", kind, edits, partial)
			}
		})
	}
}

const faultTable = `
type           | edits                                        | faults
draw.opened    |                                              | right
draw.opened    | -schema                                      | missing_field schema
draw.opened    | schema=2                                     | unknown_schema schema
draw.opened    | schema="1"                                   | wrong_type schema
draw.opened    | schema=1.0                                   | wrong_type schema
draw.opened    | -id                                          | missing_field id
draw.opened    | id=""                                        | bad_identifier id
draw.opened    | id="a b"                                     | bad_identifier id
draw.opened    | id="ä"                                       | bad_identifier id
draw.opened    | id=7                                         | wrong_type id
draw.opened    | -draw; -table                                | missing_field table, missing_field draw
draw.opened    | draw="a#b"; table="a/b"                      | bad_identifier table, bad_identifier draw
draw.opened    | -at                                          | missing_field at
draw.opened    | at="2026-11-30T12:00:00Z"                    | bad_time at
draw.opened    | at="2026-11-30T12:00:00.000+00:00"           | bad_time at
draw.opened    | at="2026-11-30T12:00:00.0001Z"               | bad_time at
draw.opened    | at="2026-02-30T12:00:00.000Z"                | bad_time at
draw.opened    | at="1999-12-31T23:59:59.999Z"                | bad_time at
draw.opened    | at="3000-01-01T00:00:00.000Z"                | bad_time at
draw.opened    | -game                                        | missing_field game
draw.opened    | game="chess"                                 | unknown_game game
draw.opened    | type="draw.closed"                           | unknown_type type
draw.opened    | -type                                        | missing_field type
draw.opened    | note="x"                                     | unknown_field note
draw.opened    | -sequence                                    | missing_field sequence
draw.opened    | sequence=0                                   | bad_number sequence
draw.opened    | sequence=9007199254740992                    | bad_number sequence
draw.opened    | sequence=9007199254740991                    | right
draw.opened    | sequence=1e3                                 | wrong_type sequence
draw.opened    | -rounds                                      | missing_field rounds
draw.opened    | rounds=[]                                    | missing_field rounds[0]
draw.opened    | rounds=[7]                                   | wrong_type rounds[0]
draw.opened    | rounds=[{"round":1,"opens_at":"2026-11-30T12:00:20.000Z","closes_at":"2026-11-30T12:00:20.000Z"}] | bad_time betting round 1 closes no later than it opens
draw.opened    | rounds=[{"round":3,"opens_at":"2026-11-30T12:00:00.000Z","closes_at":"2026-11-30T12:00:20.000Z"}] | unknown_round rounds[0].round
draw.opened    | rounds=[{"round":1,"opens_at":"2026-11-30T12:00:00.000Z"}] | missing_field rounds[0].closes_at
draw.opened    | rounds=[{"round":1,"opens_at":"2026-11-30T12:00:00.000Z","closes_at":"2026-11-30T12:00:20.000Z"},{"round":2,"opens_at":"2026-11-30T12:00:19.999Z","closes_at":"2026-11-30T12:00:30.000Z"}] | bad_time rounds[1]
draw.opened    | rounds=[{"round":2,"opens_at":"2026-11-30T12:00:00.000Z","closes_at":"2026-11-30T12:00:20.000Z"},{"round":1,"opens_at":"2026-11-30T12:00:20.000Z","closes_at":"2026-11-30T12:00:30.000Z"}] | bad_time rounds[1]
draw.opened    | rounds=[{"round":1,"opens_at":"2026-11-30T12:00:00.000Z","closes_at":"2026-11-30T12:00:20.000Z"},{"round":2,"opens_at":"2026-11-30T12:00:20.000Z","closes_at":"2026-11-30T12:00:30.000Z"}] | right
draw.opened    | odds={"player":"2.08","dealer":"0.9"}        | bad_odds odds.dealer
draw.opened    | odds={"corner":"2.08"}                       | bad_odds odds.corner
draw.opened    | odds={"player":2.08}                         | wrong_type odds.player
draw.opened    | odds=[]                                      | wrong_type odds
draw.opened    | game="roulette"; odds={"red":"2.00"}         | bad_odds odds
draw.opened    | game="dice"; odds={"face":"1.6","face_exactly/2":"6.2","sum_odd":"win"} | right
betting.opened |                                              | right
betting.opened | -odds                                        | right
betting.opened | -round                                       | missing_field round
betting.opened | round=0                                      | unknown_round round
betting.opened | round="2"                                    | wrong_type round
betting.opened | -visible                                     | missing_field visible
betting.opened | round=1                                      | bad_visible_cards visible
betting.opened | round=1; -visible                            | right
betting.opened | visible={}                                   | bad_visible_cards visible
betting.opened | visible={"player":"1S"}                      | bad_visible_cards visible
betting.opened | visible={"player":"KS","dealer":"AD"}        | unknown_field visible.dealer
betting.opened | closes_at="2026-11-30T12:00:30.000Z"         | bad_time betting round 2 closes no later than it opens
betting.opened | -opens_at                                    | missing_field opens_at
betting.closed |                                              | right
betting.closed | -closed_at                                   | missing_field closed_at
betting.closed | closed_at=12                                 | wrong_type closed_at
betting.closed | round=-1                                     | unknown_round round
betting.closed | round=1.5                                    | wrong_type round
draw.resulted  |                                              | right
draw.resulted  | revision=0                                   | bad_number revision
draw.resulted  | revision=1001                                | bad_number revision
draw.resulted  | -revision; -facts                            | missing_field revision, missing_field facts
draw.resulted  | revision=2                                   | correction_missing correction
draw.resulted  | revision=2; correction={"reason":"video_review"} | right
draw.resulted  | revision=1; correction={"reason":"video_review","note":"x"} | right
draw.resulted  | revision=2; correction={"note":"x"}          | missing_field correction.reason
draw.resulted  | revision=2; correction={"reason":"x","why":"y"} | unknown_field correction.why
draw.resulted  | revision=2; correction={"reason":"LONG"}     | too_large reason
draw.resulted  | -facts                                       | missing_field facts
draw.resulted  | facts={"player":"KS"}                        | missing_field facts.dealer
draw.resulted  | facts={"player":"KS","dealer":"AD","tie":1}  | unknown_field facts.tie
draw.resulted  | facts={"player":"ks","dealer":"1D"}          | unknown_card Player, unknown_card Dealer
draw.cancelled |                                              | right
draw.cancelled | -reason                                      | missing_field reason
draw.cancelled | reason="wheel_touched"                       | unknown_reason reason
draw.cancelled | revision=2                                   | right
draw.cancelled | facts={}                                     | unknown_field facts
bets.voided    |                                              | right
bets.voided    | -order                                       | missing_field order
bets.voided    | order="ord 1"                                | bad_identifier order
bets.voided    | -evidence; -reason                           | missing_field reason, missing_field evidence
bets.voided    | evidence="LONG"                              | too_large evidence
bets.voided    | -scope                                       | missing_field scope
bets.voided    | scope={}                                     | empty_scope scope
bets.voided    | scope={"shop":"riga-7"}                      | empty_scope scope
bets.voided    | scope={"bets":["b1"]}                        | empty_scope scope
bets.voided    | scope={"bookmaker":"acme","bets":[]}         | empty_scope scope.bets
bets.voided    | scope={"bookmaker":"acme","bets":["b 1"]}    | bad_identifier scope.bets
bets.voided    | scope={"round":3}                            | unknown_round scope.round
bets.voided    | scope={"round":2}                            | right
bets.voided    | scope={"accepted_from":"2026-11-30T12:00:00.000Z","accepted_to":"2026-11-30T12:00:00.000Z"} | bad_time scope
bets.voided    | scope={"accepted_to":"2026-11-30T12:00:00.000Z"} | right
bets.voided    | scope={"bookmaker":"acme","table":"war-1"}   | unknown_field scope.table
bets.found     |                                              | right
bets.found     | -bookmaker; -records                         | missing_field bookmaker, missing_field records
bets.found     | records=[]                                   | right
bets.found     | records=["b 1","b1#","b1#nothing","#cancel"] | bad_identifier records, bad_identifier records, bad_identifier records, bad_identifier records
bets.found     | scope={"bookmaker":"acme","bets":["b1"]}     | unknown_field scope
order.revoked  |                                              | right
order.revoked  | revokes="ord-2"                              | bad_identifier revokes
order.revoked  | -revokes                                     | missing_field revokes
order.revoked  | scope={"round":1}                            | unknown_field scope
`

// What is no object, or not JSON, or too large.
func TestUnreadable(t *testing.T) {
	for body, code := range map[string]string{
		"": "bad_json", "null": "wrong_type", "[]": "wrong_type", `{"schema":1`: "bad_json", `{} {}`: "bad_json", "{\"id\":\"\xff\"}": "bad_json",
		`{"id":"m1","id":"m2"}`:                         "duplicate_field",
		strings.Repeat(" ", wire.MaxBody) + "{}":        "too_large",
		`{"a":` + strings.Repeat("[", 20_000) + `]}`:    "bad_json",
		`{"schema":1,"Schema":1,"type":"draw.opened"}`:  "missing_field",
		`{"schema":1,"id":"m1","type":"draw.opened",}`:  "bad_json",
		`{"schema":1,"id":"m1","type":"draw.opened"}//`: "bad_json",
	} {
		t.Run(fmt.Sprintf("%.40q", body), func(t *testing.T) {
			message, _, faults := wire.Parse([]byte(body))
			if message != nil || !slices.ContainsFunc(faults, func(f wire.Fault) bool { return f.Code == code }) {
				t.Errorf("%.60q: %v instead of %s", body, faults, code)
			}
		})
	}
}

// The order of fields, spaces, escapes and the spelling of a name don't make
// another content; id and time don't either. Anything else does.
func TestContent(t *testing.T) {
	content := func(body []byte) string {
		t.Helper()
		m, _, faults := wire.Parse(body)
		if m == nil {
			t.Fatalf("%s: %v, want m other than nil", body, faults)
		}
		return m.Content
	}
	for kind := range bases {
		want := content(build(t, kind, ""))
		var indented strings.Builder
		encoder := json.NewEncoder(&indented)
		encoder.SetIndent(" ", "\t")
		if err := encoder.Encode(json.RawMessage(build(t, kind, ""))); err != nil {
			t.Fatal(err)
		}
		same := []string{indented.String(), string(build(t, kind, `id="other"; at="2027-01-01T00:00:00.000Z"`)),
			strings.Replace(string(build(t, kind, "")), `"war"`, `"\u0077ar"`, 1), reversed(t, build(t, kind, ""))}
		for _, body := range same {
			if got := content([]byte(body)); got != want {
				t.Errorf("%s: %s\nhas the content %s\ninstead of %s", kind, body, got, want)
			}
		}
		if got := content(build(t, kind, `table="war-2"`)); got == want {
			t.Errorf("%s: another table has the same content", kind)
		}
	}
	if content(build(t, "draw.opened", "sequence=9007199254740990")) == content(build(t, "draw.opened", "sequence=9007199254740991")) {
		t.Error("two sequences have the same content")
	}
	if content(build(t, "betting.opened", `odds={"player":"2.0"}`)) == content(build(t, "betting.opened", `odds={"player":"2.00"}`)) {
		t.Error("odds that are written otherwise are the studio's to explain")
	}
}

// reversed writes an object's fields in the reverse order.
func reversed(t *testing.T, body []byte) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(fields))) {
		out = append(out, `"`+name+`": `+string(fields[name]))
	}
	return "{ " + strings.Join(out, " , ") + "}"
}

func TestReply(t *testing.T) {
	for want, reply := range map[string]wire.Reply{
		`{"id":"m1","draw":"d1","status":"stored"}`: {ID: "m1", Draw: "d1", Status: wire.Stored},
		`{"id":"","draw":"","status":"quarantined","errors":[{"code":"bad_json","message":"not JSON"},{"code":"third_card_missing","rule":"BAC-2.6.1","message":"x"}]}`: {
			Status: wire.Quarantined, Errors: []wire.Fault{{Code: "bad_json", Message: "not JSON"}, {Code: "third_card_missing", Rule: "BAC-2.6.1", Message: "x"}}},
	} {
		t.Run(want, func(t *testing.T) {
			if got, err := reply.JSON(); err != nil || got != want {
				t.Errorf("%s, %v\ninstead of %s", got, err, want)
			}
			replytest.Check(t, []byte(want))
		})
	}
}

func TestRunMessages(t *testing.T) {
	body := wire.Encode(wire.Run{Draw: "war-1.7"})
	if body != `{"draw":"war-1.7"}` {
		t.Errorf("written as %s", body)
	}
	if s, err := wire.ParseRun(body); err != nil || s.Draw != "war-1.7" {
		t.Errorf("read as %+v, %v", s, err)
	}
	for _, wrong := range []string{"", "{}", `{"draw":"a#b"}`, `{"draw":7}`} {
		t.Run(wrong, func(t *testing.T) {
			if _, err := wire.ParseRun(wrong); err == nil {
				t.Errorf("%q is taken", wrong)
			}
		})
	}
}

// No text makes the reader panic, and what it takes it takes again from its
// content.
func FuzzParse(f *testing.F) {
	for kind := range bases {
		f.Add(build(f, kind, ""))
	}
	for _, id := range []string{"blackjack", "dice", "lucky5"} {
		game, _ := games.Find(id)
		files, err := events.Messages(game)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			f.Add(file.Body)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		message, _, faults := wire.Parse(body)
		if (message == nil) != (len(faults) > 0) {
			t.Fatalf("a message %v with faults %v", message != nil, faults)
		}
		if message == nil {
			return
		}
		again := `{"id":"x","at":"2026-01-01T00:00:00.000Z",` + message.Content[1:]
		if m, _, faults := wire.Parse([]byte(again)); m == nil || m.Content != message.Content {
			t.Fatalf("its content is not taken as a message: %v\n%s", faults, again)
		}
	})
}
