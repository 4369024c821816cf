package pages_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"tally/lib/rulebook/games"
	"tally/lib/site/statistics"
)

// expected are counts that are what is expected of so many draws, as well as whole
// numbers can be.
func expected(game string, draws int64) statistics.Counts {
	counts := statistics.Counts{}
	for _, aspect := range statistics.Aspects(game) {
		values, left := map[string]int64{}, draws*int64(aspect.PerDraw)
		for _, v := range aspect.Values {
			n := new(big.Rat).Mul(v.Probability, big.NewRat(draws*int64(aspect.PerDraw), 1))
			values[v.Name] = new(big.Int).Quo(n.Num(), n.Denom()).Int64()
			left -= values[v.Name]
		}
		likely := slices.MaxFunc(aspect.Values, func(a, b statistics.Value) int { return a.Probability.Cmp(b.Probability) })
		values[likely.Name] += left
		counts[aspect.Name] = values
	}
	return counts
}

// TestStatistics shows counts that are as expected, and some that are not.
func TestStatistics(t *testing.T) {
	for _, game := range games.All() {
		counts := expected(game.ID, 100_000)
		page := statisticsOf(t, game.ID, counts)
		if whole := text(page.root); strings.Count(whole, "That is nothing unusual.") != len(counts) || len(page.find(outside)) > 0 {
			t.Errorf("%s: what is expected is unusual: %s", game.ID, whole)
		}
		if plots := page.class("plot"); len(plots) != len(counts) {
			t.Errorf("%s has %d plots", game.ID, len(plots))
		}
		for _, aspect := range statistics.Aspects(game.ID) {
			rows := 0
			for n := range page.all {
				if n.Data == "th" && attribute(n, "scope") == "row" {
					rows++
				}
			}
			if rows < len(aspect.Values) {
				t.Errorf("%s: %d rows", game.ID, rows)
			}
		}
	}
	counts := expected("roulette", 3700)
	counts["pocket"]["17"] += 120
	page := statisticsOf(t, "roulette", counts)
	if whole := text(page.root); !strings.Contains(whole, "with a probability of less than 0.1%. That is very unusual") || !strings.Contains(whole, "17 220 outside 5.76% 103.2 2.703%") {
		t.Errorf("a pocket that came too often: %s", whole)
	}
	page = statisticsOf(t, "roulette", statistics.Counts{})
	if whole := text(page.root); strings.Count(whole, "There are too few draws for a test: it needs") != 2 || len(page.class("plot")) != 0 {
		t.Errorf("no draws: %s", whole)
	}
	if _, err := newSite(t).Statistics("roulette", statistics.Counts{"pocket": {"37": 1}}, "", ""); err == nil {
		t.Error("a pocket that there is not was taken")
	}
}

func outside(n *html.Node) bool { return n.Data == "b" && text(n) == "outside" }

func statisticsOf(t *testing.T, game string, counts statistics.Counts) document {
	t.Helper()
	files, err := newSite(t).Statistics(game, counts, "2026-11-01", "2026-11-30")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		checkPage(t, file)
	}
	return read(t, files[0])
}
