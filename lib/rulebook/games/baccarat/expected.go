package baccarat

import (
	"math/big"

	"tally/lib/rulebook/show"
)

// shares are how many orders of a full shoe's next six cards have each result: cards
// that are not dealt may be any.
type shares struct {
	player, banker, tie int64
	cards               [3]int64 // 4, 5 and 6 are dealt
	natural             int64
}

// sharesOf are by the number of decks.
var sharesOf = map[int64]shares{
	decks: {player: 392220492728832, banker: 403095751234560, tie: 83552962932288,
		cards: [3]int64{333025560274176, 266771777612544, 279071869008960}, natural: 301554615390336},
	liveDecks: {player: 2230518282592256, banker: 2292252566437888, tie: 475627426473216,
		cards: [3]int64{1893735611458560, 1516734808780800, 1587927855264000}, natural: 1714696016515584},
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
func pairs(decks int64) []show.Group {
	one, both, all := twoPairs(13, 4*decks)
	return []show.Group{{Name: "none", Count: all - 2*one + both}, {Name: player, Count: one - both}, {Name: banker, Count: one - both}, {Name: "both", Count: both}}
}

// perfectPair is how likely at least one side has two cards of one rank and suit.
func perfectPair(decks int64) *big.Rat {
	one, both, all := twoPairs(52, decks)
	return big.NewRat(2*one-both, all)
}
