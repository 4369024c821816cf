package poker

import (
	"fmt"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/pokerhand"
	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// outcome is a resolved deal.
type outcome struct {
	best  pokerhand.Rank
	won   [hands]bool
	fives [hands][boardCards]cards.Card // strongest first
	ranks [hands]pokerhand.Rank
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
	if len(f.hands) != hands {
		deal.Fault("wrong_hand_count", "POK-1.2", fmt.Sprintf("there are %d hands instead of six", len(f.hands)))
	}
	for i, codes := range f.hands {
		place := fmt.Sprintf("hand %d", i+1)
		dealt := deal.Cards(place, codes)
		deal.Count(place, codes, handCards, handCards, "POK-1.2")
		if i < hands {
			copy(t.hands[i][:], dealt)
		}
	}
	t.board = deal.Cards("board", f.board)
	deal.Count("board", f.board, boardCount, boardCount, "POK-1.6")
	t.burned = deal.Cards("burned", f.burned)
	return t, deal.Faults()
}

func resolve(f facts) rules.Resolution[*outcome] {
	t, faults := lay(f, boardCards)
	if len(faults) > 0 {
		return rules.Resolution[*outcome]{Faults: faults}
	}
	o := &outcome{}
	for i, hand := range t.hands {
		o.fives[i], o.ranks[i] = pokerhand.BestFive(append(hand[:], t.board...))
		o.best = max(o.best, o.ranks[i])
	}
	for i, rank := range o.ranks {
		o.won[i] = rank == o.best
	}
	return rules.Resolution[*outcome]{Outcome: o}
}

// winners returns how many hands are best or equal best.
func (o *outcome) winners() (count int) {
	for _, won := range o.won {
		if won {
			count++
		}
	}
	return count
}

// AppendJSON implements rules.Outcome.
func (o *outcome) AppendJSON(dst []byte) []byte {
	out := strictjson.Out(dst).Open().Name("winners").OpenList()
	for i, won := range o.won {
		if won {
			out = out.Int(i + 1)
		}
	}
	out = out.CloseList().TextMember("combination", o.best.Category().String()).Name("hands").OpenList()
	for i, five := range o.fives {
		out = out.Open().TextMember("category", o.ranks[i].Category().String()).Name("best").OpenList()
		for _, card := range five {
			out = out.Plain(card.String())
		}
		out = out.CloseList().Close()
	}
	return out.CloseList().Close()
}
