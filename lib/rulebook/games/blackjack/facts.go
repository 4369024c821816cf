package blackjack

import (
	"fmt"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// facts are the hands as dealt. The dealer's first card is the open one.
type facts struct {
	dealer []string
	seats  []seatFacts
	burned []string
}

type seatFacts struct {
	number int64
	split  bool
	hands  []handFacts
}

type handFacts struct {
	cards   []string
	doubled bool
}

func read(o strictjson.Object) facts {
	f := facts{dealer: o.Texts("dealer"), burned: o.OptionalTexts("burned")}
	for _, s := range o.NonEmptyObjects("seats") {
		seat := seatFacts{number: s.Whole("seat"), split: s.Flag("split")}
		for _, h := range s.Objects("hands") {
			seat.hands = append(seat.hands, handFacts{h.Texts("cards"), h.Flag("doubled")})
			h.Close()
		}
		s.Close()
		f.seats = append(f.seats, seat)
	}
	return f
}

// table is the facts with the cards read.
type table struct {
	dealer []cards.Card
	seats  []seatTable
}

type seatTable struct {
	number int
	split  bool
	hands  []handTable
}

type handTable struct {
	place   string // such as seat 4, hand 2
	cards   []cards.Card
	doubled bool
}

// lay reads the cards and returns what is wrong with them and their numbers.
// Each hand has at least leastCards; the dealer from least to most.
func lay(f facts, leastDealer, mostDealer, leastHand, mostHand int) (table, *rules.Deal) {
	deal := rules.NewDeal(decks)
	t := table{dealer: deal.Cards("Dealer", f.dealer)}
	deal.Count("Dealer", f.dealer, leastDealer, mostDealer, "BJ-3.4")
	deal.Cards("burned", f.burned)
	named := map[int64]bool{}
	for _, s := range f.seats {
		switch {
		case s.number < 1 || s.number > seats:
			deal.Fault("unknown_seat", "BJ-1.2.1", fmt.Sprintf("there is no seat %s; they are 1 to %d", rules.Number(s.number), seats))
		case named[s.number]:
			deal.Fault("unknown_seat", "BJ-1.2.1", fmt.Sprintf("seat %d is named twice", s.number))
		}
		named[s.number] = true
		seat := seatTable{number: int(s.number), split: s.split}
		if want := handsOf(s.split); len(s.hands) != want {
			deal.Fault("wrong_hand_count", "BJ-2.7", fmt.Sprintf("seat %d: hands: %d, instead of %d", s.number, len(s.hands), want))
		}
		for i, h := range s.hands {
			place := fmt.Sprintf("seat %d", s.number)
			if len(s.hands) > 1 {
				place += fmt.Sprintf(", hand %d", i+1)
			}
			seat.hands = append(seat.hands, handTable{place, deal.Cards(place, h.cards), h.doubled})
			deal.Count(place, h.cards, leastHand, mostHand, "BJ-3.4")
		}
		t.seats = append(t.seats, seat)
	}
	return t, deal
}

func handsOf(split bool) int {
	if split {
		return 2
	}
	return 1
}

// mostCards bounds a hand: 21 aces of eight decks are more than any hand holds.
const mostCards = 21

func resolve(f facts) rules.Resolution[*outcome] {
	t, deal := lay(f, 2, mostCards, 2, mostCards)
	if faults := deal.Faults(); len(faults) > 0 {
		return rules.Resolution[*outcome]{Faults: faults}
	}
	if faults := t.play(); len(faults) > 0 {
		return rules.Resolution[*outcome]{Faults: faults}
	}
	return rules.Resolution[*outcome]{Outcome: newOutcome(t)}
}
