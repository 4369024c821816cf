package wire_test

import (
	"regexp"
	"strings"
	"testing"

	"tally/lib/draw/ids"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
)

// A result may say what it was played with and where its recording is.
func TestVideo(t *testing.T) {
	const right = `"video":{"url":"https://video.example/war-1/7.mp4?part=2","sha256":"HASH","from_ms":0,"to_ms":41200,"kept_until":"2027-11-30T12:00:00.000Z"}`
	for _, row := range []struct{ name, rest, code string }{
		{"a recording", right, ""},
		{"no part of it, and no end", `"video":{"url":"https://video.example","sha256":"HASH"}`, ""},
		{"equipment", `"equipment":{"shoe":"s-2291","cut":"c-1","ball_set":"B2","wheel":"W1","dealer":"d-17"}`, ""},
		{"other equipment", `"equipment":{"camera":"c"}`, "unknown_field"},
		{"no identifier", `"equipment":{"shoe":"s 1"}`, wire.CodeBadID},
		{"a folder", `"equipment":{"dealer":".."}`, wire.CodeBadID},
		{"no address", `"video":{"sha256":"HASH"}`, "missing_field"},
		{"no hash", `"video":{"url":"https://video.example"}`, "missing_field"},
		{"another scheme", strings.Replace(right, "https:", "http:", 1), wire.CodeBadReference},
		{"a script", strings.Replace(right, "https://video.example/war-1/7.mp4?part=2", "javascript:alert(1)", 1), wire.CodeBadReference},
		{"a password", strings.Replace(right, "https://", "https://anna:secret@", 1), wire.CodeBadReference},
		{"a quote", strings.Replace(right, "part=2", `part=\"2`, 1), wire.CodeBadReference},
		{"a long address", strings.Replace(right, "part=2", strings.Repeat("a", 1000), 1), wire.CodeBadReference},
		{"a hash in capitals", strings.Replace(right, "HASH", strings.Repeat("A", 64), 1), wire.CodeBadReference},
		{"an end before the beginning", strings.Replace(right, `"from_ms":0`, `"from_ms":41200`, 1), wire.CodeBadNumber},
		{"a negative beginning", strings.Replace(right, `"from_ms":0`, `"from_ms":-1`, 1), "wrong_type"},
		{"no time", strings.Replace(right, "12:00:00.000Z", "noon", 1), wire.CodeBadTime},
		{"more about it", strings.Replace(right, `"from_ms"`, `"codec":"av1","from_ms"`, 1), "unknown_field"},
	} {
		t.Run(row.name, func(t *testing.T) {
			body := `{"schema":1,"id":"m","type":"draw.resulted","game":"war","table":"t","draw":"d","at":"2026-11-30T12:00:29.000Z","revision":1,"facts":{"player":"KS","dealer":"AD"},` +
				strings.ReplaceAll(row.rest, "HASH", strings.Repeat("0f", 32)) + `}`
			m, _, faults := wire.Parse([]byte(body))
			if m != nil {
				faults = m.Admit(settlement.Instant(0))
			}
			switch {
			case row.code == "" && len(faults) > 0, row.code != "" && (len(faults) == 0 || faults[0].Code != row.code):
				t.Errorf("the faults are %v, want %q", faults, row.code)
			case row.name == "a recording" && (m.Video == nil || m.Video.To != 41200 || m.Video.KeptUntil == 0 || !strings.HasSuffix(m.Video.URL, "part=2")):
				t.Errorf("read is %+v", m.Video)
			}
		})
	}
}

// What is written out is what the patterns say, which the schemas have.
func TestPatterns(t *testing.T) {
	url := regexp.MustCompile(wire.URLPattern)
	for _, text := range []string{"https://a", "https://a/", "https://", "https:///a", "https://a:1", "https://a:", "https://a:123456", "https://a:12x/", "https://a?b", "https://a/?b#c", "https://a:1:2/",
		"https://a b/", "https://a/ b", "https://a/b\n", "https://\u00e4/", "https://a/\u00e4", "https://a/\"", "https://a/<b>", "https://a@b/", "https://a/b@c", "HTTPS://a/", "https://a/%2e%2e/", "https://a-b.c/~d", "https://a/`", "https://a/\\"} {
		if got := ids.ValidURL(text); got != url.MatchString(text) {
			t.Errorf("%q is an address: %v, by its pattern %v", text, got, !got)
		}
	}
}
