package lucky

import (
	"embed"
	"io/fs"
	"strconv"

	"tally/lib/rulebook/show"
)

//go:embed messages/*.toml
var messages embed.FS

// Messages implements rules.Show, as other methods below do.
func (*ballSet) Messages() fs.FS { return messages }

func (set *ballSet) Draw() show.DrawView {
	d := &shown{set: set}
	d.Outcome = *set.newOutcome()
	return d
}

// shown is a draw that is shown.
type shown struct {
	show.Of[facts, outcome]
	set *ballSet
}

// counting are the balls that count: those after them are ignored.
func (d *shown) counting() []int64 { return d.Facts.Balls[:min(len(d.Facts.Balls), d.set.drawn)] }

func (d *shown) Seen(w show.Words) []show.Pair {
	return []show.Pair{{Label: w.Text("lucky.balls"), Value: show.Numbers(d.Facts.Balls)}}
}

func (d *shown) Result(w show.Words) []show.Pair {
	o := &d.Outcome
	list := []show.Pair{
		{Label: w.Text("lucky.sum"), Value: strconv.Itoa(o.Sum)},
		{Label: w.Text("lucky.parity"), Value: w.Text("lucky.odd_and_even", "Odd", o.Odd, "Even", o.Even)},
		{Label: w.Text("lucky.first"), Value: strconv.Itoa(o.First)},
		{Label: w.Text("lucky.last"), Value: strconv.Itoa(o.Last)},
	}
	for i, colour := range o.Colours.names {
		list = append(list, show.Pair{Label: w.Code("balls", colour), Value: strconv.Itoa(o.Colours.counts[i])})
	}
	return list
}

func (d *shown) Line(w show.Words) string {
	return show.Join(" · ", show.Numbers(d.counting()), w.Text("lucky.sum_is", "Sum", d.Outcome.Sum))
}

func (d *shown) Picture(w show.Words) show.Picture {
	balls := show.Balls{Label: w.Text("lucky.sum"), Sum: d.Outcome.Sum}
	for i, number := range d.Facts.Balls {
		colour := d.set.colours[min(max(d.set.colourOf(int(number)), 0), len(d.set.colours)-1)]
		name := w.Code("ball", colour)
		balls.Balls = append(balls.Balls, show.Ball{Number: number, Colour: colour, Name: name,
			Label: w.Text("lucky.ball", "Number", number, "Colour", name), Ignored: i >= d.set.drawn})
	}
	return balls
}

// Aspects are those of a lottery that draws some of its balls.
func (set *ballSet) Aspects() []show.Countable {
	var shares []show.Group
	for i, colour := range set.colours {
		shares = append(shares, show.Group{Name: colour, Count: int64(set.sizes[i])})
	}
	return []show.Countable{
		{Name: "ball", Values: show.Alike(show.Range(1, set.balls)), PerDraw: set.drawn, Balls: set.balls},
		{Name: "sum", Values: show.Shares(sumsOfBalls(set.balls, set.drawn)), Ordered: true},
		{Name: "odd", Values: show.Shares(oddBalls(set.balls, set.drawn)), Ordered: true},
		{Name: "colour", Values: show.Shares(shares), PerDraw: set.drawn, Balls: set.balls, Label: show.Coded("ball")},
	}
}

func (d *shown) Values() map[string][]string {
	set, o := d.set, &d.Outcome
	least, most := extremes(set.balls, set.drawn)
	var colours []string
	for i, colour := range set.colours {
		for range min(o.Colours.counts[i], set.drawn+1) {
			colours = append(colours, colour)
		}
	}
	return map[string][]string{"ball": show.Texts(d.counting()), "sum": {tens(o.Sum, least, most)},
		"odd": {strconv.Itoa(o.Odd)}, "colour": colours}
}
