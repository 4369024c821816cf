package statistics_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/archive/entry"
	"tally/lib/rulebook/games"
	"tally/lib/site/history"
	"tally/lib/site/statistics"
)

// deals make the facts of one draw with fair equipment, for each game.
var deals = map[string]func(*rand.Rand) string{
	"baccarat":      func(r *rand.Rand) string { return coup(shoe(r, 6)) },
	"live_baccarat": func(r *rand.Rand) string { return coup(shoe(r, 8)) },
	"dice": func(r *rand.Rand) string {
		return fmt.Sprintf(`{"rolls":[{"dice":[%d,%d,%d,%d,%d]}]}`, 1+r.IntN(6), 1+r.IntN(6), 1+r.IntN(6), 1+r.IntN(6), 1+r.IntN(6))
	},
	"lucky5": func(r *rand.Rand) string { return balls(r.Perm(36)[:5]) },
	"lucky7": func(r *rand.Rand) string { return balls(r.Perm(42)[:8]) }, // the eighth is ignored
	"poker": func(r *rand.Rand) string {
		deck := shoe(r, 1)
		var hands []string
		for range 6 {
			hands = append(hands, list(take(&deck), take(&deck)))
		}
		return `{"hands":[` + strings.Join(hands, ",") + `],"board":` + list(deck[:5]...) + `}`
	},
	"war": func(r *rand.Rand) string {
		cards := shoe(r, 6)
		return fmt.Sprintf(`{"player":%q,"dealer":%q}`, cards[0], cards[1])
	},
	"wheel": func(r *rand.Rand) string {
		sector := fmt.Sprint(r.IntN(19))
		if sector == "0" {
			sector = "cup"
		}
		return fmt.Sprintf(`{"spins":[{"turns":4,"sector":%q}]}`, sector)
	},
	"blackjack": func(r *rand.Rand) string { return blackjack(shoe(r, 8)) },
	"roulette":  func(r *rand.Rand) string { return fmt.Sprintf(`{"spins":[{"revolutions":4,"pocket":%d}]}`, r.IntN(37)) },
}

// shoe returns the first cards of a shuffled shoe.
func shoe(r *rand.Rand, decks int) []string {
	const needed = 30
	all := make([]string, 0, 52*decks)
	for range decks {
		for card := range 52 {
			all = append(all, ranks[card/4]+"SHDC"[card%4:card%4+1])
		}
	}
	for i := range needed {
		j := i + r.IntN(len(all)-i)
		all[i], all[j] = all[j], all[i]
	}
	return all[:needed]
}

// take deals the next card.
func take(cards *[]string) string {
	card := (*cards)[0]
	*cards = (*cards)[1:]
	return card
}

func list(cards ...string) string { return `["` + strings.Join(cards, `","`) + `"]` }

func balls(perm []int) string {
	drawn := make([]string, len(perm))
	for i, n := range perm {
		drawn[i] = fmt.Sprint(n + 1)
	}
	return `{"balls":[` + strings.Join(drawn, ",") + `]}`
}

// worth is what a card counts: figures ten, an ace one.
func worth(card string) int { return min(strings.Index("A23456789TJQK", card[:1])+1, 10) }

// coup deals baccarat by the table of the rulebook.
func coup(cards []string) string {
	points := func(hand []string) (sum int) {
		for _, card := range hand {
			sum += worth(card)
		}
		return sum % 10
	}
	player, banker := []string{cards[0], cards[2]}, []string{cards[1], cards[3]}
	cards = cards[4:]
	if p, b := points(player), points(banker); p < 8 && b < 8 {
		draws := b < 6
		if p < 6 {
			third := take(&cards)
			player = append(player, third)
			// By the Banker's points: the Player's third cards on which the Banker draws.
			draws = strings.ContainsRune([]string{"0123456789", "0123456789", "0123456789", "012345679", "234567", "4567", "67", ""}[b],
				rune('0'+worth(third)%10))
		}
		if draws {
			banker = append(banker, take(&cards))
		}
	}
	return `{"player":` + list(player...) + `,"banker":` + list(banker...) + `}`
}

// blackjack deals to one seat that stands on 17.
func blackjack(cards []string) string {
	total := func(hand []string) (sum int) {
		soft := false
		for _, card := range hand {
			sum += worth(card)
			soft = soft || card[0] == 'A'
		}
		if soft && sum < 12 {
			sum += 10
		}
		return sum
	}
	dealer, seat := []string{cards[0], cards[2]}, []string{cards[1], cards[3]}
	cards = cards[4:]
	if dealer[0][0] != 'A' || total(dealer) != 21 {
		for total(seat) < 17 {
			seat = append(seat, take(&cards))
		}
		if total(seat) < 21 || total(seat) == 21 && len(seat) > 2 {
			for total(dealer) < 17 {
				dealer = append(dealer, take(&cards))
			}
		}
	}
	return `{"dealer":` + list(dealer...) + `,"seats":[{"seat":1,"hands":[{"cards":` + list(seat...) + `}]}]}`
}

// row is a resolved draw with these facts.
func row(t testing.TB, id, facts string) history.Row {
	t.Helper()
	game, known := games.Find(id)
	if !known {
		t.Fatalf("there is no game %s", id)
	}
	outcome := ruletest.Outcome(t, game, facts)
	return history.Row{Draw: "d1", Game: id, State: 1, Status: entry.Resolved, Facts: []byte(facts), Outcome: outcome.AppendJSON(nil)}
}

// count counts one draw, which must be possible.
func count(t testing.TB, row history.Row) statistics.Counts {
	t.Helper()
	counts, err := statistics.Count(row)
	if err != nil {
		t.Fatal(err)
	}
	return counts
}
