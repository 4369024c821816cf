package rules

// Way is what a draw can come to, with how many equally likely ways lead to it.
type Way[O any] struct {
	Outcome O
	Count   uint64
}

// Chance is in how many of all equally likely ways a selection wins, and in how many its
// stake is returned.
type Chance struct{ Won, Refunded, All uint64 }

// Chances returns the exact chances of selections of the game when a betting round opens and
// these cards are visible, which Decide has found no fault with: all that may still come is
// counted, from a full shoe or a whole set of balls without what is visible. ok is false
// where that is beyond counting, and in games that have a paytable.
func (g *Game) Chances(round int, visible Facts, list []Selection) (chances []Chance, ok bool) {
	if g.ways == nil {
		return nil, false
	}
	of := g.ways(round, visible.value)
	if of == nil {
		return nil, false
	}
	chances = make([]Chance, len(list))
	for i, s := range list {
		for _, way := range of(s) {
			chances[i].All += way.Count
			switch g.Judge(way.Outcome, s).Result {
			case Won:
				chances[i].Won += way.Count
			case Refunded:
				chances[i].Refunded += way.Count
			}
		}
	}
	return chances, true
}

// ways are those of a spec, of outcomes of any game.
func (spec *Spec[F, O]) ways(round int, visible any) func(Selection) []Way[Outcome] {
	facts, _ := visible.(F) // none are visible before the first card
	of := spec.Ways(round, facts)
	if of == nil {
		return nil
	}
	return func(s Selection) (ways []Way[Outcome]) {
		for _, way := range of(s) {
			ways = append(ways, Way[Outcome]{Outcome: way.Outcome, Count: way.Count})
		}
		return ways
	}
}
