package statistics_test

import (
	"math/big"
	"strconv"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games"
	"tally/lib/site/statistics"
)

// aspect returns one aspect of a game.
func aspect(t testing.TB, game, name string) statistics.Aspect {
	t.Helper()
	for _, a := range statistics.Aspects(game) {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("%s has no aspect %s", game, name)
	return statistics.Aspect{}
}

// TestOfEveryGame checks what holds for all aspects: names that can be told apart,
// and probabilities that add up to one.
func TestOfEveryGame(t *testing.T) {
	for _, game := range games.All() {
		aspects := statistics.Aspects(game.ID)
		if len(aspects) < 2 {
			t.Errorf("%s has %d aspects", game.ID, len(aspects))
		}
		names := map[string]bool{}
		for _, a := range aspects {
			if a.Game != game.ID || names[a.Name] || a.PerDraw < 1 || len(a.Values) > 42 {
				t.Errorf("%s: %s is of %s, shows %d of %d values", game.ID, a.Name, a.Game, a.PerDraw, len(a.Values))
			}
			names[a.Name] = true
			total, values := new(big.Rat), map[string]bool{}
			for _, v := range a.Values {
				if values[v.Name] || v.Name == "" || v.Probability.Sign() <= 0 {
					t.Errorf("%s: %s: value %q with %v", game.ID, a.Name, v.Name, v.Probability)
				}
				values[v.Name] = true
				total.Add(total, v.Probability)
			}
			if total.Cmp(big.NewRat(1, 1)) != 0 {
				t.Errorf("%s: %s: the probabilities add up to %v", game.ID, a.Name, total)
			}
		}
	}
	if statistics.Aspects("whist") != nil {
		t.Error("a game that there is not has aspects")
	}
}

// expect compares an aspect with counts out of a total.
func expect(t *testing.T, game, name string, total int64, counts map[string]int64) {
	t.Helper()
	a := aspect(t, game, name)
	if len(a.Values) != len(counts) {
		t.Errorf("%s: %s has %d values instead of %d", game, name, len(a.Values), len(counts))
	}
	for _, v := range a.Values {
		count, known := counts[v.Name]
		if want := big.NewRat(count, total); !known || v.Probability.Cmp(want) != 0 {
			t.Errorf("%s: %s: %s is expected %v of the time instead of %v", game, name, v.Name, v.Probability, want)
		}
	}
}

// uniform says that each of so many values is as likely as any other.
func uniform(t *testing.T, game, name string, values ...string) {
	t.Helper()
	counts := map[string]int64{}
	for _, value := range values {
		counts[value] = 1
	}
	expect(t, game, name, int64(len(values)), counts)
}

func numbers(first, last int) (names []string) {
	for n := first; n <= last; n++ {
		names = append(names, strconv.Itoa(n))
	}
	return names
}

var ranks = strings.Split("2 3 4 5 6 7 8 9 T J Q K A", " ")

func TestDice(t *testing.T) {
	var exact struct {
		Total int64
		Class map[string]int64
		Sum   map[string]int64
	}
	ruletest.Exact(t, "dice", &exact)
	combinations := map[string]int64{}
	for ours, theirs := range map[string]string{"pair": "one_pair", "two_pairs": "two_pair", "low_line": "low_straight", "high_line": "high_straight"} {
		combinations[ours] = exact.Class[theirs]
		delete(exact.Class, theirs)
	}
	for name, count := range exact.Class {
		combinations[name] = count
	}
	expect(t, "dice", "combination", exact.Total, combinations)
	expect(t, "dice", "sum", exact.Total, exact.Sum)
	uniform(t, "dice", "face", numbers(1, 6)...)
}

// TestBalls compares with the exact figures of each sum.
func TestBalls(t *testing.T) {
	for _, game := range []struct {
		id           string
		balls        int
		least, most  int
		first, last  string
		groups       int
		colours      string
		colourShares []int64
	}{
		{"lucky5", 36, 15, 170, "15-20", "161-170", 16, "white green red blue", []int64{9, 9, 9, 9}},
		{"lucky7", 42, 28, 273, "28-30", "271-273", 26, "yellow black", []int64{21, 21}},
	} {
		t.Run(game.id, func(t *testing.T) {
			var exact struct {
				Total int64
				Sum   map[string]int64
				Odd   map[string]int64 `json:"odd_count"`
			}
			ruletest.Exact(t, game.id, &exact)
			groups := map[string]int64{}
			for _, v := range aspect(t, game.id, "sum").Values {
				from, to, _ := strings.Cut(v.Name, "-")
				least, _ := strconv.Atoi(from)
				most, _ := strconv.Atoi(to)
				for sum := least; sum <= most; sum++ {
					groups[v.Name] += exact.Sum[strconv.Itoa(sum)]
				}
			}
			if len(groups) != game.groups || groups[game.first] == 0 || groups[game.last] == 0 {
				t.Errorf("%s: groups of sums %v", game.id, groups)
			}
			expect(t, game.id, "sum", exact.Total, groups)
			expect(t, game.id, "odd", exact.Total, exact.Odd)
			uniform(t, game.id, "ball", numbers(1, game.balls)...)
			colours := map[string]int64{}
			for i, colour := range strings.Fields(game.colours) {
				colours[colour] = game.colourShares[i]
			}
			expect(t, game.id, "colour", int64(game.balls), colours)
		})
	}
}

// TestBaccarat compares with exact figures, and the pairs with a deal of all orders
// of four cards.
func TestBaccarat(t *testing.T) {
	var exact map[string]struct {
		Total   int64 `json:"total_perms_6"`
		Player  int64
		Banker  int64
		Tie     int64
		Cards4  int64
		Cards5  int64
		Cards6  int64
		Natural int64 `json:"natural_any"`

		PlayerPair  float64 `json:"p_player_pair"`
		EitherPair  float64 `json:"p_either_pair"`
		BothPairs   float64 `json:"p_both_pair"`
		PerfectPair float64 `json:"p_perfect_pair_either_hand"`
	}
	ruletest.Exact(t, "baccarat", &exact)
	for game, decks := range map[string]string{"baccarat": "decks6", "live_baccarat": "decks8"} {
		e := exact[decks]
		expect(t, game, "winner", e.Total, map[string]int64{"player": e.Player, "banker": e.Banker, "tie": e.Tie})
		expect(t, game, "cards", e.Total, map[string]int64{"4": e.Cards4, "5": e.Cards5, "6": e.Cards6})
		expect(t, game, "natural", e.Total, map[string]int64{"yes": e.Natural, "no": e.Total - e.Natural})
		near(t, game, "pairs", map[string]float64{"none": 1 - e.EitherPair, "player": e.PlayerPair - e.BothPairs,
			"banker": e.PlayerPair - e.BothPairs, "both": e.BothPairs})
		near(t, game, "perfect_pair", map[string]float64{"yes": e.PerfectPair, "no": 1 - e.PerfectPair})
	}
}

// near compares an aspect with rounded figures.
func near(t *testing.T, game, name string, want map[string]float64) {
	t.Helper()
	a := aspect(t, game, name)
	for _, v := range a.Values {
		if got, _ := v.Probability.Float64(); len(a.Values) != len(want) || got < want[v.Name]-1e-12 || got > want[v.Name]+1e-12 {
			t.Errorf("%s: %s: %s is expected %v of the time instead of %v", game, name, v.Name, got, want[v.Name])
		}
	}
}

func TestPoker(t *testing.T) {
	var exact map[string]map[string]int64
	ruletest.Exact(t, "poker_frequencies", &exact)
	names := map[string]string{"high_card": "HIGH_CARD", "pair": "PAIR", "two_pairs": "TWO_PAIR", "three_of_a_kind": "THREE_OF_A_KIND",
		"straight": "STRAIGHT", "flush": "FLUSH", "full_house": "FULL_HOUSE", "four_of_a_kind": "FOUR_OF_A_KIND",
		"straight_flush": "STRAIGHT_FLUSH_incl_royal", "royal_flush": "ROYAL_FLUSH"}
	for name, figures := range map[string]map[string]int64{"board": exact["five_card"], "first_hand": exact["seven_card_best_five"]} {
		counts := map[string]int64{}
		for ours, theirs := range names {
			counts[ours] = figures[theirs]
		}
		counts["straight_flush"] -= counts["royal_flush"]
		expect(t, "poker", name, figures["total"], counts)
	}
	uniform(t, "poker", "sole_winner", numbers(1, 6)...)
}

func TestWheelsAndCards(t *testing.T) {
	expect(t, "war", "winner", 311, map[string]int64{"player": 144, "war": 23, "dealer": 144})
	uniform(t, "war", "player_card", ranks...)
	uniform(t, "war", "dealer_card", ranks...)
	uniform(t, "blackjack", "dealer_open", ranks...)
	expect(t, "blackjack", "dealer_blackjack", 5395, map[string]int64{"yes": 256, "no": 5139})
	uniform(t, "wheel", "sector", append(numbers(1, 18), "cup")...)
	expect(t, "wheel", "colour", 19, map[string]int64{"black": 6, "grey": 6, "red": 6, "none": 1})
	uniform(t, "roulette", "pocket", numbers(0, 36)...)
	expect(t, "roulette", "colour", 37, map[string]int64{"red": 18, "black": 18, "green": 1})
}
