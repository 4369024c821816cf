package statistics

import (
	"math/big"

	"tally/lib/rulebook/games/baccarat"
	"tally/lib/rulebook/pokerhand"
)

// coups are how many orders of a shoe's next six cards have each result. All six
// are counted even where fewer are dealt, so that all orders weigh the same.
type coups struct {
	winner, cards [3]group
	natural       [2]group

	left   int64     // cards in the shoe
	points [10]int64 // how many of them count so much
}

// allCoups deals every coup from a full shoe, cards of equal points at once.
func allCoups(decks int64) *coups {
	c := &coups{
		winner:  [3]group{{name: "player"}, {name: "banker"}, {name: "tie"}},
		cards:   [3]group{{name: "4"}, {name: "5"}, {name: "6"}},
		natural: [2]group{{name: "yes"}, {name: "no"}},
		left:    52 * decks,
	}
	for points := range c.points {
		c.points[points] = 4 * decks
	}
	c.points[0] *= 4 // ten, jack, queen and king
	c.deal(1, func(player1 int, ways int64) {
		c.deal(ways, func(player2 int, ways int64) {
			c.deal(ways, func(banker1 int, ways int64) {
				c.deal(ways, func(banker2 int, ways int64) {
					c.play((player1+player2)%10, (banker1+banker2)%10, ways)
				})
			})
		})
	})
	return c
}

// deal deals a card of each number of points in turn. ways are the orders of the
// cards before it, then those with it.
func (c *coups) deal(ways int64, then func(points int, ways int64)) {
	for points := range c.points {
		of := c.points[points]
		c.points[points]--
		c.left--
		then(points, ways*of)
		c.left++
		c.points[points]++
	}
}

// play deals the third cards.
func (c *coups) play(player, banker int, ways int64) {
	switch {
	case baccarat.IsNatural(player) || baccarat.IsNatural(banker):
		c.natural[0].count += c.end(player, banker, 4, ways)
	case baccarat.PlayerDraws(player):
		c.deal(ways, func(third int, ways int64) {
			c.natural[1].count += c.banker((player+third)%10, banker, third, 5, ways)
		})
	default:
		c.natural[1].count += c.banker(player, banker, baccarat.Stood, 4, ways)
	}
}

// banker deals the Banker's third card after so many cards, and returns the orders
// of six cards.
func (c *coups) banker(player, banker, third, dealt int, ways int64) (orders int64) {
	if !baccarat.BankerDraws(banker, third) {
		return c.end(player, banker, dealt, ways)
	}
	c.deal(ways, func(points int, ways int64) {
		orders += c.end(player, (banker+points)%10, dealt+1, ways)
	})
	return orders
}

// end counts a coup that is over.
func (c *coups) end(player, banker, dealt int, ways int64) (orders int64) {
	orders = ways
	for left := c.left; dealt+int(c.left-left) < 6; left-- {
		orders *= left // a card that is not dealt may be any
	}
	switch {
	case player > banker:
		c.winner[0].count += orders
	case player < banker:
		c.winner[1].count += orders
	default:
		c.winner[2].count += orders
	}
	c.cards[dealt-4].count += orders
	return orders
}

// twoPairs counts the orders of four cards, of which the first two and the last two
// are a hand each, from a shoe that holds so many cards of each kind: those where
// the first hand has two of a kind, those where both have, and all.
func twoPairs(kinds, each int64) (first, both, all int64) {
	left := kinds * each
	all = left * (left - 1) * (left - 2) * (left - 3)
	first = left * (each - 1) * (left - 2) * (left - 3)
	// After the first pair its own kind has two cards less.
	both = left * (each - 1) * ((each-2)*(each-3) + (kinds-1)*each*(each-1))
	return first, both, all
}

// pairs counts which sides of a coup have two cards of one rank.
func pairs(decks int64) []group {
	one, both, all := twoPairs(13, 4*decks)
	return []group{{"none", all - 2*one + both}, {"player", one - both}, {"banker", one - both}, {"both", both}}
}

// perfectPair is how likely at least one side has two cards of one rank and suit.
func perfectPair(decks int64) *big.Rat {
	one, both, all := twoPairs(52, decks)
	return big.NewRat(2*one-both, all)
}

// blackjackDealt is how likely two cards are an ace and one that counts ten.
func blackjackDealt(decks int64) *big.Rat {
	aces, tens, all := 4*decks, 16*decks, 52*decks
	return big.NewRat(2*aces*tens, all*(all-1))
}

// pokerCategories counts what the best five of so many cards of a deck are, from
// the weakest up: five, six or seven cards.
//
// Five cards of one suit leave no room for four of a kind or a full house. So the
// hands with such a suit are counted by its ranks, and the others by how often each
// rank comes.
func pokerCategories(drawn int) []group {
	var counts [pokerhand.Categories]int64
	countFlushes(&counts, drawn)
	countRanks(&counts, drawn, 0, nil)
	groups := make([]group, 0, pokerhand.Categories)
	for category, n := range counts {
		groups = append(groups, group{pokerhand.Category(category).String(), n})
	}
	return groups
}

// countFlushes counts the hands with five or more cards of one suit.
func countFlushes(counts *[pokerhand.Categories]int64, drawn int) {
	for set := range 1 << 13 { // the suit's ranks, the two in the lowest place
		var of [13]int
		suited := 0
		for rank := range of {
			of[rank] = set >> rank & 1
			suited += of[rank]
		}
		if suited < 5 || suited > drawn {
			continue
		}
		category := pokerhand.Flush
		switch highest := straight(of[:]); {
		case highest == 12:
			category = pokerhand.RoyalFlush
		case highest >= 0:
			category = pokerhand.StraightFlush
		}
		counts[category] += 4 * choose(52-13, drawn-suited)
	}
}

// countRanks counts the hands in which the first ranks come as often as of says and
// no suit comes five times.
func countRanks(counts *[pokerhand.Categories]int64, drawn, taken int, of []int) {
	if len(of) == 13 {
		if taken == drawn {
			counts[byRanks(of)] += withoutFlush(of)
		}
		return
	}
	for n := range min(4, drawn-taken) + 1 {
		countRanks(counts, drawn, taken+n, append(of, n))
	}
}

// byRanks returns what a hand is whose suits don't matter.
func byRanks(of []int) pokerhand.Category {
	var times [5]int // how many ranks come so often
	for _, n := range of {
		times[n]++
	}
	switch {
	case times[4] > 0:
		return pokerhand.FourOfAKind
	case times[3] > 1, times[3] > 0 && times[2] > 0:
		return pokerhand.FullHouse
	case straight(of) >= 0:
		return pokerhand.Straight
	case times[3] > 0:
		return pokerhand.ThreeOfAKind
	case times[2] > 1:
		return pokerhand.TwoPairs
	case times[2] > 0:
		return pokerhand.Pair
	}
	return pokerhand.HighCard
}

// straight returns the highest rank of the highest straight, -1 when there is none.
// The ace is the highest rank, and below the two.
func straight(of []int) int {
	for highest := 12; highest >= 3; highest-- {
		run := 0
		for run < 5 && of[(highest-run+13)%13] > 0 {
			run++
		}
		if run == 5 {
			return highest
		}
	}
	return -1
}

// withoutFlush counts the suits that the cards of a hand can have when each rank
// comes as often as of says, less those with five or more cards of one suit.
func withoutFlush(of []int) int64 {
	all := int64(1)
	suited := [14]int64{1} // by the number of cards of a certain suit
	for _, n := range of {
		all *= choose(4, n)
		if n == 0 {
			continue
		}
		without, with := choose(3, n), choose(3, n-1)
		for count := len(suited) - 1; count > 0; count-- {
			suited[count] = suited[count]*without + suited[count-1]*with
		}
		suited[0] *= without
	}
	return all - 4*sum(suited[5:])
}
