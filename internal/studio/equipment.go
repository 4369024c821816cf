package studio

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// equipment is what a game is played with: how a draw comes about. The symbols of
// a draw are cards, balls or the like in the order in which they appear.
type equipment struct {
	// shuffle returns the symbols of a draw that begins with those known.
	shuffle func(r *rand.Rand, known []string) []string
	// facts returns the facts that come of the symbols, as JSON.
	facts func(game *rules.Game, symbols []string) string
	// open is how many symbols lie open when each betting round opens.
	open []int
	// visible returns what is seen of these, as JSON.
	visible func(symbols []string) string
}

// equipmentOf is by game.
var equipmentOf = map[string]equipment{
	"baccarat": {shoe(6), baccaratFacts, []int{0, 1, 2}, func(seen []string) string {
		if len(seen) == 1 {
			return `{"player":` + list(seen) + `}`
		}
		return `{"player":` + list(seen[:1]) + `,"banker":` + list(seen[1:]) + `}`
	}},
	"live_baccarat": {shuffle: shoe(8), facts: baccaratFacts, open: []int{0}},
	"dice":          {shuffle: dice, facts: diceFacts, open: []int{0}},
	"lucky5":        {shuffle: balls(36, 5), facts: ballFacts, open: []int{0}},
	"lucky7":        {shuffle: balls(42, 8), facts: ballFacts, open: []int{0}},
	"poker": {shoe(1), func(_ *rules.Game, s []string) string { return pokerCards(s[:17]) },
		[]int{0, 12, 15, 16}, pokerCards},
	"war": {shoe(6), func(_ *rules.Game, s []string) string { return fmt.Sprintf(`{"player":%q,"dealer":%q}`, s[0], s[1]) },
		[]int{0, 1}, func(seen []string) string { return fmt.Sprintf(`{"player":%q}`, seen[0]) }},
	"wheel":     {shuffle: wheel, facts: func(_ *rules.Game, s []string) string { return s[0] }, open: []int{0}},
	"blackjack": {shoe(8), blackjackFacts, []int{0, 2*len(blackjackSeats) + 1}, blackjackVisible},
	"roulette":  {shuffle: roulette, facts: func(_ *rules.Game, s []string) string { return s[0] }, open: []int{0}},
}

// list is texts as a JSON list.
func list(texts []string) string {
	out := strictjson.Out(nil).OpenList()
	for _, text := range texts {
		out = out.Quoted(text)
	}
	return string(out.CloseList())
}

// dealt is how many cards of a shuffled shoe may be needed.
const dealt = 60

// shoe shuffles so many decks. Only as many cards as may be needed are shuffled.
func shoe(decks int) func(*rand.Rand, []string) []string {
	var all []string
	for range decks {
		for _, rank := range "A23456789TJQK" {
			for _, suit := range "SHDC" {
				all = append(all, string(rank)+string(suit))
			}
		}
	}
	return func(r *rand.Rand, known []string) []string {
		left := slices.Clone(all)
		for _, card := range known {
			at := slices.Index(left, card)
			left = slices.Delete(left, at, at+1)
		}
		need := min(dealt, len(left))
		for i := range need {
			j := i + r.IntN(len(left)-i)
			left[i], left[j] = left[j], left[i]
		}
		return append(slices.Clone(known), left[:need]...)
	}
}

// resolves reports that the rules accept facts, void draws too.
func resolves(game *rules.Game, facts string) bool {
	var document strictjson.Document
	value, ok := document.Parse("facts", []byte(facts))
	if !ok {
		return false
	}
	object, ok := value.Object()
	if !ok {
		return false
	}
	read := game.ReadFacts(object)
	return len(document.Problems()) == 0 && len(game.Resolve(read).Faults) == 0
}

// baccaratFacts deals Player and Banker in turn. Third cards are dealt as the
// rules want them: exactly one of the four ways is allowed.
func baccaratFacts(game *rules.Game, s []string) string {
	for _, thirds := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
		player, banker := []string{s[0], s[2]}, []string{s[1], s[3]}
		player = append(player, s[4:4+thirds[0]]...)
		banker = append(banker, s[4+thirds[0]:4+thirds[0]+thirds[1]]...)
		if facts := `{"player":` + list(player) + `,"banker":` + list(banker) + `}`; resolves(game, facts) {
			return facts
		}
	}
	panic("studio: no way to deal baccarat is allowed") // the rules are total: one always is
}

// pokerCards are the hands and the board as far as they are dealt.
func pokerCards(s []string) string {
	hands := make([]string, 0, 6)
	for hand := range 6 {
		hands = append(hands, list(s[2*hand:2*hand+2]))
	}
	text := `{"hands":[` + strings.Join(hands, ",") + `]`
	if len(s) > 12 {
		text += `,"board":` + list(s[12:])
	}
	return text + `}`
}

// dice rolls five dice, now and then twice because one stood on its edge.
func dice(r *rand.Rand, _ []string) []string {
	roll := func() string {
		faces := make([]string, 5)
		for i := range faces {
			faces[i] = strconv.Itoa(1 + r.IntN(6))
		}
		return `"dice":[` + strings.Join(faces, ",") + `]`
	}
	if r.IntN(20) == 0 {
		return []string{`{` + roll() + `,"faults":["die_on_edge"]}`, `{` + roll() + `}`}
	}
	return []string{`{` + roll() + `}`}
}

func diceFacts(_ *rules.Game, s []string) string { return `{"rolls":[` + strings.Join(s, ",") + `]}` }

// balls draws some of so many balls.
func balls(of, count int) func(*rand.Rand, []string) []string {
	return func(r *rand.Rand, _ []string) []string {
		drawn := make([]string, 0, count)
		for _, n := range r.Perm(of)[:count] {
			drawn = append(drawn, strconv.Itoa(n+1))
		}
		return drawn
	}
}

func ballFacts(_ *rules.Game, s []string) string { return `{"balls":[` + strings.Join(s, ",") + `]}` }

// wheel spins the wheel, now and then twice because it turned too little.
func wheel(r *rand.Rand, _ []string) []string {
	sector := func() string {
		if n := r.IntN(19); n > 0 {
			return strconv.Itoa(n)
		}
		return "cup"
	}
	spins := fmt.Sprintf(`{"turns":%d,"sector":%q}`, 3+r.IntN(6), sector())
	if r.IntN(20) == 0 {
		spins = fmt.Sprintf(`{"turns":%d,"sector":%q},%s`, r.IntN(3), sector(), spins)
	}
	return []string{`{"spins":[` + spins + `]}`}
}

func roulette(r *rand.Rand, _ []string) []string {
	return []string{fmt.Sprintf(`{"spins":[{"revolutions":%d,"pocket":%d}]}`, 4+r.IntN(8), r.IntN(37))}
}
