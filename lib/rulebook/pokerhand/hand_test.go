package pokerhand

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"tally/internal/vectors"
	"tally/lib/rulebook/cards"
)

// allFives ranks all 2,598,960 fives both ways: the Strength that each of the oracle's
// strengths has, and how many fives have it. A strength with two Strengths has Strength
// zero.
var allFives = sync.OnceValues(func() (ranks map[int]Strength, count map[Strength]int) {
	ranks, count = make(map[int]Strength), make(map[Strength]int)
	eachFive(func(five [5]cards.Card) {
		h := handOf(five[:])
		strength, rank := list(five).strength, h.Rank()
		if known, ok := ranks[strength]; ok && known != rank {
			rank = 0
		}
		ranks[strength] = rank
		count[rank]++
	})
	return ranks, count
})

func eachFive(yield func([5]cards.Card)) {
	for a := range cards.Card(cards.Count) {
		for b := range a {
			for c := range b {
				for d := range c {
					for e := range d {
						yield([5]cards.Card{a, b, c, d, e})
					}
				}
			}
		}
	}
}

func TestRanksOfAllFives(t *testing.T) {
	ranks, count := allFives()
	if len(ranks) != 7462 || len(count) != 7462 || count[0] != 0 {
		t.Fatalf("%d strengths, %d ranks, %d ambiguous; want 7462, 7462, 0", len(ranks), len(count), count[0])
	}
	byRank := make([]int, 1<<16)
	for strength, rank := range ranks {
		if rank.Category() != categoryOf(strength) {
			t.Errorf("strength %x has category %v", strength, rank.Category())
		}
		byRank[rank] = strength
	}
	last := Strength(0)
	for rank, strength := range byRank {
		if strength == 0 {
			continue
		}
		if strength <= byRank[last] {
			t.Errorf("rank %#x is not above rank %#x", rank, last)
		}
		if first := Strength(rank).index() == 1; first != (Strength(rank).Category() != last.Category() || last == 0) {
			t.Errorf("rank %#x follows rank %#x", rank, last)
		}
		last = Strength(rank)
	}
}

func TestFrequenciesOfFives(t *testing.T) {
	var got [Categories]int
	_, count := allFives()
	for rank, n := range count {
		got[rank.Category()] += n
	}
	compareFrequencies(t, "five_card", got)
}

// All 133,784,560 hands of seven cards.
func TestFrequenciesOfSevens(t *testing.T) {
	var deck [cards.Count]Hand
	for card := range deck {
		deck[card].Add(cards.Card(card))
	}
	var count [1 << 16]int
	var choose func(below, missing int, hand Hand)
	choose = func(below, missing int, hand Hand) {
		for i := missing - 1; i < below; i++ {
			if more := hand.with(&deck[i]); missing > 1 {
				choose(i, missing-1, more)
			} else {
				count[more.Rank()]++
			}
		}
	}
	choose(cards.Count, 7, Hand{})

	var got [Categories]int
	distinct := 0
	for rank, n := range count {
		if n > 0 {
			distinct++
			got[Strength(rank).Category()] += n
		}
	}
	if distinct != 4824 {
		t.Errorf("%d distinct ranks, want 4824", distinct)
	}
	compareFrequencies(t, "seven_card_best_five", got)
}

func compareFrequencies(t *testing.T, name string, got [Categories]int) {
	t.Helper()
	var exact struct {
		Frequencies map[string]map[string]int `json:"poker_frequencies"`
	}
	if err := json.Unmarshal(vectors.Read(t, vectors.Exact), &exact); err != nil {
		t.Fatal(err)
	}
	want := exact.Frequencies[name]
	total := 0
	for category, n := range got {
		total += n
		figure := want[vectorName(Category(category))]
		if Category(category) == StraightFlush {
			figure = want["STRAIGHT_FLUSH_incl_royal"] - want["ROYAL_FLUSH"]
		}
		if n != figure || n == 0 {
			t.Errorf("%s %v: %d, want %d", name, Category(category), n, figure)
		}
	}
	if total != want["total"] {
		t.Errorf("%s: %d hands, want %d", name, total, want["total"])
	}
}

// vectorName is a category's name in the vectors.
func vectorName(category Category) string {
	if category == TwoPairs {
		return "TWO_PAIR"
	}
	return strings.ToUpper(category.String())
}

func TestRandomSevens(t *testing.T) {
	const seed = 7
	ranks, _ := allFives()
	rng := rand.New(rand.NewPCG(seed, seed))
	for range 200_000 {
		seven := [7]cards.Card(draw(rng, 7))
		want := listBest(seven[:])
		if h := handOf(seven[:]); h.Rank() != ranks[want.strength] {
			t.Fatalf("seed %d: %v has rank %#x, want %#x", seed, seven, h.Rank(), ranks[want.strength])
		}
		five, rank := BestFive(seven[:])
		if five != want.cards || rank != ranks[want.strength] {
			t.Fatalf("seed %d: %v has %v, want %v", seed, seven, five, want.cards)
		}
	}
}

func TestHandOfFewCards(t *testing.T) {
	var h Hand
	for i, card := range hand("AS KS QS JS") {
		if rank := h.Rank(); rank != 0 {
			t.Errorf("%d cards have rank %#x", i, rank)
		}
		h.Add(card)
	}
	if rank := h.Rank(); rank != 0 {
		t.Errorf("four cards have rank %#x", rank)
	}
	for _, code := range []string{"TS", "TH", "TD"} {
		t.Run(code, func(t *testing.T) {
			h.Add(hand(code)[0])
			if got := h.Rank().Category(); got != RoyalFlush {
				t.Errorf("with %s: %v", code, got)
			}
		})
	}
}

func TestCategoryNames(t *testing.T) {
	want := "high_card pair two_pairs three_of_a_kind straight flush full_house four_of_a_kind straight_flush royal_flush"
	var names []string
	for category := range Category(Categories) {
		names = append(names, category.String())
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got %s", got)
	}
	if got := Category(Categories).String(); got != "no category" {
		t.Errorf("got %s", got)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	seven := [7]cards.Card(hand("AS AH KD KC KS 2D 2H"))
	flop := hand("KH QS 8C")
	for name, call := range map[string]func(){
		"BestFive": func() { BestFive(seven[:]) },
		"Hand": func() {
			var h Hand
			for _, card := range seven {
				h.Add(card)
			}
			h.Rank()
		},
		"Analyse": func() { _, _ = Analyse(&sixHands, flop, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			if allocations := testing.AllocsPerRun(10, call); allocations != 0 {
				t.Errorf("%s allocates %v times", name, allocations)
			}
		})
	}
}
