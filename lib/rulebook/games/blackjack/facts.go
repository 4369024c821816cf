package blackjack

import (
	"fmt"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// facts are the hands as dealt. The dealer's first card is the open one.
type facts struct {
	Dealer []string    `json:"dealer"`
	Seats  []seatFacts `json:"seats"`
	Burned []string    `json:"burned,omitempty"`
}

type seatFacts struct {
	Number int64       `json:"seat"`
	Split  bool        `json:"split,omitempty"`
	Hands  []handFacts `json:"hands"`
}

type handFacts struct {
	Cards   []string `json:"cards"`
	Doubled bool     `json:"doubled,omitempty"`
}

func read(o strictjson.Object) facts {
	f := facts{Dealer: o.Strings("dealer"), Burned: o.OptionalTexts("burned")}
	for _, s := range o.NonEmptyObjects("seats") {
		seat := seatFacts{Number: s.Int("seat"), Split: s.Bool("split")}
		for _, h := range s.Objects("hands") {
			seat.Hands = append(seat.Hands, handFacts{Cards: h.Strings("cards"), Doubled: h.Bool("doubled")})
			h.Close()
		}
		s.Close()
		f.Seats = append(f.Seats, seat)
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
	t := table{dealer: deal.Cards("Dealer", f.Dealer)}
	deal.Count("Dealer", f.Dealer, leastDealer, mostDealer, "BJ-3.4")
	deal.Cards("burned", f.Burned)
	named := map[int64]bool{}
	for _, s := range f.Seats {
		switch {
		case s.Number < 1 || s.Number > seats:
			deal.Fault("unknown_seat", "BJ-1.2.1", fmt.Sprintf("there is no seat %s; they are 1 to %d", rules.Number(s.Number), seats))
		case named[s.Number]:
			deal.Fault("unknown_seat", "BJ-1.2.1", fmt.Sprintf("seat %d is named twice", s.Number))
		}
		named[s.Number] = true
		seat := seatTable{number: int(s.Number), split: s.Split}
		if want := handsOf(s.Split); len(s.Hands) != want {
			deal.Fault("wrong_hand_count", "BJ-2.7", fmt.Sprintf("seat %d: hands: %d, instead of %d", s.Number, len(s.Hands), want))
		}
		for i, h := range s.Hands {
			place := fmt.Sprintf("seat %d", s.Number)
			if len(s.Hands) > 1 {
				place += fmt.Sprintf(", hand %d", i+1)
			}
			seat.hands = append(seat.hands, handTable{place: place, cards: deal.Cards(place, h.Cards), doubled: h.Doubled})
			deal.Count(place, h.Cards, leastHand, mostHand, "BJ-3.4")
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
