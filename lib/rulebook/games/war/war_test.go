package war_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games/war"
)

const ranks = "23456789TJQKA" // ascending

func deck() (codes []string) {
	for _, rank := range ranks {
		for _, suit := range "SHDC" {
			codes = append(codes, string(rank)+string(suit))
		}
	}
	return codes
}

// winning are the selections that win on two cards, in the rulebook's words.
func winning(player, dealer string) (texts []string) {
	p, d := strings.IndexByte(ranks, player[0]), strings.IndexByte(ranks, dealer[0])
	switch {
	case p == d:
		texts = []string{"war"}
	case p > d:
		texts = []string{"player"}
	default:
		texts = []string{"dealer"}
	}
	return append(append(texts, onCard("player_", player)...), onCard("dealer_", dealer)...)
}

func onCard(side, card string) []string {
	suit := map[byte]string{'S': "spades", 'H': "hearts", 'D': "diamonds", 'C': "clubs"}[card[1]]
	colour := "black"
	if suit == "hearts" || suit == "diamonds" {
		colour = "red"
	}
	kind := "number"
	if strings.ContainsRune("JQK", rune(card[0])) {
		kind = "figure"
	}
	height := "over_8" // an ace too
	switch {
	case card[0] == '8':
		height = "8"
	case strings.ContainsRune("234567", rune(card[0])):
		height = "under_8"
	}
	return []string{side + colour, side + suit, side + kind, side + height}
}

// TestEveryTwoCards deals all 52 × 52 cards and judges every selection. A war
// loses player and dealer.
func TestEveryTwoCards(t *testing.T) {
	game := war.Game
	for _, player := range deck() {
		for _, dealer := range deck() {
			o := ruletest.Outcome(t, game, fmt.Sprintf(`{"player":%q,"dealer":%q}`, player, dealer))
			want := winning(player, dealer)
			if got := ruletest.JSON(o); got != fmt.Sprintf(`{"winner":%q}`, want[0]) {
				t.Fatalf("%s against %s: %s", player, dealer, got)
			}
			for s := range game.Selections {
				verdict := "lost"
				if slices.Contains(want, game.Text(s)) {
					verdict = "won"
				}
				if got := ruletest.Verdict(game, o, s); got != verdict {
					t.Fatalf("%s on %s against %s: %s, want %s", game.Text(s), player, dealer, got, verdict)
				}
			}
		}
	}
}

// TestExactFigures weighs the 52 × 52 cards as six decks do.
func TestExactFigures(t *testing.T) {
	var exact struct {
		Tie, Player    string
		Under8         string `json:"under8_ace_high"`
		Eight          string `json:"eq8"`
		Over8          string `json:"over8_ace_high"`
		Face           string
		AToTen         string                       `json:"A_to_10"`
		GivenThePlayer map[string]map[string]string `json:"round2_given_player_rank"`
	}
	ruletest.Exact(t, "war_6deck", &exact)
	game := war.Game
	ways := map[string]int{}
	given := map[string]int{}
	for _, player := range deck() {
		for _, dealer := range deck() {
			n := 6
			if player == dealer {
				n = 5
			}
			o := ruletest.Outcome(t, game, fmt.Sprintf(`{"player":%q,"dealer":%q}`, player, dealer))
			for s := range game.Selections {
				if ruletest.Wins(game, o, s) {
					ways[game.Text(s)] += 6 * n
					if player[1] == 'S' {
						given[player[:1]+" "+game.Text(s)] += n
					}
				}
			}
		}
	}
	for text, want := range map[string]string{
		"war": exact.Tie, "player": exact.Player, "dealer": exact.Player,
		"player_under_8": exact.Under8, "player_8": exact.Eight, "player_over_8": exact.Over8,
		"dealer_under_8": exact.Under8, "dealer_8": exact.Eight, "dealer_over_8": exact.Over8,
		"player_figure": exact.Face, "player_number": exact.AToTen, "dealer_figure": exact.Face, "dealer_number": exact.AToTen,
	} {
		t.Run(text, func(t *testing.T) {
			if !isShare(t, ways[text], 312*311, want) {
				t.Errorf("%s wins %d of %d, want %s", text, ways[text], 312*311, want)
			}
		})
	}
	for rank, figures := range exact.GivenThePlayer {
		for text, name := range map[string]string{"war": "tie", "player": "dealer_lower", "dealer": "dealer_higher"} {
			if !isShare(t, given[rank+" "+text], 311, figures[name]) {
				t.Errorf("%s after a %s wins %d of 311, want %s", text, rank, given[rank+" "+text], figures[name])
			}
		}
	}
}

// isShare reports whether part of whole is the fraction.
func isShare(t *testing.T, part, whole int, fraction string) bool {
	t.Helper()
	var over, under int
	if _, err := fmt.Sscanf(fraction, "%d/%d", &over, &under); err != nil {
		t.Fatal(err)
	}
	return part*under == whole*over
}

// TestDecidedAfterThePlayersCard: everything about the Player's card is
// decided, and player or dealer where the card is the lowest or the highest.
func TestDecidedAfterThePlayersCard(t *testing.T) {
	for _, player := range deck() {
		won := onCard("player_", player)
		var want []string
		for s := range war.Game.Selections {
			text := war.Game.Text(s)
			switch {
			case slices.Contains(won, text):
				want = append(want, "win "+text)
			case strings.HasPrefix(text, "player_"),
				text == "player" && player[0] == '2',
				text == "dealer" && player[0] == 'A':
				want = append(want, "lose "+text)
			}
		}
		slices.Sort(want)
		if got := ruletest.Decided(war.Game, 2, fmt.Sprintf(`{"player":%q}`, player)); got != strings.Join(want, ", ") {
			t.Errorf("%s: %s, want strings.Join(want, \", \")", player, got)
		}
	}
}

// TestDecidedByBurnedCards takes so many cards out of the shoe that little is
// left to happen.
func TestDecidedByBurnedCards(t *testing.T) {
	burn := func(left func(card string) int) string {
		var codes []string
		for _, card := range deck() {
			for range 6 - left(card) {
				codes = append(codes, fmt.Sprintf("%q", card))
			}
		}
		return "[" + strings.Join(codes, ",") + "]"
	}
	all := func(keep func(card string) bool) func(string) int {
		return func(card string) int {
			if keep(card) {
				return 6
			}
			return 0
		}
	}
	contains := func(t *testing.T, got string, marks ...string) {
		t.Helper()
		list := strings.Split(got, ", ")
		for _, mark := range marks {
			if !slices.Contains(list, mark) {
				t.Errorf("%s is not among %s", mark, got)
			}
		}
	}
	spades := burn(all(func(card string) bool { return card[1] == 'S' }))
	contains(t, ruletest.Decided(war.Game, 1, `{"burned":`+spades+`}`),
		"win player_spades", "win dealer_black", "lose dealer_red", "lose player_hearts")
	oneRank := burn(all(func(card string) bool { return card[0] == 'K' }))
	contains(t, ruletest.Decided(war.Game, 1, `{"burned":`+oneRank+`}`),
		"win war", "lose player", "lose dealer", "win player_figure", "win dealer_over_8")
	oneEach := burn(func(card string) int { return strings.Count("KS 2H", card) })
	contains(t, ruletest.Decided(war.Game, 1, `{"burned":`+oneEach+`}`), "lose war", "lose player_8")
	contains(t, ruletest.Decided(war.Game, 2, `{"player":"KS","burned":`+oneEach+`}`), "lose war", "win player", "win dealer_hearts")
	oneCard := burn(func(card string) int { return strings.Count("KS", card) })
	for round, visible := range []string{`{"burned":` + oneCard + `}`, `{"player":"KS","burned":` + oneCard + `}`} {
		t.Run(visible, func(t *testing.T) {
			if got := ruletest.Decided(war.Game, round+1, visible); got != "invalid: wrong_card_count WAR-2.2" {
				t.Errorf("one card left, round %d: %s", round+1, got)
			}
		})
	}
	if got := ruletest.Decided(war.Game, 1, `{"burned":`+burn(func(string) int { return 0 })+`}`); got != "invalid: wrong_card_count WAR-2.2" {
		t.Errorf("an empty shoe: %s", got)
	}
}

func TestVisible(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		round | visible                                        | answer
		1     | {}                                             |
		1     | {"burned":["AS","AS"]}                         |
		1     | {"player":"KS"}                                | invalid: wrong_card_count WAR-2.2
		2     | {}                                             | invalid: wrong_card_count WAR-2.2
		2     | {"player":"ks"}                                | invalid: unknown_card
		2     | {"player":"KS","burned":["KS","KS","KS","KS","KS","KS"]} | invalid: too_many_copies
		2     | {"player":"KS","dealer":"AD"}                  | malformed: unknown_field facts.dealer
		2     | {"player":["KS"]}                              | malformed: wrong_type facts.player
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			if got := ruletest.Decided(war.Game, int(row[0][0]-'0'), row[1]); got != row[2] {
				t.Errorf("round %s, %s: %s, want %s", row[0], row[1], got, row[2])
			}
		})
	}
}
