package statistics

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// way is how a draw can come about: its facts, and how many equally likely ways
// differ from them in nothing that is counted.
type way struct {
	facts string
	count int64
}

// expectAll works out the probabilities of a game's aspects by letting the rules
// resolve every way in which a draw can come about. It panics where they refuse
// one: all are possible.
func expectAll(id string, ways []way, aspects []Aspect) []Aspect {
	game, _ := games.Find(id)
	counts := make([][]int64, len(aspects))
	for i, a := range aspects {
		counts[i] = make([]int64, len(a.Values))
	}
	for _, w := range ways {
		s, err := see([]byte(w.facts), resolve(game, w.facts).AppendJSON(nil))
		if err != nil {
			panic(fmt.Sprintf("statistics: %s: %s: %v", id, w.facts, err))
		}
		for i, a := range aspects {
			for _, value := range a.shown(s) {
				counts[i][a.index(value)] += w.count
			}
		}
	}
	for i, a := range aspects {
		total := sum(counts[i])
		for k, n := range counts[i] {
			a.Values[k].Probability = big.NewRat(n, total)
		}
	}
	return aspects
}

func sum(counts []int64) (total int64) {
	for _, n := range counts {
		total += n
	}
	return total
}

// resolve returns what the rules make of facts that are possible.
func resolve(game *rules.Game, facts string) rules.Outcome {
	var d strictjson.Document
	o := object(&d, "facts", []byte(facts))
	read := game.ReadFacts(o)
	if problems := d.Problems(); len(problems) > 0 {
		panic("statistics: " + game.ID + ": " + facts + ": " + problems[0].Message())
	}
	resolution := game.Resolve(read)
	if resolution.Outcome == nil {
		panic("statistics: " + game.ID + ": " + facts + ": no outcome")
	}
	return resolution.Outcome
}

// allRolls are the rolls of so many dice in ascending order; each stands for the
// orders in which the same dice can lie.
func allRolls(dice int) (ways []way) {
	var roll func(faces []string, least int, orders, run int64)
	roll = func(faces []string, least int, orders, run int64) {
		if len(faces) == dice {
			ways = append(ways, way{`{"rolls":[{"dice":[` + strings.Join(faces, ",") + `]}]}`, orders})
			return
		}
		for face := least; face <= 6; face++ {
			same := int64(1)
			if face == least && len(faces) > 0 {
				same = run + 1
			}
			// A multinomial coefficient, die by die: the n-th die can lie in n places, of which
			// dice with the same face share theirs.
			roll(append(faces[:len(faces):len(faces)], strconv.Itoa(face)), face, orders*int64(len(faces)+1)/same, same)
		}
	}
	roll(nil, 1, 1, 0)
	return ways
}

// allTwoCards are the ranks of two cards from a shoe, for Player and Dealer.
func allTwoCards(decks int64) (ways []way) {
	ofRank := 4 * decks
	for player := cards.Two; player <= cards.Ace; player++ {
		for dealer := cards.Two; dealer <= cards.Ace; dealer++ {
			left := ofRank
			if player == dealer {
				left--
			}
			facts := fmt.Sprintf(`{"player":%q,"dealer":%q}`, cards.New(player, cards.Spades), cards.New(dealer, cards.Hearts))
			ways = append(ways, way{facts, ofRank * left})
		}
	}
	return ways
}

// allSpins are the places of a wheel, one as likely as any other.
func allSpins(facts string, places []string) (ways []way) {
	for _, place := range places {
		ways = append(ways, way{fmt.Sprintf(facts, place), 1})
	}
	return ways
}
