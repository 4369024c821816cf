// Package games lists every version of every game that tally has ever settled. A new
// game is a package of its own and one line here; so is a new version of a game.
//
// A draw keeps the version that it began with: its bets were sold by it. So a version
// that was released never changes and never goes, and a test holds what each of them
// says.
package games

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"tally/lib/rulebook/games/baccarat"
	"tally/lib/rulebook/games/blackjack"
	"tally/lib/rulebook/games/dice"
	"tally/lib/rulebook/games/lucky"
	"tally/lib/rulebook/games/poker"
	"tally/lib/rulebook/games/roulette"
	"tally/lib/rulebook/games/war"
	"tally/lib/rulebook/games/wheel"
	"tally/lib/rulebook/rules"
)

// versions are the released versions of each game, in the order of the rulebook, the
// newest of a game last.
type versions [][]*rules.Game

var released atomic.Pointer[versions]

// Each game has two versions: the second quotes more paragraphs.
func init() {
	released.Store(&versions{})
	for _, second := range []*rules.Game{
		baccarat.Game, baccarat.Live, dice.Game, lucky.Five, lucky.Seven,
		poker.Game, war.Game, wheel.Game, blackjack.Game, roulette.Game,
	} {
		Release(second.First())
		Release(second)
	}
}

// ErrUnknown says that this program does not have the rules of a draw: a newer one has
// released them. The draw waits for that program.
var ErrUnknown = errors.New("this program does not have the rules")

// All returns the newest version of each game, in the order of the rulebook.
func All() []*rules.Game {
	list := *released.Load()
	all := make([]*rules.Game, len(list))
	for i, of := range list {
		all[i] = of[len(of)-1]
	}
	return all
}

// Find returns the newest version of the game of that id: the one that a draw which
// begins now has.
func Find(id string) (*rules.Game, bool) {
	of := Versions(id)
	if of == nil {
		return nil, false
	}
	return of[len(of)-1], true
}

// Versions returns the versions of a game, the newest last; none when there is no such
// game.
func Versions(id string) []*rules.Game {
	for _, of := range *released.Load() {
		if of[0].ID == id {
			return of
		}
	}
	return nil
}

// Version returns a version of a game. The error is ErrUnknown where this program does
// not have it.
func Version(id string, version int) (*rules.Game, error) {
	of := Versions(id)
	for _, game := range of {
		if game.Version == version {
			return game, nil
		}
	}
	if of == nil {
		return nil, fmt.Errorf("%w: no game is called %.80q", ErrUnknown, id)
	}
	return nil, fmt.Errorf("%w: version %d of %s; the newest it has is %d. Deploy the version of tally that took the draw, or a newer one",
		ErrUnknown, version, id, of[len(of)-1].Version)
}

// Release makes a version of a game the newest, or adds a game, until it is withdrawn.
// The program releases its own when it starts; a test releases others, and withdraws them.
func Release(game *rules.Game) (withdraw func()) {
	before := released.Load()
	now := append(slices.Clone(*before), nil)
	at := slices.IndexFunc(*before, func(of []*rules.Game) bool { return of[0].ID == game.ID })
	if at < 0 {
		at = len(now) - 1
	}
	now[at] = append(slices.Clone(now[at]), game)
	now = slices.DeleteFunc(now, func(of []*rules.Game) bool { return of == nil })
	released.Store(&now)
	return func() { released.Store(before) }
}
