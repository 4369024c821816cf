package dice_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games/dice"
)

// exactNames are the contract's combinations by the names of the exact figures.
var exactNames = map[string]string{
	"one_pair": "pair", "two_pair": "two_pairs", "three_of_a_kind": "three_of_a_kind", "all_different": "all_different",
	"low_straight": "low_line", "high_straight": "high_line", "full_house": "full_house",
	"four_of_a_kind": "four_of_a_kind", "five_of_a_kind": "five_of_a_kind",
}

// TestEveryRoll resolves all 7,776 rolls, compares each with an oracle and the
// wins of every selection with the exact figures.
func TestEveryRoll(t *testing.T) {
	var exact struct {
		Total     int
		Class     map[string]int
		Sum       map[string]int
		OddDice   map[string]int `json:"odd_dice"`
		FaceCount map[string]int `json:"count_of_a_given_face"`
		SumOdd    int            `json:"sum_odd"`
	}
	ruletest.Exact(t, "dice", &exact)

	game := dice.Game
	selections := slices.Collect(game.Selections)
	wins := map[string]int{}
	rolls := 0
	for n := range 7776 {
		roll := []int{n/1296%6 + 1, n/216%6 + 1, n/36%6 + 1, n/6%6 + 1, n%6 + 1}
		text, _ := json.Marshal(roll)
		o := ruletest.Outcome(t, game, fmt.Sprintf(`{"rolls":[{"dice":%s}]}`, text))
		if got, want := ruletest.JSON(o), oracle(roll); got != want {
			t.Fatalf("%v: %s, want %s", roll, got, want)
		}
		for _, s := range selections {
			if ruletest.Wins(game, o, s) {
				wins[game.Text(s)]++
			}
		}
		rolls++
	}
	if rolls != exact.Total {
		t.Fatalf("%d rolls, want %d", rolls, exact.Total)
	}

	want := map[string]int{"sum_odd": exact.SumOdd, "sum_even": exact.Total - exact.SumOdd}
	for name, count := range exact.Class {
		want["combo:"+exactNames[name]] = count
	}
	for line := 5; line <= 29; line++ {
		for sum, count := range exact.Sum {
			if n, _ := strconv.Atoi(sum); n <= line {
				want[fmt.Sprintf("sum_under:%d.5", line)] += count
			} else {
				want[fmt.Sprintf("sum_over:%d.5", line)] += count
			}
		}
	}
	for face := 1; face <= 6; face++ {
		for count, rolls := range exact.FaceCount {
			if count == "0" {
				want[fmt.Sprintf("face_none:%d", face)] = rolls
				want[fmt.Sprintf("face:%d", face)] = exact.Total - rolls
			} else {
				want[fmt.Sprintf("face_exactly:%d:%s", face, count)] = rolls
			}
		}
	}
	if !maps.Equal(wins, want) {
		t.Errorf("wins %v\nwant %v", wins, want)
	}
	if len(want) != len(selections) {
		t.Errorf("%d selections, want %d", len(selections), len(want))
	}
}

// oracle resolves a roll by the rulebook's words: it sorts faces into those
// shown five, four, three, two times and once.
func oracle(roll []int) string {
	sum, byCount := 0, map[int][]int{}
	for face := 1; face <= 6; face++ {
		count := 0
		for _, die := range roll {
			if die == face {
				count++
			}
		}
		byCount[count] = append(byCount[count], face) // ascending
		sum += count * face
	}
	arranged := []int{}
	for count := 5; count >= 2; count-- {
		for _, face := range slices.Backward(byCount[count]) { // the higher pair first
			for range count {
				arranged = append(arranged, face)
			}
		}
	}
	arranged = append(arranged, byCount[1]...)
	combination := "all_different"
	switch {
	case len(byCount[5]) == 1:
		combination = "five_of_a_kind"
	case len(byCount[4]) == 1:
		combination = "four_of_a_kind"
	case len(byCount[3]) == 1 && len(byCount[2]) == 1:
		combination = "full_house"
	case len(byCount[3]) == 1:
		combination = "three_of_a_kind"
	case len(byCount[2]) == 2:
		combination = "two_pairs"
	case len(byCount[2]) == 1:
		combination = "pair"
	case slices.Equal(byCount[1], []int{1, 2, 3, 4, 5}):
		combination = "low_line"
	case slices.Equal(byCount[1], []int{2, 3, 4, 5, 6}):
		combination = "high_line"
	}
	text, _ := json.Marshal(arranged)
	return fmt.Sprintf(`{"combination":%q,"arranged":%s,"sum":%d}`, combination, text, sum)
}

// TestArranged has the rulebook's own order in plain sight.
func TestArranged(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		dice      | combination     | arranged
		6,1,1,2,5 | pair            | [1,1,2,5,6]
		2,6,2,6,4 | two_pairs       | [6,6,2,2,4]
		3,3,5,5,5 | full_house      | [5,5,5,3,3]
		5,5,3,3,3 | full_house      | [3,3,3,5,5]
		6,4,4,4,1 | three_of_a_kind | [4,4,4,1,6]
		1,6,6,6,6 | four_of_a_kind  | [6,6,6,6,1]
		2,2,2,2,2 | five_of_a_kind  | [2,2,2,2,2]
		5,4,3,2,1 | low_line        | [1,2,3,4,5]
		6,5,4,3,2 | high_line       | [2,3,4,5,6]
		6,1,3,2,5 | all_different   | [1,2,3,5,6]
	`) {
		t.Run(row[0], func(t *testing.T) {
			var got struct {
				Combination string
				Arranged    json.RawMessage
			}
			text := ruletest.Answer(dice.Game, `{"rolls":[{"dice":[`+row[0]+`]}]}`)
			if err := json.Unmarshal([]byte(text), &got); err != nil || got.Combination != row[1] || string(got.Arranged) != row[2] {
				t.Errorf("%s: %s, want %s %s", row[0], text, row[1], row[2])
			}
		})
	}
}

// TestOnlyTheLastRollCounts repeats a faulty roll.
func TestOnlyTheLastRollCounts(t *testing.T) {
	first := ruletest.Answer(dice.Game, `{"rolls":[{"dice":[3,3,5,5,5]}]}`)
	for _, faulty := range []string{
		`{"dice":[6,1,1,2,5],"faults":["die_on_edge"]}`,
		`{"dice":[6,1,1,2],"faults":["die_fell"]}`,
		`{"dice":[],"faults":["stream_lost"]}`,
		`{"dice":[6,1,1,2,5],"faults":["stream_lost"]}`,
		`{"dice":[],"faults":["die_fell","die_unclear","combination_unclear","die_covers_line"]}`,
	} {
		t.Run(faulty, func(t *testing.T) {
			if got := ruletest.Answer(dice.Game, `{"rolls":[`+faulty+`,{"dice":[3,3,5,5,5],"faults":[]}]}`); got != first {
				t.Errorf("after %s: %s, want %s", faulty, got, first)
			}
		})
	}
}

func TestSelectionsWithoutOddsOfTheirOwn(t *testing.T) {
	for text, want := range map[string]string{"face:3": "face", "face_none:1": "face_none", "face_exactly:3:2": "face_exactly/2", "sum_odd": "", "combo:pair": ""} {
		t.Run(text, func(t *testing.T) {
			if got := dice.Game.BoardGroup(ruletest.Selection(t, dice.Game, text)); got != want {
				t.Errorf("%s is priced as %q, want %q", text, got, want)
			}
		})
	}
}
