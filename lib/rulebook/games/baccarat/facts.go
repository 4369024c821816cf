package baccarat

import (
	"fmt"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// facts are the cards in the order each side got them.
type facts struct {
	Player []string `json:"player"`
	Banker []string `json:"banker,omitempty"`
	Burned []string `json:"burned,omitempty"`
}

func read(o strictjson.Object) facts {
	return facts{Player: o.Strings("player"), Banker: o.Strings("banker"), Burned: o.OptionalTexts("burned")}
}

func readVisible(o strictjson.Object) facts {
	return facts{Player: o.OptionalTexts("player"), Banker: o.OptionalTexts("banker"), Burned: o.OptionalTexts("burned")}
}

// points is what a card counts: ace 1, 2 to 9 their number, the others 0.
func points(card cards.Card) int {
	switch rank := card.Rank(); {
	case rank == cards.Ace:
		return 1
	case rank >= cards.Ten:
		return 0
	default:
		return int(rank) + 2
	}
}

// sum is the points of a hand: their sum without its tens.
func sum(hand []cards.Card) int {
	total := 0
	for _, card := range hand {
		total += points(card)
	}
	return total % 10
}

// playerDraws is the Player's rule, where there is no natural: a third card on 0
// to 5.
func playerDraws(player int) bool { return player <= 5 }

// bankerDraws is the Banker's rule, where there is no natural. third is the points
// of the Player's third card, or stood.
func bankerDraws(banker, third int) bool {
	if third == stood {
		return banker <= 5
	}
	switch banker {
	case 0, 1, 2:
		return true
	case 3:
		return third != 8
	case 4:
		return third >= 2 && third <= 7
	case 5:
		return third >= 4 && third <= 7
	case 6:
		return third == 6 || third == 7
	}
	return false
}

// stood is in place of the points of a third card that the Player did not draw.
const stood = -1

// isNatural tells whether a side's first two cards end the dealing.
func isNatural(points int) bool { return points >= 8 }

// paragraphs are the rule ids of the drawing rules in one rulebook.
type paragraphs struct{ deal, natural, player, playerStands, banker, bankerAlone string }

// resolver returns the total function of a game with these decks and paragraphs.
func resolver(decks int, p paragraphs) func(facts) rules.Resolution[*outcome] {
	return func(f facts) rules.Resolution[*outcome] {
		deal := rules.NewDeal(decks)
		player, banker := deal.Cards("Player", f.Player), deal.Cards("Banker", f.Banker)
		deal.Cards("burned", f.Burned)
		deal.Count("Player", f.Player, 2, 3, p.deal)
		deal.Count("Banker", f.Banker, 2, 3, p.deal)
		if faults := deal.Faults(); len(faults) > 0 {
			return rules.Resolution[*outcome]{Faults: faults}
		}
		if faults := p.play(player, banker); len(faults) > 0 {
			return rules.Resolution[*outcome]{Faults: faults}
		}
		return rules.Resolution[*outcome]{Outcome: newOutcome(player, banker)}
	}
}

// play returns how the hands break the drawing rules.
func (p paragraphs) play(player, banker []cards.Card) []rules.Fault {
	two := sum(player[:2])
	if isNatural(two) || isNatural(sum(banker[:2])) {
		return append(p.third("Player", p.natural, player, false, "there is a natural"),
			p.third("Banker", p.natural, banker, false, "there is a natural")...)
	}
	rule := p.player
	if !playerDraws(two) {
		rule = p.playerStands
	}
	if faults := p.third("Player", rule, player, playerDraws(two), ""); len(faults) > 0 {
		return faults
	}
	third, why := stood, "the Player stood"
	rule = p.bankerAlone
	if len(player) == 3 {
		third, rule = points(player[2]), p.banker
		why = fmt.Sprintf("the Player's third card counts %d", third)
	}
	return p.third("Banker", rule, banker, bankerDraws(sum(banker[:2]), third), why)
}

// third compares whether a side drew with whether it must.
func (p paragraphs) third(side, rule string, hand []cards.Card, must bool, why string) []rules.Fault {
	if why != "" {
		why = ": " + why
	}
	two := sum(hand[:2])
	switch drew := len(hand) == 3; {
	case must && !drew:
		return []rules.Fault{{Code: "third_card_missing", Rule: rule,
			Message: fmt.Sprintf("%s has %d and must draw a third card%s", side, two, why)}}
	case drew && !must:
		return []rules.Fault{{Code: "third_card_not_allowed", Rule: rule,
			Message: fmt.Sprintf("%s has %d and must not draw a third card%s", side, two, why)}}
	}
	return nil
}
