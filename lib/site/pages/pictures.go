package pages

import (
	"fmt"
	"strconv"

	"github.com/valyala/quicktemplate"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/show"
)

// face is a card as it is drawn.
type face struct{ show.OpenCard }

// Letter is the suit's letter, such as S.
func (f face) Letter() string { return f.String()[1:] }

// IsFigure reports whether the card is a jack, a queen or a king.
func (f face) IsFigure() bool { return f.Rank() >= cards.Jack && f.Rank() <= cards.King }

// Pips are the places of the suit on the face of the card.
func (f face) Pips() []pip { return pips[f.Rank()] }

// sideways is 1 for a card that lies across, the index of its drawing.
func sideways(c show.OpenCard) int {
	if c.Sideways {
		return 1
	}
	return 0
}

// drawCards makes the drawings of all cards, which every language has of its own only for
// their names: a page has many cards.
func (w *words) drawCards() {
	for card := range cards.Card(cards.Count) {
		for across := range w.faces {
			w.faces[across][card] = face{OpenCard: show.OpenCard{Card: card, Sideways: across == 1}}.drawing()
		}
	}
}

// pip is a place on a card that is 100 wide and 140 high.
type pip struct {
	X, Y int
	Turn bool // upside down
}

// pips are the places as playing cards have them.
var pips = func() (places [13][]pip) {
	const left, middle, right = 35, 50, 65
	columns := func(ys ...int) (list []pip) {
		for _, y := range ys {
			list = append(list, pip{X: left, Y: y, Turn: y > 70}, pip{X: right, Y: y, Turn: y > 70})
		}
		return list
	}
	at := func(list []pip, ys ...int) []pip {
		for _, y := range ys {
			list = append(list, pip{X: middle, Y: y, Turn: y > 70})
		}
		return list
	}
	places[cards.Two] = at(nil, 32, 108)
	places[cards.Three] = at(nil, 32, 70, 108)
	places[cards.Four] = columns(32, 108)
	places[cards.Five] = at(columns(32, 108), 70)
	places[cards.Six] = columns(32, 70, 108)
	places[cards.Seven] = at(columns(32, 70, 108), 51)
	places[cards.Eight] = at(columns(32, 70, 108), 51, 89)
	places[cards.Nine] = at(columns(30, 57, 83, 110), 70)
	places[cards.Ten] = at(columns(30, 57, 83, 110), 43, 97)
	return places
}()

// dots are the places of the pips of each face, on a die that is 100 wide.
var dots = [7][][2]int{
	1: {{50, 50}},
	2: {{28, 28}, {72, 72}},
	3: {{26, 26}, {50, 50}, {74, 74}},
	4: {{28, 28}, {72, 28}, {28, 72}, {72, 72}},
	5: {{27, 27}, {73, 27}, {50, 50}, {27, 73}, {73, 73}},
	6: {{29, 25}, {71, 25}, {29, 50}, {71, 50}, {29, 75}, {71, 75}},
}

// dotsOf returns the places of the pips of a face.
func dotsOf(face int64) [][2]int {
	if face < 1 || face > 6 {
		return nil
	}
	return dots[face]
}

// sector is a part of a wheel as it is drawn.
type sector struct {
	show.Sector
	Turn string // in degrees from the top
	Hit  bool
}

// turn returns the degrees of part i of a wheel.
func turn(i, parts int) string {
	return strconv.FormatFloat(float64(i)*360/float64(parts), 'f', 2, 64)
}

// sectorOf is a part of a wheel.
func sectorOf(ring *show.Ring, i int) *sector {
	return &sector{Sector: ring.Sectors[i], Turn: turn(i, len(ring.Sectors))}
}

// hit is the part of a wheel that was hit, which is drawn over the others; nil for none.
func hit(w show.Wheel) *sector {
	if w.Hit < 0 {
		return nil
	}
	s := sectorOf(w.Ring, w.Hit)
	s.Hit = true
	return s
}

// turned is how far a wheel was turned.
func turned(w show.Wheel) string {
	if w.Turned == 0 {
		return "0"
	}
	return turn(len(w.Ring.Sectors)-w.Turned, len(w.Ring.Sectors))
}

// streampicture draws a picture by its form.
func (e *edition) streampicture(out *quicktemplate.Writer, p show.Picture) {
	switch p := p.(type) {
	case show.Sides:
		e.streamsides(out, p)
	case show.Board:
		e.streamboard(out, p)
	case show.Seats:
		e.streamseats(out, p)
	case show.Rolls:
		e.streamrolls(out, p)
	case show.Balls:
		e.streamballs(out, p)
	case show.Wheel:
		if p.Ring.Kind == "roulette" {
			e.streamroulette(out, p)
			return
		}
		e.streamfortune(out, p)
	default:
		panic(fmt.Errorf("there is no drawing of a %T", p))
	}
}

// paint is a colour as it is drawn, by the name that the rules give it. Drawings
// carry their colours themselves, so that they need no style sheet.
func paint(colour string) string {
	if paint, known := paints[colour]; known {
		return paint
	}
	return "#5c6670"
}

var paints = map[string]string{
	"red": "#bd1f27", "black": "#15181b", "grey": "#6d757c", "green": "#12804d", "gold": "#f2c14e",
	"white": "#f3f1ea", "blue": "#2563c9", "yellow": "#f4c430",
}
