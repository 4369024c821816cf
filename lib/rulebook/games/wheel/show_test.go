package wheel_test

import (
	"strconv"
	"testing"

	"tally/internal/testkit/showtest"
	"tally/lib/rulebook/games/wheel"
	"tally/lib/rulebook/show"
)

func TestShownByTheLaws(t *testing.T) { showtest.Laws(t, wheel.Game, 200) }

// TestShown: a spin of two turns does not count.
func TestShown(t *testing.T) {
	showtest.Tell(t, wheel.Game, []showtest.Case{
		{`{"spins":[{"turns":2,"sector":"5"},{"turns":4,"sector":"7"}]}`, "7 · black · odd", "sector 7, colour black, parity odd",
			"spin 1 5 · 2 turns faulty; spin 2 7 · 4 turns; picture 7", "colour black, sector 7"},
		{`{"spins":[{"turns":3,"sector":null},{"turns":3,"sector":"18"}]}`, "18 · red · even", "sector 18, colour red, parity even",
			"spin 1 between · 3 turns faulty; spin 2 18 · 3 turns; picture 18", "colour red, sector 18"},
		{`{"spins":[{"turns":5,"sector":"cup"}]}`, "cup", "sector cup", "spin 1 cup · 5 turns; picture cup", "colour none, sector cup"},
	})
}

// TestRing: the pointer is at the sector that was hit, and each has its colour.
func TestRing(t *testing.T) {
	for number := 1; number <= 18; number++ {
		name := strconv.Itoa(number)
		t.Run(name, func(t *testing.T) {
			w := showtest.Draw(t, wheel.Game, `{"spins":[{"turns":4,"sector":"`+name+`"}]}`).Picture(showtest.Words{}).(show.Wheel)
			want := show.Sector{Name: name, Colour: [...]string{"red", "black", "grey"}[number%3]}
			if w.Ring.Sectors[w.Hit] != want || w.Turned != w.Hit || len(w.Ring.Sectors) != 19 {
				t.Errorf("of %d sectors %v is hit, and the wheel turned by %d; want %v", len(w.Ring.Sectors), w.Ring.Sectors[w.Hit], w.Turned, want)
			}
		})
	}
}

func TestExpected(t *testing.T) {
	if got, want := showtest.Shares(t, wheel.Game, "colour"), "black 6/19, grey 6/19, red 6/19, none 1/19"; got != want {
		t.Errorf("colours are expected as %s, want %s", got, want)
	}
}
