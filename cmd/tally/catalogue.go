package main

import (
	"encoding/json"
	"slices"
	"strings"

	"tally/lib/rules"
)

// catalogue is a game's catalogue as `tally games --json` writes it. Its field
// names are stable: fields may be added, none changes its name or meaning.
type catalogue struct {
	Game       string     `json:"game"`            // id on the wire
	Title      string     `json:"title"`           // for people
	Version    int        `json:"version"`         // raised when a selection's meaning changes
	RulePrefix string     `json:"rule_prefix"`     // of the game's rule ids
	Equipment  string     `json:"equipment"`       // for people
	Decks      int        `json:"decks,omitempty"` // in the shoe, in card games
	Odds       string     `json:"odds"`            // "paytable", or "board": bets carry their own
	Rounds     []round    `json:"rounds"`          // betting rounds
	Cancel     cancel     `json:"cancel"`
	Groups     [][]string `json:"groups"`   // families of which exactly one selection wins, if nothing is refunded
	Count      int        `json:"count"`    // selections of all families
	Families   []family   `json:"families"` // kinds of selections
}

type round struct {
	Round int    `json:"round"`
	When  string `json:"when"` // it opens
}

type cancel struct {
	Rule    string   `json:"rule"` // that returns the stakes
	Reasons []reason `json:"reasons"`
}

type reason struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

type family struct {
	Family      string       `json:"family"`                 // what a selection starts with
	Form        string       `json:"form"`                   // how its selections are written
	Parameters  []string     `json:"parameters"`             // the form of each part after the family
	Count       int          `json:"count"`                  // its selections
	Selections  []string     `json:"selections,omitempty"`   // all of them, where they are at most 64
	Odds        string       `json:"odds,omitempty"`         // of the paytable
	BoardGroups []boardGroup `json:"board_groups,omitempty"` // that a board may give one odds for
	Round       int          `json:"round,omitempty"`        // the only betting round that takes it
	Wins        string       `json:"wins"`                   // when …
	Rule        string       `json:"rule"`
}

type boardGroup struct {
	Group string `json:"group"`
	Count int    `json:"count"` // its selections
}

// maxListed is how many selections a family may have to be listed one by one.
const maxListed = 64

func catalogueOf(game *rules.Game) catalogue {
	c := catalogue{
		Game: game.ID, Title: game.Title, Version: game.Version, RulePrefix: game.Prefix, Equipment: game.Equipment,
		Decks: game.Decks, Odds: "board", Cancel: cancel{Rule: game.CancelRule, Reasons: []reason{}}, Groups: game.Groups,
	}
	if game.Paytable() {
		c.Odds = "paytable"
	}
	if c.Groups == nil {
		c.Groups = [][]string{}
	}
	for _, r := range game.Rounds {
		c.Rounds = append(c.Rounds, round{r.Number, r.When})
	}
	for _, r := range game.Reasons {
		c.Cancel.Reasons = append(c.Cancel.Reasons, reason{r.Code, r.Text})
	}
	for i := range game.Families {
		f := familyOf(game, &game.Families[i])
		c.Families = append(c.Families, f)
		c.Count += f.Count
	}
	return c
}

func familyOf(game *rules.Game, info *rules.FamilyInfo) family {
	f := family{
		Family: info.Name, Form: info.Form(), Parameters: strings.Split(info.Form(), ":")[1:],
		Round: info.Round, Wins: info.Means, Rule: info.Rule,
	}
	if info.Odds != 0 {
		f.Odds = info.Odds.String()
	}
	for s := range game.SelectionsOf(info.Name) {
		f.Count++
		if f.Count <= maxListed {
			f.Selections = append(f.Selections, game.Text(s))
		}
		f.addBoardGroup(game.BoardGroup(s))
	}
	if f.Count > maxListed {
		f.Selections = nil
	}
	return f
}

func (f *family) addBoardGroup(name string) {
	if name == "" {
		return
	}
	at := slices.IndexFunc(f.BoardGroups, func(g boardGroup) bool { return g.Group == name })
	if at < 0 {
		f.BoardGroups = append(f.BoardGroups, boardGroup{name, 1})
		return
	}
	f.BoardGroups[at].Count++
}

// encode writes a value as an indented JSON document.
func encode(v any) ([]byte, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // forms such as <1-36> are to be readable
	encoder.SetIndent("", "  ")
	err := encoder.Encode(v)
	return []byte(b.String()), err
}
