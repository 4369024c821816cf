package blackjack_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games/blackjack"
	"tally/lib/rulebook/rules"
)

func visibleNothing() rules.Facts { return rules.Facts{} }

// best is a hand's total: of all ways to count its aces the highest that is not
// over 21, or the lowest.
func best(hand []string) int {
	totals := []int{0}
	for _, card := range hand {
		values := map[byte][]int{'A': {1, 11}, 'T': {10}, 'J': {10}, 'Q': {10}, 'K': {10}}[card[0]]
		if values == nil {
			values = []int{int(card[0] - '0')}
		}
		var next []int
		for _, total := range totals {
			for _, value := range values {
				next = append(next, total+value)
			}
		}
		totals = next
	}
	slices.Sort(totals)
	for _, total := range slices.Backward(totals) {
		if total <= 21 {
			return total
		}
	}
	return totals[0]
}

// TestRandomRounds plays rounds by the rules at random and compares every hand's
// result and every wager; then it breaks the dealer's play.
func TestRandomRounds(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 3000 {
		round := play(random)
		text := facts(t, strings.Join(round.dealer, " "), round.notation())
		answer := ruletest.Answer(blackjack.Game, text)
		if want := round.outcome(); answer != want {
			t.Fatalf("%s: %s, want %s", text, answer, want)
		}
		o := ruletest.Outcome(t, blackjack.Game, text)
		for s := range blackjack.Game.Selections {
			if got, want := ruletest.Verdict(blackjack.Game, o, s), round.verdict(blackjack.Game.Text(s)); got != want {
				t.Fatalf("%s on %s: %s, want %s", blackjack.Game.Text(s), text, got, want)
			}
		}
		drawn := len(round.dealer)
		more := append(slices.Clone(round.dealer), round.shoe[0])
		if got := codes(ruletest.Answer(blackjack.Game, facts(t, strings.Join(more, " "), round.notation()))); got != "dealer_must_stand" {
			t.Fatalf("%s and one card more: %s", text, got)
		}
		if drawn > 2 {
			fewer := round.dealer[:drawn-1]
			if got := codes(ruletest.Answer(blackjack.Game, facts(t, strings.Join(fewer, " "), round.notation()))); got != "dealer_must_draw" {
				t.Fatalf("%s and one card less: %s", text, got)
			}
		}
	}
}

// round is one round of play.
type round struct {
	shoe   []string // the cards left
	dealer []string
	seats  []playedSeat
}

type playedSeat struct {
	number int
	hands  [][]string
	double bool
}

func (r *round) card() string {
	card := r.shoe[0]
	r.shoe = r.shoe[1:]
	return card
}

func blackjackOf(hand []string) bool { return len(hand) == 2 && best(hand) == 21 }

func play(random *rand.Rand) *round {
	r := &round{}
	for range 8 {
		for _, rank := range "A23456789TJQK" {
			for _, suit := range "SHDC" {
				r.shoe = append(r.shoe, string(rank)+string(suit))
			}
		}
	}
	random.Shuffle(len(r.shoe), func(i, j int) { r.shoe[i], r.shoe[j] = r.shoe[j], r.shoe[i] })
	for _, number := range random.Perm(7)[:1+random.IntN(4)] {
		r.seats = append(r.seats, playedSeat{number: number + 1, hands: [][]string{{r.card(), r.card()}}})
	}
	r.dealer = []string{r.card(), r.card()}
	if r.dealer[0][0] == 'A' && blackjackOf(r.dealer) {
		return r // it was found under the ace
	}
	live := false
	for i := range r.seats {
		r.playSeat(&r.seats[i], random)
		for _, hand := range r.seats[i].hands {
			if best(hand) <= 21 && (len(r.seats[i].hands) == 2 || !blackjackOf(hand)) {
				live = true
			}
		}
	}
	for live && best(r.dealer) < 17 {
		r.dealer = append(r.dealer, r.card())
	}
	return r
}

func (r *round) playSeat(s *playedSeat, random *rand.Rand) {
	two := s.hands[0]
	switch {
	case blackjackOf(two):
		return
	case best(two[:1])%10 == best(two[1:])%10 && random.IntN(2) == 0: // ten-values; an ace is 11 only with an ace
		s.hands = [][]string{{two[0], r.card()}, {two[1], r.card()}}
		if two[0][0] == 'A' {
			return
		}
	case random.IntN(4) == 0:
		s.hands[0] = append(two, r.card())
		s.double = true
		return
	}
	for i := range s.hands {
		for best(s.hands[i]) < 21 && random.IntN(3) > 0 {
			s.hands[i] = append(s.hands[i], r.card())
		}
	}
}

func (r *round) notation() string {
	var seats []string
	for _, s := range r.seats {
		var hands []string
		for _, hand := range s.hands {
			hands = append(hands, strings.Join(hand, " "))
		}
		text := fmt.Sprintf("%d: %s", s.number, strings.Join(hands, " / "))
		if s.double {
			text += " x2"
		}
		seats = append(seats, text)
	}
	return strings.Join(seats, "; ")
}

// result compares a hand with the dealer's, in the rulebook's words.
func (r *round) result(s playedSeat, hand []string) string {
	natural := len(s.hands) == 1 && blackjackOf(hand)
	dealers := blackjackOf(r.dealer)
	switch {
	case best(hand) > 21: // even if the dealer busts
		return "lose"
	case natural && dealers:
		return "push"
	case dealers: // beats 21
		return "lose"
	case natural, best(r.dealer) > 21, best(hand) > best(r.dealer):
		return "win"
	case best(hand) == best(r.dealer):
		return "push"
	}
	return "lose"
}

func (r *round) outcome() string {
	var seats []string
	for _, s := range r.seats {
		var hands []string
		for _, hand := range s.hands {
			hands = append(hands, fmt.Sprintf(`{"total":%d,"blackjack":%t,"bust":%t,"result":%q}`,
				best(hand), len(s.hands) == 1 && blackjackOf(hand), best(hand) > 21, r.result(s, hand)))
		}
		seats = append(seats, fmt.Sprintf(`{"seat":%d,"hands":[%s]}`, s.number, strings.Join(hands, ",")))
	}
	return fmt.Sprintf(`{"dealer":{"total":%d,"blackjack":%t,"bust":%t},"seats":[%s]}`,
		best(r.dealer), blackjackOf(r.dealer), best(r.dealer) > 21, strings.Join(seats, ","))
}

func (r *round) verdict(wager string) string {
	parts := strings.Split(wager, ":")
	at := slices.IndexFunc(r.seats, func(s playedSeat) bool { return fmt.Sprint(s.number) == parts[1] })
	if at < 0 {
		return "refunded no_such_wager"
	}
	s := r.seats[at]
	paid := func(hand []string) string {
		odds := "2.00"
		if len(s.hands) == 1 && blackjackOf(hand) {
			odds = "2.50"
		}
		return map[string]string{"win": "won " + odds, "push": "refunded push", "lose": "lost"}[r.result(s, hand)]
	}
	switch {
	case parts[0] == "seat":
		return paid(s.hands[0])
	case parts[0] == "split" && len(s.hands) == 2:
		return paid(s.hands[1])
	case parts[0] == "double" && s.double:
		return paid(s.hands[0])
	case parts[0] == "insurance" && r.dealer[0][0] == 'A' && blackjackOf(r.dealer):
		return "won 3.00"
	case parts[0] == "insurance" && r.dealer[0][0] == 'A':
		return "lost"
	}
	return "refunded no_such_wager"
}

// TestDealersTotals draws every dealer's hand from eight decks, by value, and
// compares how often each total comes with the exact figures.
func TestDealersTotals(t *testing.T) {
	var exact struct {
		ByUpcard map[string]map[string]float64 `json:"by_upcard"`
	}
	ruletest.Exact(t, "blackjack_dealer_S17_8deck", &exact)
	if len(exact.ByUpcard) != 10 {
		t.Fatalf("there are figures for %d open cards", len(exact.ByUpcard))
	}
	for open := 1; open <= 10; open++ {
		left := [11]int{}
		for value := 1; value <= 10; value++ {
			left[value] = 32
		}
		left[10] = 128
		share := map[string]float64{}
		var draw func(values []int, weight, cards float64)
		draw = func(values []int, weight, cards float64) {
			for value := 1; value <= 10; value++ {
				if left[value] == 0 {
					continue
				}
				hand := append(values[:len(values):len(values)], value)
				p := weight * float64(left[value]) / cards
				left[value]--
				if answer, finished := dealt(t, hand); finished {
					share[answer] += p
				} else {
					draw(hand, p, cards-1)
				}
				left[value]++
			}
		}
		left[open]--
		draw([]int{open}, 1, 415)
		for total, want := range exact.ByUpcard[fmt.Sprint(open)] {
			if math.Abs(share[total]-want) > 1e-12 {
				t.Errorf("open card %d: %s comes with %.15f, want %.15f", open, total, share[total], want)
			}
			delete(share, total)
		}
		for total, p := range share {
			t.Errorf("open card %d: %s comes with %.15f, want none", open, total, p)
		}
	}
}

// dealt resolves a dealer's hand against a live one: it is finished unless the
// dealer must draw.
func dealt(t *testing.T, values []int) (answer string, finished bool) {
	cards := make([]string, len(values))
	for i, value := range values {
		cards[i] = string("A23456789T"[value-1]) + string("SHDC"[i%4])
	}
	read, problems := ruletest.Read(blackjack.Game,
		`{"dealer":["`+strings.Join(cards, `","`)+`"],"seats":[{"seat":1,"hands":[{"cards":["9C","9D"]}]}]}`)
	if len(problems) > 0 {
		t.Fatalf("the facts have the problems %v, want none", problems)
	}
	r := blackjack.Game.Resolve(read)
	if len(r.Faults) > 0 {
		if got := codes(ruletest.Faults(r.Faults)); got != "dealer_must_draw" || best(cards) >= 17 {
			t.Fatalf("%v: %s, want \"dealer_must_draw\" and best(cards) below 17", cards, got)
		}
		return "", false
	}
	text, total := ruletest.JSON(r.Outcome), 0
	fmt.Sscanf(text, `{"dealer":{"total":%d`, &total)
	switch {
	case strings.Contains(text, `{"dealer":{"total":21,"blackjack":true`):
		return "bj", true
	case total > 21:
		return "bust", true
	}
	return fmt.Sprint(total), true
}
