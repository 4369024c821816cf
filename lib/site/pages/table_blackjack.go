package pages

import (
	"fmt"
	"strconv"
)

// blackjackCards are the hands of the dealer and of the seats.
type blackjackCards struct {
	Dealer []face `json:"dealer"`
	Seats  []struct {
		Seat  int  `json:"seat"`
		Split bool `json:"split"`
		Hands []struct {
			Cards   []face `json:"cards"`
			Doubled bool   `json:"doubled"`
		} `json:"hands"`
	} `json:"seats"`
	Burned []face `json:"burned"`
}

func (c *blackjackCards) groups(w *words) []group {
	list := []group{{w.text("blackjack.dealer"), c.Dealer}}
	for _, s := range c.Seats {
		for i, h := range s.Hands {
			label := w.text("blackjack.seat", "Number", s.Seat)
			if len(s.Hands) > 1 {
				label = w.text("blackjack.seat_and_hand", "Number", s.Seat, "Hand", i+1)
			}
			if h.Doubled {
				label += ", " + w.text("blackjack.doubled")
			}
			list = append(list, group{label, h.Cards})
		}
	}
	return withBurned(w, filled(list...), c.Burned)
}

type blackjackResult struct {
	Total     int    `json:"total"`
	Blackjack bool   `json:"blackjack"`
	Bust      bool   `json:"bust"`
	Result    string `json:"result"` // of a seat's hand
}

type blackjackTable struct {
	Cards   blackjackCards
	Outcome struct {
		Dealer *blackjackResult `json:"dealer"`
		Seats  []struct {
			Seat  int               `json:"seat"`
			Hands []blackjackResult `json:"hands"`
		} `json:"seats"`
	}
}

func (t *blackjackTable) parts() (facts, outcome any) { return &t.Cards, &t.Outcome }
func (t *blackjackTable) template() string            { return "blackjack" }

func (t *blackjackTable) check() error {
	if len(t.Outcome.Seats) == 0 || len(t.Cards.Seats) == 0 {
		return nil
	}
	same := len(t.Outcome.Seats) == len(t.Cards.Seats)
	for i := 0; same && i < len(t.Cards.Seats); i++ {
		same = len(t.Outcome.Seats[i].Hands) == len(t.Cards.Seats[i].Hands)
	}
	if !same {
		return fmt.Errorf("reading what happened in a draw: the seats judged are not those that played")
	}
	return nil
}

// blackjackSeat is a seat that played.
type blackjackSeat struct {
	Number int
	Split  bool
	Hands  []blackjackHand
}

// blackjackHand is a hand with what became of it; Result is nil where that is not
// known.
type blackjackHand struct {
	Number  int
	Cards   []face
	Doubled bool
	Result  *blackjackResult
}

// Seats are the seats. The third card of a doubled hand lies across.
func (t *blackjackTable) Seats() (list []blackjackSeat) {
	for i, s := range t.Cards.Seats {
		seat := blackjackSeat{Number: s.Seat, Split: s.Split}
		for k, h := range s.Hands {
			hand := blackjackHand{Number: k + 1, Doubled: h.Doubled,
				Cards: with(h.Cards, func(at int, f *face) { f.Sideways = h.Doubled && at == 2 })}
			if len(t.Outcome.Seats) > 0 {
				hand.Result = &t.Outcome.Seats[i].Hands[k]
			}
			seat.Hands = append(seat.Hands, hand)
		}
		list = append(list, seat)
	}
	return list
}

func (t *blackjackTable) seen(w *words) []pair { return pairs(t.Cards.groups(w)) }

// told writes a hand's total.
func (r *blackjackResult) told(w *words) string {
	switch {
	case r.Blackjack:
		return w.text("blackjack.blackjack")
	case r.Bust:
		return strconv.Itoa(r.Total) + ", " + w.text("blackjack.bust")
	}
	return strconv.Itoa(r.Total)
}

func (t *blackjackTable) result(w *words) (list []pair) {
	if t.Outcome.Dealer != nil {
		list = append(list, pair{w.text("blackjack.dealer"), t.Outcome.Dealer.told(w)})
	}
	for _, s := range t.Outcome.Seats {
		for i := range s.Hands {
			label := w.text("blackjack.seat", "Number", s.Seat)
			if len(s.Hands) > 1 {
				label = w.text("blackjack.seat_and_hand", "Number", s.Seat, "Hand", i+1)
			}
			list = append(list, pair{label, s.Hands[i].told(w) + " · " + w.code("blackjack", s.Hands[i].Result)})
		}
	}
	return list
}

func (t *blackjackTable) line(w *words) string {
	if t.Outcome.Dealer == nil {
		return ""
	}
	counts := map[string]int{}
	for _, s := range t.Outcome.Seats {
		for _, h := range s.Hands {
			counts[h.Result]++
		}
	}
	text := w.text("blackjack.dealer") + " " + t.Outcome.Dealer.told(w)
	for _, result := range []string{"win", "push", "lose"} {
		if counts[result] > 0 {
			text += " · " + w.count("blackjack.count_"+result, counts[result])
		}
	}
	return text
}
