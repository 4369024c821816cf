// Package catalogue says what can be bet on in a game, as people and programs
// read it: `tally games --json` writes it and the API answers with it.
package catalogue

import (
	"slices"
	"strings"

	"tally/lib/rulebook/rules"
)

// Catalogue is a game's catalogue. Its field names are stable: fields may be
// added, none changes its name or meaning.
type Catalogue struct {
	Game       string     `json:"game"`            // id on the wire
	Title      string     `json:"title"`           // for people
	Version    int        `json:"version"`         // raised when a selection's meaning changes
	RulePrefix string     `json:"rule_prefix"`     // of the game's rule ids
	Equipment  string     `json:"equipment"`       // for people
	Decks      int        `json:"decks,omitempty"` // in the shoe, in card games
	Odds       string     `json:"odds"`            // "paytable", or "board": bets carry their own
	Rounds     []Round    `json:"rounds"`          // betting rounds
	Cancel     Cancel     `json:"cancel"`
	Groups     [][]string `json:"groups"`   // families of which exactly one selection wins, if nothing is refunded
	Count      int        `json:"count"`    // selections of all families
	Families   []Family   `json:"families"` // kinds of selections
}

// Round is a betting round of a game.
type Round struct {
	Round int    `json:"round"`
	When  string `json:"when"` // it opens
}

// Cancel says why draws of a game are cancelled.
type Cancel struct {
	Rule    string   `json:"rule"` // that returns the stakes
	Reasons []Reason `json:"reasons"`
}

// Reason is a reason to cancel a draw.
type Reason struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Family is a kind of selection.
type Family struct {
	Family      string       `json:"family"`                 // what a selection starts with
	Form        string       `json:"form"`                   // how its selections are written
	Parameters  []string     `json:"parameters"`             // the form of each part after the family
	Count       int          `json:"count"`                  // its selections
	Selections  []string     `json:"selections,omitempty"`   // all of them, where they are at most 64
	Odds        string       `json:"odds,omitempty"`         // of the paytable
	BoardGroups []BoardGroup `json:"board_groups,omitempty"` // that a board may give one odds for
	Round       int          `json:"round,omitempty"`        // the only betting round that takes it
	Wins        string       `json:"wins"`                   // when …
	Rule        string       `json:"rule"`
}

// BoardGroup is a group of equally likely selections.
type BoardGroup struct {
	Group string `json:"group"`
	Count int    `json:"count"` // its selections
}

// MaxListed is how many selections a family may have to be listed one by one.
const MaxListed = 64

// New returns the catalogue of a game.
func New(game *rules.Game) Catalogue {
	c := Catalogue{
		Game: game.ID, Title: game.Title, Version: game.Version, RulePrefix: game.Prefix, Equipment: game.Equipment,
		Decks: game.Decks, Odds: "board", Cancel: Cancel{Rule: game.CancelRule, Reasons: []Reason{}}, Groups: game.Groups,
	}
	if game.Paytable() {
		c.Odds = "paytable"
	}
	if c.Groups == nil {
		c.Groups = [][]string{}
	}
	for _, r := range game.Rounds {
		c.Rounds = append(c.Rounds, Round{Round: r.Number, When: r.When})
	}
	for _, r := range game.Reasons {
		c.Cancel.Reasons = append(c.Cancel.Reasons, Reason{Code: r.Code, Text: r.Text})
	}
	for i := range game.Families {
		f := familyOf(game, &game.Families[i])
		c.Families = append(c.Families, f)
		c.Count += f.Count
	}
	return c
}

func familyOf(game *rules.Game, info *rules.FamilyInfo) Family {
	f := Family{
		Family: info.Name, Form: info.Form(), Parameters: strings.Split(info.Form(), ":")[1:],
		Round: info.Round, Wins: info.Means, Rule: info.Rule,
	}
	if info.Odds != 0 {
		f.Odds = info.Odds.String()
	}
	for s := range game.SelectionsOf(info.Name) {
		f.Count++
		if f.Count <= MaxListed {
			f.Selections = append(f.Selections, game.Text(s))
		}
		f.addBoardGroup(game.BoardGroup(s))
	}
	if f.Count > MaxListed {
		f.Selections = nil
	}
	return f
}

func (f *Family) addBoardGroup(name string) {
	if name == "" {
		return
	}
	at := slices.IndexFunc(f.BoardGroups, func(g BoardGroup) bool { return g.Group == name })
	if at < 0 {
		f.BoardGroups = append(f.BoardGroups, BoardGroup{Group: name, Count: 1})
		return
	}
	f.BoardGroups[at].Count++
}
