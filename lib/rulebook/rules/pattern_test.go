package rules_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
)

// What a pattern names, and what is none.
func TestPatterns(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
game      | pattern          | covers                              | not
blackjack | insurance:*      | insurance:1 insurance:7             | seat:1 double:1:1
blackjack | double:3:*       | double:3:1                          | double:2:1 split:3
blackjack | double:*         | double:3:1 double:1:1               | split:3
blackjack | double:3:1       | double:3:1                          | double:1:1
dice      | face_exactly:3:* | face_exactly:3:1 face_exactly:3:5   | face_exactly:2:3 face:3
dice      | sum_odd          | sum_odd                             | sum_even
lucky5    | drawn:*          | drawn:1 drawn:1-2-3                 | not_drawn:1
lucky5    | drawn:1          | drawn:1                             | drawn:1-2
blackjack | double:3:1:*     | illegal_shape                       |
blackjack | double:9:*       | illegal_shape                       |
blackjack | double::*        | illegal_shape                       |
blackjack | triple:*         | unknown_selection                   |
blackjack | insurance        | unknown_selection                   |
blackjack | *                | unknown_selection                   |
blackjack | :*               | unknown_selection                   |
blackjack | double*          | unknown_selection                   |
blackjack | insurance:*:*    | illegal_shape                       |
dice      | sum_odd:*        | illegal_shape                       |
lucky5    | drawn:1:*        | illegal_shape                       |
`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			game, _ := games.Find(row[0])
			pattern, err := game.ParsePattern(row[1])
			if wrong := (*rules.SelectionError)(nil); errors.As(err, &wrong) {
				if wrong.Code != row[2] {
					t.Errorf("refused with %v instead of %s", err, row[2])
				}
				return
			}
			for i, list := range row[2:4] {
				for text := range strings.FieldsSeq(list) {
					s, err := game.Parse(text)
					if err != nil {
						t.Fatal(err)
					}
					if pattern.Covers(s) != (i == 0) {
						t.Errorf("%s is covered: %v", text, i != 0)
					}
				}
			}
		})
	}
}

// Every family of every game is named by its pattern, and no other is.
func TestPatternsOfFamilies(t *testing.T) {
	for _, game := range games.All() {
		for _, family := range game.Families {
			pattern, err := game.ParsePattern(family.Name + ":*")
			if err != nil {
				continue // without parameters
			}
			for s := range game.Selections {
				if named := game.Family(s).Name == family.Name; pattern.Covers(s) != named {
					t.Fatalf("%s of %s: %s:* names it: %v", game.Text(s), game.ID, family.Name, !named)
				}
			}
		}
		if slices.ContainsFunc(game.Families, func(f rules.FamilyInfo) bool { return f.Until == "" }) {
			t.Errorf("%s does not say until when bets are taken", game.ID)
		}
	}
}
