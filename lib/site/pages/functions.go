package pages

import (
	"fmt"
	"html/template"
	"strings"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
)

// functions are what the templates of one language can call.
func (s *Site) functions(w *words) template.FuncMap {
	// These need the templates: each edition sets them.
	later := func() template.HTML { return "" }
	return template.FuncMap{
		"picture": func(table) template.HTML { return "" }, "fortune": later, "pockets": later,
		"t":           w.text,
		"n":           w.count,
		"code":        w.code,
		"number":      w.number,
		"number64":    w.number64,
		"decimal":     w.decimal,
		"day":         w.day,
		"month":       w.month,
		"period":      w.period,
		"short":       short,
		"clock":       clock,
		"datetime":    wire.FormatTime,
		"moment":      w.moment,
		"result":      func(t table) []pair { return t.result(w) },
		"line":        func(t table) string { return t.line(w) },
		"groups":      func(s shown) []group { return s.groups(w) },
		"told":        w.told,
		"sector":      w.sector,
		"dots":        dotsOf,
		"asset":       s.assets.path,
		"words":       func() (string, error) { return s.assets.path(w.asset()) },
		"drawn":       w.drawn,
		"written":     w.written,
		"origin":      func() string { return s.options.Origin },
		"keys":        func() []string { return s.options.VerifierKeys },
		"logurl":      func() string { return s.options.LogURL },
		"join":        strings.Join,
		"changes":     w.changes,
		"when":        func(game string, round int) string { return w.optional(fmt.Sprintf("round.%s_%d", game, round)) },
		"language":    func(lang string) string { return w.text("language." + lang) },
		"paint":       paint,
		"list":        list,
		"n64":         func(key string, n int64) string { return w.count(key, int(n)) },
		"float":       func(n int64) float64 { return float64(n) },
		"decimals":    w.float,
		"plot":        w.plot,
		"value":       w.value,
		"share":       w.share,
		"chance":      w.chance,
		"judged":      w.judged,
		"probability": w.probability,
	}
}

// told writes what a try came to.
func (w *words) told(what interface{ told(*words) string }) string { return what.told(w) }

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
func (w *words) moment(day string, at settlement.Instant) pair {
	text := wire.FormatTime(at)
	if text[:len(day)] == day {
		return pair{text, clock(at)}
	}
	return pair{text, w.day(text[:len(day)]) + ", " + clock(at)}
}

// optional returns a message, or nothing where there is none.
func (w *words) optional(key string) string {
	if !w.known[key] {
		return ""
	}
	return w.text(key)
}

// list makes pairs of texts.
func list(texts ...string) (pairs []pair) {
	for i := 0; i+1 < len(texts); i += 2 {
		pairs = append(pairs, pair{texts[i], texts[i+1]})
	}
	return pairs
}
