package pages

import (
	"fmt"
	"html/template"
	"strings"

	"tally/lib/draw/instant"
	"tally/lib/rulebook/settlement"
	"tally/lib/rulebook/show"
)

// functions are what the templates of one language can call.
func (s *Site) functions(w *words) template.FuncMap {
	return template.FuncMap{
		// These need the templates: each edition sets them.
		"picture":     func(show.Picture) template.HTML { return "" },
		"ring":        func(*show.Ring) template.HTML { return "" },
		"t":           w.Text,
		"n":           w.Count,
		"code":        w.Code,
		"number":      w.number,
		"number64":    w.number64,
		"decimal":     w.decimal,
		"day":         w.day,
		"month":       w.month,
		"period":      w.period,
		"short":       show.Short,
		"clock":       clock,
		"datetime":    instant.Format,
		"moment":      w.moment,
		"result":      func(d show.Draw) []show.Pair { return d.Result(w) },
		"line":        func(d show.Draw) string { return d.Line(w) },
		"drawing":     func(d show.Draw) show.Picture { return d.Picture(w) },
		"lying":       func(p show.Place) show.Pair { return p.Pair(w) },
		"summary":     func(r rowView) string { return r.summary(w) },
		"hit":         hit,
		"turned":      turned,
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
		"language":    func(lang string) string { return w.Text("language." + lang) },
		"paint":       paint,
		"list":        list,
		"n64":         func(key string, n int64) string { return w.Count(key, int(n)) },
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
	if !w.known[key] {
		return ""
	}
	return w.Text(key)
}

// list makes pairs of texts.
func list(texts ...string) (pairs []show.Pair) {
	for i := 0; i+1 < len(texts); i += 2 {
		pairs = append(pairs, show.Pair{Label: texts[i], Value: texts[i+1]})
	}
	return pairs
}
