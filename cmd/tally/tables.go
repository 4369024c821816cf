//go:build !auditor

package main

import (
	"context"

	"github.com/spf13/cobra"

	"tally/internal/pretty"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/tables"
)

const tablesHelp = `tables shows the studio's tables of which anything was said by table.suspended,
table.resumed and table.alive: which take no bets, why and since when, and which
were not heard of for a minute though they should be.

A table is suspended and resumed by its studio; where that can't be done, send
the message in its place: ` + "`tally send`" + `.

` + targetHelp + `

Exit codes: 0; 1 when something failed; 2 for a misuse of the command.`

const tablesExample = `  tally tables --local`

func newTablesCommand(app *app) *cobra.Command {
	var on target
	command := &cobra.Command{
		Use: "tables", Short: "the studio's tables, and which take no bets",
		Long: tablesHelp, Example: tablesExample, Args: noMore,
		RunE: func(command *cobra.Command, _ []string) error { return app.tables(command.Context(), &on) },
	}
	on.flags(app, command)
	return command
}

// tables writes a line for each table.
func (app *app) tables(ctx context.Context, on *target) error {
	with, err := on.connect(ctx)
	if err != nil {
		return err
	}
	list, err := tables.List(ctx, with.table)
	if err != nil {
		return failed("listing tables", unreachable(err))
	}
	if len(list) == 0 {
		return app.printf("nothing was said of any table\n")
	}
	printer := pretty.Printer{Colour: app.colour("auto")}
	table := pretty.NewTable(printer, "", "table", "status", "since", "reason", "heard of")
	for _, s := range list {
		status, style, since := "open", pretty.Green, "-"
		if s.Suspended {
			status, style = "suspended", pretty.Red
		}
		if s.Silent(now()) {
			status, style = status+", silent", pretty.Red
		}
		if s.ChangedAt != 0 {
			since = instant.Format(s.ChangedAt)
		}
		table.Row(cellOf(printer, s.Table), printer.Cell(status, style), cellOf(printer, since), cellOf(printer, orDash(s.Reason)), cellOf(printer, instant.Format(s.HeardAt)))
	}
	return write(app.out, table.AppendTo(nil))
}
