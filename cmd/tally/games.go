package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tally/internal/pretty"
	"tally/lib/rulebook/catalogue"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
)

const gamesHelp = `games shows the catalogues: the games, what can be bet on, when and at what
odds, the reasons to cancel a draw, and the paragraphs of the rules.

Without a game it lists them all; with one it shows everything in its catalogue.
In the form of a selection <a|b> is one of the words, <1-6> a whole number,
<5.5-29.5> a number and a half; other characters stand for themselves.

Odds are those of the game's paytable, or come with the bet from the odds board,
which may give one odds for a whole board group, such as drawn/2 for each
selection of two numbers.

With --json it writes one JSON document: a list of all games, or the object of
the one that is named. Field names are stable; fields may be added.
  game, title, version, rule_prefix, equipment, decks (card games)
  odds      "paytable" or "board"
  rounds    betting rounds: round, when (it opens)
  cancel    rule, reasons (code, text)
  groups    families of which exactly one selection wins in every draw without
            refunds
  count     number of selections
  families  family, form, parameters, count, selections (where they are at most
            64), odds (of a paytable), board_groups (group, count), round (the
            only betting round that takes them), wins (when), rule

Exit codes: 0; 1 when writing failed; 2 for a misuse, such as an unknown game.`

const gamesExample = `  $ tally games | head -n 4
  game           title             rounds  odds      selections  equipment
  baccarat       Baccarat               3  board              9  six decks
  live_baccarat  Live baccarat          1  paytable           3  eight decks
  dice           Dice                   1  board            103  five dice

  $ tally games wheel | grep '^ *range:'
    range:<1-6|7-12|13-18>       3   3.00  WHEEL-2.6  the pointer stops on a number of the range

  $ tally games dice --json | grep -A 9 '"family": "face_exactly"'
        "family": "face_exactly",
        "form": "face_exactly:<1-6>:<1-5>",
        "parameters": [
          "<1-6>",
          "<1-5>"
        ],
        "count": 30,
        "selections": [
          "face_exactly:1:1",
          "face_exactly:1:2",

  $ tally games bacarat; echo "exit code $?"
  tally: no game is called "bacarat"; did you mean baccarat?
  Run ` + "`tally games --help`" + ` for what it takes.
  exit code 2`

func newGamesCommand(app *app) *cobra.Command {
	asJSON := false
	command := &cobra.Command{
		Use: "games [game]", Short: "the games, and what can be bet on",
		Long: gamesHelp, Example: gamesExample,
		Args: atMostOneGame,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return gameIDs(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := describeGames(args, asJSON)
			if err != nil {
				return err
			}
			return write(app.out, text)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "write one JSON document for programs")
	return command
}

func atMostOneGame(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("games takes one game, or none for all; not %q too", args[1])
	}
	return nil
}

// describeGames returns the list of games, or the catalogue of the one named.
func describeGames(args []string, asJSON bool) ([]byte, error) {
	if len(args) == 0 {
		all := make([]catalogue.Catalogue, 0, len(games.All()))
		for _, game := range games.All() {
			all = append(all, catalogue.New(game))
		}
		if asJSON {
			return encode(all)
		}
		return listGames(all), nil
	}
	game, err := findGame(args[0])
	if err != nil {
		return nil, err
	}
	if asJSON {
		return encode(catalogue.New(game))
	}
	return showGame(catalogue.New(game)), nil
}

func findGame(id string) (*rules.Game, error) {
	if game, known := games.Find(id); known {
		return game, nil
	}
	if like := didYouMean("", id, gameIDs()); like != "" {
		return nil, fmt.Errorf("no game is called %q%s", id, like)
	}
	return nil, fmt.Errorf("no game is called %q; the games are %s", id, strings.Join(gameIDs(), ", "))
}

func gameIDs() (ids []string) {
	for _, game := range games.All() {
		ids = append(ids, game.ID)
	}
	return ids
}

var plain pretty.Printer

func cell(text string) pretty.Cell { return plain.Cell(text, pretty.Plain) }

func count(n int) pretty.Cell {
	if n == 0 {
		return pretty.Cell{}
	}
	return cell(strconv.Itoa(n))
}

func listGames(all []catalogue.Catalogue) []byte {
	table := pretty.NewTable(plain, "", "game", "title", "rounds", "odds", "selections", "equipment")
	for _, c := range all {
		table.Row(cell(c.Game), cell(c.Title), count(len(c.Rounds)), cell(c.Odds), count(c.Count), cell(c.Equipment))
	}
	return table.AppendTo(nil)
}

func showGame(c catalogue.Catalogue) []byte {
	b := fmt.Appendf(nil, "%s\n\n", c.Title)
	list := pretty.NewList("  ")
	for _, line := range [][2]string{
		{"game", c.Game}, {"catalogue version", strconv.Itoa(c.Version)}, {"rule prefix", c.RulePrefix},
		{"equipment", c.Equipment}, {"odds", oddsOf(c)}, {"selections", strconv.Itoa(c.Count)},
	} {
		list.Row(cell(line[0]), cell(line[1]))
	}
	b = list.AppendTo(b)
	b = appendSection(b, "Betting rounds", roundsTable(c))
	b = appendSection(b, "Selections", familiesTable(c))
	b = appendSection(b, "… is one of", wordsTable(c))
	b = appendSection(b, "Board groups", boardGroupsTable(c))
	b = appendSection(b, "Exactly one selection of each group wins, unless stakes are returned", groupsTable(c))
	return appendSection(b, "Reasons to cancel a draw ("+c.Cancel.Rule+")", reasonsTable(c))
}

func oddsOf(c catalogue.Catalogue) string {
	if c.Odds == "paytable" {
		return "from the paytable; bets carry none"
	}
	return "from the odds board; bets carry them"
}

func appendSection(b []byte, heading string, table *pretty.Table) []byte {
	if table.Empty() {
		return b
	}
	return table.AppendTo(fmt.Appendf(b, "\n%s\n", heading))
}

func roundsTable(c catalogue.Catalogue) *pretty.Table {
	table := pretty.NewTable(plain, "  ", "round", "opens")
	for _, r := range c.Rounds {
		table.Row(count(r.Round), cell(r.When))
	}
	return table
}

func familiesTable(c catalogue.Catalogue) *pretty.Table {
	table := pretty.NewTable(plain, "  ", "selection", "number", "odds", "round", "rule", "wins when")
	for _, f := range c.Families {
		table.Row(cell(shortForm(f)), count(f.Count), cell(f.Odds), roundOf(c, f), cell(f.Rule), cell(f.Wins))
	}
	return table
}

// shortForm is a family's form without a list of words that is too long for a
// table.
func shortForm(f catalogue.Family) string {
	if hasLongWords(f) {
		return f.Family + ":<…>"
	}
	return f.Form
}

// hasLongWords reports a family whose one parameter is a long list of words.
func hasLongWords(f catalogue.Family) bool {
	const most = 40 // columns
	return len(f.Parameters) == 1 && len(f.Parameters[0]) > most && !strings.Contains(f.Parameters[0], ">-<")
}

// wordsTable lists the words that shortForm leaves out.
func wordsTable(c catalogue.Catalogue) *pretty.Table {
	const columns = 76
	list := pretty.NewList("  ")
	for _, f := range c.Families {
		if !hasLongWords(f) {
			continue
		}
		for _, line := range pretty.Wrap(strings.ReplaceAll(strings.Trim(f.Parameters[0], "<>"), "|", ", "), columns) {
			list.Row(cell(line))
		}
	}
	return list
}

// roundOf says which betting rounds take a family, where there are several.
func roundOf(c catalogue.Catalogue, f catalogue.Family) pretty.Cell {
	switch {
	case len(c.Rounds) == 1:
		return pretty.Cell{}
	case f.Round == 0:
		return cell("all")
	}
	return count(f.Round)
}

// boardGroupsTable has the groups of a family in one row, in as many lines as
// they need, with the number of selections of each, once when all have as many.
func boardGroupsTable(c catalogue.Catalogue) *pretty.Table {
	const columns = 54
	table := pretty.NewTable(plain, "  ", "groups", "selections")
	for _, f := range c.Families {
		var names, counts []string
		for _, g := range f.BoardGroups {
			names, counts = append(names, g.Group), append(counts, strconv.Itoa(g.Count))
		}
		if len(names) == 0 {
			continue
		}
		if len(slices.Compact(slices.Clone(counts))) == 1 {
			counts = counts[:1]
		}
		row := []pretty.Cell{{}, cell(strings.Join(counts, ", "))}
		for _, line := range pretty.Wrap(strings.Join(names, ", "), columns) {
			row[0] = cell(line)
			table.Row(row...)
			row = make([]pretty.Cell, 1) // the numbers stand in the first line
		}
	}
	return table
}

func groupsTable(c catalogue.Catalogue) *pretty.Table {
	list := pretty.NewList("  ")
	for _, families := range c.Groups {
		list.Row(cell(strings.Join(families, ", ")))
	}
	return list
}

func reasonsTable(c catalogue.Catalogue) *pretty.Table {
	table := pretty.NewTable(plain, "  ", "code", "means")
	for _, r := range c.Cancel.Reasons {
		table.Row(cell(r.Code), cell(r.Text))
	}
	return table
}
