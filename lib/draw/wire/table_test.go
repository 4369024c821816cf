package wire_test

import (
	"testing"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
)

// TestTables: messages about a table have neither draw nor game.
func TestTables(t *testing.T) {
	const now settlement.Instant = 1_795_953_600_000 // 2026-11-29T12:00:00.000Z
	for _, row := range []struct{ name, rest, code string }{
		{"suspended", `"type":"table.suspended","reason":"equipment_error"`, ""},
		{"resumed", `"type":"table.resumed"`, ""},
		{"alive", `"type":"table.alive"`, ""},
		{"without a reason", `"type":"table.suspended"`, "missing_field"},
		{"with an empty one", `"type":"table.suspended","reason":""`, wire.CodeUnknownReason},
		{"resumed with a reason", `"type":"table.resumed","reason":"it works"`, "unknown_field"},
		{"with a draw", `"type":"table.alive","draw":"d"`, "unknown_field"},
		{"with a game", `"type":"table.alive","game":"war"`, "unknown_field"},
		{"unknown", `"type":"table.gone"`, "missing_field"}, // which would need a draw
		{"a minute ahead", `"at":"2026-11-29T12:01:00.000Z","type":"table.alive"`, ""},
		{"further ahead", `"at":"2026-11-29T12:01:00.001Z","type":"table.resumed"`, wire.CodeBadTime},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := `{"schema":1,"id":"m","table":"t",` + row.rest
			if row.rest[1:3] != "at" {
				text += `,"at":"2026-11-29T12:00:00.000Z"`
			}
			m, partial, faults := wire.Parse([]byte(text + "}"))
			if m != nil {
				faults = m.Admit(now)
			}
			switch {
			case row.code == "" && (len(faults) > 0 || m.Table != "t" || !m.Type.IsTable() || m.Draw != ""):
				t.Errorf("read as %+v, %v", m, faults)
			case row.code != "" && (len(faults) == 0 || faults[0].Code != row.code):
				t.Errorf("the faults are %v, want %s", faults, row.code)
			}
			if partial.Table != "t" {
				t.Errorf("of it was read %+v, want the table", partial)
			}
		})
	}
}
