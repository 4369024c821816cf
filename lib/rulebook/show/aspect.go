package show

import (
	"math/big"
	"slices"
	"strconv"

	"tally/lib/rulebook/cards"
)

// Countable is something that can be counted of every draw of a game.
type Countable struct {
	Name string
	// Values are all that can be shown, in the order for people. Their
	// probabilities add up to one.
	Values []Value
	// Ordered says that neighbours in Values are neighbours in size, such as sums.
	Ordered bool
	// PerDraw is how many values a draw shows, 0 for one.
	PerDraw int
	// Balls is, for balls that are not put back, how many there are to draw from.
	// It is 0 where the values of one draw don't depend on each other.
	Balls int
	// Some says that some draws show nothing.
	Some bool
	// Label names a value; nil for one that is its own name.
	Label func(w Words, value string) string
}

// Value is one of the values that a draw can show.
type Value struct {
	Name string
	// Probability is how often it is shown, as a share of all values that are. It
	// must not be changed.
	Probability *big.Rat
}

// Index returns the place of a value, -1 when there is none of that name.
func (a Countable) Index(name string) int {
	return slices.IndexFunc(a.Values, func(v Value) bool { return v.Name == name })
}

// Coded names values by a family of messages.
func Coded(family string) func(Words, string) string {
	return func(w Words, value string) string { return w.Code(family, value) }
}

// Group is a value and how many of all have it: balls of a colour, deals with a
// winner.
type Group struct {
	Name  string
	Count int64
}

// Shares returns the values of groups with their share of them all.
func Shares(groups []Group) []Value {
	total := int64(0)
	for _, g := range groups {
		total += g.Count
	}
	values := make([]Value, 0, len(groups))
	for _, g := range groups {
		values = append(values, Value{Name: g.Name, Probability: big.NewRat(g.Count, total)})
	}
	return values
}

// Alike returns values of which each is shown as often as any other.
func Alike(names []string) []Value {
	groups := make([]Group, 0, len(names))
	for _, name := range names {
		groups = append(groups, Group{Name: name, Count: 1})
	}
	return Shares(groups)
}

// Named returns values whose probabilities are still to be worked out.
func Named(names ...string) (values []Value) {
	for _, name := range names {
		values = append(values, Value{Name: name})
	}
	return values
}

// Range returns the numbers from first to last as texts.
func Range(first, last int) (names []string) {
	for n := first; n <= last; n++ {
		names = append(names, strconv.Itoa(n))
	}
	return names
}

// Ranks are the ranks of cards in ascending order.
func Ranks() (names []string) {
	for rank := cards.Two; rank <= cards.Ace; rank++ {
		names = append(names, rank.String())
	}
	return names
}

// RankOf returns the rank of the first of some cards; none where there is no card.
func RankOf(codes ...string) []string {
	if list := Cards(codes...); len(list) > 0 {
		return []string{list[0].Rank().String()}
	}
	return nil
}

// RankName writes a rank as the corner of a card has it.
func RankName(_ Words, rank string) string {
	for _, card := range Cards(rank + "S") {
		return card.Figure()
	}
	return rank
}

// YesOrNo returns the values of what happens with a probability.
func YesOrNo(yes *big.Rat) []Value {
	return []Value{{Name: "yes", Probability: yes}, {Name: "no", Probability: new(big.Rat).Sub(big.NewRat(1, 1), yes)}}
}

// Yes is the value of what happens or not.
func Yes(is bool) []string {
	if is {
		return []string{"yes"}
	}
	return []string{"no"}
}

// Expect works out the probabilities of aspects by going through every way in which a
// draw can come about, with how many equally likely ways differ from it in nothing that
// is counted.
func Expect(each func(way func(d DrawView, count int64)), aspects []Countable) []Countable {
	groups := make([][]Group, len(aspects))
	for i, a := range aspects {
		for _, v := range a.Values {
			groups[i] = append(groups[i], Group{Name: v.Name})
		}
	}
	each(func(d DrawView, count int64) {
		values := d.Values()
		for i, a := range aspects {
			for _, value := range values[a.Name] {
				groups[i][a.Index(value)].Count += count
			}
		}
	})
	for i := range aspects {
		aspects[i].Values = Shares(groups[i])
	}
	return aspects
}
