package war

import "tally/lib/rulebook/rules"

func (presentation) Dealing() rules.Dealing {
	return rules.Dealing{
		Shuffle: rules.Shoe(decks),
		Facts:   func(s []string) any { return facts{Player: &s[0], Dealer: &s[1]} },
		Open:    []int{0, 1},
		Visible: func(s []string) any { return facts{Player: &s[0]} },
	}
}

// Example has a board, two rounds, and decided selections.
func (presentation) Example() *rules.Example {
	return &rules.Example{
		Cancel: "card_hidden",
		Rounds: []rules.ExampleRound{
			{Odds: map[string]string{"player": "2.08", "war": "12.60", "dealer": "2.08", "player_red": "1.93", "dealer_8": "12.10"},
				Bets: []string{"player", "war", "dealer", "player_red", "dealer_8"}},
			{Visible: `{"player":"KS"}`, Odds: map[string]string{"player": "1.17", "war": "12.70", "dealer": "12.00", "player_red": "lose", "player_black": "win", "dealer_8": "11.95"},
				Bets: []string{"player", "war", "dealer", "dealer_8"}},
		},
		Facts: []string{`{"player":"KS","dealer":"AD"}`, `{"player":"KS","dealer":"KD","burned":["5C"]}`, `{"player":"KS","dealer":"8D"}`},
		Wrong: `{"player":"KS","dealer":"1D"}`,
	}
}
