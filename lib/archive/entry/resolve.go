package entry

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// What keeps a state from being resolved again.
var (
	// ErrResult says that the rules come to another result than the entry.
	ErrResult = errors.New("the rules come to another result")
	// ErrRules says that this version does not have the rules that were used.
	ErrRules = errors.New("this version does not have the rules that were used")
	// ErrHidden says that the facts are there as a hash only.
	ErrHidden = errors.New("the facts are too large to be shown")
)

// Resolve resolves the facts again and compares the result. The document is
// scratch space.
func (s *State) Resolve(document *strictjson.Document) error {
	game, err := games.Version(s.Game, s.Catalogue)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrRules, err)
	case s.Status == Cancelled:
		if _, known := game.CancelReason(s.Reason); !known || s.Rule != game.CancelRule {
			return fmt.Errorf("%w: %s is no reason to cancel a draw by %s", ErrResult, s.Reason, s.Rule)
		}
		return nil
	case s.FactsSHA256 != "":
		return ErrHidden
	}
	root, ok := document.Parse("facts", s.Facts)
	if !ok {
		return fmt.Errorf("%w: the facts are no JSON", ErrResult)
	}
	object, ok := root.Object()
	if !ok {
		return fmt.Errorf("%w: the facts are no object", ErrResult)
	}
	facts := game.ReadFacts(object)
	if problems := document.Problems(); len(problems) > 0 {
		return fmt.Errorf("%w: %s", ErrResult, problems[0].Message())
	}
	resolution := game.Resolve(facts)
	switch {
	case len(resolution.Faults) > 0:
		return fmt.Errorf("%w: %s", ErrResult, resolution.Faults[0].Message)
	case resolution.Void.Reason != "":
		if s.Status != Void || s.Reason != resolution.Void.Reason || s.Rule != resolution.Void.Rule {
			return fmt.Errorf("%w: the draw is void, %s", ErrResult, resolution.Void.Reason)
		}
		return nil
	}
	if outcome := resolution.Outcome.AppendJSON(nil); s.Status != Resolved || !bytes.Equal(outcome, s.Outcome) {
		return fmt.Errorf("%w: %s", ErrResult, outcome)
	}
	return nil
}

// anyVersion returns nil where a version of the game agrees with an entry that does not
// say which version its draw has; else what the newest has against it.
func anyVersion(game string, check func(*rules.Game) error) (err error) {
	versions := games.Versions(game)
	if versions == nil {
		return fmt.Errorf("%w: no game is called %s", ErrRules, game)
	}
	for _, version := range slices.Backward(versions) {
		against := check(version)
		if against == nil {
			return nil
		}
		err = cmp.Or(err, against)
	}
	return err
}

// Resolve checks that the game has the betting rounds that are planned.
func (o *Opening) Resolve() error {
	return anyVersion(o.Game, func(game *rules.Game) error {
		for _, round := range o.Rounds {
			if round.Round > len(game.Rounds) {
				return fmt.Errorf("%w: there is no betting round %d", ErrResult, round.Round)
			}
		}
		return nil
	})
}

// Resolve checks that the visible cards have the form that the game's cards have.
// Whether they can lie open then, and what they decide, is for Replay, which takes
// a thousand times as long. The document is scratch space.
func (c *Closings) Resolve(document *strictjson.Document) error {
	return anyVersion(c.Game, func(game *rules.Game) error {
		for _, round := range c.Rounds {
			if round.Round > len(game.Rounds) {
				return fmt.Errorf("%w: there is no betting round %d", ErrResult, round.Round)
			}
			if len(round.Visible) == 0 {
				continue
			}
			if _, err := visible(game, round, document); err != nil {
				return err
			}
		}
		return nil
	})
}
