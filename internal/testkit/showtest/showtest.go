// Package showtest helps to test how games show their draws and make them up: laws that
// hold for every game, and draws in words that tests can write by hand.
package showtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/show"
)

// Words is a language in which a message is the end of its key and what is filled in, and
// a code is itself.
type Words struct{}

// Text implements show.Words.
func (Words) Text(key string, args ...any) string {
	text := key[strings.LastIndexByte(key, '.')+1:]
	for i := 1; i < len(args); i += 2 {
		text += " " + fmt.Sprint(args[i])
	}
	return text
}

// Count implements show.Words.
func (w Words) Count(key string, n int, args ...any) string {
	return strconv.Itoa(n) + " " + w.Text(key, args...)
}

// Code implements show.Words.
func (Words) Code(_, code string) string { return code }

// Draw is the draw of these facts with the outcome that they have by the rules.
func Draw(t testing.TB, g *rules.Game, facts string) show.DrawView {
	t.Helper()
	return read(t, g, facts, ruletest.JSON(ruletest.Outcome(t, g, facts)))
}

func read(t testing.TB, g *rules.Game, facts, outcome string) show.DrawView {
	t.Helper()
	d, err := show.Read(g.Show, []byte(facts), []byte(outcome))
	if err != nil {
		t.Fatalf("%s: %s with %s: %v", g.ID, facts, outcome, err)
	}
	return d
}

// Pairs writes labels with their values: sum 22, first 3.
func Pairs(pairs []show.Pair) string {
	var texts []string
	for _, p := range pairs {
		texts = append(texts, p.Label+" "+p.Value)
	}
	return strings.Join(texts, ", ")
}

// Values are what a draw shows of each aspect, by their names: natural yes, winner banker.
func Values(d show.DrawView) string {
	values := d.Values()
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		texts = append(texts, strings.TrimSpace(name+" "+strings.Join(values[name], " ")))
	}
	return strings.Join(texts, ", ")
}

// Shares writes how likely each value of an aspect is: black 6/19, red 6/19.
func Shares(t testing.TB, g *rules.Game, aspect string) string {
	t.Helper()
	for _, a := range g.Show.Aspects() {
		if a.Name == aspect {
			var texts []string
			for _, v := range a.Values {
				texts = append(texts, v.Name+" "+v.Probability.RatString())
			}
			return strings.Join(texts, ", ")
		}
	}
	t.Fatalf("%s has no aspect %s", g.ID, aspect)
	return ""
}

// Picture tells what a picture has: hands, rolls, balls and spins, one after the other.
func Picture(p show.Picture) string {
	var texts []string
	add := func(parts ...string) { texts = append(texts, show.Join(" ", parts...)) }
	switch p := p.(type) {
	case show.Sides:
		for _, s := range p.Sides {
			add(side(s), s.Tag)
		}
		add(p.Between)
		add(cards(p.Burned))
	case show.Board:
		add(p.Title, cards(p.Cards))
		for _, s := range p.Hands {
			add(side(s))
		}
		add(cards(p.Burned))
	case show.Seats:
		add(side(p.Dealer))
		for _, s := range p.Seats {
			add(s.Title, s.Tag, hands(s))
		}
		add(cards(p.Burned))
	case show.Rolls:
		for _, r := range append(p.Rolls, p.Arranged) {
			add(r.Title, show.Numbers(r.Dice), flag(r.Faulty, "faulty"), r.Fault)
		}
	case show.Balls:
		for _, b := range p.Balls {
			add(strconv.FormatInt(b.Number, 10), b.Name, flag(b.Ignored, "ignored"))
		}
		add(p.Label, strconv.Itoa(p.Sum))
	case show.Wheel:
		for _, s := range p.Spins {
			add(s.Title, s.Text, flag(s.Faulty, "faulty"))
		}
		add(p.More)
		add(p.Label)
	}
	return show.Join("; ", texts...)
}

func side(s show.Side) string {
	return show.Join(" ", s.Title, cards(s.Cards), flag(s.Wins, "wins"), s.Points)
}

func hands(seat show.Seat) string {
	var texts []string
	for _, h := range seat.Hands {
		text := show.Join(" ", h.Tag, cards(h.Cards), h.Points)
		if h.Result != nil {
			text += " " + h.Result.Name
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " and ")
}

// cards writes a card laid across with a slash, a marked one with a star.
func cards(list []show.OpenCard) string {
	var texts []string
	for _, c := range list {
		texts = append(texts, c.String()+flag(c.Sideways, "/")+flag(c.Marked, "*"))
	}
	return strings.Join(texts, " ")
}

func flag(set bool, text string) string {
	if set {
		return text
	}
	return ""
}

// jsonOf writes facts as a message has them.
func jsonOf(t testing.TB, facts any) string {
	t.Helper()
	text, err := json.Marshal(facts)
	if err != nil {
		t.Fatalf("facts can't be written: %v", err)
	}
	return string(text)
}

// Told is a draw in words: its line, result, picture and values.
func Told(d show.DrawView) string {
	return strings.Join([]string{d.Line(Words{}), Pairs(d.Result(Words{})), Picture(d.Picture(Words{})), Values(d)}, "\n")
}

// Case is a draw and how it is to be told: its facts, and then the four lines of Told.
type Case [5]string

// Tell compares how draws are told with what is expected of them.
func Tell(t *testing.T, g *rules.Game, list []Case) {
	t.Helper()
	for _, c := range list {
		t.Run(c[0], func(t *testing.T) {
			want := strings.Join(c[1:], "\n")
			if got := Told(Draw(t, g, c[0])); got != want {
				t.Errorf("%s of %s is told\n%s\nwant\n%s", c[0], g.ID, got, want)
			}
		})
	}
}
