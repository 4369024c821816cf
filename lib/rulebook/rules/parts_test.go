package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/rules"
)

// TestReasonsOf compares with the rulebook's lists.
func TestReasonsOf(t *testing.T) {
	const common = "connection_lost technical_failure presenter_error stream_lost system_malfunction no_result"
	for kind, own := range map[rules.CancelKind]string{
		rules.CommonReasons: "",
		rules.CardReasons:   "scanner_mismatch cards_misplaced dealing_order card_damaged card_hidden card_exposed cut_card_forgotten wrong_scan",
		rules.DiceReasons:   "die_fell die_on_edge die_unclear combination_unclear die_covers_line",
		rules.BallReasons:   "balls_not_ready balls_not_visible wrong_ball_count",
		rules.WheelReasons:  "too_few_turns wheel_touched between_sectors",
	} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			var got []string
			for _, reason := range rules.ReasonsOf(kind) {
				got = append(got, reason.Code)
				if isOwn := slices.Contains(strings.Fields(own), reason.Code); reason.Text == "" || isOwn && !reason.Is(kind) {
					t.Errorf("%+v", reason)
				}
			}
			want := strings.Fields(common + " " + own)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("kind %d has %v, want %v", kind, got, want)
			}
		})
	}
}

func TestTries(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		most | tries: f faulty, v valid | faults
		2    | v                        |
		2    | fv                       |
		2    | f                        | fault_unresolved
		2    | ff                       | fault_unresolved
		2    | vf                       | valid_repeated fault_unresolved
		2    | vv                       | valid_repeated
		2    | ffv                      | too_many_tries
		2    | vvv                      | too_many_tries valid_repeated valid_repeated
		2    | fvf                      | too_many_tries valid_repeated fault_unresolved
		0    | v                        |
		0    | fffffffv                 |
		0    | fvv                      | valid_repeated
		0    | fff                      | fault_unresolved
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			tries := rules.Tries{Noun: "roll", Max: int(row[0][0] - '0'), Rule: "X-1"}
			var faulty []bool
			for _, try := range row[1] {
				faulty = append(faulty, try == 'f')
			}
			var got []string
			for _, fault := range tries.Play(faulty) {
				got = append(got, fault.Code)
				if fault.Rule != "X-1" || !strings.Contains(fault.Message, "roll") {
					t.Errorf("%+v, want fault.Rule = \"X-1\" and \"roll\" in fault.Message", fault)
				}
			}
			if strings.Join(got, " ") != row[2] {
				t.Errorf("at most %s, %s: %v, want %s", row[0], row[1], got, row[2])
			}
		})
	}
}

func TestDeal(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		decks | cards                         | faults
		1     | AS KD 2C                      |
		1     | AS KD AS                      | duplicate_card
		1     | AS AS AS KD KD                | duplicate_card duplicate_card
		1     | AS XX 1S as                   | unknown_card unknown_card unknown_card
		2     | AS AS KD KD                   |
		2     | AS AS AS AS                   | too_many_copies
		6     | AS AS AS AS AS AS             |
		6     | AS AS AS AS AS AS AS          | too_many_copies
		6     | AS AS AS AS AS AS AS ?? KD    | too_many_copies unknown_card
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			deal := rules.NewDeal(int(row[0][0] - '0'))
			list := strings.Fields(row[1])
			half := len(list) / 2
			dealt := append(deal.Cards("Player", list[:half]), deal.Cards("Banker", list[half:])...)
			var codes []string
			for _, fault := range deal.Faults() {
				codes = append(codes, fault.Code)
			}
			if got := strings.Join(codes, " "); got != row[2] {
				t.Errorf("%s of %s decks: %s, want %s", row[1], row[0], got, row[2])
			}
			if want := len(list) - strings.Count(row[2], "unknown_card"); len(dealt) != want {
				t.Errorf("%s: %d cards are read, want %d", row[1], len(dealt), want)
			}
		})
	}
}

func TestDealCounts(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		cards       | least | most | fault
		AS          | 2     | 3    | Player has one card, fewer than 2
		AS KS       | 2     | 3    |
		AS KS 2S    | 2     | 3    |
		AS KS 2S 3S | 2     | 3    | Player has 4 cards, more than 3
		AS          | 2     | 2    | Player has one card instead of 2
		            | 1     | 1    | Player has 0 cards instead of 1
		AS KS       | 0     | 0    | Player has 2 cards instead of 0
	`) {
		t.Run(row[0]+" "+row[1]+" "+row[2], func(t *testing.T) {
			deal := rules.NewDeal(1)
			deal.Count("Player", strings.Fields(row[0]), int(row[1][0]-'0'), int(row[2][0]-'0'), "X-2")
			got := ""
			for _, fault := range deal.Faults() {
				got += fault.Message
				if fault.Code != "wrong_card_count" || fault.Rule != "X-2" {
					t.Errorf("%+v, want fault.Code = \"wrong_card_count\" and fault.Rule = \"X-2\"", fault)
				}
			}
			if got != row[3] {
				t.Errorf("%s of %s to %s: %s, want %s", row[0], row[1], row[2], got, row[3])
			}
		})
	}
}

func TestShoe(t *testing.T) {
	deal := rules.NewDeal(6)
	ace, _ := cards.Parse("AS")
	deal.Cards("Player", []string{"AS", "AS"})
	if left := deal.Left(ace); left != 4 {
		t.Errorf("%d aces are left, want 4", left)
	}
	deal.Take(ace)
	if left := deal.Left(ace); left != 3 {
		t.Errorf("%d aces are left after one was taken, want 3", left)
	}
	deal.Return(ace)
	if left := deal.Left(ace); left != 4 {
		t.Errorf("%d aces are left after it was returned, want 4", left)
	}
}

func TestNamesOnTheWire(t *testing.T) {
	for got, want := range map[string]string{
		rules.Lost.String(): "lost", rules.Won.String(): "won", rules.Refunded.String(): "refunded",
		rules.Open.String(): "open", rules.MarkWin.String(): "win", rules.MarkLose.String(): "lose",
	} {
		t.Run(got, func(t *testing.T) {
			if got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

func TestLines(t *testing.T) {
	for n := range 40 {
		for line := range 40 {
			// against the line as a fraction, in halves
			if rules.Over(n, line) != (2*n > 2*line+1) || rules.Under(n, line) != (2*n < 2*line+1) {
				t.Errorf("%d against %d.5", n, line)
			}
		}
	}
}
