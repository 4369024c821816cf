// Package instant writes and reads times as texts: in messages, requests, the public log
// and the site all have one form.
package instant

import (
	"time"

	"tally/lib/rulebook/settlement"
)

// layout is RFC 3339 in UTC with milliseconds, the only form of a time.
const layout = "2006-01-02T15:04:05.000Z"

// Parse reads a time of the years 2000 to 2999.
func Parse(text string) (settlement.Instant, bool) {
	t, err := time.Parse(layout, text)
	if err != nil || t.Year() < 2000 || t.Year() > 2999 {
		return 0, false
	}
	return settlement.Instant(t.UnixMilli()), true
}

// Format writes a time.
func Format(at settlement.Instant) string { return time.UnixMilli(int64(at)).UTC().Format(layout) }
