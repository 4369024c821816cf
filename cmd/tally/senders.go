//go:build !auditor

package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"tally/internal/pretty"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/senders"
)

const sendersHelp = `senders keeps the list of who may speak for which tables of the studio's. The
queue's policy says who may send at all; SQS says with every message who sent
it, and one from a sender that is not listed for its table is quarantined.
Without a list everyone whom the queue lets in may speak for every table.

  list      the list
  allow     list a sender with its tables, in the place of those that it had
  remove    take a sender from the list; where none is left nobody may send
  enforce   on, or off: the list is kept and everyone may send

A sender is a role or a user by its unique id: of a role what "aws iam get-role
--query Role.RoleId" says. A table is a name, the beginning of names and *, or *
for all. A change holds within ten seconds, for messages that wait, too. What an
operator releases from quarantine is taken whoever sent it.

` + targetHelp + `

Exit codes: 0; 1 when something failed; 2 for a misuse of the command.`

const sendersExample = `  tally senders enforce off --stack prod
  tally senders allow AROAEXAMPLEEXAMPLEID "war-*" bj-1 --note "studio in Riga"
  tally senders enforce on --stack prod
  tally senders list --local
  tally senders remove AROAEXAMPLEEXAMPLEID --local`

// onSenders is what one of its commands does.
type onSenders func(context.Context, *senders.Store, []string) (*senders.List, error)

func newSendersCommand(app *app) *cobra.Command {
	var on target
	var note string
	command := &cobra.Command{Use: "senders", Short: "who may speak for which tables", Long: sendersHelp, Example: sendersExample}
	on.flags(app, command)
	with := func(use, short, long, wants string, fits func(args []string) bool, run onSenders) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, Long: long,
			Args: func(_ *cobra.Command, args []string) error {
				if !fits(args) {
					return errors.New(wants)
				}
				return nil
			},
			RunE: func(command *cobra.Command, args []string) error {
				clients, err := on.connect(command.Context())
				if err != nil {
					return err
				}
				list, err := run(command.Context(), &senders.Store{Table: clients.table, Now: now}, args)
				if misuse := (*senders.ParamsError)(nil); errors.As(err, &misuse) {
					return misuse
				}
				if err != nil {
					return failed("the list of senders", unreachable(err))
				}
				return app.showSenders(list)
			}}
	}
	allow := with("allow sender table…", "list a sender with its tables",
		"allow lists a sender with the tables that it may speak for, in the place of\nthose that it had.",
		"give a sender and its tables", func(args []string) bool { return len(args) >= 2 },
		func(ctx context.Context, s *senders.Store, args []string) (*senders.List, error) {
			return s.Allow(ctx, args[0], args[1:], note)
		})
	allow.Flags().StringVar(&note, "note", "", "`who` it is, to be seen in the list")
	return group(command, allow,
		with("list", "the list", "list shows who may speak for which tables.", "list takes no arguments",
			func(args []string) bool { return len(args) == 0 },
			func(ctx context.Context, s *senders.Store, _ []string) (*senders.List, error) { return s.List(ctx) }),
		with("remove sender", "take a sender from the list", "remove takes a sender from the list. Where none is left nobody may send.",
			"give a sender", func(args []string) bool { return len(args) == 1 },
			func(ctx context.Context, s *senders.Store, args []string) (*senders.List, error) {
				return s.Remove(ctx, args[0])
			}),
		with("enforce on|off", "whether the list is enforced",
			"enforce says whether the list is enforced. One that is not is kept, and everyone\nwhom the queue lets in may send.",
			"write on or off", func(args []string) bool { return len(args) == 1 && (args[0] == "on" || args[0] == "off") },
			func(ctx context.Context, s *senders.Store, args []string) (*senders.List, error) {
				return s.Enforce(ctx, args[0] == "on")
			}))
}

// showSenders writes the list and what comes of it.
func (app *app) showSenders(list *senders.List) error {
	printer := pretty.Printer{Colour: app.colour("auto")}
	text := ""
	switch {
	case list == nil:
		text = "there is no list: everyone whom the queue lets in may speak for every table"
	case list.Off:
		text = "the list is not enforced: everyone whom the queue lets in may speak for every table"
	case len(list.Senders) == 0:
		text = "the list is empty: nobody may send"
	}
	if list == nil || len(list.Senders) == 0 {
		return app.printf("%s\n", text)
	}
	table := pretty.NewTable(printer, "", "sender", "tables", "since", "note")
	for _, sender := range list.Senders {
		table.Row(printer.Cell(sender.ID, pretty.Bold), cellOf(printer, strings.Join(sender.Tables, " ")),
			cellOf(printer, instant.Format(sender.Changed)), cellOf(printer, orDash(sender.Note)))
	}
	if text != "" {
		text += "\n"
	}
	return write(app.out, append(table.AppendTo(nil), text...))
}
