package baccarat_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games/baccarat"
	"tally/lib/rulebook/rules"
)

// bankersTable is the rulebook's drawing table: on which points of the Player's
// third card the Banker takes one, and whether he does when the Player stood.
const bankersTable = `
	Banker | points of the Player's third card | Player stood
	0      | 0123456789                        | draws
	1      | 0123456789                        | draws
	2      | 0123456789                        | draws
	3      | 012345679                         | draws
	4      | 234567                            | draws
	5      | 4567                              | draws
	6      | 67                                | stands
	7      |                                   | stands
`

// pointsOf are the points of a card by its rank.
var pointsOf = map[byte]int{'A': 1, '2': 2, '3': 3, '4': 4, '5': 5, '6': 6, '7': 7, '8': 8, '9': 9, 'T': 0, 'J': 0, 'Q': 0, 'K': 0}

const ranks = "A23456789TJQK"

// two are first cards of so many points, in spades or hearts.
func two(points int, suit string) []string {
	if points == 0 {
		return []string{"K" + suit, "T" + suit}
	}
	return []string{"Q" + suit, ranks[points-1:points] + suit}
}

func hands(player, banker []string) string {
	text, _ := json.Marshal(map[string][]string{"player": player, "banker": banker})
	return string(text)
}

// bankerDraws is the table by the Banker's points and the Player's third card,
// the tenth column for none.
var bankerDraws = func() (draws [8][11]bool) {
	for banker, row := range strings.Split(strings.TrimSpace(bankersTable), "\n")[1:] {
		columns := strings.Split(row, "|")
		for third := range 10 {
			draws[banker][third] = strings.Contains(columns[1], fmt.Sprint(third))
		}
		draws[banker][stood] = strings.TrimSpace(columns[2]) == "draws"
	}
	return draws
}()

const stood = 10

// TestDrawingTable deals every total of Player and Banker with every third card,
// rightly and with each third card missing or too many. Naturals fault both
// sides; otherwise the Banker is looked at only when the Player's hand is right.
func TestDrawingTable(t *testing.T) {
	type paragraphs struct{ natural, player, playerStands, banker, bankerAlone string }
	for game, p := range map[*rules.Game]paragraphs{
		baccarat.Game: {"BAC-2.7.1", "BAC-2.6.1", "BAC-2.6.1", "BAC-2.6.2", "BAC-2.7.2"},
		baccarat.Live: {"LBAC-3.5.1.1", "LBAC-3.5.1.4", "LBAC-3.5.1.2", "LBAC-3.5.1.5", "LBAC-3.5.1.3"},
	} {
		t.Run(game.ID, func(t *testing.T) {
			right, wrong := 0, 0
			for player := range 10 {
				for banker := range 10 {
					for _, rank := range []byte(ranks) {
						third := pointsOf[rank]
						for _, drew := range [][2]bool{{false, false}, {false, true}, {true, false}, {true, true}} {
							var faults []string
							fault := func(must, did bool, rule string) {
								switch {
								case must && !did:
									faults = append(faults, "third_card_missing "+rule)
								case did && !must:
									faults = append(faults, "third_card_not_allowed "+rule)
								}
							}
							switch {
							case player >= 8 || banker >= 8:
								fault(false, drew[0], p.natural)
								fault(false, drew[1], p.natural)
							case player <= 5 && !drew[0]:
								fault(true, false, p.player)
							case player > 5 && drew[0]:
								fault(false, true, p.playerStands)
							case drew[0]:
								fault(bankerDraws[banker][third], drew[1], p.banker)
							default:
								fault(bankerDraws[banker][stood], drew[1], p.bankerAlone)
							}
							ps, bs := two(player, "S"), two(banker, "H")
							if drew[0] {
								ps = append(ps, string(rank)+"D")
							}
							if drew[1] {
								bs = append(bs, "3C")
							}
							want := "invalid: " + strings.Join(faults, ", ")
							if len(faults) == 0 {
								want = oracle(ps, bs)
								right++
							} else {
								wrong++
							}
							if got := ruletest.Answer(game, hands(ps, bs)); got != want {
								t.Fatalf("%s, Player %v, Banker %v: %s, want %s", game.ID, ps, bs, got, want)
							}
						}
					}
				}
			}
			if right != 10*10*13 || wrong != 3*right { // one of the four is right
				t.Errorf("%s: %d right hands, %d wrong ones", game.ID, right, wrong)
			}
		})
	}
}

// oracle resolves hands that were drawn rightly.
func oracle(player, banker []string) string {
	sum := func(hand []string) (total int) {
		for _, card := range hand {
			total += pointsOf[card[0]]
		}
		return total % 10
	}
	p, b := sum(player), sum(banker)
	winner := "tie"
	if p > b {
		winner = "player"
	}
	if p < b {
		winner = "banker"
	}
	natural := sum(player[:2]) > 7 || sum(banker[:2]) > 7
	size := "small"
	if len(player)+len(banker) > 4 {
		size = "big"
	}
	playerPair, bankerPair := player[0][0] == player[1][0], banker[0][0] == banker[1][0]
	perfect := player[0] == player[1] || banker[0] == banker[1]
	return fmt.Sprintf(`{"winner":%q,"player_points":%d,"banker_points":%d,"natural":%t,"cards":%d,"size":%q,`+
		`"player_pair":%t,"banker_pair":%t,"either_pair":%t,"perfect_pair":%t}`,
		winner, p, b, natural, len(player)+len(banker), size, playerPair, bankerPair, playerPair || bankerPair, perfect)
}
