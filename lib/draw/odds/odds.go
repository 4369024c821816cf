// Package odds looks at the odds board of a betting round: how likely each selection is, by
// counting all that may still come; what margin its odds leave; and what looks like a mistake.
// It refuses nothing: odds are the studio's.
package odds

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/chances"
	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// The codes of warnings.
const (
	AboveFair = "odds_above_fair"        // the selection pays more than it costs
	Forgotten = "selection_forgotten"    // others of its kind are on the board
	Outside   = "overround_outside_band" // of a group of selections
	Jump      = "odds_jump"              // against the last draw
	BadMark   = "mark_wrong"             // it is decided otherwise, or not at all
	Undecided = "mark_missing"           // it is decided, and has odds
)

// The band of overrounds that raises no warning, and the factor by which odds may change from
// one draw to the next.
var (
	least = big.NewRat(1, 1)
	most  = big.NewRat(130, 100)
	leap  = big.NewRat(3, 2)
)

// The most that is listed.
const (
	mostListed   = 100
	mostWarnings = 50
	// smallFamily is up to how many selections a family is expected whole on a board.
	smallFamily = 40
)

// look is one look at a board.
type look struct {
	game  *rules.Game
	board wire.OddsBoard
	check *wire.OddsCheck
}

// Check looks at the board of a message; last is that of the same betting round of the draw
// before, nil where there is none. It is nil where the message has no board.
func Check(m, last *wire.Message) *wire.OddsCheck {
	if m == nil || len(m.Board) == 0 {
		return nil
	}
	l := &look{game: m.Game, board: m.Board, check: &wire.OddsCheck{}}
	l.selections(m)
	l.groups()
	l.families()
	if last != nil && last.Game == m.Game && len(m.Visible) == 0 && len(last.Visible) == 0 {
		l.jumps(last.Board)
	}
	return l.check
}

// visibleOf reads the visible cards of a message again, which have no faults.
func visibleOf(m *wire.Message) rules.Facts {
	var document strictjson.Document
	v, _ := document.Parse("visible", m.Visible)
	o, _ := v.Object()
	facts, _ := m.Game.ReadVisible(o)
	return facts
}

func (l *look) warn(code, selection, format string, args ...any) {
	if len(l.check.Warnings) < mostWarnings {
		l.check.Warnings = append(l.check.Warnings, wire.OddsWarning{Code: code, Selection: selection, Message: fmt.Sprintf(format, args...)})
	}
}

// layout is what a look needs of a game's selections, of which there may be more than a
// hundred thousand.
type layout struct {
	members map[string]rules.Selection // one for each name that a board may have for many
	kinds   [][]rules.Selection        // families, and groups of them, that a board has whole
}

// layouts keeps them by game.
var layouts sync.Map

func layoutOf(game *rules.Game) *layout {
	if known, is := layouts.Load(game); is {
		return known.(*layout)
	}
	l := &layout{members: map[string]rules.Selection{}}
	families := map[string][]rules.Selection{}
	for s := range game.Selections {
		if group := game.BoardGroup(s); group != "" {
			if _, is := l.members[group]; !is {
				l.members[group] = s
			}
		}
		if name := game.Family(s).Name; len(families[name]) <= smallFamily {
			families[name] = append(families[name], s)
		}
	}
	grouped := map[string]bool{}
	for _, group := range game.Groups {
		var all []rules.Selection
		for _, name := range group {
			grouped[name] = true
			all = append(all, families[name]...)
		}
		l.kinds = append(l.kinds, all)
	}
	for i := range game.Families {
		if name := game.Families[i].Name; !grouped[name] {
			l.kinds = append(l.kinds, families[name])
		}
	}
	l.kinds = slices.DeleteFunc(l.kinds, func(kind []rules.Selection) bool { return len(kind) > smallFamily })
	layouts.Store(game, l)
	return l
}

// untouched is a board of a round before which nothing lies open.
type untouched struct {
	game  *rules.Game
	round int
	names string // of its selections
}

// mostUntouched is of how many boards the chances are kept: a studio has a few.
const mostUntouched = 64

var (
	countedMutex sync.Mutex
	countedOnce  = map[untouched][]rules.Chance{} // nil where they are beyond counting
)

// chancesOf counts how likely the selections of a board are. Where nothing lies open they are
// the same in every draw, and counting all that may come from a shoe takes a while: it is done
// once.
func (l *look) chancesOf(m *wire.Message, names []string) ([]rules.Chance, bool) {
	round := max(1, m.Round)
	if m.Visible != nil {
		return chances.Of(l.game, round, visibleOf(m), l.parse(names))
	}
	board := untouched{game: l.game, round: round, names: strings.Join(names, " ")}
	countedMutex.Lock()
	defer countedMutex.Unlock()
	counted, is := countedOnce[board]
	if !is {
		counted, _ = chances.Of(l.game, round, rules.Facts{}, l.parse(names))
		if len(countedOnce) == mostUntouched {
			clear(countedOnce)
		}
		countedOnce[board] = counted
	}
	return counted, counted != nil
}

// parse returns the selections of the names, one where a name stands for many.
func (l *look) parse(names []string) []rules.Selection {
	list := make([]rules.Selection, len(names))
	for i, name := range names {
		s, err := l.game.Parse(name)
		if err != nil {
			s = layoutOf(l.game).members[name]
		}
		list[i] = s
	}
	return list
}

// selections looks at each entry by itself.
func (l *look) selections(m *wire.Message) {
	names := slices.Sorted(maps.Keys(l.board))
	counted, known := l.chancesOf(m, names)
	for i, name := range names {
		entry := l.board[name]
		shown := wire.OddsSelection{Selection: name, Odds: entry.Mark.String()}
		if entry.Mark == rules.Open {
			shown.Odds = decimal(ratOf(entry), 4)
		}
		if known {
			l.judge(name, entry, counted[i], &shown)
		}
		if len(l.check.Selections) == mostListed {
			l.check.More++
			continue
		}
		l.check.Selections = append(l.check.Selections, shown)
	}
}

// ratOf is the odds of an entry.
func ratOf(entry wire.BoardEntry) *big.Rat { return big.NewRat(int64(entry.Odds), 10_000) }

// decimal writes a fraction with so many decimals.
func decimal(r *big.Rat, decimals int) string { return r.FloatString(decimals) }

// part is so many ways of all.
func part(n, all uint64) *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(n), new(big.Int).SetUint64(all))
}

// judge compares an entry with how likely the selection is.
func (l *look) judge(name string, entry wire.BoardEntry, c rules.Chance, shown *wire.OddsSelection) {
	if c.All == 0 {
		return
	}
	won, refunded := part(c.Won, c.All), part(c.Refunded, c.All)
	shown.Probability = decimal(won, 6)
	kept := new(big.Rat).Sub(big.NewRat(1, 1), refunded) // of a stake, without what is returned
	if c.Won > 0 {
		shown.Fair = decimal(new(big.Rat).Quo(kept, won), 4)
	}
	never, always := c.Won == 0, c.Won+c.Refunded == c.All && c.Won > 0
	switch {
	case entry.Mark == rules.MarkWin && !always:
		l.warn(BadMark, name, "%s is marked win, and can still lose", name)
	case entry.Mark == rules.MarkLose && !never:
		l.warn(BadMark, name, "%s is marked lose, and can still win", name)
	case entry.Mark != rules.Open:
	case never:
		l.warn(Undecided, name, "%s can't win any more: mark it lose", name)
	case always:
		l.warn(Undecided, name, "%s can't lose any more: mark it win", name)
	}
	if entry.Mark != rules.Open {
		return
	}
	margin := new(big.Rat).Sub(kept, new(big.Rat).Mul(ratOf(entry), won))
	shown.Margin = decimal(margin, 4)
	if margin.Sign() < 0 && !always {
		l.warn(AboveFair, name, "%s has odds of %s, above the fair %s: it pays out more than it takes", name, shown.Odds, shown.Fair)
	}
}

// groups adds up the sets of which exactly one selection wins.
func (l *look) groups() {
	for _, families := range l.game.Groups {
		sum, missing, there := new(big.Rat), 0, 0
		for _, name := range families {
			for s := range l.game.SelectionsOf(name) {
				entry, is := l.board.Entry(l.game, s)
				if !is {
					missing++
					continue
				}
				there++
				switch entry.Mark {
				case rules.MarkWin:
					sum.Add(sum, big.NewRat(1, 1))
				case rules.Open:
					sum.Add(sum, new(big.Rat).Inv(ratOf(entry)))
				}
			}
		}
		if missing > 0 || there == 0 {
			continue // see families
		}
		text := decimal(sum, 4)
		l.check.Groups = append(l.check.Groups, wire.OddsGroup{Families: families, Overround: text})
		if sum.Cmp(least) < 0 || sum.Cmp(most) > 0 {
			l.warn(Outside, "", "the odds of %v add up to an overround of %s, which is not within %s to %s", families, text, decimal(least, 2), decimal(most, 2))
		}
	}
}

// families looks for selections that are not on the board, though others of their kind are.
func (l *look) families() {
	for _, kind := range layoutOf(l.game).kinds {
		var missing []string
		for _, s := range kind {
			if _, is := l.board.Entry(l.game, s); !is {
				missing = append(missing, l.game.Text(s))
			}
		}
		if len(missing) == len(kind) {
			continue // nothing of it is offered
		}
		for _, text := range missing {
			l.warn(Forgotten, text, "%s has no odds, though others of its kind have", text)
		}
	}
}

// jumps compares the board with that of the last draw, where nothing lay open either time.
func (l *look) jumps(last wire.OddsBoard) {
	for _, name := range slices.Sorted(maps.Keys(l.board)) {
		now, before := l.board[name], last[name]
		if now.Mark != rules.Open || before.Odds == 0 {
			continue
		}
		factor := new(big.Rat).Quo(ratOf(now), ratOf(before))
		if factor.Cmp(leap) > 0 || new(big.Rat).Inv(factor).Cmp(leap) > 0 {
			l.warn(Jump, name, "%s has odds of %s, in the draw before %s", name, decimal(ratOf(now), 4), decimal(ratOf(before), 4))
		}
	}
}
