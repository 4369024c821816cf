//go:build !auditor

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tally/internal/pretty"
	"tally/lib/draw/schema"
	"tally/lib/rulebook/rules"
)

const schemaHelp = `schema prints what a message, an order or a reply is made of, as JSON Schema of
2020-12: each field with its type, unit, bounds and an example. Without a name
it lists the schemas.

With --game it is that of one game's messages, with that game's facts, visible
cards, selections and reasons in place; without, of all games', told apart by
their field game. docs/message-reference.md says the same for people.

Exit codes: 0; 1 when writing failed; 2 for a misuse, such as an unknown name.`

const schemaExample = `  $ tally schema | head -n 2
  draw.opened      a draw begins: its number, the planned betting rounds, perhaps the odds of the first
  betting.opened   a betting round opens: its times, the visible cards, the odds

  $ tally schema draw.resulted --game war | grep -A 4 '"player": {'
          "player": {
            "description": "the Player's card",
            "$ref": "#/$defs/card",
            "examples": [
              "KS"

  $ tally schema draw.result; echo "exit code $?"
  tally: there is no schema "draw.result"; did you mean draw.resulted?
  Run ` + "`tally schema --help`" + ` for what it takes.
  exit code 2`

func newSchemaCommand(app *app) *cobra.Command {
	id := ""
	command := &cobra.Command{
		Use: "schema [name]", Short: "what messages, orders and replies are made of, as JSON Schema",
		Long: schemaHelp, Example: schemaExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("name one schema, without %q", args[1])
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return schemaNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := describeSchema(args, id)
			if err != nil {
				return err
			}
			return write(app.out, text)
		},
	}
	command.Flags().StringVar(&id, "game", "", "`game` whose messages they are")
	return command
}

func schemaNames() (names []string) {
	for _, n := range schema.Names() {
		names = append(names, n.Name)
	}
	return names
}

func describeSchema(args []string, id string) ([]byte, error) {
	if len(args) == 0 {
		if id != "" {
			return nil, errors.New("name the schema that --game is for")
		}
		list := pretty.NewList("")
		for _, n := range schema.Names() {
			list.Row(cell(n.Name), cell(n.Title))
		}
		return list.AppendTo(nil), nil
	}
	var game *rules.Game
	if id != "" {
		var err error
		if game, err = findGame(id); err != nil {
			return nil, err
		}
	}
	s := schema.Of(args[0], game)
	switch {
	case s == nil:
		return nil, fmt.Errorf("there is no schema %q%s", args[0], didYouMean("", args[0], schemaNames()))
	case game != nil && !schema.ByGame(args[0]):
		return nil, fmt.Errorf("the schema %s is the same for all games: leave out --game", args[0])
	}
	text, err := s.Text()
	return text, failed("writing the schema", err)
}
