package chances_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"tally/internal/vectors"
	count "tally/lib/rulebook/chances"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// chances are those of selections of a game in a betting round, by their texts.
func chances(t *testing.T, id string, round int, visible string, texts ...string) []rules.Chance {
	t.Helper()
	game, known := games.Find(id)
	if !known {
		t.Fatalf("there is no game %s", id)
	}
	var facts rules.Facts
	if visible != "" {
		var document strictjson.Document
		v, _ := document.Parse("", []byte(visible))
		o, _ := v.Object()
		facts, _ = game.ReadVisible(o)
	}
	var list []rules.Selection
	for _, text := range texts {
		s, err := game.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	counted, ok := count.Of(game, round, facts, list)
	if !ok {
		t.Fatalf("the chances of %s in round %d of %s are not known, want them", texts, round, id)
	}
	return counted
}

// exactly compares a chance with a fraction.
func exactly(t *testing.T, what string, got rules.Chance, won, all int64) {
	t.Helper()
	if got.All == 0 || big.NewRat(int64(got.Won), int64(got.All)).Cmp(big.NewRat(won, all)) != 0 {
		t.Errorf("%s wins in %d of %d ways, want %d of %d", what, got.Won, got.All, won, all)
	}
}

// nearly compares a chance with one that is a number.
func nearly(t *testing.T, what string, got rules.Chance, want float64) {
	t.Helper()
	if is := float64(got.Won) / float64(got.All); math.Abs(is-want) > 1e-12 {
		t.Errorf("%s wins with %.15f, want %.15f", what, is, want)
	}
}

// exact reads the figures that another program worked out.
func exact(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal(vectors.Read(t, vectors.Exact), into); err != nil {
		t.Fatal(err)
	}
}

func TestChancesOfDice(t *testing.T) {
	var d struct {
		Dice struct {
			Class, Sum map[string]int64
			Face       map[string]int64 `json:"count_of_a_given_face"`
		}
	}
	exact(t, &d)
	ours := map[string]string{"two_pair": "two_pairs", "one_pair": "pair", "low_straight": "low_line", "high_straight": "high_line"}
	for name, n := range d.Dice.Class {
		if our, is := ours[name]; is {
			name = our
		}
		exactly(t, name, chances(t, "dice", 1, "", "combo:"+name)[0], n, 7776)
	}
	under := int64(0)
	for sum := 5; sum <= 29; sum++ {
		under += d.Dice.Sum[fmt.Sprint(sum)]
		exactly(t, fmt.Sprint("sum under ", sum, ".5"), chances(t, "dice", 1, "", fmt.Sprintf("sum_under:%d.5", sum))[0], under, 7776)
	}
	for n := 1; n <= 5; n++ {
		exactly(t, fmt.Sprint("face six ", n), chances(t, "dice", 1, "", fmt.Sprintf("face_exactly:6:%d", n))[0], d.Dice.Face[fmt.Sprint(n)], 7776)
	}
}

func TestChancesOfBalls(t *testing.T) {
	type figures struct {
		Total  int64
		Sum    map[string]int64
		Odd    map[string]int64 `json:"odd_count"`
		Drawn  map[string]int64 `json:"select_k_all_drawn"`
		Not    int64            `json:"ball_not_drawn"`
		SumOdd int64            `json:"sum_odd"`
		Colour map[string]int64 `json:"one_colour_count"`
		Yellow map[string]int64 `json:"yellow_count_any_21_21_split"`
		Equal  int64            `json:"two_named_colours_equal_count"`
		More   int64            `json:"colour_A_more_than_B"`
	}
	var d struct{ Lucky5, Lucky7 figures }
	exact(t, &d)
	for id, f := range map[string]figures{"lucky5": d.Lucky5, "lucky7": d.Lucky7} {
		t.Run(id, func(t *testing.T) {
			all := f.Total
			holds := func(text string, n int64) {
				t.Helper()
				exactly(t, text, chances(t, id, 1, "", text)[0], n, all)
			}
			most, least := 0, math.MaxInt
			for text := range f.Sum {
				sum := 0
				_, _ = fmt.Sscan(text, &sum)
				most, least = max(most, sum), min(least, sum)
			}
			under := int64(0)
			for sum := least; sum < most; sum++ {
				under += f.Sum[fmt.Sprint(sum)]
				holds(fmt.Sprintf("sum_under:%d.5", sum), under)
				holds(fmt.Sprintf("sum_over:%d.5", sum), all-under)
			}
			holds("sum_odd", f.SumOdd)
			odd := int64(0)
			for n := (len(f.Odd) + 1) / 2; n < len(f.Odd); n++ {
				odd += f.Odd[fmt.Sprint(n)]
			}
			holds("more_odd", odd)
			for k, named := range map[string]string{"1": "17", "2": "3-17", "3": "3-17-36"} {
				holds("drawn:"+named, f.Drawn[k])
			}
			holds("not_drawn:7", f.Not)
			colour, counts := "white", f.Colour
			if id == "lucky7" {
				colour, counts = "yellow", f.Yellow
			}
			for n, count := range counts {
				holds("colour_exactly:"+colour+":"+n, count)
			}
			if id == "lucky5" {
				holds("colour_equal:white-green", f.Equal)
				holds("colour_more:white-green", f.More)
			}
			balls := map[string]int64{"lucky5": 36, "lucky7": 42}[id] // in any place each is as likely as any other
			for text, n := range map[string]int64{"first_odd": balls / 2, "last_even": balls / 2, "first_under:10.5": 10, "last_over:10.5": balls - 10, "first_colour:" + colour: balls / map[string]int64{"lucky5": 4, "lucky7": 2}[id]} {
				exactly(t, text, chances(t, id, 1, "", text)[0], n, balls)
			}
		})
	}
}

func TestChancesOfWar(t *testing.T) {
	var d struct {
		War struct {
			Tie, Player string
			Round2      map[string]map[string]string `json:"round2_given_player_rank"`
		} `json:"war_6deck"`
	}
	exact(t, &d)
	ratio := func(what string, got rules.Chance, want string) {
		t.Helper()
		won, all := int64(0), int64(0)
		if _, err := fmt.Sscanf(want, "%d/%d", &won, &all); err != nil {
			t.Fatal(err)
		}
		exactly(t, what, got, won, all)
	}
	ratio("war", chances(t, "war", 1, "", "war")[0], d.War.Tie)
	ratio("player", chances(t, "war", 1, "", "player")[0], d.War.Player)
	ratio("player_figure", chances(t, "war", 1, "", "player_figure")[0], "3/13")
	for rank, of := range d.War.Round2 {
		c := chances(t, "war", 2, `{"player":"`+strings.Replace(rank, "10", "T", 1)+`S"}`, "player", "war", "dealer")
		ratio("player with "+rank, c[0], of["dealer_lower"])
		ratio("war with "+rank, c[1], of["tie"])
		ratio("dealer against "+rank, c[2], of["dealer_higher"])
	}
}

func TestChancesOfBaccarat(t *testing.T) {
	type first struct {
		P1, B1                     int
		Player, Banker, Tie, Small float64
	}
	var d struct {
		Baccarat struct {
			Decks6 struct {
				Player, Banker, Tie, Cards4 int64
				All                         int64   `json:"total_perms_6"`
				PlayerPair                  float64 `json:"p_player_pair"`
				EitherPair                  float64 `json:"p_either_pair"`
				Perfect                     float64 `json:"p_perfect_pair_either_hand"`
				Round2                      []first `json:"round2_by_player_first_value"`
				Round3                      []first `json:"round3_by_both_first_values"`
			}
		}
	}
	exact(t, &d)
	six := d.Baccarat.Decks6
	markets := []string{"player", "banker", "tie", "small"}
	begin := chances(t, "baccarat", 1, "", append(markets, "player_pair", "banker_pair", "either_pair", "perfect_pair", "big")...)
	for i, n := range []int64{six.Player, six.Banker, six.Tie, six.Cards4} {
		exactly(t, markets[i], begin[i], n, six.All)
	}
	for i, want := range []float64{six.PlayerPair, six.PlayerPair, six.EitherPair, six.Perfect} {
		nearly(t, fmt.Sprint("pair market ", i), begin[4+i], want)
	}
	exactly(t, "big", begin[8], six.All-six.Cards4, six.All)
	card := func(points int, suit string) string { return "KA23456789"[points:points+1] + suit }
	for _, f := range append(six.Round2, six.Round3...) {
		round, visible := 2, fmt.Sprintf(`{"player":[%q]}`, card(f.P1, "S"))
		if len(six.Round3) > 0 && f.B1 >= 0 && isRound3(six.Round3, f) {
			round, visible = 3, fmt.Sprintf(`{"player":[%q],"banker":[%q]}`, card(f.P1, "S"), card(f.B1, "H"))
		}
		c := chances(t, "baccarat", round, visible, markets...)
		for i, want := range []float64{f.Player, f.Banker, f.Tie, f.Small} {
			nearly(t, visible+" "+markets[i], c[i], want)
		}
	}
	if len(six.Round2) != 10 || len(six.Round3) != 100 {
		t.Errorf("there are %d and %d figures, want 10 and 100", len(six.Round2), len(six.Round3))
	}
	// By hand: with the king of spades open, 23 kings of 311 cards make a pair, five of them a
	// perfect one.
	open := chances(t, "baccarat", 2, `{"player":["KS"]}`, "player_pair")[0]
	exactly(t, "a pair of kings", open, 23, 311)
}

// isRound3 reports whether figures are those of both first cards.
func isRound3[T comparable](list []T, f T) bool {
	for _, one := range list {
		if one == f {
			return true
		}
	}
	return false
}

func TestChancesOfPoker(t *testing.T) {
	for _, line := range vectors.Lines(t, vectors.PokerOdds)[:20] {
		var d struct {
			ID       string
			Hands    json.RawMessage
			Boards   int64
			Won      []int64          `json:"win_or_tie"`
			Category map[string]int64 `json:"winning_category"`
		}
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatal(err)
		}
		visible := fmt.Sprintf(`{"hands":%s}`, d.Hands)
		texts := []string{"hand:1", "hand:2", "hand:3", "hand:4", "hand:5", "hand:6", "combo:pair", "combo:flush", "combo:straight_flush", "combo:royal_flush"}
		c := chances(t, "poker", 2, visible, texts...)
		for i, n := range d.Won {
			exactly(t, d.ID+" "+texts[i], c[i], n, d.Boards)
		}
		exactly(t, d.ID+" pair", c[6], d.Category["PAIR"], d.Boards)
		exactly(t, d.ID+" flush", c[7], d.Category["FLUSH"], d.Boards)
		c[8].Won += c[9].Won // there they are one
		exactly(t, d.ID+" straight flush", c[8], d.Category["STRAIGHT_FLUSH"], d.Boards)
	}
	game, _ := games.Find("poker")
	if _, known := count.Of(game, 1, rules.Facts{}, nil); known {
		t.Error("six unknown hands are beyond counting, and are counted")
	}
	roulette, _ := games.Find("roulette")
	if _, known := count.Of(roulette, 1, rules.Facts{}, nil); known {
		t.Error("roulette has a paytable, want no chances")
	}
}
