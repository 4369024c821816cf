package wheel

import (
	"embed"
	"io/fs"
	"strconv"

	"tally/lib/rulebook/show"
)

//go:embed messages/*.toml
var messages embed.FS

// presentation is how the game is shown and dealt.
type presentation struct{}

func (presentation) Messages() fs.FS     { return messages }
func (presentation) Draw() show.DrawView { return &shown{} }

// shown is a draw that is shown.
type shown struct{ show.Of[facts, outcome] }

// ring are the sectors in the order of their numbers: no rulebook says how they lie.
var ring = func() *show.Ring {
	ring := &show.Ring{Kind: "fortune"}
	for number := range numbers + 1 {
		ring.Sectors = append(ring.Sectors, show.Sector{Name: name(number), Colour: colours[number%3]})
	}
	ring.Sectors[cup].Colour = "gold"
	return ring
}()

// sectorName names a sector.
func sectorName(w show.Words, sector string) string {
	if sector == name(cup) {
		return w.Text("wheel.cup")
	}
	return sector
}

// text tells where a spin ended.
func (s spin) text(w show.Words) string {
	where := w.Text("wheel.between")
	if s.Sector != nil {
		where = sectorName(w, *s.Sector)
	}
	return where + " · " + w.Count("wheel.turns", int(s.Turns))
}

// title names a spin by its number.
func title(w show.Words, number int) string { return w.Text("wheel.spin", "Number", number) }

func (d *shown) Seen(w show.Words) (list []show.Pair) {
	for i, s := range d.Facts.Spins {
		list = append(list, show.Pair{Label: title(w, i+1), Value: s.text(w)})
	}
	return list
}

func (d *shown) Result(w show.Words) []show.Pair {
	list := []show.Pair{{Label: w.Text("wheel.sector"), Value: sectorName(w, d.Outcome.Sector)}}
	if d.Outcome.Colour != "" {
		list = append(list, show.Pair{Label: w.Text("wheel.colour"), Value: w.Code("colour", d.Outcome.Colour)}, show.Pair{Label: w.Text("wheel.parity"), Value: w.Code("parity", d.Outcome.Parity)})
	}
	return list
}

func (d *shown) Line(w show.Words) string {
	if d.Outcome.Colour == "" {
		return sectorName(w, d.Outcome.Sector)
	}
	return show.Join(" · ", d.Outcome.Sector, w.Code("colour", d.Outcome.Colour), w.Code("parity", d.Outcome.Parity))
}

func (d *shown) Picture(w show.Words) show.Picture {
	wheel := show.Wheel{Ring: ring, Hit: ring.Find(d.Outcome.Sector), Label: w.Text("wheel.wheel")}
	if d.Outcome.Sector != "" {
		wheel.Label = w.Text("wheel.picture", "Sector", sectorName(w, d.Outcome.Sector))
	}
	wheel.Turned, _ = strconv.Atoi(d.Outcome.Sector) // the cup is on top
	for i, s := range d.Facts.Spins[:min(len(d.Facts.Spins), show.MaxTries)] {
		wheel.Spins = append(wheel.Spins, show.Spin{Title: title(w, i+1), Text: s.text(w), Faulty: i < len(d.Facts.Spins)-1})
	}
	return wheel
}

func (presentation) Aspects() []show.Countable {
	sectors := append(show.Range(1, numbers), name(cup))
	return show.Expect(func(way func(show.DrawView, int64)) {
		for _, name := range sectors {
			f := facts{Spins: []spin{{Turns: minTurns, Sector: &name}}}
			way(&shown{Of: show.Of[facts, outcome]{Facts: f, Outcome: *resolve(f).Outcome}}, 1)
		}
	}, []show.Countable{
		{Name: "sector", Values: show.Named(sectors...), Label: sectorName},
		{Name: "colour", Values: show.Named("black", "grey", "red", "none"), Label: show.Coded("colour")},
	})
}

func (d *shown) Values() map[string][]string {
	colour := d.Outcome.Colour
	if d.Outcome.Sector == name(cup) {
		colour = "none"
	}
	return map[string][]string{"sector": {d.Outcome.Sector}, "colour": {colour}}
}
