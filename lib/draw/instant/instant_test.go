package instant_test

import (
	"testing"

	"tally/lib/draw/instant"
)

func TestTimes(t *testing.T) {
	for _, text := range []string{"2000-01-01T00:00:00.000Z", "2026-11-30T12:00:00.001Z", "2999-12-31T23:59:59.999Z", "2028-02-29T00:00:00.000Z"} {
		t.Run(text, func(t *testing.T) {
			at, ok := instant.Parse(text)
			if !ok || instant.Format(at) != text {
				t.Errorf("%s is read as %s", text, instant.Format(at))
			}
		})
	}
	if at, _ := instant.Parse("2026-11-30T12:00:00.123Z"); at != 1796040000123 {
		t.Errorf("noon is read as %d", at)
	}
	for _, text := range []string{"", "2026-11-30", "2026-11-30T12:00:00Z", "2026-11-30T12:00:00.0000Z", "2026-11-30T12:00:00.000+00:00", "2026-11-30 12:00:00.000Z",
		"2027-02-29T00:00:00.000Z", "2026-11-30T24:00:00.000Z", "1999-12-31T23:59:59.999Z", "3000-01-01T00:00:00.000Z"} {
		t.Run(text, func(t *testing.T) {
			if at, ok := instant.Parse(text); ok {
				t.Errorf("%q is read as %d", text, at)
			}
		})
	}
}
