package roulette

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"

	"tally/lib/rulebook/show"
)

//go:embed messages/*.toml
var messages embed.FS

// presentation is how the game is shown and dealt.
type presentation struct{}

func (presentation) Messages() fs.FS { return messages }
func (presentation) Draw() show.DrawView {
	return &shown{Of: show.Of[facts, outcome]{Outcome: outcome{Pocket: none}}}
}

// shown is a draw that is shown.
type shown struct{ show.Of[facts, outcome] }

// none is the pocket of a draw without an outcome.
const none = -1

func (d *shown) Check() error {
	if d.Outcome.Pocket < none || d.Outcome.Pocket > highest {
		return fmt.Errorf("there is no pocket %d", d.Outcome.Pocket)
	}
	return nil
}

// ring are the pockets of a European wheel: red and black in turn.
var ring = func() *show.Ring {
	ring := &show.Ring{Kind: "roulette"}
	for i, pocket := range []int{0, 32, 15, 19, 4, 21, 2, 25, 17, 34, 6, 27, 13, 36, 11, 30, 8, 23, 10,
		5, 24, 16, 33, 1, 20, 14, 31, 9, 22, 18, 29, 7, 28, 12, 35, 3, 26} {
		ring.Sectors = append(ring.Sectors, show.Sector{Name: strconv.Itoa(pocket), Colour: [...]string{"black", "red"}[i%2]})
	}
	ring.Sectors[0].Colour = "green"
	return ring
}()

// spins are the spins up to a limit, those that did not count too.
func (d *shown) spins(w show.Words) (list []show.Spin) {
	for i, s := range d.Facts.Spins {
		if faulty := i < len(d.Facts.Spins)-1; !faulty || i < show.MaxTries {
			text := w.Text("roulette.pocket_is", "Pocket", s.Pocket) + " · " + w.Count("roulette.revolutions", int(s.Revolutions))
			list = append(list, show.Spin{Title: w.Text("roulette.spin", "Number", i+1), Text: text, Faulty: faulty})
		}
	}
	return list
}

func (d *shown) Seen(w show.Words) (list []show.Pair) {
	for _, s := range d.spins(w) {
		list = append(list, show.Pair{Label: s.Title, Value: s.Text})
	}
	return list
}

func (d *shown) Result(w show.Words) []show.Pair {
	list := []show.Pair{{Label: w.Text("roulette.pocket"), Value: strconv.Itoa(d.Outcome.Pocket)}, {Label: w.Text("roulette.colour"), Value: w.Code("colour", d.Outcome.Colour)}}
	if d.Outcome.Parity == "" {
		return list
	}
	return append(list, show.Pair{Label: w.Text("roulette.parity"), Value: w.Code("parity", d.Outcome.Parity)}, show.Pair{Label: w.Text("roulette.half"), Value: w.Code("half", d.Outcome.Half)},
		show.Pair{Label: w.Text("roulette.dozen"), Value: strconv.Itoa(d.Outcome.Dozen)}, show.Pair{Label: w.Text("roulette.column"), Value: strconv.Itoa(d.Outcome.Column)})
}

func (d *shown) Line(w show.Words) string {
	return show.Join(" · ", strconv.Itoa(d.Outcome.Pocket), w.Code("colour", d.Outcome.Colour), w.Code("parity", d.Outcome.Parity))
}

func (d *shown) Picture(w show.Words) show.Picture {
	wheel := show.Wheel{Ring: ring, Hit: ring.Find(strconv.Itoa(d.Outcome.Pocket)), Label: w.Text("roulette.picture", "Pocket", d.Outcome.Pocket), Spins: d.spins(w)}
	if more := len(d.Facts.Spins) - len(wheel.Spins); more > 0 {
		wheel.More = w.Count("roulette.more", more)
	}
	return wheel
}

func (presentation) Aspects() []show.Countable {
	return show.Expect(func(way func(show.DrawView, int64)) {
		for pocket := range int64(highest + 1) {
			f := facts{Spins: []spin{{Revolutions: minRevolutions, Pocket: pocket}}}
			way(&shown{Of: show.Of[facts, outcome]{Facts: f, Outcome: *resolve(f).Outcome}}, 1)
		}
	}, []show.Countable{
		{Name: "pocket", Values: show.Named(show.Range(0, highest)...)},
		{Name: "colour", Values: show.Named("red", "black", "green"), Label: show.Coded("colour")},
	})
}

func (d *shown) Values() map[string][]string {
	return map[string][]string{"pocket": {strconv.Itoa(d.Outcome.Pocket)}, "colour": {d.Outcome.Colour}}
}
