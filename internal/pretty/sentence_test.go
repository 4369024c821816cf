package pretty

import (
	"slices"
	"strings"
	"testing"

	"tally/lib/rulebook/games"
)

func TestDescribe(t *testing.T) {
	for _, c := range []struct{ game, object, want string }{
		{"baccarat", `{"player":["KS","3D"],"banker":["9H","TC"],"burned":["2C"]}`, "player K♠ 3♦ · banker 9♥ T♣ · burned 2♣"},
		{"baccarat", `{"winner":"tie","cards":4,"natural":true,"player_pair":false}`, "winner tie · cards 4 · natural"},
		{"dice", `{"rolls":[{"dice":[6,1,1,2,5],"faults":["die_on_edge"]},{"dice":[3,3,5,5,5]}]}`, "rolls 6 1 1 2 5 die on edge, 3 3 5 5 5"},
		{"poker", `{"hands":[["AS","KD"],["2C","2D"]],"board":["4H"]}`, "hands A♠ K♦, 2♣ 2♦ · board 4♥"},
		{"poker", `{"winners":[1,2],"hands":[{"category":"pair","best":["KD","KC"]},{"category":"flush","best":["TH"]}]}`,
			"winners 1 2 · hands category pair K♦ K♣, category flush T♥"},
		{"wheel", `{"spins":[{"turns":2,"sector":null},{"turns":5,"sector":"cup"}]}`, "spins turns 2 sector –, turns 5 sector cup"},
		{"blackjack", `{"dealer":["AS"],"seats":[{"seat":4,"split":true,"hands":[{"cards":["8D"]},{"cards":["8S"]}]},{"seat":6,"hands":[{"cards":["AH"]}]}]}`,
			"dealer A♠ · seat 4 split 8♦ / 8♠, seat 6 A♥"},
		{"war", `not JSON`, ""},
		{"war", "{\"player\":\"\x1b[31m\"}", ""},
	} {
		game, _ := games.Find(c.game)
		if got := strings.Join(Pen{}.Describe(game, []byte(c.object)).Lines(1000), "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", c.object, got, c.want)
		}
	}
}

func TestSentenceLines(t *testing.T) {
	for _, pen := range []Pen{{}, {Colour: true}} {
		sentence := append(pen.Sentence("one two"), pen.Cell("♥♥♥", Red), pen.Cell("unbreakable", Plain))
		var plain []string
		for _, line := range sentence.Lines(7) {
			plain = append(plain, strings.NewReplacer("\x1b[31m", "", "\x1b[0m", "").Replace(line))
		}
		if want := []string{"one two", "♥♥♥", "unbreakable"}; !slices.Equal(plain, want) {
			t.Errorf("%q, want %q", plain, want)
		}
	}
}
