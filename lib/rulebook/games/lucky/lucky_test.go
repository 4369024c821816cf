package lucky_test

import (
	"fmt"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games/lucky"
	"tally/lib/rulebook/rules"
)

// exactFigures are how often each market wins over all draws.
type exactFigures struct {
	Total       int
	Sum         map[string]int
	SumOdd      int            `json:"sum_odd"`
	OddCount    map[string]int `json:"odd_count"`
	ColourCount map[string]int `json:"one_colour_count"`
	YellowCount map[string]int `json:"yellow_count_any_21_21_split"`
	Drawn       map[string]int `json:"select_k_all_drawn"`
	NotDrawn    int            `json:"ball_not_drawn"`
	Equal       int            `json:"two_named_colours_equal_count"`
	More        int            `json:"colour_A_more_than_B"`
	OneColour   int            `json:"all_five_one_colour_any"`
	Under92     int            `json:"sum_under_92_5"`
	Over92      int            `json:"sum_over_92_5"`
}

func read(t *testing.T, part string) (exact exactFigures) {
	ruletest.Exact(t, part, &exact)
	return exact
}

// below adds up the figures of counts under a line.
func below(figures map[string]int, line int) (total int) {
	for key, count := range figures {
		var n int
		fmt.Sscan(key, &n)
		if n <= line {
			total += count
		}
	}
	return total
}

// market is one selection and how often it must win.
type market struct {
	selection rules.Selection
	text      string
	want, won int
}

// TestEveryDrawOfLucky5 judges all 376,992 draws. The balls are named upwards,
// so what depends on their order is left to another test.
func TestEveryDrawOfLucky5(t *testing.T) {
	game, exact := lucky.Five, read(t, "lucky5")
	want := map[string]int{
		"sum_odd": exact.SumOdd, "sum_even": exact.Total - exact.SumOdd,
		"more_odd":  exact.OddCount["3"] + exact.OddCount["4"] + exact.OddCount["5"],
		"more_even": exact.OddCount["0"] + exact.OddCount["1"] + exact.OddCount["2"],
		"drawn:1":   exact.Drawn["1"], "drawn:36": exact.Drawn["1"], "drawn:18": exact.Drawn["1"],
		"drawn:1-2": exact.Drawn["2"], "drawn:9-36": exact.Drawn["2"], "drawn:35-36": exact.Drawn["2"],
		"drawn:1-2-3": exact.Drawn["3"], "drawn:5-18-31": exact.Drawn["3"], "drawn:34-35-36": exact.Drawn["3"],
		"not_drawn:1": exact.NotDrawn, "not_drawn:20": exact.NotDrawn, "not_drawn:36": exact.NotDrawn,
	}
	for line := 15; line <= 169; line++ {
		want[fmt.Sprintf("sum_over:%d.5", line)] = exact.Total - below(exact.Sum, line)
	}
	for _, line := range []int{15, 50, 92, 140, 169} {
		want[fmt.Sprintf("sum_under:%d.5", line)] = below(exact.Sum, line)
	}
	if below(exact.Sum, 92) != exact.Under92 || exact.Over92 != exact.Total-exact.Under92 {
		t.Fatal("the exact figures contradict themselves")
	}
	colours := []string{"white", "green", "red", "blue"}
	for i, colour := range colours {
		want["colour_none:"+colour] = exact.ColourCount["0"]
		want["colour_any:"+colour] = exact.Total - exact.ColourCount["0"]
		for k := range 6 {
			want[fmt.Sprintf("colour_exactly:%s:%d", colour, k)] = exact.ColourCount[fmt.Sprint(k)]
		}
		for line := range 5 {
			want[fmt.Sprintf("colour_under:%s:%d.5", colour, line)] = below(exact.ColourCount, line)
			want[fmt.Sprintf("colour_over:%s:%d.5", colour, line)] = exact.Total - below(exact.ColourCount, line)
		}
		other := colours[(i+1)%4]
		want["colour_more:"+colour+"-"+other] = exact.More
		want["colour_equal:"+other+"-"+colour] = exact.Equal
	}
	markets := make([]market, 0, len(want))
	for text, count := range want {
		markets = append(markets, market{ruletest.Selection(t, game, text), text, count, 0})
	}

	draws := 0
	for a := 1; a <= 36; a++ {
		for b := a + 1; b <= 36; b++ {
			for c := b + 1; c <= 36; c++ {
				for d := c + 1; d <= 36; d++ {
					for e := d + 1; e <= 36; e++ {
						o := ruletest.Outcome(t, game, fmt.Sprintf(`{"balls":[%d,%d,%d,%d,%d]}`, a, b, c, d, e))
						for i := range markets {
							if ruletest.Wins(game, o, markets[i].selection) {
								markets[i].won++
							}
						}
						draws++
					}
				}
			}
		}
	}
	if draws != exact.Total {
		t.Errorf("%d draws, want %d", draws, exact.Total)
	}
	for _, m := range markets {
		if m.won != m.want {
			t.Errorf("%s wins %d times, want %d", m.text, m.won, m.want)
		}
	}
	if five := markets5(markets); five != exact.OneColour {
		t.Errorf("five of one colour: %d draws, want %d", five, exact.OneColour)
	}
}

// markets5 is how many draws have five balls of one colour.
func markets5(markets []market) (draws int) {
	for _, m := range markets {
		if strings.HasPrefix(m.text, "colour_exactly:") && strings.HasSuffix(m.text, ":5") {
			draws += m.won
		}
	}
	return draws
}
