package games_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/games/blackjack"
	"tally/lib/rulebook/rules"
)

// shoe is some shuffled decks.
func shoe(random *rand.Rand, decks int) (cards []string) {
	for range decks {
		for _, rank := range "A23456789TJQK" {
			for _, suit := range "SHDC" {
				cards = append(cards, string(rank)+string(suit))
			}
		}
	}
	random.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
	return cards
}

func numbers(random *rand.Rand, from, to, count int) []int {
	list := make([]int, count)
	for i := range list {
		list[i] = from + random.IntN(to-from+1)
	}
	return list
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// randomFacts deals facts that have an outcome, by game.
var randomFacts = map[string]func(*rand.Rand) string{
	"baccarat":      func(random *rand.Rand) string { return coup(random, 6) },
	"live_baccarat": func(random *rand.Rand) string { return coup(random, 8) },
	"dice": func(random *rand.Rand) string {
		return `{"rolls":[{"dice":` + asJSON(numbers(random, 1, 6, 5)) + `}]}`
	},
	"lucky5": func(random *rand.Rand) string { return balls(random, 36, 5) },
	"lucky7": func(random *rand.Rand) string { return balls(random, 42, 7+random.IntN(3)) },
	"poker": func(random *rand.Rand) string {
		cards := shoe(random, 1)
		return asJSON(map[string]any{"hands": slices.Collect(slices.Chunk(cards[:12], 2)), "board": cards[12:17]})
	},
	"war": func(random *rand.Rand) string {
		cards := shoe(random, 6)
		return asJSON(map[string]string{"player": cards[0], "dealer": cards[1]})
	},
	"wheel": func(random *rand.Rand) string {
		sector := fmt.Sprint(random.IntN(19))
		if sector == "0" {
			sector = "cup"
		}
		return asJSON(map[string]any{"spins": []any{map[string]any{"turns": 3, "sector": sector}}})
	},
	"blackjack": func(random *rand.Rand) string {
		for { // everyone stands; a dealer who need not draw
			cards := shoe(random, 8)
			facts := asJSON(map[string]any{"dealer": cards[:2], "seats": []any{
				map[string]any{"seat": 1 + random.IntN(7), "hands": []any{map[string]any{"cards": cards[2:4]}}}}})
			if answer := ruletest.Answer(blackjack.Game, facts); answer[0] == '{' {
				return facts
			}
		}
	},
	"roulette": func(random *rand.Rand) string {
		return fmt.Sprintf(`{"spins":[{"revolutions":3,"pocket":%d}]}`, random.IntN(37))
	},
}

func balls(random *rand.Rand, of, count int) string {
	list := random.Perm(of)[:count]
	for i := range list {
		list[i]++
	}
	return `{"balls":` + asJSON(list) + `}`
}

// coup deals baccarat by the rulebook.
func coup(random *rand.Rand, decks int) string {
	cards := shoe(random, decks)
	points := func(hand []string) (sum int) {
		for _, card := range hand {
			if at := strings.IndexByte("A23456789", card[0]); at >= 0 {
				sum += at + 1
			}
		}
		return sum % 10
	}
	player, banker := []string{cards[0], cards[2]}, []string{cards[1], cards[3]}
	if p, b := points(player), points(banker); p < 8 && b < 8 {
		draws := b <= 5
		if p <= 5 {
			player = append(player, cards[4])
			third := points(cards[4:5])
			draws = b <= 2 || b == 3 && third != 8 || b == 4 && third >= 2 && third <= 7 || b == 5 && third >= 4 && third <= 7 || b == 6 && (third == 6 || third == 7)
		}
		if draws {
			banker = append(banker, cards[5])
		}
	}
	return asJSON(map[string][]string{"player": player, "banker": banker})
}

// exclusive are the groups of families of which one selection wins, by the
// rulebook; each game's catalogue lists at least these.
var exclusive = map[string][]string{
	"baccarat": {"player banker tie", "small big"}, "live_baccarat": {"player banker tie"},
	"dice":   {"combo", "sum_odd sum_even"},
	"lucky5": {"sum_odd sum_even", "more_odd more_even", "first_odd first_even", "last_odd last_even", "first_colour", "last_colour"},
	"lucky7": {"sum_odd sum_even", "more_odd more_even", "first_odd first_even", "last_odd last_even", "first_colour", "last_colour"},
	"poker":  {"combo"},
	"war": {"player war dealer", "player_red player_black", "player_spades player_hearts player_clubs player_diamonds",
		"player_under_8 player_8 player_over_8", "player_figure player_number", "dealer_red dealer_black",
		"dealer_spades dealer_hearts dealer_clubs dealer_diamonds", "dealer_under_8 dealer_8 dealer_over_8", "dealer_figure dealer_number"},
	"wheel": {"under over fortune", "even odd fortune", "grey red black fortune", "range fortune", "number fortune",
		"red_odd red_even black_odd black_even grey_odd grey_even fortune"},
	"blackjack": nil,
	"roulette":  {"straight"},
}

// opposites are pairs of families that share their lines: under a line or over
// it, one of the two wins.
var opposites = map[string][][2]string{
	"dice":   {{"sum_under", "sum_over"}, {"face", "face_none"}},
	"lucky5": {{"sum_under", "sum_over"}, {"first_under", "first_over"}, {"last_under", "last_over"}, {"colour_under", "colour_over"}, {"colour_any", "colour_none"}},
	"lucky7": {{"sum_under", "sum_over"}, {"first_under", "first_over"}, {"last_under", "last_over"}, {"colour_under", "colour_over"}, {"colour_any", "colour_none"}},
	"wheel":  {{"under", "over"}},
}

// TestExclusiveGroups: on random facts exactly one selection of each group wins.
func TestExclusiveGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	for _, game := range games.All() {
		var listed []string
		for _, group := range game.Groups {
			listed = append(listed, strings.Join(group, " "))
		}
		if want := exclusive[game.ID]; !slices.Equal(listed, want) {
			t.Errorf("%s lists the groups %q, want %q", game.ID, listed, want)
		}
		for range 300 {
			facts := randomFacts[game.ID](random)
			o := ruletest.Outcome(t, game, facts)
			for _, group := range game.Groups {
				if winners := ruletest.Winners(game, o, group); len(winners) != 1 {
					t.Fatalf("%s: of %v win %v on %s", game.ID, group, winners, facts)
				}
			}
			for _, pair := range opposites[game.ID] {
				checkOpposites(t, game, o, pair, facts)
			}
			checkColours(t, game, o, facts)
		}
	}
}

// checkOpposites checks that of each line's two sides one wins. On the wheel the
// cup is on neither side.
func checkOpposites(t *testing.T, game *rules.Game, o rules.Outcome, pair [2]string, facts string) {
	t.Helper()
	for s := range game.SelectionsOf(pair[0]) {
		other := ruletest.Selection(t, game, pair[1]+strings.TrimPrefix(game.Text(s), pair[0]))
		one, two := ruletest.Wins(game, o, s), ruletest.Wins(game, o, other)
		isCup := game.ID == "wheel" && ruletest.JSON(o) == `{"sector":"cup"}`
		if one && two || !isCup && !one && !two {
			t.Fatalf("%s: %s wins: %t, %s wins: %t on %s", game.ID, game.Text(s), one, game.Text(other), two, facts)
		}
	}
}

// checkColours checks that of two colours one has more, or they are equal, and
// that a number of balls of a colour holds exactly once.
func checkColours(t *testing.T, game *rules.Game, o rules.Outcome, facts string) {
	t.Helper()
	for s := range game.SelectionsOf("colour_more") {
		names := strings.TrimPrefix(game.Text(s), "colour_more:")
		a, b, _ := strings.Cut(names, "-")
		count := 0
		for _, text := range []string{"colour_more:" + names, "colour_more:" + b + "-" + a, "colour_equal:" + names} {
			if ruletest.Wins(game, o, ruletest.Selection(t, game, text)) {
				count++
			}
		}
		if count != 1 {
			t.Fatalf("%s: %d of three hold for %s on %s", game.ID, count, names, facts)
		}
	}
	exactly := map[string]int{}
	for s := range game.SelectionsOf("colour_exactly") {
		colour := strings.Split(game.Text(s), ":")[1]
		if ruletest.Wins(game, o, s) {
			exactly[colour]++
		} else {
			exactly[colour] += 0
		}
	}
	for colour, count := range exactly {
		if count != 1 {
			t.Fatalf("%s: %d numbers of %s balls hold on %s", game.ID, count, colour, facts)
		}
	}
}

// TestTies: equal cards refund in baccarat, lose in war, and pay everyone in
// poker.
func TestTies(t *testing.T) {
	const board = `"board":["AS","KS","QS","JS","TS"],"hands":[["2C","3D"],["2D","3C"],["2H","3H"],["4C","5D"],["4D","5C"],["4H","5H"]]`
	for _, row := range ruletest.Rows(t, `
		game          | facts                                       | selection | verdict
		baccarat      | {"player":["KS","8D"],"banker":["KH","8C"]} | player    | refunded tie
		baccarat      | {"player":["KS","8D"],"banker":["KH","8C"]} | banker    | refunded tie
		baccarat      | {"player":["KS","8D"],"banker":["KH","8C"]} | tie       | won
		live_baccarat | {"player":["KS","8D"],"banker":["KH","8C"]} | player    | refunded tie
		live_baccarat | {"player":["KS","8D"],"banker":["KH","8C"]} | banker    | refunded tie
		live_baccarat | {"player":["KS","8D"],"banker":["KH","8C"]} | tie       | won 9.00
		war           | {"player":"KS","dealer":"KD"}               | player    | lost
		war           | {"player":"KS","dealer":"KD"}               | dealer    | lost
		war           | {"player":"KS","dealer":"KD"}               | war       | won
		poker         | {BOARD}                                     | hand:1    | won
		poker         | {BOARD}                                     | hand:2    | won
		poker         | {BOARD}                                     | hand:3    | won
		poker         | {BOARD}                                     | hand:4    | won
		poker         | {BOARD}                                     | hand:5    | won
		poker         | {BOARD}                                     | hand:6    | won
		poker         | {BOARD}                                     | combo:royal_flush | won
	`) {
		t.Run(row[0]+" "+row[1]+" "+row[2], func(t *testing.T) {
			game := find(t, row[0])
			o := ruletest.Outcome(t, game, strings.ReplaceAll(row[1], "BOARD", board))
			if got := ruletest.Verdict(game, o, ruletest.Selection(t, game, row[2])); got != row[3] {
				t.Errorf("%s %s: %s, want %s", row[0], row[2], got, row[3])
			}
		})
	}
}

// FuzzFacts: any text as facts is answered, the same way twice.
func FuzzFacts(f *testing.F) {
	random := rand.New(rand.NewPCG(17, 18))
	for range 3 {
		for _, deal := range randomFacts {
			f.Add(deal(random))
		}
	}
	for _, facts := range []string{`{}`, `[]`, `{"rolls":[{"dice":[]}]}`, `{"spins":[{"turns":-1,"sector":null}]}`,
		`{"dealer":[],"seats":[{"seat":9,"split":true,"hands":[]}]}`, `{"hands":[[]],"board":[]}`, `{"balls":[0,-1,99]}`} {
		f.Add(facts)
	}
	f.Fuzz(func(t *testing.T, facts string) {
		for _, game := range games.All() {
			first := ruletest.Answer(game, facts)
			if again := ruletest.Answer(game, facts); again != first {
				t.Fatalf("%s answers %s, then %s", game.ID, first, again)
			}
			if first[0] == '{' && !json.Valid([]byte(first)) {
				t.Fatalf("%s answers %s", game.ID, first)
			}
			for _, round := range game.Rounds {
				ruletest.Decided(game, round.Number, facts)
			}
		}
	})
}
