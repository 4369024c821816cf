//go:build !auditor

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tally/internal/pretty"
	"tally/lib/bookmaker/keys"
	"tally/lib/draw/instant"
	"tally/lib/rulebook/settlement"
)

const keysHelp = `keys makes, lists and ends the API keys of bookmakers, and sets what holds for
them. A key is shown once, when it is made; stored is only its hash.

  create    make a key and show it
  list      a bookmaker's keys, the newest first
  rotate    make a key in the place of another, which works for a while longer
  revoke    end a key; within 30 seconds it is refused everywhere
  settings  show or set a bookmaker's rounding and limits

` + targetHelp + `

Exit codes: 0; 1 when something failed; 2 for a misuse of the command.`

const keysExample = `  tally keys create acme --local
  tally keys create acme --scope feed:read --note "settlement job" --expires-days 365
  tally keys list acme --local
  tally keys rotate acme k2v7mx4qhd3n6 --overlap-hours 48
  tally keys revoke acme k2v7mx4qhd3n6
  tally keys settings acme --min-stake EUR=0.50 --max-stake EUR=1000.00 --rounding half_even
  tally keys settings acme --max-stake roulette:EUR=200.00`

// keysFlags are the flags of all of keys' commands.
type keysFlags struct {
	target
	scopes       []string
	note         string
	expiresDays  int
	overlapHours int
	settingsFlags
}

func newKeysCommand(app *app) *cobra.Command {
	flags := &keysFlags{overlapHours: 24}
	command := &cobra.Command{Use: "keys", Short: "make, list and end bookmakers' API keys", Long: keysHelp, Example: keysExample}
	flags.target.flags(app, command)
	create := app.keysCommand(flags, "create bookmaker", "make a key and show it",
		"create makes a key of a bookmaker and shows it. It can't be shown again. Without\n--scope it has all of them: "+strings.Join(keys.Scopes(), ", ")+".", app.keysCreate)
	create.Flags().StringArrayVar(&flags.scopes, "scope", nil, "`what` the key opens; may be given more than once")
	create.Flags().StringVar(&flags.note, "note", "", "`what` it is for, to be seen in the list")
	create.Flags().Var(&whole{number: &flags.expiresDays, least: 0, most: 3650}, "expires-days", "it works for so `many` days; 0 for ever")
	rotate := app.keysCommand(flags, "rotate bookmaker id", "make a key in the place of another",
		"rotate makes a key with the scopes, the note and the end of another, and shows\nit. The other one works on for --overlap-hours, so that both do meanwhile.", app.keysRotate)
	rotate.Flags().Var(&whole{number: &flags.overlapHours, least: 0, most: 24 * 90},
		"overlap-hours", "the old key works for so `many` hours more")
	return group(command, create,
		app.keysCommand(flags, "list bookmaker", "a bookmaker's keys", "list writes a line for each key, the newest first: its id, whether it works,\nwhen it was made, when it ends, what it opens and what it is for.", app.keysList),
		rotate,
		app.keysCommand(flags, "revoke bookmaker id", "end a key", "revoke ends a key for good. Within 30 seconds it is refused everywhere; revoking\nit again changes nothing.", app.keysRevoke),
		app.newKeySettingsCommand(flags))
}

// keysCommand is a command whose arguments are those that its use names.
func (app *app) keysCommand(flags *keysFlags, use, short, long string, run func(context.Context, *keys.Registry, *keysFlags, []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Long: long,
		Args: ofBookmaker,
		RunE: func(command *cobra.Command, args []string) error {
			with, err := flags.connect(command.Context())
			if err != nil {
				return err
			}
			return run(command.Context(), &keys.Registry{Table: with.table, Now: now}, flags, args)
		}}
}

func (app *app) keysCreate(ctx context.Context, store *keys.Registry, flags *keysFlags, args []string) error {
	params := keys.KeyParams{Bookmaker: args[0], Scopes: flags.scopes, Note: flags.note}
	if len(params.Scopes) == 0 {
		params.Scopes = keys.Scopes()
	}
	if flags.expiresDays > 0 {
		params.ExpiresAt = store.Now() + settlement.Instant(time.Duration(flags.expiresDays)*24*time.Hour/time.Millisecond)
	}
	token, key, err := store.Create(ctx, params)
	if misuse := (*keys.ParamsError)(nil); errors.As(err, &misuse) {
		return misuse
	}
	if err != nil {
		return failed("making a key", unreachable(err))
	}
	return app.showKey(token, key)
}

// showKey writes a new key: on a line of its own, so that a script can take it.
func (app *app) showKey(token string, key *keys.Key) error {
	if err := app.printf("%s\n", token); err != nil {
		return err
	}
	_, err := fmt.Fprintf(app.err, "key %s of %s opens %s; it is not shown again\n", key.ID, key.Bookmaker, strings.Join(key.Scopes, " "))
	return failed("writing", err)
}

func (app *app) keysList(ctx context.Context, store *keys.Registry, _ *keysFlags, args []string) error {
	list, err := store.List(ctx, args[0])
	if err != nil {
		return failed("listing the keys", unreachable(err))
	}
	if len(list) == 0 {
		return app.printf("%s has no keys\n", args[0])
	}
	printer := pretty.Printer{Colour: app.colour("auto")}
	table := pretty.NewTable(printer, "", "id", "", "made", "ends", "scopes", "note")
	for _, key := range list {
		state, ends := key.State(store.Now()), "-"
		style := pretty.Plain
		if state != "active" {
			style = pretty.Dim
		}
		if key.ExpiresAt != 0 {
			ends = instant.Format(key.ExpiresAt)
		}
		table.Row(printer.Cell(key.ID, pretty.Bold), printer.Cell(state, style), cellOf(printer, instant.Format(key.CreatedAt)), cellOf(printer, ends),
			cellOf(printer, strings.Join(key.Scopes, " ")), cellOf(printer, orDash(key.Note)))
	}
	return write(app.out, table.AppendTo(nil))
}

func (app *app) keysRotate(ctx context.Context, store *keys.Registry, flags *keysFlags, args []string) error {
	token, key, err := store.Rotate(ctx, args[0], args[1], time.Duration(flags.overlapHours)*time.Hour)
	if err != nil {
		return failed("rotating the key", unreachable(err))
	}
	return app.showKey(token, key)
}

func (app *app) keysRevoke(ctx context.Context, store *keys.Registry, _ *keysFlags, args []string) error {
	key, err := store.Revoke(ctx, args[0], args[1])
	if err != nil {
		return failed("revoking the key", unreachable(err))
	}
	return app.printf("revoked %s of %s at %s\n", key.ID, key.Bookmaker, instant.Format(key.RevokedAt))
}
