package show_test

import (
	"fmt"
	"io/fs"
	"math/big"
	"strings"
	"testing"

	"tally/lib/rulebook/show"
)

// plain is a language that writes keys and what is filled in.
type plain struct{}

func (plain) Text(key string, args ...any) string         { return fmt.Sprint(append([]any{key}, args...)...) }
func (plain) Count(key string, n int, args ...any) string { return fmt.Sprint(n, key) }
func (plain) Code(family, code string) string             { return family + "." + code }

func TestCardsInWords(t *testing.T) {
	for codes, want := range map[string]string{
		"":            "",
		"KS 3D 7C":    "K♠ 3♦ 7♣",
		"TH":          "10♥",
		"AS 1S XX as": "A♠", // codes that name no card are left out
	} {
		t.Run(codes, func(t *testing.T) {
			if got := show.Short(show.Cards(strings.Fields(codes)...)); got != want {
				t.Errorf("%s is written %q, want %q", codes, got, want)
			}
		})
	}
	for i, c := range show.Across([]string{"KS", "3D", "7C"}) {
		if c.Sideways != (i == 2) {
			t.Errorf("card %d of three lies across: %t", i+1, c.Sideways)
		}
	}
	for rank, want := range map[string]string{"T": "10", "A": "A", "2": "2", "none": "none"} {
		t.Run(rank, func(t *testing.T) {
			if got := show.RankName(plain{}, rank); got != want {
				t.Errorf("the rank %s is written %q, want %q", rank, got, want)
			}
		})
	}
	if got := show.RankOf(); len(got) != 0 {
		t.Errorf("the rank of no card is %v", got)
	}
}

func TestJoin(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{{nil, ""}, {[]string{"a"}, "a"}, {[]string{"", "a", "", "b"}, "a, b"}} {
		t.Run(c.want, func(t *testing.T) {
			if got := show.Join(", ", c.texts...); got != c.want {
				t.Errorf("%q is joined to %q, want %q", c.texts, got, c.want)
			}
		})
	}
	if got := show.Numbers([]int64{6, 1, -1}); got != "6 1 -1" {
		t.Errorf("numbers are written %q", got)
	}
}

// coin is a game of one.
type coin struct{}

func (coin) Messages() fs.FS           { return nil }
func (coin) Draw() show.DrawView       { return &toss{} }
func (coin) Aspects() []show.Countable { return nil }

// toss is the draw of a coin that is thrown and a card that is laid on it.
type toss struct {
	show.Of[struct {
		Card []string `json:"card"`
	}, struct {
		Face string `json:"face"`
	}]
}

func (d *toss) Places() []show.Place {
	return []show.Place{{Label: show.Text("card"), Cards: d.Facts.Card}, show.Burned(nil)}
}
func (*toss) Result(show.Words) []show.Pair   { return nil }
func (*toss) Line(show.Words) string          { return "" }
func (*toss) Picture(show.Words) show.Picture { return nil }
func (d *toss) Values() map[string][]string   { return map[string][]string{"face": {d.Outcome.Face}} }

func TestRead(t *testing.T) {
	game := coin{}
	for _, c := range []struct{ name, facts, outcome, want string }{
		{"both", `{"card":["KS"]}`, `{"face":"heads"}`, "[{card K♠}] heads"},
		{"more than is known", `{"card":["KS"],"coin":"1 EUR"}`, `{"face":"heads","spins":7}`, "[{card K♠}] heads"},
		{"no facts", "", `{"face":"heads"}`, "[] heads"},
		{"no outcome", `{"card":["KS"]}`, "", "[{card K♠}] "},
		{"no card", `{"card":["ZZ"]}`, "", `reading what happened in a draw: "ZZ" is no card`},
		{"no JSON", `{"card":`, "", "reading what happened in a draw: unexpected end of JSON input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := show.Read(game, []byte(c.facts), []byte(c.outcome))
			got := fmt.Sprint(err)
			if err == nil {
				got = fmt.Sprint(show.Seen(plain{}, d), " ", d.(*toss).Outcome.Face)
			}
			if got != c.want {
				t.Errorf("it is read as %s, want %s", got, c.want)
			}
		})
	}
	if _, err := show.Read(nil, nil, nil); err == nil {
		t.Error("a game that shows nothing is read")
	}
	places, err := show.ReadVisible(game, []byte(`{}`))
	if err != nil || places == nil || len(places) > 0 {
		t.Errorf("no visible cards are read as %v, %v; want a list without places", places, err)
	}
}

// A coin that shows heads three times as often as tails.
func TestExpect(t *testing.T) {
	aspects := show.Expect(func(way func(show.DrawView, int64)) {
		for face, count := range map[string]int64{"heads": 3, "tails": 1} {
			d := &toss{}
			d.Outcome.Face = face
			way(d, count)
		}
	}, []show.Countable{{Name: "face", Values: show.Named("heads", "tails")}})
	for i, want := range []*big.Rat{big.NewRat(3, 4), big.NewRat(1, 4)} {
		if got := aspects[0].Values[i]; got.Probability.Cmp(want) != 0 {
			t.Errorf("%s is expected %v of the time, want %v", got.Name, got.Probability, want)
		}
	}
	if i := aspects[0].Index("edge"); i != -1 {
		t.Errorf("a value that there is not is number %d", i)
	}
}
