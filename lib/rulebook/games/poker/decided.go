package poker

import (
	"fmt"

	"tally/lib/rulebook/pokerhand"
	"tally/lib/rulebook/rules"
)

// visibleBoard is how many community cards lie open at the start of each
// betting round from the second on.
var visibleBoard = map[int]int{2: 0, 3: 3, 4: 4}

// decide marks what the open cards decide, by enumerating every board that can
// still come: 658,008 before the flop, 666 after it, 36 after the turn.
func decide(round int, visible facts) (map[string]rules.Mark, []rules.Fault) {
	if round == 1 {
		return nil, unseen(visible)
	}
	t, faults := lay(visible, visibleBoard[round])
	if len(faults) > 0 {
		return nil, faults
	}
	counts, err := pokerhand.Analyse(&t.hands, t.board, t.burned)
	if err != nil {
		return nil, []rules.Fault{{Code: "wrong_card_count", Rule: "POK-3", Message: err.Error()}}
	}
	marks := map[string]rules.Mark{}
	mark := func(selection string, canWin, canLose bool) {
		switch {
		case !canWin:
			marks[selection] = rules.MarkLose
		case !canLose:
			marks[selection] = rules.MarkWin
		}
	}
	for i := range hands {
		mark(fmt.Sprintf("hand:%d", i+1), counts.CanWin(i), counts.CanLose(i))
	}
	for c := range pokerhand.Category(pokerhand.Categories) {
		mark("combo:"+c.String(), counts.CategoryCanWin(c), counts.CategoryCanLose(c))
	}
	return marks, nil
}

// unseen faults cards that are named before any was dealt.
func unseen(visible facts) []rules.Fault {
	if len(visible.Hands) == 0 && len(visible.Board) == 0 {
		return nil
	}
	return []rules.Fault{{Code: "wrong_card_count", Rule: "POK-1.6", Message: "betting round 1 opens before the cards: no hand and no board are visible"}}
}
