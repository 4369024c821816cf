package rules

// Way is what a draw can come to, with how many equally likely ways lead to it.
type Way[O Outcome] struct {
	Outcome O
	Count   uint64
}

// Chance is in how many of all equally likely ways a selection wins, and in how many its
// stake is returned.
type Chance struct{ Won, Refunded, All uint64 }

// Visible returns the facts of a game that ReadVisible has read; none where there are none.
func Visible[F any](f Facts) F {
	facts, _ := f.value.(F)
	return facts
}

// Count judges selections of a game in all ways that a draw may still go, which are those of
// each selection as far as it tells them apart. ok is false where they are not known.
func Count[O Outcome](g *Game, ways func(Selection) []Way[O], list []Selection) (chances []Chance, ok bool) {
	if ways == nil {
		return nil, false
	}
	chances = make([]Chance, len(list))
	for i, s := range list {
		for _, way := range ways(s) {
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
