package statistics_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tally/lib/rulebook/show"
	"tally/lib/site/statistics"
)

// made is an aspect with values a, b, c … of these weights.
func made(ordered bool, weights ...int64) statistics.Aspect {
	total := int64(0)
	for _, w := range weights {
		total += w
	}
	a := statistics.Aspect{Game: "any", Countable: show.Countable{Name: "made", Ordered: ordered, PerDraw: 1}}
	for i, w := range weights {
		a.Values = append(a.Values, statistics.Value{Name: string(rune('a' + i)), Probability: big.NewRat(w, total)})
	}
	return a
}

func countsOf(a statistics.Aspect, counts ...int64) map[string]int64 {
	of := map[string]int64{}
	for i, n := range counts {
		of[a.Values[i].Name] = n
	}
	return of
}

// TestKnown compares with tests whose results are published: a die that is thrown 60
// times; Mendel's peas, 9 to 3 to 3 to 1; and with critical values of tables.
func TestKnown(t *testing.T) {
	for _, c := range []struct {
		weights, counts []int64
		statistic       float64
		p               float64
	}{
		{[]int64{1, 1, 1, 1, 1, 1}, []int64{5, 8, 9, 8, 10, 20}, 13.4, 0.0199},
		{[]int64{9, 3, 3, 1}, []int64{315, 108, 101, 32}, 0.470, 0.925},
		{[]int64{1, 1}, []int64{60, 40}, 4, 0.0455},
		{[]int64{1, 1}, []int64{50, 50}, 0, 1},
	} {
		t.Run(fmt.Sprint(c.statistic), func(t *testing.T) {
			a := made(false, c.weights...)
			r := statistics.Test(a, countsOf(a, c.counts...))
			if math.Abs(r.Statistic-c.statistic) > 0.0005 || math.Abs(r.P-c.p) > 0.0005 || r.Degrees != len(c.counts)-1 || !r.Tested() || r.Needed != 0 {
				t.Errorf("%v of %v: chi-square %v, %d degrees, p %v; instead of %v, p %v", c.counts, c.weights, r.Statistic, r.Degrees, r.P, c.statistic, c.p)
			}
		})
	}
}

// TestGroups takes rare values together.
func TestGroups(t *testing.T) {
	for _, c := range []struct {
		what    string
		aspect  statistics.Aspect
		counts  []int64
		want    string // the values of each group
		observe []int64
	}{
		{"all are frequent enough", made(false, 1, 1, 1), []int64{10, 10, 10}, "a b c", []int64{10, 10, 10}},
		{"exactly five are expected", made(true, 1, 5), []int64{0, 30}, "a b", []int64{0, 30}},
		{"neighbours", made(true, 1, 4, 5, 5, 4, 1), []int64{1, 2, 5, 9, 9, 4}, "ab c d ef", []int64{3, 5, 9, 13}},
		{"a rest at the end", made(true, 10, 10, 1), []int64{20, 20, 2}, "a bc", []int64{20, 22}},
		{"the rare ones of no order", made(false, 1, 10, 1, 10, 1), []int64{3, 15, 4, 16, 2}, "b d ace", []int64{15, 16, 9}},
		{"a rest that is too rare by itself", made(false, 1, 20, 19), []int64{2, 20, 18}, "b ca", []int64{20, 20}},
	} {
		t.Run(c.what, func(t *testing.T) {
			r := statistics.Test(c.aspect, countsOf(c.aspect, c.counts...))
			var got []string
			var observed []int64
			expected := 0.0
			for _, g := range r.Groups {
				got = append(got, strings.Join(g.Values, ""))
				observed = append(observed, g.Observed)
				expected += g.Expected
				if g.Expected < 5 {
					t.Errorf("%s: %v is expected %v times", c.what, g.Values, g.Expected)
				}
			}
			if strings.Join(got, " ") != c.want || !reflect.DeepEqual(observed, c.observe) || math.Abs(expected-float64(r.Draws)) > 1e-9 {
				t.Errorf("%s: %q with %v, %v expected of %d draws", c.what, got, observed, expected, r.Draws)
			}
		})
	}
}

// TestTooFew makes no test of too few draws, and says how many it needs.
func TestTooFew(t *testing.T) {
	for _, c := range []struct {
		aspect statistics.Aspect
		needed int64
	}{
		{aspect(t, "roulette", "pocket"), 185}, // five times 37
		{aspect(t, "wheel", "sector"), 95},
		{aspect(t, "lucky5", "ball"), 36},
		{aspect(t, "lucky5", "colour"), 30},
		{aspect(t, "dice", "face"), 30},
		{aspect(t, "blackjack", "dealer_blackjack"), 106}, // 105 × 256/5395 is 4.98
		{made(false, 1, 1_000_000), 5_000_005},
	} {
		t.Run(fmt.Sprint(c.needed), func(t *testing.T) {
			counts := func(draws int64) map[string]int64 {
				return map[string]int64{c.aspect.Values[0].Name: draws * int64(c.aspect.PerDraw)}
			}
			few := statistics.Test(c.aspect, counts(c.needed-1))
			if few.Tested() || few.P != 1 || few.Degrees != 0 || few.Groups != nil || few.Needed != c.needed || few.Draws != c.needed-1 {
				t.Errorf("%s of %s: %d draws: %+v", c.aspect.Name, c.aspect.Game, c.needed-1, few)
			}
			if enough := statistics.Test(c.aspect, counts(c.needed)); !enough.Tested() || enough.Needed != 0 {
				t.Errorf("%s of %s: %d draws: %+v", c.aspect.Name, c.aspect.Game, c.needed, enough)
			}
			none := statistics.Test(c.aspect, nil)
			if none.Tested() || none.Draws != 0 || len(none.Cells) != len(c.aspect.Values) || none.Needed != c.needed {
				t.Errorf("%s of %s: no draws: %+v", c.aspect.Name, c.aspect.Game, none)
			}
		})
	}
}

// TestFair deals some thousand draws of each game with fair equipment and by the
// rules: they are as expected. A wrong expectation would show.
func TestFair(t *testing.T) {
	const draws = 1500
	for game, deal := range deals {
		r := rand.New(rand.NewPCG(5, 55))
		counts := statistics.Counts{}
		for range draws {
			counts.Add(count(t, row(t, game, deal(r))))
		}
		if err := counts.Check(game); err != nil {
			t.Fatal(err)
		}
		for _, a := range statistics.Aspects(game) {
			result := statistics.Test(a, counts[a.Name])
			if result.P < 0.002 || result.P > 0.9999 || !result.Tested() || result.Draws != draws && a.Name != "sole_winner" {
				t.Errorf("%s: %s: %d draws, chi-square %.1f, %d degrees, p %v", game, a.Name, result.Draws, result.Statistic, result.Degrees, result.P)
			}
		}
	}
}

// sample draws counts of an aspect: balls are not put back.
func sample(r *rand.Rand, a statistics.Aspect, draws int, bias int64) map[string]int64 {
	const lot = 1 << 20
	var upTo []int64 // of each value: the last of the tickets up to it
	last := int64(0)
	for i, v := range a.Values {
		share := new(big.Rat).Mul(v.Probability, big.NewRat(lot, 1))
		if a.Balls > 0 {
			share.Mul(v.Probability, big.NewRat(int64(a.Balls), 1))
		}
		f, _ := share.Float64()
		last += int64(math.Round(f))
		if i == 0 {
			last += bias
		}
		upTo = append(upTo, last)
	}
	counts := map[string]int64{}
	for range draws {
		var drawn []int64
		for len(drawn) < a.PerDraw {
			ticket := r.Int64N(last)
			if a.Balls > 0 && slices.Contains(drawn, ticket) {
				continue
			}
			drawn = append(drawn, ticket)
			value, exact := slices.BinarySearch(upTo, ticket)
			if exact {
				value++
			}
			counts[a.Values[value].Name]++
		}
	}
	return counts
}

// TestUniform repeats tests of fair draws: the probabilities that they find are
// spread evenly, chi-square is its degrees on average, and of twenty values one lies
// outside its interval. Balls would show if their not being put back was forgotten.
func TestUniform(t *testing.T) {
	const times = 250
	for _, a := range []statistics.Aspect{
		aspect(t, "lucky5", "ball"), aspect(t, "lucky7", "ball"), aspect(t, "lucky5", "colour"), aspect(t, "lucky7", "colour"),
		aspect(t, "lucky5", "sum"), aspect(t, "dice", "face"), aspect(t, "dice", "combination"), aspect(t, "baccarat", "winner"),
		aspect(t, "roulette", "pocket"),
	} {
		t.Run(a.Game, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 77))
			var below [3]int
			shares := [3]float64{0.05, 0.25, 0.75}
			sum, degrees, outside := 0.0, 0.0, 0
			for range times {
				result := statistics.Test(a, sample(r, a, 200, 0))
				for i, share := range shares {
					if result.P < share {
						below[i]++
					}
				}
				sum, degrees = sum+result.Statistic, float64(result.Degrees)
				for _, cell := range result.Cells {
					if cell.Outside() {
						outside++
					}
				}
			}
			for i, share := range shares {
				t.Run(fmt.Sprint(share), func(t *testing.T) {
					// Four standard deviations, and two in a hundred for what is not quite chi-square.
					if got, off := float64(below[i])/times, 4*math.Sqrt(share*(1-share)/times)+0.02; math.Abs(got-share) > off {
						t.Errorf("%s: %s: p is below %v in %v of fair tests", a.Game, a.Name, share, got)
					}
				})
			}
			if mean := sum / times; math.Abs(mean-degrees) > 4*math.Sqrt(2*degrees/times)+0.02*degrees {
				t.Errorf("%s: %s: chi-square is %v on average, with %v degrees", a.Game, a.Name, mean, degrees)
			}
			if got := float64(outside) / float64(times*len(a.Values)); got > 0.06 || got < 0.01 {
				t.Errorf("%s: %s: %v of the values lie outside their intervals", a.Game, a.Name, got)
			}
		})
	}
}

// TestBiased finds out equipment that favours one value.
func TestBiased(t *testing.T) {
	for _, c := range []struct {
		aspect statistics.Aspect
		bias   int64 // tickets more for the first value, of 2^20
	}{
		{aspect(t, "roulette", "pocket"), 14 << 10},
		{aspect(t, "dice", "face"), 20 << 10},
		{aspect(t, "baccarat", "winner"), 40 << 10},
		{aspect(t, "war", "winner"), 40 << 10},
	} {
		t.Run(fmt.Sprint(c.bias), func(t *testing.T) {
			r := rand.New(rand.NewPCG(9, 99))
			result := statistics.Test(c.aspect, sample(r, c.aspect, 20_000, c.bias))
			if first := result.Cells[0]; result.P > 1e-4 || !first.Outside() || first.Observed < first.High {
				t.Errorf("%s: %s: p %v, %+v, want result.P of at most 1e-4 and first.Outside() and first.Observed of at least %v",
					c.aspect.Game, c.aspect.Name, result.P, first, first.High)
			}
		})
	}
}

// TestIntervals compares with sums of binomial probabilities.
func TestIntervals(t *testing.T) {
	for _, c := range []struct {
		game, name string
		draws      int
		trials     int // of each value, which is shown with a probability of p each time
		p          float64
	}{
		{"roulette", "pocket", 30, 30, 1.0 / 37},
		{"roulette", "pocket", 1000, 1000, 1.0 / 37},
		{"lucky5", "ball", 200, 200, 5.0 / 36},
		{"dice", "face", 100, 500, 1.0 / 6},
		{"dice", "face", 5000, 25_000, 1.0 / 6}, // nearly normal
		{"lucky7", "ball", 9000, 9000, 1.0 / 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := aspect(t, c.game, c.name)
			cell := statistics.Test(a, map[string]int64{a.Values[0].Name: int64(c.draws * a.PerDraw)}).Cells[1]
			below, chance := 0.0, func(n int) float64 {
				ways, _ := math.Lgamma(float64(c.trials + 1))
				chosen, _ := math.Lgamma(float64(n + 1))
				others, _ := math.Lgamma(float64(c.trials - n + 1))
				return math.Exp(ways - chosen - others + float64(n)*math.Log(c.p) + float64(c.trials-n)*math.Log(1-c.p))
			}
			low, high := -1, -1
			for n := 0; high < 0; n++ {
				below += chance(n)
				if low < 0 && below >= 0.025 {
					low = n
				}
				if below >= 0.975 {
					high = n
				}
			}
			slack := int64(0)
			if c.trials > 6000 {
				slack = 1
			}
			if abs(cell.Low-int64(low)) > slack || abs(cell.High-int64(high)) > slack {
				t.Errorf("%s: %s, %d draws: %d to %d instead of %d to %d", c.game, c.name, c.draws, cell.Low, cell.High, low, high)
			}
		})
	}
}

// TestRareInMany finds the interval of a value that is shown once in seven million
// draws, where binomial probabilities are those of Poisson.
func TestRareInMany(t *testing.T) {
	a := aspect(t, "lucky7", "sum")
	const draws = 4_500_000_000
	cell := statistics.Test(a, map[string]int64{"151-160": draws}).Cells[0]
	chance, below := math.Exp(-cell.Expected), 0.0
	low, high := int64(-1), int64(-1)
	for n := int64(0); high < 0; n++ {
		if below += chance; low < 0 && below >= 0.025 {
			low = n
		}
		if below >= 0.975 {
			high = n
		}
		chance *= cell.Expected / float64(n+1)
	}
	if cell.Value != "28-30" || cell.Low != low || cell.High != high || low < 600 || high > 730 {
		t.Errorf("%+v instead of %d to %d", cell, low, high)
	}
}

func abs(n int64) int64 { return max(n, -n) }
