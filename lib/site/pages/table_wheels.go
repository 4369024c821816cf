package pages

import (
	"fmt"
	"slices"
	"strconv"
)

// sector is a part of a wheel as it is drawn.
type sector struct {
	Name   string
	Colour string
	Turn   string // in degrees from the top
	Hit    bool
}

// turn returns the degrees of part i of a wheel.
func turn(i, parts int) string {
	return strconv.FormatFloat(float64(i)*360/float64(parts), 'f', 2, 64)
}

// wheelSpin is a spin of the wheel.
type wheelSpin struct {
	Number int     `json:"-"`
	Turns  int     `json:"turns"`
	Sector *string `json:"sector"`
	Faulty bool    `json:"-"`
}

type wheelTable struct {
	Facts struct {
		Spins []wheelSpin `json:"spins"`
	}
	Outcome struct {
		Sector string `json:"sector"`
		Colour string `json:"colour"`
		Parity string `json:"parity"`
	}
}

func (t *wheelTable) parts() (facts, outcome any) { return &t.Facts, &t.Outcome }
func (t *wheelTable) template() string            { return "wheel" }

const (
	cup          = "cup"
	wheelSectors = 19
)

// wheelColours are the colours of the numbers by n mod 3.
var wheelColours = [...]string{"red", "black", "grey"}

// fortune are the sectors of the wheel, in the order of their numbers.
var fortune = func() (list []sector) {
	for i := range wheelSectors {
		list = append(list, sector{Name: strconv.Itoa(i), Colour: wheelColours[i%3], Turn: turn(i, wheelSectors)})
	}
	list[0].Name, list[0].Colour = cup, "gold"
	return list
}()

// hit returns the sector of a name, as the one that was hit; nil for none.
func hit(list []sector, name string) *sector {
	at := slices.IndexFunc(list, func(s sector) bool { return s.Name == name })
	if at < 0 {
		return nil
	}
	s := list[at]
	s.Hit = true
	return &s
}

// Hit is the sector where the wheel stopped; it is drawn over the others.
func (t *wheelTable) Hit() *sector { return hit(fortune, t.Outcome.Sector) }

// Turn turns the wheel so that the result is at the pointer.
func (t *wheelTable) Turn() string {
	number, err := strconv.Atoi(t.Outcome.Sector)
	if err != nil {
		return "0" // the cup, or none: the cup is on top
	}
	return turn(wheelSectors-number, wheelSectors)
}

// Spins are the spins before the one that counts, and that one.
func (t *wheelTable) Spins() (list []wheelSpin) {
	for i, s := range t.Facts.Spins[:min(len(t.Facts.Spins), maxTries)] {
		s.Number, s.Faulty = i+1, i < len(t.Facts.Spins)-1
		list = append(list, s)
	}
	return list
}

// told writes where a spin ended.
func (s wheelSpin) told(w *words) string {
	where := w.text("wheel.between")
	if s.Sector != nil {
		where = w.sector(*s.Sector)
	}
	return where + " · " + w.count("wheel.turns", s.Turns)
}

// sector names a sector.
func (w *words) sector(name string) string {
	if name == cup {
		return w.text("wheel.cup")
	}
	return name
}

func (t *wheelTable) seen(w *words) (list []pair) {
	for i, s := range t.Facts.Spins {
		list = append(list, pair{w.text("wheel.spin", "Number", i+1), s.told(w)})
	}
	return list
}

func (t *wheelTable) result(w *words) []pair {
	o := &t.Outcome
	list := []pair{{w.text("wheel.sector"), w.sector(o.Sector)}}
	if o.Colour != "" {
		list = append(list, pair{w.text("wheel.colour"), w.code("colour", o.Colour)}, pair{w.text("wheel.parity"), w.code("parity", o.Parity)})
	}
	return list
}

func (t *wheelTable) line(w *words) string {
	o := &t.Outcome
	if o.Colour == "" {
		return w.sector(o.Sector)
	}
	return joined(" · ", o.Sector, w.code("colour", o.Colour), w.code("parity", o.Parity))
}

// rouletteSpin is a spin of the ball.
type rouletteSpin struct {
	Number      int  `json:"-"`
	Revolutions int  `json:"revolutions"`
	Pocket      int  `json:"pocket"`
	Faulty      bool `json:"-"`
}

type rouletteTable struct {
	Facts struct {
		Spins []rouletteSpin `json:"spins"`
	}
	Outcome struct {
		Pocket *int   `json:"pocket"`
		Colour string `json:"colour"`
		Parity string `json:"parity"`
		Half   string `json:"half"`
		Dozen  int    `json:"dozen"`
		Column int    `json:"column"`
	}
}

func (t *rouletteTable) parts() (facts, outcome any) { return &t.Facts, &t.Outcome }
func (t *rouletteTable) template() string            { return "roulette" }

func (t *rouletteTable) check() error {
	if p := t.Outcome.Pocket; p != nil && (*p < 0 || *p > 36) {
		return fmt.Errorf("reading what happened in a draw: there is no pocket %d", *p)
	}
	return nil
}

// pockets are those of a European wheel, clockwise.
var pockets = [...]int{0, 32, 15, 19, 4, 21, 2, 25, 17, 34, 6, 27, 13, 36, 11, 30, 8, 23, 10,
	5, 24, 16, 33, 1, 20, 14, 31, 9, 22, 18, 29, 7, 28, 12, 35, 3, 26}

// Pocket is the pocket that counts.
func (t *rouletteTable) Pocket() int {
	if t.Outcome.Pocket == nil {
		return -1
	}
	return *t.Outcome.Pocket
}

// roulettePockets are the pockets as they lie on the wheel: red and black in turn.
var roulettePockets = func() (list []sector) {
	for i, pocket := range pockets {
		list = append(list, sector{Name: strconv.Itoa(pocket), Colour: [...]string{"black", "red"}[i%2], Turn: turn(i, len(pockets))})
	}
	list[0].Colour = "green"
	return list
}()

// Hit is the pocket where the ball fell; it is drawn over the others.
func (t *rouletteTable) Hit() *sector { return hit(roulettePockets, strconv.Itoa(t.Pocket())) }

// Spins are the spins, those that did not count too, up to a limit.
func (t *rouletteTable) Spins() (list []rouletteSpin) {
	for i, s := range t.Facts.Spins {
		s.Number, s.Faulty = i+1, i < len(t.Facts.Spins)-1
		if len(list) < maxTries || !s.Faulty {
			list = append(list, s)
		}
	}
	return list
}

// More is how many spins Spins leaves out.
func (t *rouletteTable) More() int { return len(t.Facts.Spins) - len(t.Spins()) }

// told writes where a spin ended.
func (s rouletteSpin) told(w *words) string {
	return w.text("roulette.pocket_is", "Pocket", s.Pocket) + " · " + w.count("roulette.revolutions", s.Revolutions)
}

func (t *rouletteTable) seen(w *words) (list []pair) {
	for _, s := range t.Spins() {
		list = append(list, pair{w.text("roulette.spin", "Number", s.Number), s.told(w)})
	}
	return list
}

func (t *rouletteTable) result(w *words) []pair {
	o := &t.Outcome
	list := []pair{{w.text("roulette.pocket"), strconv.Itoa(t.Pocket())}, {w.text("roulette.colour"), w.code("colour", o.Colour)}}
	if o.Parity == "" {
		return list
	}
	return append(list, pair{w.text("roulette.parity"), w.code("parity", o.Parity)}, pair{w.text("roulette.half"), w.code("half", o.Half)},
		pair{w.text("roulette.dozen"), strconv.Itoa(o.Dozen)}, pair{w.text("roulette.column"), strconv.Itoa(o.Column)})
}

func (t *rouletteTable) line(w *words) string {
	return joined(" · ", strconv.Itoa(t.Pocket()), w.code("colour", t.Outcome.Colour), w.code("parity", t.Outcome.Parity))
}
