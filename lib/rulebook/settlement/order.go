package settlement

import (
	"slices"

	"tally/lib/rulebook/rules"
)

// Order is an operator's order to void some bets, such as those of a shop that
// showed wrong data. Orders add up and outlive later revisions.
type Order struct {
	ID    string
	Scope Scope
}

// Scope names bets. Fields that are set are ANDed; a scope names at least one.
type Scope struct {
	Bookmaker    string
	Shop         string
	Round        int
	AcceptedFrom Instant // from this time on
	AcceptedTo   Instant // before this time; zero for no end
	Bets         []string
	Selections   []rules.Pattern // selections and families of them
}

// Covers reports whether the scope names the bet.
func (s Scope) Covers(bet *Bet) bool {
	switch {
	case s.Bookmaker != "" && s.Bookmaker != bet.Bookmaker,
		s.Shop != "" && s.Shop != bet.Shop,
		s.Round != 0 && s.Round != bet.Round,
		s.AcceptedFrom != 0 && bet.AcceptedAt < s.AcceptedFrom,
		s.AcceptedTo != 0 && bet.AcceptedAt >= s.AcceptedTo,
		len(s.Bets) > 0 && !slices.Contains(s.Bets, bet.Reference),
		len(s.Selections) > 0 && !slices.ContainsFunc(s.Selections, func(p rules.Pattern) bool { return p.Covers(bet.Selection) }):
		return false
	}
	return !s.Empty()
}

// Empty reports whether the scope names nothing, which no order may.
func (s Scope) Empty() bool {
	return s.Bookmaker == "" && s.Shop == "" && s.Round == 0 && s.AcceptedFrom == 0 && s.AcceptedTo == 0 && len(s.Bets) == 0 && len(s.Selections) == 0
}
