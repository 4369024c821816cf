package pages

import (
	"fmt"
	"io"
	"math/big"
	"strconv"

	"tally/lib/site/statistics"
)

// statisticsPage is how often each outcome of a game came.
type statisticsPage struct {
	Game     string
	From, To string // days, empty while there is none
	Aspects  []aspectView
}

// aspectView is one aspect of the outcomes, compared with what is expected.
type aspectView struct {
	statistics.Aspect
	Result statistics.Result
	Counts map[string]int64
}

// Statistics makes the page of a game's statistics, of the days from one to
// another.
func (s *Site) Statistics(game string, counts statistics.Counts, from, to string) ([]File, error) {
	if err := counts.Check(game); err != nil {
		return nil, fmt.Errorf("making the statistics of %s: %w", game, err)
	}
	view := statisticsPage{Game: game, From: from, To: to}
	for _, aspect := range statistics.Aspects(game) {
		view.Aspects = append(view.Aspects, aspectView{
			Aspect: aspect, Result: statistics.Test(aspect, counts[aspect.Name]), Counts: counts[aspect.Name],
		})
	}
	title := func(w *words) string { return w.Text("statistics.title", "Game", w.Code("game", game)) }
	return s.render("statistics", game+"/statistics.html", title, func(p *page, out io.Writer) { p.writestatistics(out, view) })
}

// value names a value of an aspect.
func (w *words) value(a statistics.Aspect, value string) string {
	if a.Label == nil {
		return value
	}
	return a.Label(w, value)
}

// plot draws an aspect.
func (w *words) plot(a aspectView) string {
	return statistics.Plot(a.Aspect, a.Counts, statistics.Labels{
		Title:       w.Code("aspect", a.Name),
		Description: w.Text("statistics.plot"),
		Observed:    w.Text("statistics.observed"),
		Expected:    w.Text("statistics.expected"),
		Interval:    w.Text("statistics.interval"),
		Value:       func(name string) string { return w.value(a.Aspect, name) },
		Number:      w.number64,
	})
}

// number64 writes a whole number.
func (w *words) number64(n int64) string { return w.decimal(strconv.FormatInt(n, 10)) }

// float writes a number with so many decimals.
func (w *words) float(value float64, decimals int) string {
	return w.decimal(strconv.FormatFloat(value, 'f', decimals, 64))
}

// percent writes a share.
func (w *words) percent(share float64, decimals int) string {
	return w.Text("statistics.percent", "Number", w.float(100*share, decimals))
}

// share is how large a part of all values a value was, or was expected to be.
func (w *words) share(a aspectView, count float64) string {
	all := float64(a.Result.Draws) * float64(a.PerDraw)
	if all == 0 {
		return "–"
	}
	return w.percent(count/all, 2)
}

// chance tells how likely chance alone deviates as much.
func (w *words) chance(r statistics.Result) string {
	p := w.percent(r.P, 1)
	if r.P < 0.001 {
		p = w.Text("statistics.below", "Number", w.percent(0.001, 1))
	}
	return w.Text("statistics.tested", "Statistic", w.float(r.Statistic, 2), "Degrees", r.Degrees, "Chance", p)
}

// judged is what that means in plain words.
func (w *words) judged(r statistics.Result) string {
	switch {
	case r.P >= 0.05:
		return w.Text("statistics.usual")
	case r.P >= 0.001:
		return w.Text("statistics.seldom")
	}
	return w.Text("statistics.rare")
}

// probability is the exact expectation of a value.
func (w *words) probability(a statistics.Aspect, value string) string {
	for _, v := range a.Values {
		if v.Name == value {
			return w.Text("statistics.percent", "Number", w.decimal(new(big.Rat).Mul(v.Probability, big.NewRat(100, 1)).FloatString(3)))
		}
	}
	return "–"
}
