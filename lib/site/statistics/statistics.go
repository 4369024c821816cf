// Package statistics compares what the draws of a game came to with what the rules
// let one expect.
//
// # What is counted
//
// A game has a few aspects, such as the winner of a coup or the sum of the dice.
// In each aspect a draw shows one value, or a fixed number of them: five balls.
// Counts are how often each value was shown. A draw counts once, by its newest
// state, and only when that state is resolved: a void or cancelled draw shows
// nothing. That leaves the frequencies as they are as long as what is cancelled
// does not depend on what was drawn.
//
// # What is expected
//
// The expectation of a value is an exact fraction, worked out from the rules. An
// aspect whose fraction depends on more than chance is left out: how often the
// dealer of blackjack busts depends on how the seats play, because he does not draw
// when no hand is left that he could beat. A card that is burned, or hidden in the
// shoe, changes no expectation: any place in a shuffled shoe holds any card as
// often as any other.
//
// # How they are compared
//
// Test is Pearson's chi-square test. It assumes draws that do not depend on each
// other. Draws that are dealt from one shoe do, a little: too little to matter,
// and the test is then too mild.
//
// A small probability says that chance alone seldom departs so far from the
// expectation. It is no proof of a fault: of twenty right aspects one is below 0.05.
package statistics

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sync"

	"tally/lib/archive/entry"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/show"
	"tally/lib/site/history"
)

// Aspect is something that can be counted of every draw of a game.
type Aspect struct {
	Game string
	show.Countable
}

// Value is one of the values that a draw can show.
type Value = show.Value

// Counts are how often each value was shown, by aspect. They hold no more than the
// values of the game's aspects, however many draws they count, and are written as
// JSON as they are.
type Counts map[string]map[string]int64

// Add adds other counts of the same game.
func (c Counts) Add(other Counts) {
	for aspect, values := range other {
		if c[aspect] == nil {
			c[aspect] = make(map[string]int64, len(values))
		}
		for value, n := range values {
			c[aspect][value] += n
		}
	}
}

// ErrCounts says that counts can't be those of a game.
var ErrCounts = errors.New("these can't be counts of the game")

// Check refuses counts that no draws of the game can have, such as those of a file
// that was changed.
func (c Counts) Check(game string) error {
	aspects := Aspects(game)
	for name := range c {
		if !slices.ContainsFunc(aspects, func(a Aspect) bool { return a.Name == name }) {
			return fmt.Errorf("%w %q: it has no aspect %q", ErrCounts, game, name)
		}
	}
	for _, a := range aspects {
		if err := a.check(c[a.Name]); err != nil {
			return fmt.Errorf("%w %q: %s: %w", ErrCounts, game, a.Name, err)
		}
	}
	return nil
}

// maxCount bounds each count and their sum, so that no sum of years overflows.
const maxCount = 1 << 50

func (a Aspect) check(counts map[string]int64) error {
	sum := int64(0)
	for _, value := range slices.Sorted(maps.Keys(counts)) {
		n := counts[value]
		if a.Index(value) < 0 {
			return fmt.Errorf("there is no value %q", value)
		}
		if n < 0 || n > maxCount {
			return fmt.Errorf("%s was counted %d times", value, n)
		}
		if sum += n; sum > maxCount {
			return fmt.Errorf("%d values were counted", sum)
		}
	}
	if sum%int64(a.PerDraw) != 0 {
		return fmt.Errorf("%d values were counted; a draw shows %d", sum, a.PerDraw)
	}
	return nil
}

// ErrGame says that tally has no such game.
var ErrGame = errors.New("no such game")

// ErrRow says that a row's facts or outcome are not those of its game.
var ErrRow = errors.New("the row can't be counted")

// Count returns what one draw shows, nothing when its newest state is not resolved.
// The error is ErrGame or ErrRow.
func Count(row history.Row) (Counts, error) {
	game, known := games.Find(row.Game)
	if !known {
		return nil, fmt.Errorf("counting draw %q: %w: %q", row.Draw, ErrGame, row.Game)
	}
	if row.Status != entry.Resolved {
		return Counts{}, nil
	}
	counts, err := countShown(game, row)
	if err != nil {
		return nil, fmt.Errorf("counting draw %q: %w: %w", row.Draw, ErrRow, err)
	}
	return counts, nil
}

func countShown(game *rules.Game, row history.Row) (Counts, error) {
	draw, err := show.Read(game.Show, row.Facts, row.Outcome)
	if err != nil {
		return nil, err
	}
	if _, outcome := draw.Parts(); !bytes.Equal(outcome.(rules.Outcome).AppendJSON(nil), row.Outcome) {
		return nil, errors.New("the outcome is not written as the game writes it")
	}
	counts, values := Counts{}, draw.Values()
	for _, a := range Aspects(game.ID) {
		if err := a.count(counts, values[a.Name]); err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}
	}
	return counts, nil
}

// count adds what one draw shows in an aspect.
func (a Aspect) count(counts Counts, values []string) error {
	if len(values) == 0 && a.Some {
		return nil
	}
	if len(values) != a.PerDraw {
		return fmt.Errorf("the draw shows %d values instead of %d", len(values), a.PerDraw)
	}
	shown := make(map[string]int64, len(values))
	for _, value := range values {
		i := a.Index(value)
		if i < 0 {
			return fmt.Errorf("there is no value %q", value)
		}
		if shown[value]++; a.Balls > 0 && shown[value] > a.ballsOf(i) {
			return fmt.Errorf("%q was drawn %d times; there are %d", value, shown[value], a.ballsOf(i))
		}
	}
	counts[a.Name] = shown
	return nil
}

// ballsOf returns how many balls have a value.
func (a Aspect) ballsOf(value int) int64 {
	n := new(big.Rat).Mul(a.Values[value].Probability, big.NewRat(int64(a.Balls), 1))
	return n.Num().Int64() // a whole number
}

// Aspects returns the aspects of a game with what is expected of them, in the order for
// people; none for a game that tally does not have. They must not be changed.
func Aspects(id string) (aspects []Aspect) {
	game, known := games.Find(id)
	if !known || game.Show == nil {
		return nil
	}
	if kept, is := workedOut.Load(game); is {
		return kept.([]Aspect)
	}
	for _, a := range game.Show.Aspects() {
		a.PerDraw = max(a.PerDraw, 1)
		aspects = append(aspects, Aspect{Game: id, Countable: a})
	}
	workedOut.Store(game, aspects)
	return aspects
}

// workedOut are the aspects of the games that were asked for.
var workedOut sync.Map
