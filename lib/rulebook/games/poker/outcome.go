package poker

import (
	"fmt"
	"slices"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/pokerhand"
	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// outcome is a resolved deal.
type outcome struct {
	Winners     []int64 `json:"winners"`
	Combination string  `json:"combination"`
	Hands       []hand  `json:"hands"`
}

// hand is what a hand makes of the board.
type hand struct {
	Category string       `json:"category"`
	Best     []cards.Card `json:"best"` // strongest first
}

// table is the facts with the cards read.
type table struct {
	hands  [hands][handCards]cards.Card
	board  []cards.Card
	burned []cards.Card
}

// lay reads the cards and returns what is wrong with them; the table is of use
// only when nothing is.
func lay(f facts, boardCount int) (t table, faults []rules.Fault) {
	deal := rules.NewDeal(decks)
	if len(f.Hands) != hands {
		deal.Fault("wrong_hand_count", "POK-1.2", fmt.Sprintf("there are %d hands instead of six", len(f.Hands)))
	}
	for i, codes := range f.Hands {
		place := fmt.Sprintf("hand %d", i+1)
		dealt := deal.Cards(place, codes)
		deal.Count(place, codes, handCards, handCards, "POK-1.2")
		if i < hands {
			copy(t.hands[i][:], dealt)
		}
	}
	t.board = deal.Cards("board", f.Board)
	deal.Count("board", f.Board, boardCount, boardCount, "POK-1.6")
	t.burned = deal.Cards("burned", f.Burned)
	return t, deal.Faults()
}

func resolve(f facts) rules.Resolution[*outcome] {
	t, faults := lay(f, boardCards)
	if len(faults) > 0 {
		return rules.Resolution[*outcome]{Faults: faults}
	}
	o := &outcome{}
	var ranks [hands]pokerhand.Strength
	for i, dealt := range t.hands {
		five, rank := pokerhand.BestFive(append(dealt[:], t.board...))
		ranks[i] = rank
		o.Hands = append(o.Hands, hand{Category: rank.Category().String(), Best: five[:]})
	}
	best := slices.Max(ranks[:])
	o.Combination = best.Category().String()
	for i, rank := range ranks {
		if rank == best {
			o.Winners = append(o.Winners, int64(i+1))
		}
	}
	return rules.Resolution[*outcome]{Outcome: o}
}

// AppendJSON implements rules.Outcome.
func (o *outcome) AppendJSON(dst []byte) []byte {
	out := strictjson.Out(dst).Open().Name("winners").OpenList()
	for _, number := range o.Winners {
		out = out.Int(int(number))
	}
	out = out.CloseList().TextMember("combination", o.Combination).Name("hands").OpenList()
	for _, h := range o.Hands {
		out = out.Open().TextMember("category", h.Category).Name("best").OpenList()
		for _, card := range h.Best {
			out = out.Plain(card.String())
		}
		out = out.CloseList().Close()
	}
	return out.CloseList().Close()
}
