package blackjack_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games/blackjack"
)

// The notation of the tables: the dealer's cards; the seats with their number
// before a colon, a slash between the hands of a split, x2 behind a doubled one.

type handJSON struct {
	Cards   []string `json:"cards"`
	Doubled bool     `json:"doubled,omitempty"`
}

type seatJSON struct {
	Seat  int        `json:"seat"`
	Split bool       `json:"split,omitempty"`
	Hands []handJSON `json:"hands"`
}

// facts writes a table's notation as facts.
func facts(t *testing.T, dealer, seats string) string {
	t.Helper()
	var list []seatJSON
	for text := range strings.SplitSeq(seats, ";") {
		number, hands, ok := strings.Cut(text, ":")
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if !ok || err != nil {
			t.Fatalf("no seat: %s", text)
		}
		seat := seatJSON{Seat: n, Hands: []handJSON{}}
		if hands = strings.TrimSpace(hands); hands != "-" {
			for hand := range strings.SplitSeq(hands, "/") {
				cards := strings.Fields(hand)
				rest := slices.DeleteFunc(slices.Clone(cards), func(card string) bool { return card == "x2" })
				seat.Hands = append(seat.Hands, handJSON{rest, len(rest) < len(cards)})
			}
		}
		seat.Split = len(seat.Hands) > 1
		list = append(list, seat)
	}
	text, err := json.Marshal(map[string]any{"dealer": strings.Fields(dealer), "seats": list})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// codes are the different codes of an invalid answer; any other comes back whole.
func codes(answer string) string {
	list, invalid := strings.CutPrefix(answer, "invalid: ")
	if !invalid {
		return answer
	}
	var codes []string
	for fault := range strings.SplitSeq(list, ", ") {
		code, _, _ := strings.Cut(fault, " ")
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return strings.Join(slices.Compact(codes), " ")
}

func TestWagers(t *testing.T) {
	game := blackjack.Game
	for _, row := range ruletest.Rows(t, `
		dealer      | seats                      | wager       | verdict
		# the totals against each other
		TS 7D       | 1: TH 8D                   | seat:1      | won 2.00
		TS 7D       | 1: TH 7C                   | seat:1      | refunded push
		TS 7D       | 1: TH 6C                   | seat:1      | lost
		TS 6D 8C    | 1: TH 2C                   | seat:1      | won 2.00
		TS 6D 8C    | 1: TH 6C 9D; 2: 9H 3H      | seat:1      | lost
		AS 6D       | 1: AH 7D                   | seat:1      | won 2.00
		AS 6D       | 1: AH 6C                   | seat:1      | refunded push
		9S 7D 5C    | 1: 7H 7C 7D                | seat:1      | refunded push
		# blackjack
		TS 7D       | 1: AH KD                   | seat:1      | won 2.50
		9S 7D 5C    | 1: AH KD; 2: 9H 9D         | seat:1      | won 2.50
		AS KS       | 1: AH TD                   | seat:1      | refunded push
		KS AS       | 1: TD AH                   | seat:1      | refunded push
		AS KS       | 1: TH TD                   | seat:1      | lost
		KS AS       | 1: 7H 7C 7D                | seat:1      | lost
		# doubles
		AS 6D       | 1: 8H 3D TC x2             | seat:1      | won 2.00
		AS 6D       | 1: 8H 3D TC x2             | double:1:1  | won 2.00
		TS 7D       | 1: 8H 3D 6C x2             | double:1:1  | refunded push
		TS 7D       | 1: 8H 3D 2C x2             | double:1:1  | lost
		TS 7D       | 1: 8H 4D TC x2             | double:1:1  | lost
		TS 7D       | 1: 8H 3D TC                | double:1:1  | refunded no_such_wager
		TS 7D       | 1: 8H 3D TC x2             | double:2:1  | refunded no_such_wager
		KS AS       | 1: 8H 3D TC x2             | double:1:1  | lost
		KS AS       | 1: 8H 3D TC x2             | seat:1      | lost
		# splits: ten-values of different ranks too; 21 after a split is no blackjack
		AS 6D       | 4: 8D TC / 8S 9C           | seat:4      | won 2.00
		AS 6D       | 4: 8D TC / 8S 9C           | split:4     | refunded push
		TS 7D       | 4: KD TC / TS 6C           | split:4     | lost
		TS 7D       | 1: AS KD / AH QD           | seat:1      | won 2.00
		TS 7D       | 1: AS KD / AH QD           | split:1     | won 2.00
		TS 6D 5C    | 1: AS KD / AH QD           | split:1     | refunded push
		KS AS       | 1: TS AD / TH QD           | seat:1      | lost
		KS AS       | 1: TS AD / TH QD           | split:1     | lost
		TS 7D       | 1: TH 8D                   | split:1     | refunded no_such_wager
		TS 7D       | 4: 8D TC / 8S 9C           | double:4:1  | refunded no_such_wager
		# insurance
		AS KD       | 1: TH 8D                   | insurance:1 | won 3.00
		AS TD       | 1: AH KC                   | insurance:1 | won 3.00
		AS 6D       | 1: TH 8D                   | insurance:1 | lost
		AS 5D 5C    | 1: TH 8D                   | insurance:1 | lost
		KD AS       | 1: TH 8D                   | insurance:1 | refunded no_such_wager
		TS 7D       | 1: TH 8D                   | insurance:1 | refunded no_such_wager
		AS KD       | 1: TH 8D                   | insurance:2 | refunded no_such_wager
		# a seat that did not play
		TS 7D       | 1: TH 8D                   | seat:2      | refunded no_such_wager
		TS 7D       | 1: TH 8D                   | split:2     | refunded no_such_wager
		TS 7D       | 7: TH 8D                   | seat:7      | won 2.00
	`) {
		t.Run(row[0], func(t *testing.T) {
			text := facts(t, row[0], row[1])
			if answer := ruletest.Answer(game, text); answer[0] != '{' {
				t.Errorf("%s against %s: %s", row[1], row[0], answer)
				return
			}
			got := ruletest.Verdict(game, ruletest.Outcome(t, game, text), ruletest.Selection(t, game, row[2]))
			if got != row[3] {
				t.Errorf("%s: %s against %s: %s, want %s", row[2], row[1], row[0], got, row[3])
			}
		})
	}
}

func TestPlay(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		dealer      | seats                      | codes; none when it is legal
		# no hit on 21, hard or soft, nor after a bust
		TS 7D       | 1: TH 5H 6D                |
		TS 7D       | 1: TH 5H 6D 2C             | illegal_hand
		TS 7D       | 1: AH KS 5D                | illegal_hand
		TS 7D       | 1: AH 5H 5D 4C             | illegal_hand
		TS 7D       | 1: AH 5H 4D 4C             |
		TS 7D       | 1: TH 6H 8D 2C             | illegal_hand
		# splits
		TS 7D       | 1: KH 5D / TH 5C           |
		TS 7D       | 1: QH 5D / JH 5C           |
		TS 7D       | 1: 8H 3D / 9H 3C           | illegal_hand
		TS 7D       | 1: AH 3D / TH 3C           | illegal_hand
		TS 7D       | 1: AH 3D / AD 3C           |
		TS 7D       | 1: AH 3D 4H / AD 3C        | illegal_hand
		TS 7D       | 1: AH 3D / AD 3C 4H        | illegal_hand
		TS 7D       | 1: 8H 3D 4H / 8D 3C 2H 3H  |
		TS 7D       | 1: 8H 3D TH x2 / 8D 3C     | illegal_hand
		TS 7D       | 1: 8H 3D / 8D 3C TH x2     | illegal_hand
		TS 7D       | 1: 8H 3D TH 2C / 8D 3C     | illegal_hand
		# doubles: one more card, on the first two
		TS 7D       | 1: 8H 3D 2C x2             |
		TS 7D       | 1: AH 8D 2C x2             |
		TS 7D       | 1: 8H 3D x2                | illegal_hand
		TS 7D       | 1: 2H 3D 4C 5D x2          | illegal_hand
		TS 7D       | 1: AH TD 4C x2             | illegal_hand
		# a blackjack found under the ace ends play
		AS KD       | 1: 8H 3D                   |
		AS KD       | 1: 8H 3D 2C                | illegal_hand
		AS KD       | 1: 8H 3D 2C x2             | illegal_hand
		AS KD       | 1: 8H 3D / 8D 3C           | illegal_hand
		AS KD       | 1: 8H 3D; 2: 9D 2C 3C      | illegal_hand
		AS KD 2C    | 1: 8H 3D                   | dealer_must_stand
		KD AS       | 1: 8H 3D 2C x2             |
		KD AS       | 1: 8H 3D / 8D 3C TH        |
		KD AS 2C    | 1: 8H 3D                   | dealer_must_stand
		# the dealer draws to 16 and stands on every 17
		TS 6D       | 1: TH 8D                   | dealer_must_draw
		2S 3D       | 1: TH 8D                   | dealer_must_draw
		AS 5D       | 1: TH 8D                   | dealer_must_draw
		AS 5D TC    | 1: TH 8D                   | dealer_must_draw
		TS 6D AC    | 1: TH 8D                   |
		AS 5D AC    | 1: TH 8D                   |
		AS 6D       | 1: TH 8D                   |
		AS 6D 2C    | 1: TH 8D                   | dealer_must_stand
		AS 2D 4C 3H | 1: TH 8D                   | dealer_must_stand
		TS 7D 4C    | 1: TH 8D                   | dealer_must_stand
		TS 6D TC 2H | 1: TH 8D                   | dealer_must_stand
		2S 2D 2C 2H 2S 2D 2C 2H AS | 1: TH 8D   |
		# and does not draw when no live hand remains
		TS 6D       | 1: TH 6C 9D                |
		2S 3D       | 1: TH 6C 9D                |
		TS 6D 2C    | 1: TH 6C 9D                | dealer_must_stand
		TS 6D       | 1: AH KD                   |
		TS 6D 2C    | 1: AH KD                   | dealer_must_stand
		TS 6D       | 1: AH KD; 2: TH 6C 9D      |
		TS 6D 2C    | 1: AH KD; 2: TH 6C 9D      | dealer_must_stand
		TS 6D       | 1: AH KD; 2: TH 6C         | dealer_must_draw
		TS 6D 2C    | 1: AH KD; 2: TH 6C         |
		TS 6D       | 1: TH 6C 9D / TD 6C TS     |
		TS 6D       | 1: TH 6C 9D / TD 6C        | dealer_must_draw
		TS 6D       | 1: AS KD / AH QD           | dealer_must_draw
		TS 6D 2C    | 1: AS KD / AH QD           |
		# all faults of play together
		TS 6D       | 1: 8H 3D / 9H 3C; 2: 5D 5C x2 | dealer_must_draw illegal_hand
		# cards, copies, counts; play is not looked at
		TS          | 1: TH 8D                   | wrong_card_count
		            | 1: TH 8D                   | wrong_card_count
		TS 6D       | 1: TH                      | wrong_card_count
		TS 6D       | 1:                         | wrong_card_count
		TS 6D       | 1: 8H / 8D 3C              | wrong_card_count
		tS 6D       | 1: TH 8D 10C               | unknown_card
		TS 6D       | 1: TH TH TH TH TH TH TH TH; 2: TH 8D | too_many_copies
		TS 7D       | 0: TH 8D                   | unknown_seat
		TS 7D       | 8: TH 8D                   | unknown_seat
		TS 7D       | -1: TH 8D                  | unknown_seat
		TS 7D       | 1: TH 8D; 1: 9H 9D         | unknown_seat
		TS 7D       | 1: -                       | wrong_hand_count
		TS 7D       | 1: 8H TD / 8D TC / 8S TS   | wrong_hand_count
		TS          | 9: - ; 2: TH ZZ            | unknown_card unknown_seat wrong_card_count wrong_hand_count
	`) {
		t.Run(row[0], func(t *testing.T) {
			got := codes(ruletest.Answer(blackjack.Game, facts(t, row[0], row[1])))
			if strings.HasPrefix(got, "{") {
				got = ""
			}
			if got != row[2] {
				t.Errorf("%s against %s: %s, want %s", row[1], row[0], got, row[2])
			}
		})
	}
}

// TestSplitAndItsHands: the flag and the number of hands must agree.
func TestSplitAndItsHands(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		seats                                                                        | codes
		{"seat":1,"split":true,"hands":[{"cards":["TH","8D"]}]}                      | wrong_hand_count
		{"seat":1,"split":false,"hands":[{"cards":["8H","TD"]},{"cards":["8D","TC"]}]} | wrong_hand_count
		{"seat":1,"hands":[{"cards":["8H","TD"]},{"cards":["8D","TC"]}]}             | wrong_hand_count
	`) {
		t.Run(row[0], func(t *testing.T) {
			if got := codes(ruletest.Answer(blackjack.Game, `{"dealer":["TS","7D"],"seats":[`+row[0]+`]}`)); got != row[1] {
				t.Errorf("%s: %s, want %s", row[0], got, row[1])
			}
		})
	}
}

// TestBurnedCardsCount: eight decks hold eight of each card.
func TestBurnedCardsCount(t *testing.T) {
	base := `{"dealer":["TS","7D"],"seats":[{"seat":1,"hands":[{"cards":["TH","8D"]}]}],"burned":[%s]}`
	seven := strings.TrimSuffix(strings.Repeat(`"TH",`, 7), ",")
	if got := ruletest.Answer(blackjack.Game, fmt.Sprintf(base, seven)); got[0] != '{' {
		t.Errorf("seven burned: %s", got)
	}
	if got := codes(ruletest.Answer(blackjack.Game, fmt.Sprintf(base, seven+`,"TH"`))); got != "too_many_copies" {
		t.Errorf("eight burned: %s", got)
	}
}

// TestParagraphs has those that the rulebook names.
func TestParagraphs(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		dealer   | seats                  | answer
		TS 6D    | 1: TH 8D               | invalid: dealer_must_draw BJ-4.4.2
		AS 6D 2C | 1: TH 8D               | invalid: dealer_must_stand BJ-4.4.2
		TS 6D 2C | 1: TH 6C 9D            | invalid: dealer_must_stand BJ-4.4.3
		TS 7D    | 1: 8H 3D TH x2 / 8D 3C | invalid: illegal_hand BJ-2.7
	`) {
		t.Run(row[0], func(t *testing.T) {
			if got := ruletest.Answer(blackjack.Game, facts(t, row[0], row[1])); got != row[2] {
				t.Errorf("%s against %s: %s, want %s", row[1], row[0], got, row[2])
			}
		})
	}
}

func TestOutcome(t *testing.T) {
	got := ruletest.Answer(blackjack.Game, facts(t, "AS 6D", "1: 8H 3D TC x2; 4: 8D TC / 8S 9C"))
	want := `{"dealer":{"total":17,"blackjack":false,"bust":false},"seats":[` +
		`{"seat":1,"hands":[{"total":21,"blackjack":false,"bust":false,"result":"win"}]},` +
		`{"seat":4,"hands":[{"total":18,"blackjack":false,"bust":false,"result":"win"},{"total":17,"blackjack":false,"bust":false,"result":"push"}]}]}`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	got = ruletest.Answer(blackjack.Game, facts(t, "TS 6D", "7: AH KD; 2: TH 6C 9D"))
	want = `{"dealer":{"total":16,"blackjack":false,"bust":false},"seats":[` +
		`{"seat":7,"hands":[{"total":21,"blackjack":true,"bust":false,"result":"win"}]},` +
		`{"seat":2,"hands":[{"total":25,"blackjack":false,"bust":true,"result":"lose"}]}]}`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestDecided has all 28 wagers after the first two cards of each seat and the
// dealer's open card.
func TestDecided(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		dealer | seats            | decided to win       | open
		TS     | 1: TH 8D         |                      | seat:1 double:1:1
		TS     | 1: TH KD         |                      | seat:1 double:1:1 split:1
		TS     | 1: 8H 8D; 7: 2H 3D |                    | seat:1 double:1:1 split:1 seat:7 double:7:1
		TS     | 1: AH KD         | seat:1               |
		AS     | 1: AH KD         | seat:1               | insurance:1
		AS     | 3: AH AD         |                      | seat:3 double:3:1 split:3 insurance:3
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			var want []string
			for s := range blackjack.Game.Selections {
				switch text := blackjack.Game.Text(s); {
				case slices.Contains(strings.Fields(row[2]), text):
					want = append(want, "win "+text)
				case !slices.Contains(strings.Fields(row[3]), text):
					want = append(want, "lose "+text)
				}
			}
			slices.Sort(want)
			if got := ruletest.Decided(blackjack.Game, 2, facts(t, row[0], row[1])); got != strings.Join(want, ", ") {
				t.Errorf("%s under %s: %s", row[1], row[0], got)
			}
		})
	}
}

// TestInsuranceInAnEmptyShoe: with all ten-values burned it can't win, with
// nothing else left it can't lose.
func TestInsuranceInAnEmptyShoe(t *testing.T) {
	visible := func(burnTens bool) string {
		used := map[string]int{"AS": 1, "2H": 1, "3D": 1}
		var burned []string
		for _, rank := range "A23456789TJQK" {
			if strings.ContainsRune("TJQK", rank) != burnTens {
				continue
			}
			for _, suit := range "SHDC" {
				card := string(rank) + string(suit)
				for range 8 - used[card] {
					burned = append(burned, card)
				}
			}
		}
		list, _ := json.Marshal(burned)
		return `{"dealer":["AS"],"seats":[{"seat":1,"hands":[{"cards":["2H","3D"]}]}],"burned":` + string(list) + `}`
	}
	for burnTens, want := range map[bool]string{true: "lose insurance:1", false: "win insurance:1"} {
		t.Run(fmt.Sprint(burnTens), func(t *testing.T) {
			if got := ruletest.Decided(blackjack.Game, 2, visible(burnTens)); !slices.Contains(strings.Split(got, ", "), want) {
				t.Errorf("%s is not among %s", want, got)
			}
		})
	}
}

func TestVisible(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		round | dealer | seats                  | codes
		1     | TS     | 1: TH 8D               | wrong_card_count
		2     | TS 7D  | 1: TH 8D               | wrong_card_count
		2     |        | 1: TH 8D               | wrong_card_count
		2     | TS     | 1: TH                  | wrong_card_count
		2     | TS     | 1: TH 2D 3D            | wrong_card_count
		2     | TS     | 1: -                   | wrong_hand_count
		2     | TS     | 1: 8H TD / 8D TC       | illegal_hand
		2     | TS     | 9: TH 8D               | unknown_seat
		2     | TS     | 1: TH 8D; 1: TH 8D     | unknown_seat
		2     | tS     | 1: TH 8D               | unknown_card
	`) {
		t.Run(row[0]+" "+row[1]+" "+row[2], func(t *testing.T) {
			if got := codes(ruletest.Decided(blackjack.Game, int(row[0][0]-'0'), facts(t, row[1], row[2]))); got != row[3] {
				t.Errorf("round %s, %s under %s: %s, want %s", row[0], row[2], row[1], got, row[3])
			}
		})
	}
	if got := codes(ruletest.Decided(blackjack.Game, 2, `{"dealer":["TS"],"seats":[{"seat":1,"hands":[{"cards":["TH","8D"],"doubled":true}]}]}`)); got != "illegal_hand" {
		t.Errorf("a double before the round: %s", got)
	}
	if marks, faults := blackjack.Game.Decide(1, visibleNothing()); len(marks) > 0 || len(faults) > 0 {
		t.Errorf("nothing visible in round 1: %v, %v", marks, faults)
	}
}

// TestWagersOfTheCatalogue: seven seats, four wagers each, in their rounds.
func TestWagersOfTheCatalogue(t *testing.T) {
	rounds := map[string]int{}
	count := 0
	for s := range blackjack.Game.Selections {
		rounds[blackjack.Game.Family(s).Name] = blackjack.Game.Family(s).Round
		count++
	}
	if want := map[string]int{"seat": 1, "split": 2, "double": 2, "insurance": 2}; !maps.Equal(rounds, want) || count != 28 {
		t.Errorf("%d wagers in rounds %v, want 28 in %v", count, rounds, want)
	}
}
