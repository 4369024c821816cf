package studio

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
)

// Bookmaker is a bookmaker of the script.
type Bookmaker struct {
	ID       string
	Currency string
	Rounding money.Rounding
	Shops    []string
	unit     int // stakes are multiples of it, in minor units; even, so that half a stake is whole
	most     int // units of a stake
}

// Bookmakers are those who bet in every script.
var Bookmakers = []Bookmaker{
	{"acme", "EUR", money.HalfUp, []string{"riga-7", "riga-2"}, 50, 60},
	{"borealis", "EUR", money.HalfEven, []string{"oslo-1"}, 14, 150},
	{"cometa", "JPY", money.Down, nil, 10, 300},
}

// BookmakerOf returns the bookmaker of an id.
func BookmakerOf(id string) (Bookmaker, bool) {
	for _, b := range Bookmakers {
		if b.ID == id {
			return b, true
		}
	}
	return Bookmaker{}, false
}

// ScriptBet is a bet as a bookmaker sends it. Its fields are those of
// placing.Request.
type ScriptBet struct {
	Draw      *Draw
	Bookmaker string
	Reference string // of a side wager: that of its base
	Selection string
	Odds      string // empty in a game with a paytable
	Stake     string
	Currency  string
	Shop      string
	Base      string // of a side wager: the bet that it is made on
	Round     int

	on    rules.Selection
	stake int // in minor units
}

// Voids reports whether the draw's order names the bet.
func (b *ScriptBet) Voids() bool {
	return b.Draw.Void != nil && b.Draw.Void.Covers(&settlement.Bet{Bookmaker: b.Bookmaker, Shop: b.Shop, Reference: b.Reference})
}

// The times at which bets of a betting round come.
const (
	firstBet = 150 * time.Millisecond // after it opens
	lastBet  = 250 * time.Millisecond // before it closes
	tooLate  = 40 * time.Millisecond  // after it closes, and before the next one is announced
)

// bets adds the bets on a draw: in each betting round some of each bookmaker,
// the last one after the closing; some are sent twice, some at odds that are no
// longer those of the board, and some are taken back.
func (s *script) bets(d *Draw) {
	for i, w := range d.windows {
		round, o := i+1, d.offers[i]
		if len(o.open) == 0 {
			continue
		}
		for _, bookmaker := range Bookmakers {
			if d.Game.Families[0].Round != 0 && round > 1 {
				s.sideWagers(d, bookmaker, round, o, w)
				continue
			}
			for n := range s.perRound {
				at := s.between(w.opens+firstBet, w.closes-lastBet)
				if n > 0 && n == s.perRound-1 {
					at = w.closes + tooLate
				}
				s.place(at, s.bet(d, bookmaker, round, o), o)
			}
		}
	}
}

func (s *script) between(from, to time.Duration) time.Duration {
	return from + time.Duration(s.random.Int64N(int64(max(1, to-from))))
}

// bet makes up a bet.
func (s *script) bet(d *Draw, bookmaker Bookmaker, round int, o offer) *ScriptBet {
	on := o.open[s.random.IntN(len(o.open))]
	stake := bookmaker.unit * (1 + s.random.IntN(bookmaker.most))
	s.references++
	b := &ScriptBet{Draw: d, Bookmaker: bookmaker.ID, Reference: fmt.Sprintf("%s-%05d", bookmaker.ID[:1], s.references),
		Selection: d.Game.Text(on), Odds: o.odds[on], Stake: amount(stake, bookmaker.Currency), Currency: bookmaker.Currency, Round: round, on: on, stake: stake}
	if n := len(bookmaker.Shops); n > 0 {
		b.Shop = bookmaker.Shops[s.random.IntN(n)]
	}
	s.placed[d] = append(s.placed[d], b)
	return b
}

// place adds the sending of a bet, and what may follow from it.
func (s *script) place(at time.Duration, b *ScriptBet, o offer) {
	sent := *b
	switch chance := s.random.IntN(40); {
	case chance == 0 && b.Odds != "":
		sent.Odds = o.odds[b.on] + "1" // of a board that never was
	case chance < 3:
		s.add(Step{At: at + 60*time.Millisecond, Bet: b}) // the answer was lost, it is sent again
	case chance < 5 && b.Draw.Game.Families[0].Round == 0:
		s.add(Step{At: at + 80*time.Millisecond, Cancel: b})
	}
	s.add(Step{At: at, Bet: &sent})
}

// sideWagers adds doubles, splits and insurance to a bookmaker's bets of round 1
// where the open cards allow them.
func (s *script) sideWagers(d *Draw, bookmaker Bookmaker, round int, o offer, w window) {
	for _, base := range s.placed[d] {
		if base.Bookmaker != bookmaker.ID || base.Base != "" {
			continue
		}
		for _, on := range o.open {
			kind, _, _ := strings.Cut(d.Game.Text(on), ":")
			if on.At(0) != base.on.At(0) || kind == "seat" || kind == "double" && s.random.IntN(3) > 0 {
				continue
			}
			wager := *base
			wager.Selection, wager.Base, wager.Round, wager.on = d.Game.Text(on), base.Reference, round, on
			if kind == "insurance" {
				wager.stake /= 2
				wager.Stake = amount(wager.stake, bookmaker.Currency)
			}
			s.add(Step{At: s.between(w.opens+firstBet, w.closes-lastBet), Bet: &wager})
		}
	}
}

// amount is an amount in minor units as text.
func amount(minor int, currency string) string {
	c, known := money.ParseCurrency(currency)
	if !known {
		return strconv.Itoa(minor)
	}
	return string(money.AppendAmount(nil, money.Amount(minor), c))
}
