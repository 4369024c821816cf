package statistics

import (
	"math/big"
	"strconv"
	"sync"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/games/baccarat"
	"tally/lib/rulebook/games/blackjack"
	"tally/lib/rulebook/games/war"
	"tally/lib/rulebook/pokerhand"
)

// aspectsOf are the aspects of each game, worked out when they are first asked for.
var aspectsOf = map[string]func() []Aspect{}

func init() {
	for game, aspects := range map[string]func() []Aspect{
		"baccarat":      func() []Aspect { return baccaratAspects(baccarat.Game.Decks) },
		"live_baccarat": func() []Aspect { return baccaratAspects(baccarat.Live.Decks) },
		"dice":          diceAspects,
		"lucky5": func() []Aspect {
			return ballAspects(36, 5, []group{{"white", 9}, {"green", 9}, {"red", 9}, {"blue", 9}})
		},
		"lucky7":    func() []Aspect { return ballAspects(42, 7, []group{{"yellow", 21}, {"black", 21}}) },
		"poker":     pokerAspects,
		"war":       warAspects,
		"wheel":     wheelAspects,
		"blackjack": func() []Aspect { return blackjackAspects(blackjack.Game.Decks) },
		"roulette":  rouletteAspects,
	} {
		aspectsOf[game] = sync.OnceValue(func() []Aspect {
			list := aspects()
			for i := range list {
				list[i].Game, list[i].PerDraw = game, max(list[i].PerDraw, 1)
			}
			return list
		})
	}
}

// group is a value and how many of all have it: balls of a colour, deals with a
// winner.
type group struct {
	name  string
	count int64
}

// shares returns the values of groups with their share of them all.
func shares(groups []group) []Value {
	total := int64(0)
	for _, g := range groups {
		total += g.count
	}
	values := make([]Value, 0, len(groups))
	for _, g := range groups {
		values = append(values, Value{g.name, big.NewRat(g.count, total)})
	}
	return values
}

// alike returns values of which each is shown as often as any other.
func alike(names []string) []Value {
	groups := make([]group, 0, len(names))
	for _, name := range names {
		groups = append(groups, group{name, 1})
	}
	return shares(groups)
}

// numbers returns the numbers from first to last as texts.
func numbers(first, last int) (names []string) {
	for n := first; n <= last; n++ {
		names = append(names, strconv.Itoa(n))
	}
	return names
}

// ranks are the ranks of cards in ascending order.
func ranks() (names []string) {
	for rank := cards.Two; rank <= cards.Ace; rank++ {
		names = append(names, rank.String())
	}
	return names
}

// yesOrNo returns the values of what happens with a probability.
func yesOrNo(yes *big.Rat) []Value {
	return []Value{{"yes", yes}, {"no", new(big.Rat).Sub(big.NewRat(1, 1), yes)}}
}

func baccaratAspects(decks int) []Aspect {
	coups := allCoups(int64(decks))
	return []Aspect{
		{Name: "winner", Values: shares(coups.winner[:]), shown: text("winner")},
		{Name: "cards", Values: shares(coups.cards[:]), Ordered: true, shown: whole("cards")},
		{Name: "natural", Values: shares(coups.natural[:]), shown: flag("natural")},
		{Name: "pairs", Values: shares(pairs(int64(decks))), shown: (*seen).pairs},
		{Name: "perfect_pair", Values: yesOrNo(perfectPair(int64(decks))), shown: flag("perfect_pair")},
	}
}

func diceAspects() []Aspect {
	const dice = 5
	return expectAll("dice", allRolls(dice), []Aspect{
		{Name: "combination", Values: named("pair", "two_pairs", "three_of_a_kind", "all_different", "low_line", "high_line",
			"full_house", "four_of_a_kind", "five_of_a_kind"), shown: text("combination")},
		{Name: "sum", Values: named(numbers(dice, 6*dice)...), Ordered: true, shown: whole("sum")},
		// No rule says in which order the dice are read, so they count together.
		{Name: "face", Values: named(numbers(1, 6)...), PerDraw: dice, shown: func(s *seen) []string { return wholes(s.outcome, "arranged") }},
	})
}

// ballAspects are those of a lottery that draws some of its balls.
func ballAspects(balls, drawn int, colours []group) []Aspect {
	least, most := extremes(balls, drawn)
	return []Aspect{
		{Name: "ball", Values: alike(numbers(1, balls)), PerDraw: drawn, Balls: balls, shown: func(s *seen) []string { return s.firstBalls(drawn) }},
		{Name: "sum", Values: shares(sumsOfBalls(balls, drawn)), Ordered: true, shown: func(s *seen) []string {
			return []string{tens(int(s.outcome.Whole("sum")), least, most)}
		}},
		{Name: "odd", Values: shares(oddBalls(balls, drawn)), Ordered: true, shown: whole("odd")},
		{Name: "colour", Values: shares(colours), PerDraw: drawn, Balls: balls, shown: func(s *seen) []string { return s.colours(colours, drawn) }},
	}
}

func pokerAspects() []Aspect {
	return []Aspect{
		// Six hands that are dealt alike win alone alike. How often several share a win
		// is not known exactly.
		{Name: "sole_winner", Values: alike(numbers(1, pokerhand.Hands)), some: true, shown: (*seen).soleWinner},
		{Name: "board", Values: shares(pokerCategories(5)), Ordered: true, shown: (*seen).board},
		// The six hands share the board and depend on each other: one of them is counted.
		{Name: "first_hand", Values: shares(pokerCategories(7)), Ordered: true, shown: (*seen).firstHand},
	}
}

func warAspects() []Aspect {
	rankOf := func(side string) func(*seen) []string {
		return func(s *seen) []string { return s.rank(s.facts.Text(side)) }
	}
	return expectAll("war", allTwoCards(int64(war.Game.Decks)), []Aspect{
		{Name: "winner", Values: named("player", "war", "dealer"), shown: text("winner")},
		{Name: "player_card", Values: named(ranks()...), Ordered: true, shown: rankOf("player")},
		{Name: "dealer_card", Values: named(ranks()...), Ordered: true, shown: rankOf("dealer")},
	})
}

func wheelAspects() []Aspect {
	sectors := append(numbers(1, 18), "cup")
	return expectAll("wheel", allSpins(`{"spins":[{"turns":3,"sector":%q}]}`, sectors), []Aspect{
		{Name: "sector", Values: named(sectors...), shown: text("sector")},
		{Name: "colour", Values: named("black", "grey", "red", "none"), shown: (*seen).wheelColour},
	})
}

func blackjackAspects(decks int) []Aspect {
	return []Aspect{
		{Name: "dealer_open", Values: alike(ranks()), Ordered: true, shown: (*seen).dealerOpen},
		{Name: "dealer_blackjack", Values: yesOrNo(blackjackDealt(int64(decks))), shown: (*seen).dealerBlackjack},
	}
}

func rouletteAspects() []Aspect {
	pockets := numbers(0, 36)
	return expectAll("roulette", allSpins(`{"spins":[{"revolutions":3,"pocket":%s}]}`, pockets), []Aspect{
		{Name: "pocket", Values: named(pockets...), shown: whole("pocket")},
		{Name: "colour", Values: named("red", "black", "green"), shown: text("colour")},
	})
}

// named returns values whose probability expectAll fills in.
func named(names ...string) (values []Value) {
	for _, name := range names {
		values = append(values, Value{Name: name})
	}
	return values
}
