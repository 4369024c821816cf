package games_test

import (
	"fmt"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
)

func text(v any) string { return fmt.Sprint(v) }

// TestFaults: all faults of one stage are given together, later stages are
// silent. The stages are form; cards, copies and counts; play. Rules are those
// of the game's paragraphs; contract and rulebook name no paragraph for a card,
// a copy or a place that does not exist.
func TestFaults(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		game          | facts | answer
		baccarat      | {} | malformed: missing_field facts.banker, missing_field facts.player
		baccarat      | [] | malformed: wrong_type facts
		baccarat      | null | malformed: wrong_type facts
		baccarat      | {"player": | malformed: bad_json facts
		baccarat      | {"plyer":["KS"],"banker":["9H","2C"],"player":["KS","8D"]} | malformed: unknown_field facts.plyer
		baccarat      | {"Player":["KS","8D"],"banker":["9H","2C"]} | malformed: missing_field facts.player, unknown_field facts.Player
		baccarat      | {"player":["KS","8D"],"player":["KS","8D"],"banker":["9H","2C"]} | malformed: duplicate_field facts.player
		baccarat      | {"player":"KS","banker":["9H",2]} | malformed: wrong_type facts.banker[1], wrong_type facts.player
		baccarat      | {"player":["KS","8D"],"banker":["9H","2C"],"burned":null} | malformed: wrong_type facts.burned
		baccarat      | {"player":["KS"],"banker":["9H","2C","3S","4S"]} | invalid: wrong_card_count BAC, wrong_card_count BAC
		baccarat      | {"player":[],"banker":[]} | invalid: wrong_card_count BAC, wrong_card_count BAC
		baccarat      | {"player":["ks","8D"],"banker":["9H"],"burned":["?"]} | invalid: unknown_card, unknown_card, wrong_card_count BAC
		baccarat      | {"player":["KS","KS"],"banker":["KS","KS"],"burned":["KS","KS","KS"]} | invalid: too_many_copies
		baccarat      | {"player":["KS","KS"],"banker":["KS","KS"],"burned":["KS","KS"]} | invalid: third_card_missing BAC
		baccarat      | {"player":["KS","8D","2S"],"banker":["9H","2C","3S"]} | invalid: third_card_not_allowed BAC, third_card_not_allowed BAC
		baccarat      | {"player":["KS","3D"],"banker":["9H","2C"]} | invalid: third_card_missing BAC
		live_baccarat | {"player":["KS","KS","KS"],"banker":["KS","KS","KS"],"burned":["KS","KS"]} | {"winner":"tie","player_points":0,"banker_points":0,"natural":false,"cards":6,"size":"big","player_pair":true,"banker_pair":true,"either_pair":true,"perfect_pair":true}
		live_baccarat | {"player":["KS","KS","KS"],"banker":["KS","KS","KS"],"burned":["KS","KS","KS"]} | invalid: too_many_copies
		live_baccarat | {"player":["KS","8D","2S"],"banker":["9H","2C"]} | invalid: third_card_not_allowed LBAC
		live_baccarat | {"player":["KS","6D"],"banker":["TH","2C"]} | invalid: third_card_missing LBAC
		live_baccarat | {"player":["KS","X"],"banker":["TH"]} | invalid: unknown_card, wrong_card_count LBAC
		live_baccarat | {"player":1,"banker":[],"winner":"tie"} | malformed: unknown_field facts.winner, wrong_type facts.player
		dice          | {} | malformed: missing_field facts.rolls
		dice          | {"rolls":[]} | malformed: missing_field facts.rolls[0]
		dice          | {"rolls":{}} | malformed: wrong_type facts.rolls
		dice          | {"rolls":[{"dice":[1,2,3,4,5.0]}]} | malformed: wrong_type facts.rolls[0].dice[4]
		dice          | {"rolls":[{"dice":[1,2,3,4,5e0],"fault":[]},[]]} | malformed: unknown_field facts.rolls[0].fault, wrong_type facts.rolls[0].dice[4], wrong_type facts.rolls[1]
		dice          | {"rolls":[{"dice":[1,2,3,4,5],"dice":[1,2,3,4,5]}]} | malformed: duplicate_field facts.rolls[0].dice
		dice          | {"rolls":[{"faults":["die_fell"]}]} | malformed: missing_field facts.rolls[0].dice
		dice          | {"rolls":[{"dice":[1,2,3,4]}]} | invalid: wrong_dice_count DICE
		dice          | {"rolls":[{"dice":[1,2,3,4,5,6]}]} | invalid: wrong_dice_count DICE
		dice          | {"rolls":[{"dice":[0,7,-1,2,99999999999999999999]}]} | invalid: unknown_face DICE, unknown_face DICE, unknown_face DICE, unknown_face DICE
		dice          | {"rolls":[{"dice":[1,2,3,4,5,7],"faults":["wrong_scan","no_result"]}]} | invalid: unknown_face DICE, unknown_reason DICE, unknown_reason DICE, wrong_dice_count DICE
		dice          | {"rolls":[{"dice":[1,2,3,4,5],"faults":["die_fell"]}]} | invalid: fault_unresolved DICE
		dice          | {"rolls":[{"dice":[1,2,3,4,5]},{"dice":[1,2,3,4,5]}]} | invalid: valid_repeated DICE
		dice          | {"rolls":[{"dice":[1,2,3,4,5]},{"dice":[1,2,3,4,5],"faults":["die_fell"]}]} | invalid: fault_unresolved DICE, valid_repeated DICE
		dice          | {"rolls":[{"dice":[],"faults":["die_fell"]},{"dice":[],"faults":["die_fell"]},{"dice":[1,1,1,1,1]}]} | invalid: too_many_tries DICE
		dice          | {"rolls":[{"dice":[7],"faults":["die_fell"]},{"dice":[],"faults":["die_fell"]},{"dice":[1,1,1,1,1]}]} | invalid: too_many_tries DICE, unknown_face DICE
		lucky5        | {} | malformed: missing_field facts.balls
		lucky5        | {"balls":[1,2,3,4,"5"]} | malformed: wrong_type facts.balls[4]
		lucky5        | {"balls":[1,2,3,4,5],"colors":[]} | malformed: unknown_field facts.colors
		lucky5        | {"balls":[1,2,3,4,5],"colours":null} | malformed: wrong_type facts.colours
		lucky5        | {"balls":[]} | void: wrong_ball_count LUCKY5-2.2
		lucky5        | {"balls":[1,2,3,4]} | void: wrong_ball_count LUCKY5-2.2
		lucky5        | {"balls":[1,2,3,4,5,6]} | void: wrong_ball_count LUCKY5-2.2
		lucky5        | {"balls":[0,37,-1,5,5,5]} | invalid: duplicate_ball LUCKY5, unknown_ball LUCKY5, unknown_ball LUCKY5, unknown_ball LUCKY5
		lucky5        | {"balls":[1,1,1,1]} | invalid: duplicate_ball LUCKY5
		lucky5        | {"balls":[9,10,18,19,28],"colours":["white","green","green","red","blue"]} | {"sum":84,"odd":2,"even":3,"colours":{"white":1,"green":2,"red":1,"blue":1},"first":9,"last":28}
		lucky5        | {"balls":[9,10,18,19,28],"colours":["white","white","green","green","yellow"]} | invalid: colour_mismatch LUCKY5, colour_mismatch LUCKY5, colour_mismatch LUCKY5
		lucky5        | {"balls":[9,10,18,19,28],"colours":["white"]} | invalid: colour_mismatch LUCKY5
		lucky5        | {"balls":[9,10,18,19],"colours":["white","green","green","blue"]} | invalid: colour_mismatch LUCKY5
		lucky5        | {"balls":[9,10,18,19],"colours":["white","green","green","red"]} | void: wrong_ball_count LUCKY5-2.2
		lucky7        | {"balls":[1.5]} | malformed: wrong_type facts.balls[0]
		lucky7        | {"balls":[1,2,3,4,5,6]} | void: wrong_ball_count LUCKY7-2.2
		lucky7        | {"balls":[1,2,3,4,5,6,7,43,1]} | invalid: duplicate_ball LUCKY7, unknown_ball LUCKY7
		lucky7        | {"balls":[1,2,3,4,5,6,7,8],"colours":["yellow","black","black","yellow","yellow","black","black","black"]} | invalid: colour_mismatch LUCKY7
		poker         | {} | malformed: missing_field facts.board, missing_field facts.hands
		poker         | {"hands":[["AS","KD"],"2C"],"board":[1]} | malformed: wrong_type facts.board[0], wrong_type facts.hands[1]
		poker         | {"hands":[],"board":[],"flop":[]} | malformed: unknown_field facts.flop
		poker         | {"hands":[],"board":[]} | invalid: wrong_card_count POK, wrong_hand_count POK
		poker         | {"hands":[["AS","KD"],["2C"],["9H","TH","3C"],["JC","3S"],["QD","QH"],["7S","8S"],["7D","8D"]],"board":["4H","5H","6H","KC"]} | invalid: wrong_card_count POK, wrong_card_count POK, wrong_card_count POK, wrong_hand_count POK
		poker         | {"hands":[["AS","KD"],["2C","2D"],["9H","TH"],["JC","3S"],["QD","QH"],["7S","8S"]],"board":["4H","5H","6H","KC","AS"],"burned":["4H","AS","xx"]} | invalid: duplicate_card, duplicate_card, unknown_card
		war           | {} | malformed: missing_field facts.dealer, missing_field facts.player
		war           | {"player":["KS"],"dealer":null} | malformed: wrong_type facts.dealer, wrong_type facts.player
		war           | {"player":"KS","dealer":"2D","war":true} | malformed: unknown_field facts.war
		war           | {"player":"","dealer":"10S"} | invalid: unknown_card, unknown_card
		war           | {"player":"KS","dealer":"KS","burned":["KS","KS","KS","KS"]} | {"winner":"war"}
		war           | {"player":"KS","dealer":"KS","burned":["KS","KS","KS","KS","KS"]} | invalid: too_many_copies
		wheel         | {"spins":[]} | malformed: missing_field facts.spins[0]
		wheel         | {"spins":[{"turns":-1,"sector":"4"}]} | malformed: wrong_type facts.spins[0].turns
		wheel         | {"spins":[{"turns":3.0,"sector":4}]} | malformed: wrong_type facts.spins[0].sector, wrong_type facts.spins[0].turns
		wheel         | {"spins":[{"turns":3}]} | malformed: missing_field facts.spins[0].sector
		wheel         | {"spins":[{"sector":"4","pocket":4}]} | malformed: missing_field facts.spins[0].turns, unknown_field facts.spins[0].pocket
		wheel         | {"spins":[{"turns":3,"sector":"0"}]} | invalid: unknown_sector WHEEL
		wheel         | {"spins":[{"turns":3,"sector":"19"}]} | invalid: unknown_sector WHEEL
		wheel         | {"spins":[{"turns":3,"sector":"01"}]} | invalid: unknown_sector WHEEL
		wheel         | {"spins":[{"turns":3,"sector":"Cup"}]} | invalid: unknown_sector WHEEL
		wheel         | {"spins":[{"turns":2,"sector":""},{"turns":3,"sector":"x"}]} | invalid: unknown_sector WHEEL, unknown_sector WHEEL
		wheel         | {"spins":[{"turns":2,"sector":"4"}]} | invalid: fault_unresolved WHEEL
		wheel         | {"spins":[{"turns":3,"sector":null}]} | invalid: fault_unresolved WHEEL
		wheel         | {"spins":[{"turns":3,"sector":"4"},{"turns":3,"sector":"5"}]} | invalid: valid_repeated WHEEL
		wheel         | {"spins":[{"turns":3,"sector":"4"},{"turns":0,"sector":null}]} | invalid: fault_unresolved WHEEL, valid_repeated WHEEL
		wheel         | {"spins":[{"turns":0,"sector":null},{"turns":0,"sector":null},{"turns":3,"sector":"5"}]} | invalid: too_many_tries WHEEL
		blackjack     | {} | malformed: missing_field facts.dealer, missing_field facts.seats
		blackjack     | {"dealer":["TS","7D"],"seats":[]} | malformed: missing_field facts.seats[0]
		blackjack     | {"dealer":["TS","7D"],"seats":[{"seat":1}]} | malformed: missing_field facts.seats[0].hands
		blackjack     | {"dealer":["TS","7D"],"seats":[{"seat":"1","split":1,"hands":[{"doubled":null}]}]} | malformed: missing_field facts.seats[0].hands[0].cards, wrong_type facts.seats[0].hands[0].doubled, wrong_type facts.seats[0].seat, wrong_type facts.seats[0].split
		blackjack     | {"dealer":["TS","7D"],"seats":[{"seat":1,"bet":"10","hands":[{"cards":["TH","8D"],"double":true}]}]} | malformed: unknown_field facts.seats[0].bet, unknown_field facts.seats[0].hands[0].double
		blackjack     | {"dealer":["TS","6D"],"seats":[{"seat":1,"hands":[{"cards":["TH","8D","TC"],"doubled":true}]}]} | {"dealer":{"total":16,"blackjack":false,"bust":false},"seats":[{"seat":1,"hands":[{"total":28,"blackjack":false,"bust":true,"result":"lose"}]}]}
		roulette      | {} | malformed: missing_field facts.spins
		roulette      | {"spins":[]} | malformed: missing_field facts.spins[0]
		roulette      | {"spins":[{"revolutions":-1,"pocket":null}]} | malformed: wrong_type facts.spins[0].pocket, wrong_type facts.spins[0].revolutions
		roulette      | {"spins":[{"turns":3,"pocket":1}]} | malformed: missing_field facts.spins[0].revolutions, unknown_field facts.spins[0].turns
		roulette      | {"spins":[{"revolutions":3,"pocket":17.0}]} | malformed: wrong_type facts.spins[0].pocket
		roulette      | {"spins":[{"revolutions":3,"pocket":-1}]} | invalid: unknown_pocket ROU
		roulette      | {"spins":[{"revolutions":2,"pocket":37},{"revolutions":2,"pocket":99999999999999999999}]} | invalid: unknown_pocket ROU, unknown_pocket ROU
		roulette      | {"spins":[{"revolutions":2,"pocket":5}]} | invalid: fault_unresolved ROU
		roulette      | {"spins":[{"revolutions":3,"pocket":5},{"revolutions":3,"pocket":5}]} | invalid: valid_repeated ROU
		roulette      | {"spins":[{"revolutions":3,"pocket":5},{"revolutions":0,"pocket":0}]} | invalid: fault_unresolved ROU, valid_repeated ROU
	`) {
		t.Run(row[0], func(t *testing.T) {
			game := find(t, row[0])
			got := ruletest.Answer(game, row[1])
			if strings.HasPrefix(got, "invalid: ") {
				got = prefixes(got, game.Prefix)
			}
			if got != row[2] {
				t.Errorf("%s %s:\n%s, want\n%s", row[0], row[1], got, row[2])
			}
		})
	}
}

// prefixes shortens the rules of an answer to their game's prefix.
func prefixes(answer, prefix string) string {
	faults := strings.Split(answer, ", ")
	for i, fault := range faults {
		if at := strings.Index(fault, " "+prefix+"-"); at >= 0 {
			faults[i] = fault[:at+1+len(prefix)]
		}
	}
	return strings.Join(faults, ", ")
}

// TestFaultsAreSentences: every fault explains itself to an operator.
func TestFaultsAreSentences(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		game     | facts                                           | messages
		baccarat | {"player":["KS","3D"],"banker":["9H","2C"]}     | Player has 3 and must draw a third card
		baccarat | {"player":["KS","8D"],"banker":["9H","2C","3S"]} | Banker has 1 and must not draw a third card: there is a natural
		baccarat | {"player":["KS","6D"],"banker":["TH","2C"]}     | Banker has 2 and must draw a third card: the Player stood
		wheel    | {"spins":[{"turns":3,"sector":"19"}]}           | spin 1: "19" is no sector; they are 1 to 18 and cup
		lucky5   | {"balls":[37]}                                  | ball 1 is 37; the balls are numbered 1 to 36
		dice     | {"rolls":[{"dice":[1,2,3,4]}]}                  | roll 1 shows 4 dice instead of five
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			game := find(t, row[0])
			facts, _ := ruletest.Read(game, row[1])
			var messages []string
			for _, fault := range game.Resolve(facts).Faults {
				messages = append(messages, fault.Message)
			}
			if got := strings.Join(messages, "; "); got != row[2] {
				t.Errorf("%s %s: %s, want %s", row[0], row[1], got, row[2])
			}
		})
	}
}
