package statistics

import (
	"math"
	"math/big"
	"sort"

	"gonum.org/v1/gonum/mathext"
)

// leastExpected is how often each cell of a test must be expected: the rule of thumb
// under which the statistic has nearly the distribution that it is compared with.
const leastExpected = 5

// leastDraws is how many draws every test needs. With fewer the values of one draw
// that depend on each other would decide alone.
const leastDraws = 30

// Result is how the draws of an aspect compare with what was to be expected.
type Result struct {
	// Draws is how many draws were counted.
	Draws int64
	// Cells are the values, in the order of the aspect.
	Cells []Cell
	// Groups are what was tested: values that are expected too seldom by themselves
	// are taken together. It is nil when there are too few draws for a test.
	Groups []Group
	// Needed is how many draws a test needs, where there are too few; otherwise 0.
	Needed int64
	// Statistic, Degrees and P are of the test: chi-square, its degrees of freedom, and
	// how likely chance alone gives a chi-square as large. Without a test Degrees is 0
	// and P is 1.
	Statistic float64
	Degrees   int
	P         float64
}

// Tested reports whether there were enough draws for a test.
func (r Result) Tested() bool { return r.Degrees > 0 }

// Cell is how often a value was shown.
type Cell struct {
	Value    string
	Observed int64
	Expected float64
	// Low and High are the interval in which chance alone leaves what is observed with
	// a probability of about 95%, for this value taken by itself.
	Low, High int64
}

// Outside reports whether what was observed lies outside the interval. Of right
// values about one in twenty does.
func (c Cell) Outside() bool { return c.Observed < c.Low || c.Observed > c.High }

// Group is one or more values that are tested together.
type Group struct {
	Values   []string
	Observed int64
	Expected float64

	exact *big.Rat // Expected, not rounded
}

// Test compares counts of an aspect, as Count and Add give them, with what was to be
// expected. Values that the aspect does not have are not counted: see Counts.Check.
func Test(a Aspect, counts map[string]int64) Result {
	shown := int64(0)
	for _, v := range a.Values {
		shown += counts[v.Name]
	}
	r := Result{Draws: shown / int64(a.PerDraw), P: 1}
	for i, v := range a.Values {
		cell := Cell{Value: v.Name, Observed: counts[v.Name]}
		if i > 0 && v.Probability.Cmp(a.Values[i-1].Probability) == 0 {
			alike := r.Cells[i-1] // many aspects have values of one probability only
			cell.Expected, cell.Low, cell.High = alike.Expected, alike.Low, alike.High
		} else {
			cell.Expected, _ = a.expected(v, shown).Float64()
			cell.Low, cell.High = a.interval(v, r.Draws)
		}
		r.Cells = append(r.Cells, cell)
	}
	groups := a.groups(counts, shown)
	if len(groups) < 2 {
		r.Needed = a.needed()
		return r
	}
	r.Groups, r.Degrees = groups, len(groups)-1
	r.Statistic = a.statistic(groups)
	r.P = mathext.GammaIncRegComp(float64(r.Degrees)/2, r.Statistic/2) // of the chi-square distribution
	return r
}

// expected is how often a value is expected among so many that were shown.
func (a Aspect) expected(v Value, shown int64) *big.Rat {
	return new(big.Rat).Mul(v.Probability, new(big.Rat).SetInt64(shown))
}

// statistic returns chi-square, the sum of (observed - expected)² / expected. Balls
// that are not put back vary less than values that don't depend on each other, by
// (balls - 1) / (balls - drawn), so that the sum is larger than it looks. The sum
// is worked out in fractions: it is the same on every machine.
func (a Aspect) statistic(groups []Group) float64 {
	chi := new(big.Rat)
	for _, g := range groups {
		off := new(big.Rat).Sub(new(big.Rat).SetInt64(g.Observed), g.exact)
		off.Mul(off, off)
		chi.Add(chi, off.Quo(off, g.exact))
	}
	if a.Balls > 0 {
		chi.Mul(chi, big.NewRat(int64(a.Balls-1), int64(a.Balls-a.PerDraw)))
	}
	statistic, _ := chi.Float64()
	return statistic
}

// groups takes values together until each group is expected often enough: neighbours
// where the values have an order, otherwise all that are too rare by themselves.
// With too few draws there are no two groups.
func (a Aspect) groups(counts map[string]int64, shown int64) []Group {
	switch {
	case shown < leastDraws*int64(a.PerDraw):
		return nil
	case a.Ordered:
		return a.neighbours(counts, shown)
	}
	return a.rare(counts, shown)
}

var enough = big.NewRat(leastExpected, 1)

func (g *Group) add(other Group) {
	g.Values = append(g.Values, other.Values...)
	g.Observed += other.Observed
	if g.exact == nil {
		g.exact = new(big.Rat)
	}
	g.exact = new(big.Rat).Add(g.exact, other.exact)
	g.Expected, _ = g.exact.Float64()
}

func (g *Group) enough() bool { return g.exact != nil && g.exact.Cmp(enough) >= 0 }

// single is the group of one value.
func (a Aspect) single(v Value, counts map[string]int64, shown int64) Group {
	g := Group{Values: []string{v.Name}, Observed: counts[v.Name], exact: a.expected(v, shown)}
	g.Expected, _ = g.exact.Float64()
	return g
}

// neighbours fills one group after the other. What is left at the end belongs to
// the last.
func (a Aspect) neighbours(counts map[string]int64, shown int64) (groups []Group) {
	var next Group
	for _, v := range a.Values {
		next.add(a.single(v, counts, shown))
		if next.enough() {
			groups = append(groups, next)
			next = Group{}
		}
	}
	if len(next.Values) > 0 && len(groups) > 0 {
		groups[len(groups)-1].add(next)
	}
	return groups
}

// rare takes the values that are too rare together, and with them, where they are
// so even then, the rarest of the others.
func (a Aspect) rare(counts map[string]int64, shown int64) (groups []Group) {
	var rest Group
	for _, v := range a.Values {
		if g := a.single(v, counts, shown); g.enough() {
			groups = append(groups, g)
		} else {
			rest.add(g)
		}
	}
	if len(rest.Values) == 0 {
		return groups
	}
	if !rest.enough() && len(groups) > 0 {
		rarest := 0
		for i, g := range groups {
			if g.exact.Cmp(groups[rarest].exact) < 0 {
				rarest = i
			}
		}
		groups[rarest].add(rest)
		return groups
	}
	return append(groups, rest)
}

// needed returns the least number of draws that a test needs. More draws never
// leave fewer than two groups.
func (a Aspect) needed() int64 {
	const most = 1 << 40 // no aspect has values so rare
	return int64(sort.Search(most, func(draws int) bool {
		return len(a.groups(nil, int64(draws*a.PerDraw))) > 1
	}))
}

// coverage is how likely chance alone leaves a count within its interval.
const coverage = 0.95

// interval returns the least and the greatest count of a value in so many draws
// that chance alone does not often leave.
func (a Aspect) interval(v Value, draws int64) (low, high int64) {
	trials, p := a.trials(v, draws)
	mean, deviation := a.spread(v, draws)
	if p == 0 || deviation > 30 {
		// Nearly a normal distribution. Half a count goes to each side of a whole one.
		reach := float64(mathext.NormalQuantile((1+coverage)/2) * deviation)
		return max(0, int64(math.Floor(mean-reach+0.5))), int64(math.Ceil(mean + reach - 0.5))
	}
	atMost := func(n int) float64 { return mathext.RegIncBeta(float64(trials)-float64(n), float64(n)+1, 1-p) } // binomial
	least := func(share float64) int64 {
		return int64(sort.Search(int(trials), func(n int) bool { return atMost(n) >= share }))
	}
	return least((1 - coverage) / 2), least((1 + coverage) / 2)
}

// trials returns how often a value could have been shown, each time with a
// probability of p and whatever happened the other times. It is p = 0 where there
// is no such number.
func (a Aspect) trials(v Value, draws int64) (trials int64, p float64) {
	share, _ := v.Probability.Float64()
	switch {
	case a.Balls == 0:
		return draws * int64(a.PerDraw), share
	case a.ballsOf(a.Index(v.Name)) == 1: // a ball is drawn once or not at all
		return draws, float64(a.PerDraw) / float64(a.Balls)
	}
	return 0, 0
}

// spread returns the mean of a value's count in so many draws and its standard
// deviation.
func (a Aspect) spread(v Value, draws int64) (mean, deviation float64) {
	shown := new(big.Rat).SetInt64(draws * int64(a.PerDraw))
	exact := shown.Mul(shown, v.Probability)
	mean, _ = exact.Float64()
	variance := new(big.Rat).Sub(big.NewRat(1, 1), v.Probability)
	variance.Mul(variance, exact)
	if a.Balls > 0 {
		variance.Mul(variance, big.NewRat(int64(a.Balls-a.PerDraw), int64(a.Balls-1)))
	}
	squared, _ := variance.Float64()
	return mean, math.Sqrt(squared)
}
