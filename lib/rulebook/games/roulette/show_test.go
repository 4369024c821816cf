package roulette_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"tally/internal/testkit/showtest"
	"tally/lib/rulebook/games/roulette"
	"tally/lib/rulebook/show"
)

func TestShownByTheLaws(t *testing.T) { showtest.Laws(t, roulette.Game, 200) }

// TestShown: a spin of two revolutions is none; zero has a colour and nothing else.
func TestShown(t *testing.T) {
	showtest.Tell(t, roulette.Game, []showtest.Case{
		{`{"spins":[{"revolutions":6,"pocket":17}]}`, "17 · black · odd", "pocket 17, colour black, parity odd, half low, dozen 2, column 2",
			"spin 1 pocket_is 17 · 6 revolutions; picture 17", "colour black, pocket 17"},
		{`{"spins":[{"revolutions":6,"pocket":36}]}`, "36 · red · even", "pocket 36, colour red, parity even, half high, dozen 3, column 3",
			"spin 1 pocket_is 36 · 6 revolutions; picture 36", "colour red, pocket 36"},
		{`{"spins":[{"revolutions":2,"pocket":9},{"revolutions":5,"pocket":0}]}`, "0 · green", "pocket 0, colour green",
			"spin 1 pocket_is 9 · 2 revolutions faulty; spin 2 pocket_is 0 · 5 revolutions; picture 0", "colour green, pocket 0"},
	})
}

// TestManySpins: of 25 spins that did not count 20 are drawn, and the one that did.
func TestManySpins(t *testing.T) {
	facts := `{"spins":[` + strings.Repeat(`{"revolutions":1,"pocket":4},`, 25) + `{"revolutions":3,"pocket":8}]}`
	w := showtest.Draw(t, roulette.Game, facts).Picture(showtest.Words{}).(show.Wheel)
	if len(w.Spins) != 21 || w.More != "5 more" {
		t.Fatalf("%d spins are drawn, %q; want 21 and 5 more", len(w.Spins), w.More)
	}
	last := w.Spins[20]
	if want := (show.Spin{Title: "spin 26", Text: "pocket_is 8 · 3 revolutions"}); last != want || !w.Spins[19].Faulty {
		t.Errorf("the last spin is %+v, want %+v after one that did not count", last, want)
	}
}

// TestRing: the wheel has each pocket once, in its colour, red and black in turn, and the
// ball lies in the pocket that was hit.
func TestRing(t *testing.T) {
	reds := strings.Fields("1 3 5 7 9 12 14 16 18 19 21 23 25 27 30 32 34 36")
	for pocket := range 37 {
		name := strconv.Itoa(pocket)
		t.Run(name, func(t *testing.T) {
			w := showtest.Draw(t, roulette.Game, `{"spins":[{"revolutions":4,"pocket":`+name+`}]}`).Picture(showtest.Words{}).(show.Wheel)
			want := show.Sector{Name: name, Colour: "black"}
			switch {
			case pocket == 0:
				want.Colour = "green"
			case slices.Contains(reds, name):
				want.Colour = "red"
			}
			sectors := w.Ring.Sectors
			if len(sectors) != 37 || sectors[w.Hit] != want {
				t.Errorf("of %d pockets %v is hit, want %v of 37", len(sectors), sectors[w.Hit], want)
			}
			if next := sectors[(w.Hit+1)%37]; pocket > 0 && next.Colour == want.Colour {
				t.Errorf("%s and %s lie side by side and are both %s", name, next.Name, want.Colour)
			}
		})
	}
}

func TestNoSuchPocket(t *testing.T) {
	for _, pocket := range []string{"-2", "37"} {
		t.Run(pocket, func(t *testing.T) {
			if _, err := show.Read(roulette.Game.Show, nil, []byte(`{"pocket":`+pocket+`}`)); err == nil {
				t.Errorf("pocket %s is shown, want an error", pocket)
			}
		})
	}
}

func TestExpected(t *testing.T) {
	if got, want := showtest.Shares(t, roulette.Game, "colour"), "red 18/37, black 18/37, green 1/37"; got != want {
		t.Errorf("colours are expected as %s, want %s", got, want)
	}
}
