package baccarat_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games/baccarat"
	"tally/lib/rulebook/rules"
)

// TestVerdicts has every selection on hands that matter. A tie refunds Player
// and Banker and nothing else.
func TestVerdicts(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		player   | banker   | won                                                    | refunded
		KS 8D    | 9H 2C    | player small                                           |
		KS 7D    | 9H KC    | banker small                                           |
		KS 8D    | KH 8C    | tie small                                              | player banker
		KS 6D    | KH 6C    | tie small                                              | player banker
		KS 3D 7C | 9H 2C QS | banker big                                             |
		2S 3D TC | KH 7C    | banker big                                             |
		KS KD    | 2H 7C    | banker player_pair either_pair small                   |
		KS KD 9C | 5H 5D 2S | player player_pair banker_pair either_pair big         |
		KS TD 9C | 3H 3D    | player banker_pair either_pair big                     |
		4S 4S    | 4S 5D    | banker player_pair either_pair perfect_pair small      |
		4S 4D    | 4S 4D    | tie player_pair banker_pair either_pair small          | player banker
		4S 4S    | 4D 4D    | tie player_pair banker_pair either_pair perfect_pair small | player banker
		KS TS    | 9H 9H    | banker_pair either_pair perfect_pair banker small      |
		KS 2D 2D | KH 5D    | banker big                                             |
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			facts := hands(strings.Fields(row[0]), strings.Fields(row[1]))
			for _, game := range []*rules.Game{baccarat.Game, baccarat.Live} {
				o, problem := outcome(game, facts)
				if problem != "" {
					t.Errorf("%s: %s, want problem = \"\"", facts, problem)
					continue
				}
				for s := range game.Selections {
					text, want := game.Text(s), "lost"
					if slices.Contains(strings.Fields(row[2]), text) {
						want = "won"
					}
					if slices.Contains(strings.Fields(row[3]), text) {
						want = "refunded tie"
					}
					if odds := map[string]string{"player": "2.00", "banker": "1.95", "tie": "9.00"}[text]; game == baccarat.Live && want == "won" {
						want += " " + odds
					}
					if got := ruletest.Verdict(game, o, s); got != want {
						t.Errorf("%s, %s on %s: %s, want %s", game.ID, text, facts, got, want)
					}
				}
			}
		})
	}
}

// What is wrong with the cards themselves is said all together, and before what is wrong
// with how they were dealt. Six decks have six of a card, eight have eight.
func TestWrongCards(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		player            | banker               | baccarat                                               | live_baccarat
		KS                | 9H 2C                | wrong_card_count BAC-2.1                               | wrong_card_count LBAC-3.4.3
		KS 8D 2S 2D       | 9H                   | wrong_card_count BAC-2.1, wrong_card_count BAC-2.1     | wrong_card_count LBAC-3.4.3, wrong_card_count LBAC-3.4.3
		KS XX             | 9H 2C                | unknown_card                                           | unknown_card
		KS                | 9H 1C                | unknown_card, wrong_card_count BAC-2.1                 | unknown_card, wrong_card_count LBAC-3.4.3
		KS KS KS KS       | KS KS KS             | too_many_copies, wrong_card_count BAC-2.1              | wrong_card_count LBAC-3.4.3
	`) {
		t.Run(row[0]+", "+row[1], func(t *testing.T) {
			facts := hands(strings.Fields(row[0]), strings.Fields(row[1]))
			for game, want := range map[*rules.Game]string{baccarat.Game: row[2], baccarat.Live: row[3]} {
				if _, problem := outcome(game, facts); problem != "invalid: "+want {
					t.Errorf("%s: %s, want %s", game.ID, problem, want)
				}
			}
		})
	}
}

func outcome(game *rules.Game, facts string) (rules.Outcome, string) {
	read, problems := ruletest.Read(game, facts)
	if len(problems) > 0 {
		return nil, fmt.Sprint(problems)
	}
	r := game.Resolve(read)
	if len(r.Faults) > 0 {
		return nil, ruletest.Faults(r.Faults)
	}
	return r.Outcome, ""
}

// TestTieRefundsNameTheirParagraph: the money is the tie's, not the winner's.
func TestTieRefundsNameTheirParagraph(t *testing.T) {
	facts := hands([]string{"KS", "8D"}, []string{"KH", "8C"})
	for game, rule := range map[*rules.Game]string{baccarat.Game: "BAC-2.3.1", baccarat.Live: "LBAC-2.1.5"} {
		t.Run(game.ID, func(t *testing.T) {
			for _, side := range []string{"player", "banker"} {
				t.Run(side, func(t *testing.T) {
					v := game.Judge(ruletest.Outcome(t, game, facts), ruletest.Selection(t, game, side))
					if v.Rule != rule || v.Reason != "tie" {
						t.Errorf("%s %s: %+v, want v.Rule = %v and v.Reason = \"tie\"", game.ID, side, v, rule)
					}
				})
			}
		})
	}
}

// figures are the exact probabilities of a fresh shoe.
type figures struct {
	Perms   float64 `json:"total_perms_6"`
	Player  float64
	Banker  float64
	Tie     float64
	Cards4  float64
	Cards5  float64
	Cards6  float64
	Natural float64 `json:"natural_any"`
	Banker6 float64 `json:"banker_win_with_6"`

	PlayerPair float64 `json:"p_player_pair"`
	BankerPair float64 `json:"p_banker_pair"`
	EitherPair float64 `json:"p_either_pair"`
	OnePerfect float64 `json:"p_perfect_pair_one_named_hand"`

	AfterFirst []struct {
		P1                         int
		Player, Banker, Tie, Small float64
	} `json:"round2_by_player_first_value"`
}

// shoe counts the cards left by their points; a card of each is dealt in turn
// from a suit of its own, so that no card comes twice too often.
type shoe struct {
	t     *testing.T
	game  *rules.Game
	left  [10]int
	share map[string]float64 // of all permutations, by what happened
	first [10]map[string]float64
}

// TestExactProbabilities deals every sequence of points from a fresh shoe of
// six and of eight decks and resolves each. Weights are counted in permutations
// of the cards dealt, as a share of all.
func TestExactProbabilities(t *testing.T) {
	var exact map[string]figures
	ruletest.Exact(t, "baccarat", &exact)
	for part, game := range map[string]*rules.Game{"decks6": baccarat.Game, "decks8": baccarat.Live} {
		want := exact[part]
		s := shoe{t: t, game: game, share: map[string]float64{}}
		for points := range 10 {
			s.left[points] = 4 * game.Decks
			s.first[points] = map[string]float64{}
		}
		s.left[0] = 16 * game.Decks
		s.deal(nil, 1, float64(52*game.Decks))
		for name, share := range map[string]float64{
			"player": want.Player / want.Perms, "banker": want.Banker / want.Perms, "tie": want.Tie / want.Perms,
			"4": want.Cards4 / want.Perms, "5": want.Cards5 / want.Perms, "6": want.Cards6 / want.Perms,
			"natural": want.Natural / want.Perms, "banker with 6": want.Banker6 / want.Perms,
		} {
			near(t, part+" "+name, s.share[name], share)
		}
		for _, after := range want.AfterFirst {
			first := s.first[after.P1]
			all := first["player"] + first["banker"] + first["tie"]
			name := fmt.Sprintf("%s after a first card of %d: ", part, after.P1)
			near(t, name+"player", first["player"]/all, after.Player)
			near(t, name+"banker", first["banker"]/all, after.Banker)
			near(t, name+"tie", first["tie"]/all, after.Tie)
			near(t, name+"small", first["4"]/all, after.Small)
		}
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s: %.15f, want %.15f", what, got, want)
	}
}

// deal deals P1 B1 P2 B2 by points and then what the rules ask for. Of a side's
// two cards the lower comes first: both orders are as likely and end alike.
func (s *shoe) deal(dealt []int, weight, cards float64) {
	if len(dealt) == 4 {
		s.finish(dealt, weight, cards)
		return
	}
	for points := range 10 {
		next := append(dealt[:len(dealt):len(dealt)], points)
		factor := 1.0
		if len(next) > 2 {
			switch first := next[len(next)-3]; {
			case points < first:
				continue
			case points > first:
				factor = 2
			}
		}
		s.take(points, func(p float64) { s.deal(next, factor*weight*p, cards-1) }, cards)
	}
}

func (s *shoe) take(points int, then func(p float64), cards float64) {
	if s.left[points] == 0 {
		return
	}
	p := float64(s.left[points]) / cards
	s.left[points]--
	then(p)
	s.left[points]++
}

func (s *shoe) finish(dealt []int, weight, cards float64) {
	player, banker := []int{dealt[0], dealt[2]}, []int{dealt[1], dealt[3]}
	p, b := (dealt[0]+dealt[2])%10, (dealt[1]+dealt[3])%10
	switch {
	case p > 7 || b > 7:
		s.note(player, banker, weight, true)
	case p > 5:
		s.bankers(player, banker, weight, cards, bankerDraws[b][stood])
	default:
		for points := range 10 {
			s.take(points, func(share float64) {
				s.bankers(append(player[:2:2], points), banker, weight*share, cards-1, bankerDraws[b][points])
			}, cards)
		}
	}
}

func (s *shoe) bankers(player, banker []int, weight, cards float64, draws bool) {
	if !draws {
		s.note(player, banker, weight, false)
		return
	}
	for points := range 10 {
		s.take(points, func(share float64) { s.note(player, append(banker[:2:2], points), weight*share, false) }, cards)
	}
}

// note resolves a deal and adds its weight to what happened.
func (s *shoe) note(player, banker []int, weight float64, natural bool) {
	var text []byte
	side := func(name, suits string, hand []int) {
		text = fmt.Appendf(text, "%q:[", name)
		for i, points := range hand {
			if i > 0 {
				text = append(text, ',')
			}
			rank := "TA23456789"[points]
			text = append(text, '"', rank, suits[i], '"')
		}
		text = append(text, ']')
	}
	text = append(text, '{')
	side("player", "SHD", player)
	text = append(text, ',')
	side("banker", "CSH", banker)
	text = append(text, '}')
	o := ruletest.Outcome(s.t, s.game, string(text))
	for i, name := range []string{"player", "banker", "tie"} {
		if selection, err := s.game.Parse(name); err == nil && ruletest.Wins(s.game, o, selection) {
			s.share[name] += weight
			s.first[player[0]][name] += weight / 2
			s.first[player[1]][name] += weight / 2
			total := 0
			for _, points := range banker {
				total += points
			}
			if i == 1 && total%10 == 6 {
				s.share["banker with 6"] += weight
			}
		}
	}
	count := fmt.Sprint(len(player) + len(banker))
	s.share[count] += weight
	s.first[player[0]][count] += weight / 2
	s.first[player[1]][count] += weight / 2
	if natural {
		s.share["natural"] += weight
	}
}

// TestPairProbabilities deals every two first cards by rank and suit.
func TestPairProbabilities(t *testing.T) {
	var exact map[string]figures
	ruletest.Exact(t, "baccarat", &exact)
	want, game := exact["decks6"], baccarat.Game
	selections := map[string]rules.Selection{}
	for _, name := range []string{"player_pair", "banker_pair", "either_pair", "perfect_pair"} {
		selections[name] = ruletest.Selection(t, game, name)
	}
	share := map[string]float64{}
	suits := "SHDC"
	for first := range 52 {
		for second := range 52 {
			n := 6.0
			if first == second {
				n = 5
			}
			weight := 6 * n / (312 * 311)
			a := string(ranks[first/4]) + suits[first%4:first%4+1]
			b := string(ranks[second/4]) + suits[second%4:second%4+1]
			two := []string{a, b}
			// the other side has a natural without a pair, so that no third card comes
			if o, problem := outcome(game, hands(two, []string{"JC", "9C"})); problem != "" {
				t.Fatalf("%s, want an outcome", problem)
			} else {
				for name, s := range selections {
					if name != "banker_pair" && ruletest.Wins(game, o, s) {
						share[name] += weight
					}
				}
			}
			o, problem := outcome(game, hands([]string{"JC", "9C"}, two))
			if problem != "" {
				t.Fatalf("%s, want an outcome", problem)
			}
			if ruletest.Wins(game, o, selections["banker_pair"]) {
				share["banker_pair"] += weight
			}
		}
	}
	near(t, "player_pair", share["player_pair"], want.PlayerPair)
	near(t, "banker_pair", share["banker_pair"], want.BankerPair)
	near(t, "either_pair of one side", share["either_pair"], want.PlayerPair)
	near(t, "perfect_pair of one side", share["perfect_pair"], want.OnePerfect)
}

func TestVisible(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		round | visible                                      | answer
		1     | {}                                           |
		1     | {"player":[],"banker":[]}                    |
		1     | {"player":["KS"]}                            | invalid: wrong_card_count BAC-2.2
		2     | {"player":["KS"]}                            |
		2     | {"player":["KS"],"banker":[]}                |
		2     | {}                                           | invalid: wrong_card_count BAC-2.2
		2     | {"player":["KS","2D"]}                       | invalid: wrong_card_count BAC-2.2
		2     | {"banker":["KS"]}                            | invalid: wrong_card_count BAC-2.2, wrong_card_count BAC-2.2
		2     | {"player":["KS"],"banker":["9D"]}            | invalid: wrong_card_count BAC-2.2
		2     | {"player":["ks"]}                            | invalid: unknown_card
		2     | {"player":["KS"],"burned":["KS","KS","KS","KS","KS","KS"]} | invalid: too_many_copies
		3     | {"player":["KS"],"banker":["9D"]}            |
		3     | {"player":["KS"]}                            | invalid: wrong_card_count BAC-2.2
		3     | {"player":["KS","2D"],"banker":["9D"]}       | invalid: wrong_card_count BAC-2.2
		3     | {"player":["KS"],"banker":["9D"],"plyer":[]} | malformed: unknown_field facts.plyer
		3     | {"player":"KS","banker":["9D"]}              | malformed: wrong_type facts.player
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			if got := ruletest.Decided(baccarat.Game, int(row[0][0]-'0'), row[1]); got != row[2] {
				t.Errorf("round %s, %s: %s, want %s", row[0], row[1], got, row[2])
			}
		})
	}
}

// TestFreshShoeDecidesNothing tries every first card of the Player, and of both
// sides.
func TestFreshShoeDecidesNothing(t *testing.T) {
	for _, p := range []byte(ranks) {
		if got := ruletest.Decided(baccarat.Game, 2, fmt.Sprintf(`{"player":["%cS"]}`, p)); got != "" {
			t.Errorf("a %c decides %s", p, got)
		}
		if got := ruletest.Decided(baccarat.Game, 3, fmt.Sprintf(`{"player":["%cS"],"banker":["9H"]}`, p)); got != "" {
			t.Errorf("a %c against a 9 decides %s", p, got)
		}
	}
}

// burning is the burned cards that leave nothing but those.
func burning(left []string) string {
	var burned []string
	for _, rank := range ranks {
		for _, suit := range "SHDC" {
			card := string(rank) + string(suit)
			copies := 6
			for _, kept := range left {
				if kept == card {
					copies--
				}
			}
			for range copies {
				burned = append(burned, fmt.Sprintf("%q", card))
			}
		}
	}
	return "[" + strings.Join(burned, ",") + "]"
}

// TestDecidedByBurnedCards empties the shoe but for a few cards and compares
// with every order in which those can come.
func TestDecidedByBurnedCards(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	fixed := [][]string{
		{"KS", "KH", "KD", "KC", "QS", "QH"},       // nobody can have points
		{"9S", "9S", "KH", "KD", "9C", "KC"},       // a natural on one side at least
		{"8S", "8S", "8S", "8S", "8S", "8S"},       // perfect pairs only
		{"AS", "AH", "AD", "AC", "AS", "AH", "AD"}, // aces only
		{"2S", "3S", "4S", "5S"},                   // too few for a third card
		{"KS", "9S", "JH"},                         // too few at all
	}
	for range 24 {
		var left []string
		for range 6 + random.IntN(2) {
			left = append(left, string(ranks[random.IntN(13)])+string("SHDC"[random.IntN(2)]))
		}
		fixed = append(fixed, left)
	}
	for _, left := range fixed {
		t.Run(left[0]+" "+left[1], func(t *testing.T) {
			for open := range 3 {
				visible := left[:open]
				rest := left[open:]
				facts := []string{`"burned":` + burning(left)}
				if open > 0 {
					facts = append(facts, fmt.Sprintf(`"player":[%q]`, visible[0]))
				}
				if open > 1 {
					facts = append(facts, fmt.Sprintf(`"banker":[%q]`, visible[1]))
				}
				got := ruletest.Decided(baccarat.Game, open+1, "{"+strings.Join(facts, ",")+"}")
				if want := slowDecided(visible, rest); got != want {
					t.Fatalf("%v open, %v left: %s, want %s", visible, rest, got, want)
				}
			}
		})
	}
}

// slowDecided deals every order of the cards left and looks what always and
// what never wins.
func slowDecided(visible, rest []string) string {
	wins, loses, dealt := map[string]bool{}, map[string]bool{}, false
	var names []string
	for s := range baccarat.Game.Selections {
		names = append(names, baccarat.Game.Text(s))
	}
	seen := map[string]bool{}
	var walk func(order, rest []string)
	walk = func(order, rest []string) {
		if player, banker, complete := split(order); complete {
			text := oracle(player, banker)
			if !seen[text] {
				seen[text] = true
				for _, name := range names {
					switch verdict(text, name) {
					case "won":
						wins[name] = true
					case "lost":
						loses[name] = true
					}
				}
			}
			dealt = true
			return
		}
		tried := map[string]bool{}
		for i, card := range rest {
			if !tried[card] {
				tried[card] = true
				walk(append(order[:len(order):len(order)], card), slices.Concat(rest[:i], rest[i+1:]))
			}
		}
	}
	walk(visible, rest)
	if !dealt {
		return "invalid: wrong_card_count BAC-2.1"
	}
	var marks []string
	for _, name := range names {
		switch {
		case !wins[name]:
			marks = append(marks, "lose "+name)
		case !loses[name]:
			marks = append(marks, "win "+name)
		}
	}
	slices.Sort(marks)
	return strings.Join(marks, ", ")
}

// split deals cards in the order P1 B1 P2 B2 and thirds; complete when no more
// are to come.
func split(order []string) (player, banker []string, complete bool) {
	if len(order) < 4 {
		return nil, nil, false
	}
	player, banker = []string{order[0], order[2]}, []string{order[1], order[3]}
	p := (pointsOf[order[0][0]] + pointsOf[order[2][0]]) % 10
	b := (pointsOf[order[1][0]] + pointsOf[order[3][0]]) % 10
	rest := order[4:]
	if p > 7 || b > 7 {
		return player, banker, true
	}
	third := stood
	if p <= 5 {
		if len(rest) == 0 {
			return nil, nil, false
		}
		player, third, rest = append(player, rest[0]), pointsOf[rest[0][0]], rest[1:]
	}
	if bankerDraws[b][third] {
		if len(rest) == 0 {
			return nil, nil, false
		}
		banker = append(banker, rest[0])
	}
	return player, banker, true
}

// verdict reads what becomes of a selection off the outcome's text.
func verdict(outcome, name string) string {
	switch name {
	case "player", "banker", "tie":
		switch {
		case strings.Contains(outcome, `"winner":"`+name+`"`):
			return "won"
		case strings.Contains(outcome, `"winner":"tie"`):
			return "refunded"
		}
		return "lost"
	case "small", "big":
		if strings.Contains(outcome, `"size":"`+name+`"`) {
			return "won"
		}
	default:
		if strings.Contains(outcome, `"`+name+`":true`) {
			return "won"
		}
	}
	return "lost"
}

// TestCrowdedShoe: a shoe with one copy of each card has 10^10 orders; it still
// answers at once that no pair can be perfect.
func TestCrowdedShoe(t *testing.T) {
	var left []string
	for _, rank := range ranks {
		for _, suit := range "SHDC" {
			left = append(left, string(rank)+string(suit))
		}
	}
	if got := ruletest.Decided(baccarat.Game, 1, `{"burned":`+burning(left)+`}`); got != "lose perfect_pair" {
		t.Errorf("%q, want lose perfect_pair", got)
	}
}
