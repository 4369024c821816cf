package blackjack

import (
	"slices"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/rules"
)

// playing are the seats that play in a made-up draw.
var playing = []int64{1, 3, 4, 6}

func (presentation) Dealing() rules.Dealing {
	return rules.Dealing{Shuffle: rules.Shoe(decks), Facts: played, Open: []int{0, 2*len(playing) + 1},
		Visible: func(s []string) any { return visible(s) }}
}

// visible is each seat's first two cards and the dealer's open one.
func visible(s []string) (f facts) {
	for _, number := range playing {
		f.Seats = append(f.Seats, seatFacts{Number: number, Hands: []handFacts{{Cards: s[:2]}}})
		s = s[2:]
	}
	f.Dealer = s[:1]
	return f
}

// played plays the seats by a simple plan (split equal values of seven and more but
// tens, double on ten and eleven, draw up to fifteen) and then the dealer by the rules.
func played(s []string) any {
	f := visible(s)
	open := 2 * len(playing)
	f.Dealer = slices.Clone(s[open : open+2])
	deck := s[open+2:]
	take := func() string {
		card := deck[0]
		deck = deck[1:]
		return card
	}
	// The dealer looks under an ace: a blackjack ends play.
	dealer := rules.Read(f.Dealer)
	if dealer[0].Rank() != cards.Ace || !isBlackjack(dealer) {
		for i, seat := range f.Seats {
			hands := play(seat.Hands[0].Cards, take)
			f.Seats[i].Hands, f.Seats[i].Split = hands, len(hands) > 1
		}
	}
	for len(resolve(f).Faults) > 0 {
		f.Dealer = append(f.Dealer, take())
	}
	return f
}

// play plays one seat and returns its hands.
func play(hand []string, take func() string) []handFacts {
	dealt := rules.Read(hand)
	worth, start := value(dealt[0]), total(dealt)
	switch {
	case worth == value(dealt[1]) && (worth == 1 || worth >= 7 && worth < 10):
		var hands []handFacts
		for _, first := range hand {
			one := []string{first, take()}
			if worth > 1 { // split aces get one card each
				one = draw(one, take)
			}
			hands = append(hands, handFacts{Cards: one})
		}
		return hands
	case start == 10 || start == 11:
		return []handFacts{{Cards: append(slices.Clone(hand), take()), Doubled: true}}
	}
	return []handFacts{{Cards: draw(slices.Clone(hand), take)}}
}

func draw(hand []string, take func() string) []string {
	for total(rules.Read(hand)) < 16 {
		hand = append(hand, take())
	}
	return hand
}

// Example has side wagers, three to two, and wagers that the facts don't show.
func (presentation) Example() *rules.Example {
	return &rules.Example{
		Cancel: "cut_card_forgotten",
		Rounds: []rules.ExampleRound{
			{Bets: []string{"seat:1", "seat:4", "seat:6", "seat:2"}},
			{Visible: `{"dealer":["AS"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D"]}]},{"seat":4,"hands":[{"cards":["8D","8S"]}]},{"seat":6,"hands":[{"cards":["AH","KC"]}]}]}`,
				Wagers: map[string]string{"seat:1": "double:1:1", "seat:4": "split:4", "seat:6": "insurance:6"}},
		},
		Facts: []string{
			`{"dealer":["AS","6D"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D","TC"],"doubled":true}]},{"seat":4,"split":true,"hands":[{"cards":["8D","TC"]},{"cards":["8S","9C"]}]},{"seat":6,"hands":[{"cards":["AH","KC"]}]}]}`,
			`{"dealer":["AS","KD"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D"]}]},{"seat":4,"hands":[{"cards":["8D","8S"]}]},{"seat":6,"hands":[{"cards":["AH","KC"]}]}]}`,
		},
		Wrong: `{"dealer":["AS"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D"]}]}]}`,
	}
}
