package blackjack

import (
	"embed"
	"errors"
	"io/fs"
	"math/big"
	"slices"
	"strconv"

	"tally/lib/rulebook/show"
)

//go:embed messages/*.toml
var messages embed.FS

// presentation is how the game is shown and dealt.
type presentation struct{}

func (presentation) Messages() fs.FS     { return messages }
func (presentation) Draw() show.DrawView { return &shown{} }

// shown is a round of play that is shown.
type shown struct{ show.Of[facts, outcome] }

func (d *shown) Check() error {
	alike := func(played seatFacts, judged seat) bool { return len(played.Hands) == len(judged.Hands) }
	if len(d.Outcome.Seats) > 0 && len(d.Facts.Seats) > 0 && !slices.EqualFunc(d.Facts.Seats, d.Outcome.Seats, alike) {
		return errors.New("the seats judged are not those that played")
	}
	return nil
}

// handName names a hand of a seat that has so many.
func handName(w show.Words, seat, hand, of int) string {
	if of > 1 {
		return w.Text("blackjack.seat_and_hand", "Number", seat, "Hand", hand)
	}
	return w.Text("blackjack.seat", "Number", seat)
}

func (d *shown) Places() []show.Place {
	list := []show.Place{{Label: show.Text("blackjack.dealer"), Cards: d.Facts.Dealer}}
	for _, s := range d.Facts.Seats {
		for i, h := range s.Hands {
			label := func(w show.Words) string {
				text := handName(w, int(s.Number), i+1, len(s.Hands))
				if h.Doubled {
					text += ", " + w.Text("blackjack.doubled")
				}
				return text
			}
			list = append(list, show.Place{Label: label, Cards: h.Cards})
		}
	}
	return append(list, show.Burned(d.Facts.Burned))
}

// text writes a hand's total.
func (h *hand) text(w show.Words) string {
	switch {
	case h.Blackjack:
		return w.Text("blackjack.blackjack")
	case h.Bust:
		return strconv.Itoa(h.Total) + ", " + w.Text("blackjack.bust")
	}
	return strconv.Itoa(h.Total)
}

func (d *shown) Result(w show.Words) (list []show.Pair) {
	if d.Outcome.Dealer != nil {
		list = append(list, show.Pair{Label: w.Text("blackjack.dealer"), Value: d.Outcome.Dealer.text(w)})
	}
	for _, s := range d.Outcome.Seats {
		for i := range s.Hands {
			value := s.Hands[i].text(w) + " · " + w.Code("blackjack", s.Hands[i].Result)
			list = append(list, show.Pair{Label: handName(w, s.Number, i+1, len(s.Hands)), Value: value})
		}
	}
	return list
}

func (d *shown) Line(w show.Words) string {
	if d.Outcome.Dealer == nil {
		return ""
	}
	counts := map[string]int{}
	for _, s := range d.Outcome.Seats {
		for _, h := range s.Hands {
			counts[h.Result]++
		}
	}
	text := w.Text("blackjack.dealer") + " " + d.Outcome.Dealer.text(w)
	for _, result := range []string{win, push, lose} {
		if counts[result] > 0 {
			text += " · " + w.Count("blackjack.count_"+result, counts[result])
		}
	}
	return text
}

// picture draws the hands. The third card of a doubled hand lies across.
func (d *shown) Picture(w show.Words) show.Picture {
	table := show.Seats{Dealer: show.Side{Title: w.Text("blackjack.dealer"), Cards: show.Cards(d.Facts.Dealer...)}, Burned: show.Cards(d.Facts.Burned...)}
	if d.Outcome.Dealer != nil {
		table.Dealer.Points = d.Outcome.Dealer.text(w)
	}
	for i, s := range d.Facts.Seats {
		seat := show.Seat{Title: handName(w, int(s.Number), 1, 1)}
		if s.Split {
			seat.Tag = w.Text("blackjack.split")
		}
		for k, h := range s.Hands {
			hand := show.Hand{Cards: show.Cards(h.Cards...)}
			if h.Doubled {
				hand.Cards, hand.Tag = show.Across(h.Cards), w.Text("blackjack.doubled")
			}
			if len(d.Outcome.Seats) > 0 {
				judged := d.Outcome.Seats[i].Hands[k]
				hand.Points, hand.Result = judged.text(w), &show.Result{Code: judged.Result, Name: w.Code("blackjack", judged.Result)}
			}
			seat.Hands = append(seat.Hands, hand)
		}
		table.Seats = append(table.Seats, seat)
	}
	return table
}

func (presentation) Aspects() []show.Countable {
	const aces, tens, all = 4 * decks, 16 * decks, 52 * decks
	return []show.Countable{
		{Name: "dealer_open", Values: show.Alike(show.Ranks()), Ordered: true, Label: show.RankName},
		{Name: "dealer_blackjack", Values: show.YesOrNo(big.NewRat(2*aces*tens, all*(all-1))), Label: show.Coded("table")},
	}
}

func (d *shown) Values() map[string][]string {
	shown := map[string][]string{"dealer_open": show.RankOf(d.Facts.Dealer...)}
	if d.Outcome.Dealer != nil {
		shown["dealer_blackjack"] = show.Yes(d.Outcome.Dealer.Blackjack)
	}
	return shown
}
