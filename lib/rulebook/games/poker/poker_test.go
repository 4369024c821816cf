package poker_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games/poker"
)

func facts(hands [][]string, board, burned []string) string {
	fields := map[string]any{"hands": hands, "board": board}
	if board == nil {
		fields["board"] = []string{}
	}
	if burned != nil {
		fields["burned"] = burned
	}
	text, _ := json.Marshal(fields)
	return string(text)
}

// pairs cuts twelve cards into six hands.
func pairs(cards []string) (hands [][]string) {
	return slices.Collect(slices.Chunk(cards[:12], 2))
}

// TestRandomDeals resolves random deals, some with boards that matter, and
// judges every selection.
func TestRandomDeals(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	boards := []string{"AS KS QS JS TS", "5S 4S 3S 2S AS", "KS KH KD KC 2S", "KS KH KD 2C 2S", "AS KH QD JC TS", "9S 8S 7S 6S 2S", "AH AD 8S 8C 2D", ""}
	for n := range 800 {
		cards := deck()
		random.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
		board := strings.Fields(boards[n%len(boards)])
		board = board[:max(0, len(board)-random.IntN(3))]
		cards = slices.DeleteFunc(cards, func(card string) bool { return slices.Contains(board, card) })
		hands := pairs(cards)
		board = append(board, cards[12:12+5-len(board)]...)
		random.Shuffle(5, func(i, j int) { board[i], board[j] = board[j], board[i] })
		text := facts(hands, board, nil)
		want := resolve(hands, board)
		if got := ruletest.Answer(poker.Game, text); got != want.json() {
			t.Fatalf("%s: %s, want %s", text, got, want.json())
		}
		o := ruletest.Outcome(t, poker.Game, text)
		for s := range poker.Game.Selections {
			if got := ruletest.Wins(poker.Game, o, s); got != want.wins(poker.Game.Text(s)) {
				t.Fatalf("%s on %s: won is %t", poker.Game.Text(s), text, got)
			}
		}
	}
}

// TestTies: every tied hand wins at full odds.
func TestTies(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		hands                               | board          | winners
		2C 3D 2D 3C 2H 3H 4C 5D 4D 5C 4H 5H | AS KS QS JS TS | 1 2 3 4 5 6
		2C 3D 2D 3C 2H 3H 4C 5D 4D 5C 9H 5H | AS KH QD JC TS | 1 2 3 4 5 6
		2C 3D 2D 3C 2H 3H 4C 5D AD 5C 9H 5H | KS KH KD KC QS | 5
		2C 3D 2D 3C 2H 3H 4C 5D 4D 5C 4H 5H | KS KH KD KC QS | 1 2 3 4 5 6
		AC 3D AD 3C 2H 3H 4C 5D 4D 5C 9H 5H | KS KH QD 7C 8S | 1 2
		AC 3D AD 3C 2H 3S 4C 5D 4D 5C 9H 5H | KH QH 2D 7H 8H | 6
		AC 2D 6D 7C JH JD 4C 9D TD 9C TH 9H | 3S 4H 5D KC KS | 2
		AC 2D AD 2C 8H 8D QC 9D TD 9C TH 9H | 3S 4H 5D KC QS | 1 2
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			hands := pairs(strings.Fields(row[0]))
			text := facts(hands, strings.Fields(row[1]), nil)
			o := ruletest.Outcome(t, poker.Game, text)
			for hand := 1; hand <= 6; hand++ {
				s := ruletest.Selection(t, poker.Game, fmt.Sprintf("hand:%d", hand))
				if got, want := ruletest.Wins(poker.Game, o, s), slices.Contains(strings.Fields(row[2]), fmt.Sprint(hand)); got != want {
					t.Errorf("hand %d of %s on %s: won is %t", hand, row[0], row[1], got)
				}
			}
		})
	}
}

// TestDecidedAfterFlopAndTurn compares with every board that can still come,
// ranked slowly: random cards, and cards that leave little to happen.
func TestDecidedAfterFlopAndTurn(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	certain := []string{
		"AS 2C 3D 4H 5C 6D 7H 8C 9D 9H 2H 2D KS QS JS TS", // the first hand has a royal flush
		"AS AH 3D 4H 5C 6D 7H 8C 9D 9H 2H 2D AD AC KS KH", // four aces
		"2S 3S 3D 4H 5C 6D 7H 8C 9D 9H 2H 2D 4S 5S 6S KH", // a straight flush
		"2C 3D 2D 3C 2H 3H 4C 5D 4D 5C 4H 5H AS KS QS JS", // the board may be everyone's
		"AC AD KC KD QC QD JC JD TC TD 9C 9D AH AS KH KS", // four aces against four kings
	}
	for n := range 40 {
		cards := deck()
		random.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
		if n < 2*len(certain) {
			known := strings.Fields(certain[n/2])
			cards = append(known, slices.DeleteFunc(cards, func(card string) bool { return slices.Contains(known, card) })...)
		}
		open := 4
		if n%4 == 1 && n < 2*len(certain) || n == 39 {
			open = 3
		}
		board := cards[12 : 12+open]
		burned := cards[16 : 16+random.IntN(3)]
		if open == 3 {
			burned = nil
		}
		rest := slices.DeleteFunc(slices.Clone(cards[12+open:]), func(card string) bool { return slices.Contains(burned, card) })
		got := ruletest.Decided(poker.Game, open, facts(pairs(cards), board, burned))
		if want := slowDecided(pairs(cards), board, rest); got != want {
			t.Fatalf("%v on %v, %v burned: %s, want %s", pairs(cards), board, burned, got, want)
		}
	}
}

// slowDecided completes the board in every way.
func slowDecided(hands [][]string, board, rest []string) string {
	wins, loses := map[string]bool{}, map[string]bool{}
	note := func(board []string) {
		r := resolve(hands, board)
		for s := range poker.Game.Selections {
			text := poker.Game.Text(s)
			if r.wins(text) {
				wins[text] = true
			} else {
				loses[text] = true
			}
		}
	}
	for i, card := range rest {
		next := append(slices.Clone(board), card)
		if len(next) == 5 {
			note(next)
			continue
		}
		for _, last := range rest[i+1:] {
			note(append(slices.Clone(next), last))
		}
	}
	var marks []string
	for s := range poker.Game.Selections {
		switch text := poker.Game.Text(s); {
		case !wins[text]:
			marks = append(marks, "lose "+text)
		case !loses[text]:
			marks = append(marks, "win "+text)
		}
	}
	slices.Sort(marks)
	return strings.Join(marks, ", ")
}

// TestDecidedBeforeTheFlop has hands whose marks need no counting.
func TestDecidedBeforeTheFlop(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		hands                               | decided
		# somebody has a pair already
		AS AH KS KH QS QH JS JH TS TH 9S 9H | lose combo:high_card
		AS KD 2C 2D 9H TH JC 3S QD QH 7S 8S | lose combo:high_card
		# only tens pair nobody, and five cards come
		2S 3H 4D 5C 7S 8H 9D JC QS KH AD 6C | lose combo:high_card
		# of each suit two different hands hold a card of the royal flush
		AS KD AH QC AD JC AC TS KS QD KH JS | lose combo:royal_flush
	`) {
		t.Run(row[0], func(t *testing.T) {
			if got := ruletest.Decided(poker.Game, 2, facts(pairs(strings.Fields(row[0])), nil, nil)); got != row[1] {
				t.Errorf("%s: %s, want %s", row[0], got, row[1])
			}
		})
	}
}

func TestVisible(t *testing.T) {
	const six = `"hands":[["AS","KD"],["2C","2D"],["9H","TH"],["JC","3S"],["QD","QH"],["7S","8S"]]`
	for _, row := range ruletest.Rows(t, `
		round | visible                                         | answer
		1     | {"hands":[]}                                    |
		1     | {SIX}                                           | invalid: wrong_card_count POK-1.6
		2     | {"hands":[]}                                    | invalid: wrong_hand_count POK-1.2
		2     | {SIX,"board":["4H","5H","6H"]}                  | invalid: wrong_card_count POK-1.6
		3     | {SIX}                                           | invalid: wrong_card_count POK-1.6
		3     | {SIX,"board":["4H","5H"]}                       | invalid: wrong_card_count POK-1.6
		3     | {SIX,"board":["4H","5H","6H","KC"]}             | invalid: wrong_card_count POK-1.6
		3     | {SIX,"board":["4H","5H","AS"]}                  | invalid: duplicate_card
		3     | {SIX,"board":["4H","5H","6h"]}                  | invalid: unknown_card
		3     | {SIX,"board":["4H","5H","6H"],"burned":["4H"]}  | invalid: duplicate_card
		4     | {SIX,"board":["4H","5H","6H"]}                  | invalid: wrong_card_count POK-1.6
		4     | {SIX,"board":["4H","5H","6H","KC","2H"]}        | invalid: wrong_card_count POK-1.6
		4     | {SIX,"board":["4H","5H","6H","KC"],"x":1}       | malformed: unknown_field facts.x
		4     | {"board":["4H","5H","6H","KC"]}                 | malformed: missing_field facts.hands
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			visible := strings.ReplaceAll(row[1], "SIX", six)
			if got := ruletest.Decided(poker.Game, int(row[0][0]-'0'), visible); got != row[2] {
				t.Errorf("round %s, %s: %s, want %s", row[0], row[1], got, row[2])
			}
		})
	}
}

func TestOutcome(t *testing.T) {
	got := ruletest.Answer(poker.Game, `{"hands":[["AS","KD"],["2C","2D"],["9H","TH"],["JC","3S"],["QD","QH"],["7S","8S"]],"board":["4H","5H","6H","KC","2H"]}`)
	want := `{"winners":[5],"combination":"flush","hands":[` +
		`{"category":"pair","best":["KD","KC","AS","6H","5H"]},` +
		`{"category":"three_of_a_kind","best":["2H","2D","2C","KC","6H"]},` +
		`{"category":"flush","best":["TH","9H","6H","5H","4H"]},` +
		`{"category":"straight","best":["6H","5H","4H","3S","2H"]},` +
		`{"category":"flush","best":["QH","6H","5H","4H","2H"]},` +
		`{"category":"straight","best":["8S","7S","6H","5H","4H"]}]}`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
