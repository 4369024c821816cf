package pokerhand

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tally/internal/vectors"
	"tally/lib/rulebook/cards"
)

// oddsCase is a line of poker_odds.jsonl.
type oddsCase struct {
	ID       string            `json:"id"`
	Hands    [Hands][2]string  `json:"hands"`
	Boards   uint32            `json:"boards"`
	WinOrTie [Hands]uint32     `json:"win_or_tie"`
	SoleWin  [Hands]uint32     `json:"sole_win"`
	Category map[string]uint32 `json:"winning_category"`
	Winners  map[string]uint32 `json:"boards_with_k_winners"`
}

// agrees compares counts with a case, which has royal flushes among its straight
// flushes.
func (o oddsCase) agrees(c Counts) bool {
	if c.Boards != o.Boards || c.WinOrTie != o.WinOrTie || c.SoleWin != o.SoleWin || c.Winners[0] != 0 {
		return false
	}
	for winners := 1; winners <= Hands; winners++ {
		if c.Winners[winners] != o.Winners[strconv.Itoa(winners)] {
			return false
		}
	}
	c.Category[StraightFlush] += c.Category[RoyalFlush]
	for category := range RoyalFlush {
		if c.Category[category] != o.Category[vectorName(category)] {
			return false
		}
	}
	return len(o.Winners) == Hands && len(o.Category) == Categories-1
}

func TestOddsVectors(t *testing.T) {
	lines := vectors.Lines(t, vectors.PokerOdds)
	if len(lines) != 80 {
		t.Fatalf("%d cases, want 80", len(lines))
	}
	for _, line := range lines {
		var test oddsCase
		if err := json.Unmarshal(line, &test); err != nil {
			t.Fatal(err)
		}
		hands := parseHands(t, test.Hands)
		counts, err := Analyse(&hands, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !test.agrees(counts) {
			t.Errorf("%s: got %+v, want %+v", test.ID, counts, test)
		}
		for _, flip := range []*uint32{
			&counts.Boards, &counts.WinOrTie[5], &counts.SoleWin[0], &counts.Winners[6],
			&counts.Category[HighCard], &counts.Category[RoyalFlush],
		} {
			*flip ^= 1
			if test.agrees(counts) {
				t.Errorf("%s: a changed bit goes unnoticed", test.ID)
			}
			*flip ^= 1
		}
	}
}

func parseHands(t *testing.T, codes [Hands][2]string) (hands [Hands][2]cards.Card) {
	t.Helper()
	for i, pair := range codes {
		hands[i] = [2]cards.Card(hand(strings.Join(pair[:], " ")))
	}
	return hands
}

// resolveCase is a line of resolve.jsonl.
type resolveCase struct {
	ID    string          `json:"id"`
	Input json.RawMessage `json:"input"`
	Raw   string          `json:"input_raw"`

	Expect struct {
		Status  string `json:"status"`
		Outcome struct {
			Winners     []int  `json:"winners"`
			Combination string `json:"combination"`
			Hands       []struct {
				Category string   `json:"category"`
				Best     []string `json:"best"`
			} `json:"hands"`
		} `json:"outcome"`
	} `json:"expect"`
}

func TestResolveVectors(t *testing.T) {
	resolved := 0
	for _, line := range slices.Concat(vectors.Lines(t, vectors.Resolve), vectors.Lines(t, vectors.Resolve2)) {
		if !bytes.Contains(line, []byte(`"game":"poker"`)) {
			continue
		}
		var test resolveCase
		var input struct {
			Facts struct {
				Hands [Hands][2]string `json:"hands"`
				Board []string         `json:"board"`
			} `json:"facts"`
		}
		if err := json.Unmarshal(line, &test); err != nil {
			t.Fatal(err)
		}
		if test.Expect.Status != "resolved" {
			continue
		}
		if err := json.Unmarshal(test.Input, &input); err != nil {
			t.Fatal(err)
		}
		resolved++
		hands := parseHands(t, input.Facts.Hands)
		test.check(t, &hands, hand(strings.Join(input.Facts.Board, " ")))
	}
	if resolved < 600 {
		t.Errorf("only %d resolved cases", resolved)
	}
}

// check compares the hands' categories and best fives, the winners and their
// category with what the case expects.
func (test *resolveCase) check(t *testing.T, hands *[Hands][2]cards.Card, board []cards.Card) {
	t.Helper()
	want := test.Expect.Outcome
	var ranks []Strength
	for i, pair := range hands {
		seven := slices.Concat(pair[:], board)
		five, rank := BestFive(seven)
		ranks = append(ranks, rank)
		if got := rank.Category().String(); got != want.Hands[i].Category {
			t.Errorf("%s: hand %d is %s, want %s", test.ID, i+1, got, want.Hands[i].Category)
		}
		if best := want.Hands[i].Best; best != nil && !slices.Equal(five[:], hand(strings.Join(best, " "))) {
			t.Errorf("%s: hand %d is %v, want %v", test.ID, i+1, five, best)
		}
		if h := handOf(seven); rank != h.Rank() {
			t.Errorf("%s: BestFive says %#x of hand %d, want %#x as Rank says", test.ID, rank, i+1, h.Rank())
		}
	}
	best := slices.Max(ranks)
	var winners []int
	for i, rank := range ranks {
		if rank == best {
			winners = append(winners, i+1)
		}
	}
	if !slices.Equal(winners, want.Winners) || best.Category().String() != want.Combination {
		t.Errorf("%s: %v win by %v, want %v by %s", test.ID, winners, best.Category(), want.Winners, want.Combination)
	}
	counts, err := Analyse(hands, board, nil)
	for i := range Hands {
		if err != nil || counts.CanWin(i) != slices.Contains(winners, i+1) || counts.CanLose(i) == counts.CanWin(i) {
			t.Errorf("%s: hand %d: Analyse has %+v, %v", test.ID, i+1, counts, err)
		}
	}
}
