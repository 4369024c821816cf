package poker

import "tally/lib/rulebook/rules"

func (presentation) Dealing() rules.Dealing {
	return rules.Dealing{
		Shuffle: rules.Shoe(decks),
		Facts:   func(s []string) any { return laid(s[:hands*handCards+boardCards]) },
		Open:    []int{0, 12, 15, 16},
		Visible: laid,
	}
}

// laid are the hands and the board as far as they are dealt.
func laid(s []string) any {
	f := facts{}
	for range hands {
		f.Hands, s = append(f.Hands, s[:handCards]), s[handCards:]
	}
	f.Board = s
	return f
}

func (presentation) Example() *rules.Example { return nil }
