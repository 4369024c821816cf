package rules

// Tally notes, outcome by outcome, which selections of a game can still win and
// which can still lose.
type Tally struct {
	game *Game
	open []*chance // those that could still become or stay decided
	all  []*chance
}

type chance struct {
	selection Selection
	wins      bool
	loses     bool
}

// NewTally returns a tally of every selection of a game.
func NewTally(g *Game) *Tally {
	t := &Tally{game: g}
	for s := range g.Selections {
		t.all = append(t.all, &chance{selection: s})
	}
	t.open = append(t.open, t.all...)
	return t
}

// Add notes one possible outcome.
func (t *Tally) Add(o Outcome) {
	kept := t.open[:0]
	for _, c := range t.open {
		switch t.game.Judge(o, c.selection).Result {
		case Won:
			c.wins = true
		case Lost:
			c.loses = true
		}
		if !c.wins || !c.loses {
			kept = append(kept, c)
		}
	}
	t.open = kept
}

// Settled reports that nothing is decided any more, so that no further outcome
// can change the marks.
func (t *Tally) Settled() bool { return len(t.open) == 0 }

// Marks returns the selections that no outcome lost, or none won. One that was
// only ever refunded can't win.
func (t *Tally) Marks() map[string]Mark {
	marks := map[string]Mark{}
	for _, c := range t.open {
		switch {
		case !c.wins:
			marks[t.game.Text(c.selection)] = MarkLose
		case !c.loses:
			marks[t.game.Text(c.selection)] = MarkWin
		}
	}
	return marks
}
