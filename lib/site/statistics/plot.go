package statistics

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Labels are the texts of a plot, in the language of the page.
type Labels struct {
	Title       string // for those who can't see it: what the plot shows
	Description string // and what is to be seen in it
	// Observed, Expected and Interval explain the marks; a mark without a text is not
	// in the legend.
	Observed, Expected, Interval string
	// Value returns the text of a value; nil for the values' names.
	Value func(name string) string
	// Number writes a count; nil for digits alone.
	Number func(n int64) string
}

func (l Labels) value(name string) string {
	if l.Value == nil {
		return name
	}
	return l.Value(name)
}

func (l Labels) number(n int64) string {
	if l.Number == nil {
		return strconv.FormatInt(n, 10)
	}
	return l.Number(n)
}

// The measures of a plot, in CSS pixels. It fits into a phone of 360 pixels.
const (
	plotWidth  = 328
	fontSize   = 12
	letter     = 6.8 // the width of a letter, on average and generously
	digit      = 7.6 // and of a bold digit
	widestText = 110 // a wider one stands above its bar
	gap        = 6
	roomy      = 20 // a row with few values
	narrow     = 16 // and one with many
	manyValues = 16
	legendRow  = 18
)

// Plot draws an aspect's counts: for each value a bar for what was observed, a mark
// for what is expected, and around it the interval in which chance alone leaves a
// count with about 95%. A bar that ends outside is darker and its number bold.
//
// The drawing has the colour of the text around it, and no style of its own, so
// that it does with any Content-Security-Policy. A style sheet can use its classes:
// plot, label, bar, outside, expected, interval, count and legend.
func Plot(a Aspect, counts map[string]int64, labels Labels) string {
	cells := Test(a, counts).Cells
	p := newPlot(cells, labels)
	for _, cell := range cells {
		p.row(cell, labels)
	}
	p.y += gap
	p.legend(labels.Observed, func(y float64) { p.bar(gap, 3*gap, y, false) })
	p.legend(labels.Expected, func(y float64) { p.expected(2*gap, y) })
	p.legend(labels.Interval, func(y float64) { p.interval(gap, 3*gap, y) })

	id := "plot-" + a.Game + "-" + a.Name
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="plot" role="img" aria-labelledby="%[1]s-title %[1]s-description"`+
		` width="%[2]d" height="%[3]s" viewBox="0 0 %[2]d %[3]s" font-size="%[4]d" fill="currentColor">`+
		`<title id="%[1]s-title">%[5]s</title><desc id="%[1]s-description">%[6]s</desc>%[7]s</svg>`,
		html.EscapeString(id), plotWidth, pixels(p.y), fontSize,
		html.EscapeString(labels.Title), html.EscapeString(labels.Description), p.out.String())
}

// plot is a drawing that grows downwards.
type plot struct {
	out     strings.Builder
	y       float64 // where the next row begins
	height  float64 // of a row
	stacked bool    // the labels stand above the bars
	left    float64 // where bars begin
	width   float64 // of the longest bar
	most    float64 // the count that it stands for
}

func newPlot(cells []Cell, labels Labels) *plot {
	p := &plot{height: roomy, most: 1}
	if len(cells) > manyValues {
		p.height = narrow
	}
	label, count := 0.0, 0.0
	for _, cell := range cells {
		label = max(label, textWidth(labels.value(cell.Value), letter))
		count = max(count, textWidth(labels.number(cell.Observed), digit))
		p.most = max(p.most, float64(cell.Observed), float64(cell.High))
	}
	p.left = 1 // so that a mark of nothing is seen whole
	if p.stacked = label > widestText; !p.stacked {
		p.left = label + gap
	}
	p.width = plotWidth - p.left - gap - count
	return p
}

func textWidth(text string, each float64) float64 {
	return each * float64(utf8.RuneCountInString(text))
}

// pixels writes a place, to a tenth.
func pixels(place float64) string {
	return strconv.FormatFloat(math.Round(place*10)/10, 'f', -1, 64)
}

// text writes a text whose middle is at a height.
func (p *plot) text(class, anchor, weight string, x, y float64, text string) {
	fmt.Fprintf(&p.out, `<text class="%s" x="%s" y="%s" text-anchor="%s" font-weight="%s">%s</text>`,
		class, pixels(x), pixels(y+fontSize*0.35), anchor, weight, html.EscapeString(text))
}

// row draws one value.
func (p *plot) row(cell Cell, labels Labels) {
	label := labels.value(cell.Value)
	if p.stacked {
		p.text("label", "start", "normal", 0, p.y+legendRow/2, label)
		p.y += legendRow
	}
	middle := p.y + p.height/2
	if !p.stacked {
		p.text("label", "end", "normal", p.left-gap, middle, label)
	}
	p.bar(p.left, p.at(float64(cell.Observed)), middle, cell.Outside())
	p.interval(p.at(float64(cell.Low)), p.at(float64(cell.High)), middle)
	p.expected(p.at(cell.Expected), middle)
	weight := "normal"
	if cell.Outside() {
		weight = "bold"
	}
	p.text("count", "end", weight, plotWidth, middle, labels.number(cell.Observed))
	p.y += p.height
}

// at is the place of a count.
func (p *plot) at(count float64) float64 { return p.left + float64(p.width*count/p.most) }

func (p *plot) bar(from, to, y float64, outside bool) {
	class, opacity := "bar", "0.3"
	if outside {
		class, opacity = "bar outside", "0.6"
	}
	fmt.Fprintf(&p.out, `<rect class="%s" x="%s" y="%s" width="%s" height="%s" fill-opacity="%s"/>`,
		class, pixels(from), pixels(y-p.height/2+2), pixels(to-from), pixels(p.height-4), opacity)
}

// interval is a line between two upright ends.
func (p *plot) interval(from, to, y float64) {
	fmt.Fprintf(&p.out, `<path class="interval" d="M%[1]s %[3]sv6M%[2]s %[3]sv6M%[1]s %[4]sH%[2]s" fill="none" stroke="currentColor"/>`,
		pixels(from), pixels(to), pixels(y-3), pixels(y))
}

// expected is an upright mark.
func (p *plot) expected(x, y float64) {
	fmt.Fprintf(&p.out, `<path class="expected" d="M%s %sv%s" fill="none" stroke="currentColor" stroke-width="2"/>`,
		pixels(x), pixels(y-p.height/2+1), pixels(p.height-2))
}

// legend draws a mark and what it stands for.
func (p *plot) legend(text string, mark func(y float64)) {
	if text == "" {
		return
	}
	middle := p.y + legendRow/2
	mark(middle)
	p.text("legend", "start", "normal", 4*gap+2, middle, text)
	p.y += legendRow
}
