package baccarat

import "tally/lib/rulebook/rules"

func (p presentation) Dealing() rules.Dealing {
	dealing := rules.Dealing{Shuffle: rules.Shoe(int(p.decks)), Facts: deal, Open: []int{0}, Visible: visible}
	if p.decks == decks {
		dealing.Open = []int{0, 1, 2}
	}
	return dealing
}

// deal deals Player and Banker in turn. Third cards are dealt as the rules want them:
// exactly one of the four ways is allowed, the last where no other is.
func deal(s []string) any {
	for _, thirds := range [][2]int{{0, 0}, {1, 0}, {0, 1}} {
		f := dealt(s, thirds[0], thirds[1])
		if faults := (paragraphs{}).play(rules.Read(f.Player), rules.Read(f.Banker)); len(faults) == 0 {
			return f
		}
	}
	return dealt(s, 1, 1)
}

// dealt deals so many third cards to Player and to Banker.
func dealt(s []string, player, banker int) facts {
	return facts{Player: append([]string{s[0], s[2]}, s[4:4+player]...), Banker: append([]string{s[1], s[3]}, s[4+player:4+player+banker]...)}
}

func visible(s []string) any { return facts{Player: s[:1], Banker: s[1:]} }

// Example has refunds by the rules: equal points.
func (p presentation) Example() *rules.Example {
	if p.decks == decks {
		return nil
	}
	return &rules.Example{
		Cancel: "dealing_order",
		Rounds: []rules.ExampleRound{{Bets: []string{player, banker, tie}}},
		Facts:  []string{`{"player":["KS","8D"],"banker":["9H","2C"]}`, `{"player":["9S","KD"],"banker":["9H","KC"]}`, `{"player":["KS","7D"],"banker":["9H","KC"]}`},
		Wrong:  `{"player":["KS","3D"],"banker":["9H","2C"]}`,
	}
}
