package wire_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
)

// What an earlier version took and stored is read for ever; nothing of the kind is
// taken any more.
func TestAdmit(t *testing.T) {
	noon, ok := instant.Parse("2026-11-30T12:00:00.000Z")
	if !ok {
		t.Fatal("no noon")
	}
	at := func(after time.Duration) string {
		return instant.Format(noon + settlement.Instant(after.Milliseconds()))
	}
	opened := func(opens, closes time.Duration) string {
		return fmt.Sprintf(`"type":"draw.opened","sequence":7,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, at(opens), at(closes))
	}
	round := func(opens, closes time.Duration) string {
		return fmt.Sprintf(`"type":"betting.opened","round":1,"opens_at":%q,"closes_at":%q`, at(opens), at(closes))
	}
	corrected := func(reason string) string {
		return `"type":"draw.resulted","revision":2,"facts":{"player":"KS","dealer":"AD"},"correction":{"reason":"` + reason + `"}`
	}
	voided := func(scope string) string {
		return `"type":"bets.voided","order":"ord-1","scope":` + scope + `,"reason":"r","evidence":"e"`
	}
	const day, millisecond = 24 * time.Hour, time.Millisecond
	tests := []struct {
		name, fields, code string
	}{
		{"a round of 24 hours", opened(0, day), ""},
		{"a longer round", opened(0, day+millisecond), wire.CodeBadTime},
		{"a round of 24 hours opens", round(0, day), ""},
		{"a longer round opens", round(0, day+millisecond), wire.CodeBadTime},
		{"31 days ahead", opened(31*day-time.Minute, 31*day), ""},
		{"further ahead", opened(31*day-time.Minute, 31*day+millisecond), wire.CodeBadTime},
		{"a round 31 days ahead", round(31*day-time.Minute, 31*day), ""},
		{"a round further ahead", round(31*day-time.Minute, 31*day+millisecond), wire.CodeBadTime},
		{"long ago", opened(-1000*day, -1000*day+time.Minute), ""},
		{"another reason", corrected("we looked again"), wire.CodeUnknownReason},
		{"no reason", corrected(""), wire.CodeUnknownReason},
		{"a folder as an order", strings.Replace(voided(`{"round":1}`), "ord-1", "..", 1), wire.CodeBadID},
		{"a folder as a bookmaker", voided(`{"bookmaker":"."}`), wire.CodeBadID},
		{"a folder as a shop", voided(`{"bookmaker":"acme","shop":".."}`), wire.CodeBadID},
		{"a folder as a bet", voided(`{"bookmaker":"acme","bets":["b",".."]}`), wire.CodeBadID},
		{"three points", voided(`{"bookmaker":"...","shop":"..a"}`), ""},
		{"a folder revoked", `"type":"order.revoked","order":"ord-2","revokes":".","reason":"r","evidence":"e"`, wire.CodeBadID},
	}
	for _, reason := range wire.CorrectionReasons {
		tests = append(tests, struct{ name, fields, code string }{"corrected for " + reason, corrected(reason), ""})
	}
	const head = `{"schema":1,"id":"m","game":"war","table":"war-1","draw":"war-1.7","at":"2026-11-30T12:00:00.000Z",`
	for _, id := range []string{`"id":"m"`, `"table":"war-1"`, `"draw":"war-1.7"`} {
		name, _, _ := strings.Cut(id, ":")
		tests = append(tests, struct{ name, fields, code string }{"a folder as " + name, name, wire.CodeBadID})
	}
	tests = append(tests, []struct{ name, fields, code string }{
		{"no type", `"type":""`, wire.CodeUnknownType},
		{"cancelled for nothing", `"type":"draw.cancelled","revision":1,"reason":""`, wire.CodeUnknownReason},
		{"an hour of one digit, and a comma", `"type":"betting.opened","round":1,"opens_at":"2026-11-30T9:00:00.000Z","closes_at":"2026-11-30T12:00:00,000Z"`, wire.CodeBadTime + " " + wire.CodeBadTime},
	}...)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body := head + test.fields + "}"
			if name, isID := strings.CutPrefix(test.name, "a folder as \""); isID {
				kept, _, _ := strings.Cut(head, `"`+name)
				_, after, _ := strings.Cut(strings.TrimPrefix(head, kept), ",")
				body = kept + `"` + name + `:"..",` + after + round(0, time.Minute) + "}"
			}
			m, _, faults := wire.Parse([]byte(body))
			if len(faults) > 0 {
				t.Fatalf("what is stored can't be read: %v", faults)
			}
			var codes []string
			for _, fault := range m.Admit(noon) {
				codes = append(codes, fault.Code)
			}
			if want := strings.Fields(test.code); !slices.Equal(codes, want) {
				t.Errorf("got %v, want %v", codes, want)
			}
		})
	}
}
