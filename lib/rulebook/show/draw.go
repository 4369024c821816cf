package show

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"tally/lib/rulebook/cards"
)

// Game is how a game is shown. It is an interface, so that the linker leaves out of a
// program what the program asks of no game.
type Game interface {
	// Messages has the game's texts: messages/<language>.toml.
	Messages() fs.FS
	// Draw returns a draw that facts and outcome are to be read into.
	Draw() DrawView
	// Aspects works out what is counted of draws, in the order for people.
	Aspects() []Countable
}

// DrawView is what happened in a draw, to be shown.
type DrawView interface {
	// Parts are what facts and outcome are read into.
	Parts() (facts, outcome any)
	// Check says why facts and outcome can't be shown together.
	Check() error
	// Places are where cards lie.
	Places() []Place
	// Seen tells the facts of a game without cards.
	Seen(Words) []Pair
	// Result is what the rules make of the facts, Line the same in one line.
	Result(Words) []Pair
	Line(Words) string
	Picture(Words) Picture
	// Values are what the draw shows of each aspect, by the aspect's name.
	Values() map[string][]string
}

// Of is what draws of all games have: facts and outcome. Facts that are too large are
// not in the log, and a void draw has no outcome: they are zero then.
type Of[F, O any] struct {
	Facts   F
	Outcome O
}

// Parts implements DrawView.
func (d *Of[F, O]) Parts() (facts, outcome any) { return &d.Facts, &d.Outcome }

// Check implements DrawView: all can be shown.
func (*Of[F, O]) Check() error { return nil }

// Places implements DrawView, of a game without cards.
func (*Of[F, O]) Places() []Place { return nil }

// Seen implements DrawView, of a game of cards.
func (*Of[F, O]) Seen(Words) []Pair { return nil }

// Read reads facts and outcome. It is lenient: what is shown is what the log says, and
// whether that follows from the rules is for those who verify.
func Read(g Game, facts, outcome []byte) (DrawView, error) {
	if g == nil {
		return nil, errors.New("the game does not show its draws")
	}
	d := g.Draw()
	f, o := d.Parts()
	for _, part := range []struct {
		data []byte
		into any
	}{{facts, f}, {outcome, o}} {
		if len(part.data) == 0 {
			continue
		}
		if err := json.Unmarshal(part.data, part.into); err != nil {
			return nil, fmt.Errorf("reading what happened in a draw: %w", err)
		}
	}
	for _, place := range d.Places() {
		for _, code := range place.Cards {
			if _, is := cards.Parse(code); !is {
				return nil, fmt.Errorf("reading what happened in a draw: %.10q is no card", code)
			}
		}
	}
	return d, d.Check()
}

// ReadVisible reads the cards that lie open when a betting round opens.
func ReadVisible(g Game, visible []byte) ([]Place, error) {
	d, err := Read(g, visible, nil)
	if err != nil {
		return nil, err
	}
	if d.Places() == nil {
		return nil, errors.New("the game has no cards")
	}
	return taken(d), nil
}

// taken are the places where cards lie.
func taken(d DrawView) []Place {
	list := []Place{}
	for _, place := range d.Places() {
		if len(place.Cards) > 0 {
			list = append(list, place)
		}
	}
	return list
}

// Seen are a draw's facts in words.
func Seen(w Words, d DrawView) (list []Pair) {
	for _, place := range taken(d) {
		list = append(list, place.Pair(w))
	}
	return append(list, d.Seen(w)...)
}
