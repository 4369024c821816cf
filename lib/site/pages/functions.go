package pages

import (
	"strings"

	"tally/lib/draw/instant"
	"tally/lib/rulebook/settlement"
	"tally/lib/rulebook/show"
)

// period names a year, a month or a day.
func (w *words) period(name string) string {
	switch strings.Count(name, "-") {
	case 0:
		return name
	case 1:
		return w.month(name)
	}
	return w.day(name)
}

// moment returns an instant for machines, and for people the time of day, with the
// day where it is another than the draw's.
func (w *words) moment(day string, at settlement.Instant) show.Pair {
	text := instant.Format(at)
	if text[:len(day)] == day {
		return show.Pair{Label: text, Value: clock(at)}
	}
	return show.Pair{Label: text, Value: w.day(text[:len(day)]) + ", " + clock(at)}
}

// optional returns a message, or nothing where there is none.
func (w *words) optional(key string) string {
	if w.known[key] == nil {
		return ""
	}
	return w.Text(key)
}
