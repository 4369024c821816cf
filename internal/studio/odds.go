package studio

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// offer is what can be bet on in one betting round.
type offer struct {
	open  []rules.Selection          // not decided, in the catalogue's order
	odds  map[rules.Selection]string // of a board; empty in a game with a paytable
	marks map[rules.Selection]rules.Mark
}

const (
	// samples is how many completions of a draw make its odds.
	samples = 300
	// margin is what part of fair odds the board gives.
	margin = 0.94
	// mostOdds is what the longest shot is given.
	mostOdds = 501
	// perFamily is how many selections of a large family a board offers.
	perFamily = 3
	// small is the size of a catalogue that a board offers in full.
	small = 40
)

// newOffer returns what can be bet on when a betting round opens and these
// symbols are known.
func newOffer(r *rand.Rand, game *rules.Game, round int, known []string) (offer, error) {
	o := offer{odds: map[rules.Selection]string{}, marks: map[rules.Selection]rules.Mark{}}
	dealing := game.Show.Dealing()
	if len(known) > 0 {
		marks, err := decided(game, round, jsonOf(dealing.Visible(known)))
		if err != nil {
			return o, err
		}
		o.marks = marks
	}
	for _, s := range choose(r, game) {
		if family := game.Family(s); o.marks[s] == rules.Open && (family.Round == 0 || family.Round == round) {
			o.open = append(o.open, s)
		}
	}
	if game.Paytable() {
		return o, nil
	}
	wins := make([]int, len(o.open))
	for range samples {
		outcome := resolved(game, jsonOf(dealing.Facts(dealing.Shuffle(r, known)))).Outcome
		if outcome == nil {
			continue
		}
		for i, s := range o.open {
			if game.Judge(outcome, s).Result == rules.Won {
				wins[i]++
			}
		}
	}
	for i, s := range o.open {
		fair := float64(samples+1) / (float64(wins[i]) + 0.5)
		o.odds[s] = fmt.Sprintf("%.2f", min(max(fair*margin, 1.01), mostOdds))
	}
	return o, nil
}

// choose returns the selections that a board is made of.
func choose(r *rand.Rand, game *rules.Game) []rules.Selection {
	var all []rules.Selection
	for i := range game.Families {
		var family []rules.Selection
		seen := 0
		for s := range game.SelectionsOf(game.Families[i].Name) {
			seen++
			switch {
			case len(family) < small:
				family = append(family, s)
			case r.IntN(seen) < small: // each has the same chance to stay
				family[r.IntN(small)] = s
			}
		}
		all = append(all, family...)
	}
	if len(all) <= small {
		return all
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	count := map[string]int{}
	return slices.DeleteFunc(all, func(s rules.Selection) bool {
		name := game.Family(s).Name
		count[name]++
		return count[name] > perFamily
	})
}

// decided returns what the visible cards decide.
func decided(game *rules.Game, round int, visible string) (map[rules.Selection]rules.Mark, error) {
	var document strictjson.Document
	facts, _ := game.ReadVisible(object(&document, visible))
	marks, faults := game.Decide(round, facts)
	if len(document.Problems()) > 0 || len(faults) > 0 {
		return nil, fmt.Errorf("%s: visible cards %s of round %d: %v %v", game.ID, visible, round, document.Problems(), faults)
	}
	return marks, nil
}

// jsonOf writes facts or visible cards as JSON.
func jsonOf(facts any) string {
	text, err := json.Marshal(facts)
	if err != nil {
		panic(fmt.Sprintf("studio: %v", err)) // they are texts and numbers
	}
	return string(text)
}

// object reads facts or visible cards that a dealer has written.
func object(document *strictjson.Document, text string) strictjson.Object {
	value, _ := document.Parse("facts", []byte(text))
	read, _ := value.Object()
	return read
}

// resolved resolves facts.
func resolved(game *rules.Game, facts string) rules.Resolution[rules.Outcome] {
	var document strictjson.Document
	return game.Resolve(game.ReadFacts(object(&document, facts)))
}

// board is the offer as a message has it: odds, and the marks of what is
// decided.
func (o offer) board(game *rules.Game) string {
	entries := map[string]string{}
	for s, odds := range o.odds {
		entries[game.Text(s)] = odds
	}
	for s, mark := range o.marks {
		entries[game.Text(s)] = mark.String()
	}
	out := strictjson.Out(nil).Open()
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		out = out.TextMember(name, entries[name])
	}
	return string(out.Close())
}
