package entry

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// Decided is what the cards that lay open in a betting round had decided.
type Decided struct {
	Round      int               `json:"round"`
	Visible    json.RawMessage   `json:"visible"`
	Selections map[string]string `json:"selections"` // win or lose; bets on them were not taken
}

// Replay goes through every completion of the cards that lay open in each betting
// round, as tally did when the round opened, and returns what they had decided. The
// error says that such cards can't lie open then. It takes up to some ten
// milliseconds for a round.
func (c *Closings) Replay(document *strictjson.Document) (list []Decided, err error) {
	err = anyVersion(c.Game, func(game *rules.Game) error {
		list, err = c.replay(game, document)
		return err
	})
	return list, err
}

func (c *Closings) replay(game *rules.Game, document *strictjson.Document) (list []Decided, err error) {
	for _, round := range c.Rounds {
		if len(round.Visible) == 0 {
			continue
		}
		facts, err := visible(game, round, document)
		if err != nil {
			return nil, err
		}
		marks, faults := game.Decide(round.Round, facts)
		if len(faults) > 0 {
			return nil, fmt.Errorf("%w: betting round %d can't open with these cards: %s", ErrResult, round.Round, faults[0].Message)
		}
		decided := Decided{Round: round.Round, Visible: round.Visible, Selections: map[string]string{}}
		for selection, mark := range marks {
			decided.Selections[game.Text(selection)] = mark.String()
		}
		list = append(list, decided)
	}
	return list, nil
}

// visible reads the visible cards of a betting round.
func visible(game *rules.Game, round Closed, document *strictjson.Document) (facts rules.Facts, err error) {
	root, ok := document.Parse("visible", round.Visible)
	if !ok {
		return facts, fmt.Errorf("%w: the visible cards are no JSON", ErrResult)
	}
	object, ok := root.Object()
	if !ok {
		return facts, fmt.Errorf("%w: the visible cards are no object", ErrResult)
	}
	facts, shown := game.ReadVisible(object)
	if problems := document.Problems(); !shown || len(problems) > 0 {
		return facts, fmt.Errorf("%w: no such cards lie open in betting round %d", ErrResult, round.Round)
	}
	return facts, nil
}

// Contradiction says where the cards that lay open when a betting round opened are
// not those of the facts; it is empty where they are. Cards that lie open stay
// where they are: each list of the facts begins with the list that was visible.
// Only the hands of a split pair in blackjack are others than the one before.
// Burned cards are in no hand, and not compared: facts need not repeat them.
func Contradiction(visible, facts []byte) string {
	var before, after map[string]any
	if json.Unmarshal(visible, &before) != nil || json.Unmarshal(facts, &after) != nil {
		return "they can't be compared"
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if name == "burned" {
			continue
		}
		if name == "seats" {
			if why := seats(before[name], after[name]); why != "" {
				return why
			}
			continue
		}
		if !begins(after[name], before[name]) {
			return fmt.Sprintf("%s: %s lay open, the facts have %s", name, jsonOf(before[name]), jsonOf(after[name]))
		}
	}
	return ""
}

func jsonOf(value any) string {
	if value == nil {
		return "none"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "?" // not reached: the value comes from JSON
	}
	return string(text)
}

// begins reports whether a value of the facts is the visible one, with more cards
// perhaps.
func begins(after, before any) bool {
	switch before := before.(type) {
	case []any:
		list, is := after.([]any)
		if !is || len(list) < len(before) {
			return false
		}
		for i := range before {
			if !begins(list[i], before[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		members, is := after.(map[string]any)
		if !is {
			return false
		}
		for name := range before {
			if !begins(members[name], before[name]) {
				return false
			}
		}
		return true
	}
	return before == after
}

// seats compares the seats of blackjack, by their numbers.
func seats(before, after any) string {
	now := map[string]map[string]any{}
	for _, seat := range listOf(after) {
		if members, is := seat.(map[string]any); is {
			now[jsonOf(members["seat"])] = members
		}
	}
	for _, seat := range listOf(before) {
		members, is := seat.(map[string]any)
		if !is {
			return "they can't be compared"
		}
		if dealt := now[jsonOf(members["seat"])]; !begins(dealt["hands"], members["hands"]) && !splits(dealt["hands"], members["hands"]) {
			return fmt.Sprintf("seat %s: %s lay open, the facts have %s", jsonOf(members["seat"]), jsonOf(members["hands"]), jsonOf(dealt["hands"]))
		}
	}
	return ""
}

// splits reports whether two hands begin with the cards of the one hand before.
func splits(after, before any) bool {
	hands, pair := listOf(after), cardsOf(before, 0)
	if len(hands) != 2 || len(listOf(before)) != 1 || len(pair) != 2 {
		return false
	}
	first, second := cardsOf(after, 0), cardsOf(after, 1)
	if len(first) == 0 || len(second) == 0 {
		return false
	}
	return first[0] == pair[0] && second[0] == pair[1] || first[0] == pair[1] && second[0] == pair[0]
}

func listOf(value any) []any {
	list, _ := value.([]any)
	return list
}

// cardsOf returns the cards of one of some hands.
func cardsOf(hands any, n int) []any {
	list := listOf(hands)
	if n >= len(list) {
		return nil
	}
	hand, _ := list[n].(map[string]any)
	return listOf(hand["cards"])
}
