//go:build !auditor

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tally/internal/pretty"
	"tally/lib/draw/odds"
	"tally/lib/draw/wire"
)

const oddsHelp = `odds looks at the odds board of a message, a draw.opened or betting.opened in a
file, - for standard input: how likely each selection is, exactly, by counting
all that may still come; the margin that its odds leave; the overround of each
set of which one selection wins; and what looks like a mistake: odds above fair,
a selection forgotten, an overround outside 1.00 to 1.30, a wrong mark. With
--last it is compared with the board of the draw before: odds that changed by
more than half are named. The reply to the message says the same.

Chances are those of a full shoe without the visible cards, and of a whole set
of balls or dice. Of six poker hands that nobody has seen there are none.

Exit codes: 0, whatever it warns of; 1 when reading or writing failed, or the
message is wrong; 2 for a misuse of the command.`

const oddsExample = `  tally odds events/war/02-betting.opened.round-1.json
  tally odds today.json --last yesterday.json --json`

func newOddsCommand(app *app) *cobra.Command {
	last, asJSON := "", false
	command := &cobra.Command{
		Use: "odds file", Short: "how likely a board's selections are, its margin, its mistakes",
		Long: oddsHelp, Example: oddsExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("name one file with a message, or - for standard input")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			now, err := app.boardOf(args[0])
			if err != nil {
				return failed("reading "+args[0], err)
			}
			var before *wire.Message
			if last != "" {
				if before, err = app.boardOf(last); err != nil {
					return failed("reading "+last, err)
				}
			}
			return app.showOdds(odds.Check(now, before), asJSON)
		},
	}
	command.Flags().StringVar(&last, "last", "", "`file` with the board of the draw before")
	command.Flags().BoolVar(&asJSON, "json", false, "print it as the reply has it")
	return command
}

// boardOf reads a message with an odds board.
func (app *app) boardOf(name string) (*wire.Message, error) {
	body, err := app.readMessage(name)
	if err != nil {
		return nil, err
	}
	m, _, faults := wire.Parse(body)
	switch {
	case len(faults) > 0:
		return nil, fmt.Errorf("%s: %s", faults[0].Code, faults[0].Message)
	case len(m.Board) == 0:
		return nil, fmt.Errorf("the message, a %s, has no odds", m.Type)
	}
	return m, nil
}

// showOdds writes a look at a board.
func (app *app) showOdds(check *wire.OddsCheck, asJSON bool) error {
	if asJSON {
		text, err := json.Marshal(check)
		if err != nil {
			return failed("writing the odds", err)
		}
		return write(app.out, append(text, '\n'))
	}
	printer := pretty.Printer{Colour: app.colour("auto")}
	table := pretty.NewTable(printer, "", "selection", "odds", "probability", "fair", "margin")
	for _, s := range check.Selections {
		style := pretty.Plain
		if strings.HasPrefix(s.Margin, "-") {
			style = pretty.Red
		}
		table.Row(cellOf(printer, s.Selection), cellOf(printer, s.Odds), cellOf(printer, orDash(s.Probability)), cellOf(printer, orDash(s.Fair)), printer.Cell(orDash(s.Margin), style))
	}
	text := table.AppendTo(nil)
	if check.More > 0 {
		text = fmt.Appendf(text, "and %d more\n", check.More)
	}
	for _, g := range check.Groups {
		text = fmt.Appendf(text, "overround of %s: %s\n", strings.Join(g.Families, ", "), g.Overround)
	}
	for _, w := range check.Warnings {
		text = fmt.Appendf(text, "%s  %s\n", printer.Cell(w.Code, pretty.Red), cellOf(printer, w.Message))
	}
	return write(app.out, text)
}
