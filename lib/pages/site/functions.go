package site

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"tally/lib/settlement"
	"tally/lib/wire"
)

// functions are what the templates of one language can call.
func (s *Site) functions(w *words) template.FuncMap {
	return template.FuncMap{
		"t":           w.text,
		"n":           w.count,
		"code":        w.code,
		"number":      w.number,
		"number64":    w.number64,
		"decimal":     w.decimal,
		"day":         w.day,
		"month":       w.month,
		"period":      w.period,
		"card":        func(f face) string { return w.cards[f.Card] },
		"short":       short,
		"clock":       clock,
		"datetime":    wire.FormatTime,
		"on":          func(at settlement.Instant) string { return wire.FormatTime(at)[:len("2026-11-30")] },
		"result":      func(t table) []pair { return t.result(w) },
		"line":        func(t table) string { return t.line(w) },
		"groups":      func(s shown) []group { return s.groups(w) },
		"told":        w.told,
		"sector":      w.sector,
		"dots":        dotsOf,
		"asset":       s.assets.path,
		"scripted":    func(prefix string) []pair { return w.under(prefix) },
		"origin":      func() string { return s.options.Origin },
		"keys":        func() []string { return s.options.VerifierKeys },
		"logurl":      func() string { return s.options.LogURL },
		"join":        strings.Join,
		"changes":     w.changes,
		"when":        func(game string, round int) string { return w.optional(fmt.Sprintf("round.%s_%d", game, round)) },
		"language":    func(lang string) string { return w.text("language." + lang) },
		"rows":        func(to string, rows []rowView) rowList { return rowList{to, rows} },
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
		"picture":     func(table) template.HTML { return "" }, // set for each language: it executes the templates
	}
}

// told writes what a try came to.
func (w *words) told(what interface{ told(*words) string }) string { return what.told(w) }

// under returns the messages whose keys begin with a prefix, with the rest of
// their keys: those that a script needs.
func (w *words) under(prefix string) (list []pair) {
	for _, key := range slices.Sorted(maps.Keys(w.plain)) {
		if rest, is := strings.CutPrefix(key, prefix); is {
			list = append(list, pair{rest, w.plain[key]})
		}
	}
	return list
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

// optional returns a message, or nothing where there is none.
func (w *words) optional(key string) string {
	if !w.known[key] {
		return ""
	}
	return w.text(key)
}

// rowList are draws with the way to their game's folder.
type rowList struct {
	To   string
	Rows []rowView
}

// list makes pairs of texts.
func list(texts ...string) (pairs []pair) {
	for i := 0; i+1 < len(texts); i += 2 {
		pairs = append(pairs, pair{texts[i], texts[i+1]})
	}
	return pairs
}
