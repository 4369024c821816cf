package statistics_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tally/lib/rulebook/games"
	"tally/lib/site/statistics"
)

var update = flag.Bool("update", false, "write the golden files")

var labels = statistics.Labels{
	Title: "Winner", Description: "How often each side won",
	Observed: "observed", Expected: "expected", Interval: "95 of 100 right counts lie here",
}

// element is an element of a drawing.
type element struct {
	name, text string
	attributes map[string]string
}

// number returns an attribute in pixels.
func (e element) number(t *testing.T, name string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(e.attributes[name], 64)
	if err != nil {
		t.Fatalf("%s of <%s>: %v", name, e.name, err)
	}
	return n
}

// read reads a drawing.
func read(t *testing.T, svg string) (elements []element) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements
		}
		if err != nil {
			t.Fatalf("%v: %s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attributes: map[string]string{}}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			elements = append(elements, e)
		case xml.CharData:
			elements[len(elements)-1].text += string(token)
		}
	}
}

// classes returns the elements of a class.
func classes(elements []element, class string) (of []element) {
	for _, e := range elements {
		if e.attributes["class"] == class {
			of = append(of, e)
		}
	}
	return of
}

// TestPlots draws every aspect without draws, with a few and with many: each value
// has its row within the drawing, and there is no style.
func TestPlots(t *testing.T) {
	for _, game := range games.All() {
		for _, a := range statistics.Aspects(game.ID) {
			for _, draws := range []int{0, 3, 5000} {
				svg := string(statistics.Plot(a, sample(rand.New(rand.NewPCG(3, 33)), a, draws, 0), labels))
				elements := read(t, svg)
				if len(classes(elements, "label")) != len(a.Values) || len(classes(elements, "count")) != len(a.Values) ||
					len(classes(elements, "expected")) != len(a.Values)+1 || len(classes(elements, "interval")) != len(a.Values)+1 ||
					len(classes(elements, "legend")) != 3 {
					t.Errorf("%s: %s, %d draws: not a row for each value and a legend", game.ID, a.Name, draws)
				}
				width, height := elements[0].number(t, "width"), elements[0].number(t, "height")
				if width > 328 || height > 42*16+80 {
					t.Errorf("%s: %s: %v × %v, want width of at most 328 and height of at most 42*16 + 80", game.ID, a.Name, width, height)
				}
				for _, e := range elements {
					if e.attributes["style"] != "" || e.name == "style" || e.name == "script" {
						t.Errorf("%s: %s: %+v, want e.attributes[\"style\"] = \"\" and e.name other than \"style\" and e.name other than \"script\"",
							game.ID, a.Name, e)
					}
					if e.name == "rect" && (e.number(t, "x") < 0 || e.number(t, "width") < 0 || e.number(t, "x")+e.number(t, "width") > width ||
						e.number(t, "y")+e.number(t, "height") > height) {
						t.Errorf("%s: %s: outside the drawing: %+v", game.ID, a.Name, e)
					}
				}
				if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
					t.Errorf("%s: %s, %d draws: %s", game.ID, a.Name, draws, svg)
				}
			}
		}
	}
}

// TestPlotForReaders names the drawing for those who can't see it.
func TestPlotForReaders(t *testing.T) {
	elements := read(t, string(statistics.Plot(aspect(t, "war", "winner"), nil, labels)))
	svg, title, description := elements[0], elements[1], elements[2]
	if svg.attributes["role"] != "img" || svg.attributes["aria-labelledby"] != title.attributes["id"]+" "+description.attributes["id"] ||
		title.name != "title" || title.text != labels.Title || description.name != "desc" || description.text != labels.Description {
		t.Errorf("%+v", elements[:3])
	}
}

// TestPlotEscapes writes any text as text.
func TestPlotEscapes(t *testing.T) {
	odd := `</text><script>&"'` + "\u2028"
	l := statistics.Labels{Title: odd, Description: odd, Observed: odd, Value: func(string) string { return odd }, Number: func(int64) string { return odd }}
	svg := string(statistics.Plot(aspect(t, "war", "winner"), nil, l))
	if strings.Contains(svg, "<script") {
		t.Errorf("the plot holds a script, want texts escaped: %s", svg)
	}
	texts := 0
	for _, e := range read(t, svg) {
		if e.text == odd {
			texts++
		}
	}
	if texts != 2+1+3+3 {
		t.Errorf("%d texts are as they were given", texts)
	}
}

// TestPlotOutside marks what lies outside its interval by more than its colour.
func TestPlotOutside(t *testing.T) {
	a := aspect(t, "wheel", "colour")
	elements := read(t, string(statistics.Plot(a, map[string]int64{"black": 60, "grey": 60, "red": 120, "none": 10}, labels)))
	bold := 0
	for _, e := range classes(elements, "count") {
		if e.attributes["font-weight"] == "bold" {
			bold++
		}
	}
	// Of 250 spins 79 are expected on each colour, give or take 14.
	if outside := classes(elements, "bar outside"); len(outside) != 3 || bold != 3 {
		t.Errorf("%d bars, %d bold numbers", len(outside), bold)
	}
}

// TestPlotGolden draws one plot with short labels and one with long ones.
func TestPlotGolden(t *testing.T) {
	a := aspect(t, "war", "winner")
	counts := map[string]int64{"player": 470, "war": 60, "dealer": 470}
	long := labels
	long.Value = func(name string) string { return "the winner of the draw is: " + name }
	for name, l := range map[string]statistics.Labels{"short": labels, "long": long} {
		t.Run(name, func(t *testing.T) {
			got := string(statistics.Plot(a, counts, l)) + "\n"
			path := filepath.Join("testdata", name+".svg")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s is\n%s; -update writes it", path, got)
			}
		})
	}
}
